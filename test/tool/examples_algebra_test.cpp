// examples/: linear algebra as programs, against plain implementations.
#include "examples.h"

#include <algorithm>

namespace unravel::tool::test {
namespace {

/// A graph's Laplacian and the unit matrix: symmetric, its diagonal outweighs the rest.
void make_definite(data::Coordinates &entries) {
  const data::Coordinates edges = both_directions(entries, false);
  std::vector<double> diagonal(static_cast<std::size_t>(edges.shape[0]), 1);
  entries = data::Coordinates(edges.shape);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    entries.append(edges.coordinate(e), -1);
    diagonal[static_cast<std::size_t>(edges.coordinate(e)[0])] += 1;
  }
  for (std::size_t i = 0; i < diagonal.size(); ++i)
    entries.append({static_cast<std::int64_t>(i), static_cast<std::int64_t>(i)}, diagonal[i]);
}

std::vector<double> times(const Graph &matrix, const std::vector<double> &x) {
  std::vector<double> y(matrix.size, 0);
  for (std::size_t i = 0; i < matrix.size; ++i)
    for (const auto &[j, value] : matrix.edges[i])
      y[i] += value * x.at(j);
  return y;
}

const std::vector<std::string> definite{"west0067.mtx", "add32.mtx", "orsreg_1.mtx"};

/// A x is b, as far as the tolerance says.
void expect_solves(const std::string &program, const std::string &tolerance, double error,
                   double most_rounds) {
  for (const auto &problem : problems(definite, generated_graphs, make_definite))
    for (const char *layout : {"csr", "csc"}) {
      SCOPED_TRACE(problem->name + " " + layout);
      auto found = problem->run(program, layout, {"b=ones", "tolerance=" + tolerance}, {"x", "rounds"});
      ASSERT_EQ(found["x"].size(), problem->graph.size);
      expect_equal(times(problem->graph, found["x"]), std::vector<double>(problem->graph.size, 1), error);
      ASSERT_EQ(found["rounds"].size(), 1u);
      EXPECT_GE(found["rounds"][0], 1);
      EXPECT_LE(found["rounds"][0], most_rounds);
    }
}

TEST(Examples, ConjugateGradients) {
  expect_solves("conjugate_gradients", "1e-10", 2e-10, 200);
}

TEST(Examples, Jacobi) {
  expect_solves("jacobi", "1e-10", 1e-7, 9999);
}

TEST(Examples, GaussSeidel) {
  expect_solves("gauss_seidel", "1e-10", 1e-7, 9999);
}

/// The A that solves A G = P, by elimination with pivots.
std::vector<double> solved(std::vector<double> g, std::vector<double> p, std::size_t rank) {
  for (std::size_t k = 0; k < rank; ++k) {
    std::size_t pivot = k;
    for (std::size_t r = k; r < rank; ++r)
      if (std::fabs(g[r * rank + k]) > std::fabs(g[pivot * rank + k])) pivot = r;
    for (std::size_t c = 0; c < rank; ++c)
      std::swap(g[k * rank + c], g[pivot * rank + c]);
    for (std::size_t i = 0; i < p.size(); i += rank)
      std::swap(p[i + k], p[i + pivot]);
    for (std::size_t r = 0; r < rank; ++r) {
      if (r == k) continue;
      const double factor = g[r * rank + k] / g[k * rank + k];
      for (std::size_t c = 0; c < rank; ++c)
        g[r * rank + c] -= factor * g[k * rank + c];
      for (std::size_t i = 0; i < p.size(); i += rank)
        p[i + r] -= factor * p[i + k];
    }
  }
  for (std::size_t e = 0; e < p.size(); ++e)
    p[e] /= g[e % rank * (rank + 1)];
  return p;
}

TEST(Examples, AlternatingLeastSquares) {
  constexpr std::size_t rank = 8;
  for (const std::string &name : {std::string("splatt_med3.tns.gz"), std::string()}) {
    SCOPED_TRACE(name);
    Desk desk;
    const std::filesystem::path file = data_folder() / name;
    if (!std::filesystem::exists(file)) {
      std::cout << "no file " << file << ": left out\n";
      continue;
    }
    auto generated = [&](const std::string &spec, const std::string &to) {
      EXPECT_EQ(desk.unravel({"generate", spec, "-o", to}).code, 0);
      return data::read_tensor(desk.path(to));
    };
    const bool is_file = !name.empty();
    data::Coordinates t =
        is_file ? data::read_tensor(file) : generated("random:30x40x50,density=0.01", "T.tns");
    data::write_tensor(desk.path("T.tns"), t);
    auto factor = [&](std::size_t mode, const std::string &to) {
      return to_dense(generated(
          "random:" + std::to_string(t.shape[mode]) + "x8,density=1,seed=" + std::to_string(mode), to));
    };
    const std::vector<double> b = factor(1, "B.mtx"), c = factor(2, "C.mtx");
    const Outcome outcome = desk.unravel({"run", "-F", example("als"), "-f", "T=csf", "-i", "T=T.tns", "-i",
                                          "B=B.mtx", "-i", "C=C.mtx", "-o", "A=A.mtx"});
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    std::vector<double> g(rank * rank), p(static_cast<std::size_t>(t.shape[0]) * rank);
    for (std::size_t r = 0; r < rank; ++r)
      for (std::size_t q = 0; q < rank; ++q) {
        double of_b = 0, of_c = 0;
        for (std::size_t j = 0; j < b.size(); j += rank)
          of_b += b[j + r] * b[j + q];
        for (std::size_t k = 0; k < c.size(); k += rank)
          of_c += c[k + r] * c[k + q];
        g[r * rank + q] = of_b * of_c;
      }
    for (std::size_t e = 0; e < t.size(); ++e)
      for (std::size_t r = 0; r < rank; ++r)
        p[static_cast<std::size_t>(t.index[0][e]) * rank + r] +=
            t.value[e] * b[static_cast<std::size_t>(t.index[1][e]) * rank + r] *
            c[static_cast<std::size_t>(t.index[2][e]) * rank + r];
    const std::vector<double> expected = solved(g, p, rank);
    double most = 0;
    for (const double each : expected)
      most = std::max(most, std::fabs(each));
    expect_equal(to_dense(data::read_tensor(desk.path("A.mtx"))), expected, 1e-10 * most);
  }
}

TEST(Examples, PowerIteration) {
  for (const auto &problem : problems(definite, generated_graphs, make_definite)) {
    SCOPED_TRACE(problem->name);
    auto found = problem->run("power_iteration", "csr", {"tolerance=1e-13"}, {"lambda", "x", "rounds"});
    ASSERT_EQ(found["lambda"].size(), 1u);
    const double lambda = found["lambda"][0];
    const std::vector<double> y = times(problem->graph, found["x"]);
    double residual = 0, length = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      residual += std::pow(y[i] - lambda * found["x"][i], 2);
      length += std::pow(found["x"][i], 2);
    }
    EXPECT_NEAR(length, 1, 1e-12);
    EXPECT_LT(std::sqrt(residual), 1e-3 * lambda) << "after " << found["rounds"][0] << " rounds";
    std::vector<double> expected(problem->graph.size, 1); // the same, with more rounds and other steps
    double estimate = 0;
    for (int round = 0; round < 20000; ++round) {
      expected = times(problem->graph, expected);
      estimate = *std::max_element(expected.begin(), expected.end(),
                                   [](double a, double b) { return std::fabs(a) < std::fabs(b); });
      for (double &each : expected)
        each /= estimate;
    }
    EXPECT_NEAR(lambda, estimate, 1e-4 * std::fabs(estimate));
  }
}

} // namespace
} // namespace unravel::tool::test
