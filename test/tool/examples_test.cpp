// examples/: whole algorithms as programs, on real graphs and generated ones, against plain implementations.
#include "data/tensor_file.h"
#include "tool.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <gtest/gtest.h>
#include <iostream>
#include <limits>
#include <numeric>
#include <queue>
#include <set>

namespace unravel::tool::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string example(const std::string &name) {
  return std::string(UNRAVEL_SOURCE_DIR) + "/examples/" + name + ".unravel";
}

/// Entries row by row.
struct Graph {
  std::size_t size = 0;
  std::vector<std::vector<std::pair<std::size_t, double>>> edges;
};

Graph graph_of(data::Coordinates entries) {
  data::combine_duplicates(entries);
  Graph graph;
  graph.size = static_cast<std::size_t>(entries.shape.at(0));
  graph.edges.resize(graph.size);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const std::vector<std::int64_t> at = entries.coordinate(e);
    graph.edges[static_cast<std::size_t>(at[0])].emplace_back(at[1], entries.value[e]);
  }
  return graph;
}

/// A desk with the matrix A.mtx.
struct Problem {
  std::string name;
  Desk desk;
  Graph graph;

  /// `unravel run` on an example; the results that are asked for, dense.
  std::map<std::string, std::vector<double>> run(const std::string &program, const std::string &layout,
                                                 const std::vector<std::string> &inputs,
                                                 const std::vector<std::string> &results) const {
    std::vector<std::string> arguments{"run", "-F", example(program), "-f", "A=" + layout, "-i", "A=A.mtx"};
    for (const std::string &input : inputs)
      arguments.insert(arguments.end(), {"-i", input});
    for (const std::string &result : results)
      arguments.insert(arguments.end(), {"-o", result + "=" + result + ".mtx"});
    const Outcome outcome = desk.unravel(arguments);
    std::map<std::string, std::vector<double>> read;
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    for (const std::string &result : results)
      if (outcome.code == 0) read[result] = to_dense(data::read_tensor(desk.path(result + ".mtx")));
    return read;
  }
};

std::filesystem::path data_folder() {
  if (const char *path = std::getenv("UNRAVEL_DATA")) return path;
  return std::filesystem::path(UNRAVEL_SOURCE_DIR) / "../shared/data";
}

/// Square matrices: from files, where these are there, and generated; `change` may make others of their
/// entries.
template <class Change>
std::vector<std::unique_ptr<Problem>> problems(const std::vector<std::string> &files,
                                               const std::vector<std::string> &generated,
                                               const Change &change) {
  std::vector<std::unique_ptr<Problem>> all;
  auto add = [&](const std::string &name, data::Coordinates entries) {
    auto made = std::make_unique<Problem>();
    made->name = name;
    change(entries);
    data::write_tensor(made->desk.path("A.mtx"), entries);
    made->graph = graph_of(std::move(entries));
    all.push_back(std::move(made));
  };
  for (const std::string &file : files) {
    const std::filesystem::path path = data_folder() / file;
    if (std::filesystem::exists(path))
      add(file, data::read_tensor(path));
    else
      std::cout << "no file " << path << ": left out\n";
  }
  for (const std::string &spec : generated) {
    Desk desk;
    const Outcome outcome = desk.unravel({"generate", spec, "-o", "G.mtx"});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    add(spec, data::read_tensor(desk.path("G.mtx")));
  }
  return all;
}

const std::vector<std::string> graphs{"west0067.mtx", "add32.mtx", "email-Enron.mtx.gz"};
const std::vector<std::string> generated_graphs{"rmat:scale=7,edges=3,seed=3",
                                                "random:60x60,density=0.02,seed=4"};

void keep(data::Coordinates &) {}

/// Positive weights, many of them different.
void give_weights(data::Coordinates &entries) {
  for (std::size_t e = 0; e < entries.size(); ++e)
    entries.value[e] = 1 + static_cast<double>(e * 7919 % 97) / 8;
}

data::Coordinates both_directions(const data::Coordinates &entries, bool with_diagonal) {
  std::set<std::pair<std::int64_t, std::int64_t>> edges;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const std::vector<std::int64_t> at = entries.coordinate(e);
    if (at[0] == at[1] && !with_diagonal) continue;
    edges.emplace(at[0], at[1]);
    edges.emplace(at[1], at[0]);
  }
  data::Coordinates made(entries.shape);
  for (const auto &[i, j] : edges)
    made.append({i, j}, 1);
  return made;
}

void expect_equal(const std::vector<double> &found, const std::vector<double> &expected,
                  double tolerance = 0) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k] == expected[k]) continue;
    ASSERT_NEAR(found[k], expected[k], tolerance) << "element " << k;
  }
}

// ---- graphs

std::vector<double> levels_from(std::size_t source, const Graph &graph) {
  std::vector<double> level(graph.size, infinity);
  std::deque<std::size_t> queue{source};
  level[source] = 0;
  for (; !queue.empty(); queue.pop_front())
    for (const auto &[next, weight] : graph.edges[queue.front()])
      if (level[next] == infinity) level[next] = level[queue.front()] + 1, queue.push_back(next);
  return level;
}

TEST(Examples, BreadthFirstSearch) {
  for (const auto &problem : problems(graphs, generated_graphs, keep))
    for (const char *layout : {"csr", "csc"}) {
      SCOPED_TRACE(problem->name + " " + layout);
      for (const std::size_t source : {std::size_t{0}, problem->graph.size / 2})
        expect_equal(problem->run("bfs", layout, {"source=" + std::to_string(source)}, {"level"})["level"],
                     levels_from(source, problem->graph));
    }
}

std::vector<double> distances_from(std::size_t source, const Graph &graph) {
  std::vector<double> distance(graph.size, infinity);
  using Reached = std::pair<double, std::size_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
  queue.emplace(distance[source] = 0, source);
  while (!queue.empty()) {
    const auto [so_far, vertex] = queue.top();
    queue.pop();
    if (so_far > distance[vertex]) continue;
    for (const auto &[next, weight] : graph.edges[vertex])
      if (so_far + weight < distance[next]) queue.emplace(distance[next] = so_far + weight, next);
  }
  return distance;
}

TEST(Examples, ShortestPaths) {
  for (const auto &problem : problems(graphs, generated_graphs, give_weights))
    for (const char *layout : {"csr", "csc"}) {
      SCOPED_TRACE(problem->name + " " + layout);
      expect_equal(problem->run("sssp", layout, {"source=1"}, {"distance"})["distance"],
                   distances_from(1, problem->graph)); // eighths add up exactly
    }
}

/// Rounds of a surfer, one vertex after the other.
std::vector<double> ranks_of(const Graph &graph, int &rounds) {
  const double n = static_cast<double>(graph.size);
  std::vector<double> rank(graph.size, 1 / n);
  double change = 1;
  for (rounds = 0; rounds < 200 && change >= 1e-10; ++rounds) {
    std::vector<double> next(graph.size, 0);
    double lost = 0;
    change = 0;
    for (std::size_t i = 0; i < graph.size; ++i) {
      std::vector<std::size_t> followed;
      for (const auto &[j, weight] : graph.edges[i])
        followed.push_back(j);
      if (followed.empty()) lost += rank[i];
      for (const std::size_t j : followed)
        next[j] += rank[i] / static_cast<double>(followed.size());
    }
    for (std::size_t j = 0; j < graph.size; ++j) {
      next[j] = 0.15 / n + 0.85 * (next[j] + lost / n);
      change += std::fabs(next[j] - rank[j]);
    }
    rank = next;
  }
  return rank;
}

TEST(Examples, PageRank) {
  for (const auto &problem : problems(graphs, generated_graphs, keep))
    for (const char *layout : {"csr", "csc"}) {
      SCOPED_TRACE(problem->name + " " + layout);
      int rounds = 0;
      const std::vector<double> expected = ranks_of(problem->graph, rounds);
      auto found = problem->run("pagerank", layout, {}, {"rank", "rounds"});
      expect_equal(found["rank"], expected, 1e-11);
      EXPECT_NEAR(std::accumulate(found["rank"].begin(), found["rank"].end(), 0.0), 1, 1e-9);
      ASSERT_EQ(found["rounds"].size(), 1u);
      EXPECT_NEAR(found["rounds"][0], rounds, 1); // where the change is just about the bound
    }
}

/// Of each vertex the least one of its component, by union and find.
std::vector<double> components_of(const Graph &graph) {
  std::vector<std::size_t> parent(graph.size);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  auto root = [&](std::size_t vertex) {
    while (parent[vertex] != vertex)
      vertex = parent[vertex] = parent[parent[vertex]];
    return vertex;
  };
  for (std::size_t i = 0; i < graph.size; ++i)
    for (const auto &[j, weight] : graph.edges[i]) {
      const std::size_t one = root(i), other = root(j);
      parent[std::max(one, other)] = std::min(one, other);
    }
  std::vector<double> label;
  for (std::size_t i = 0; i < graph.size; ++i)
    label.push_back(static_cast<double>(root(i)));
  return label;
}

TEST(Examples, ConnectedComponents) {
  for (const auto &problem : problems(graphs, generated_graphs, keep))
    for (const char *layout : {"csr", "csc"}) {
      SCOPED_TRACE(problem->name + " " + layout);
      expect_equal(problem->run("components", layout, {}, {"label"})["label"], components_of(problem->graph));
    }
}

TEST(Examples, Triangles) {
  auto undirected = [](data::Coordinates &entries) { entries = both_directions(entries, true); };
  for (const auto &problem : problems(graphs, generated_graphs, undirected)) {
    SCOPED_TRACE(problem->name);
    std::vector<std::set<std::size_t>> neighbours(problem->graph.size);
    for (std::size_t i = 0; i < problem->graph.size; ++i)
      for (const auto &[j, weight] : problem->graph.edges[i])
        neighbours[i].insert(j);
    double count = 0;
    for (std::size_t i = 0; i < neighbours.size(); ++i)
      for (const std::size_t j : neighbours[i])
        for (const std::size_t k : neighbours[i])
          count += k < j && j < i && neighbours[j].contains(k);
    expect_equal(problem->run("triangles", "csr", {}, {"count"})["count"], {count});
  }
}

// ---- linear algebra

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

// ---- programs from files

TEST(Examples, FromStandardInput) {
  Desk desk;
  Outcome outcome = desk.execute({"sh", "-c",
                                  "echo '# a line\ny(i) = A(i,j) * x(j) # of index notation' | " UNRAVEL_TOOL
                                  " compile -F - -f A=csr"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.out.find("A->rowptr"), std::string::npos) << outcome.out;
}

TEST(Examples, MistakesInFiles) {
  Desk desk;
  desk.write("p.unravel", "# a program\nfor i {\n  y(i) = x(i;\n}\n");
  Outcome outcome = desk.unravel({"run", "-F", "p.unravel"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.error.find("p.unravel:3:13: error:"), std::string::npos) << outcome.error;
  outcome = desk.unravel({"run", "-F", "none.unravel"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.error.find("none.unravel: error: cannot read"), std::string::npos) << outcome.error;
  outcome = desk.unravel({"run", "-F", "p.unravel", spmv});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.error.find("both an expression and `-F p.unravel` are given"), std::string::npos)
      << outcome.error;
}

/// Every file of the folder has a test here, and a command in its head.
TEST(Examples, AreComplete) {
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(std::string(UNRAVEL_SOURCE_DIR) + "/examples"))
    names.insert(entry.path().stem().string());
  EXPECT_EQ(names, (std::set<std::string>{"bfs", "components", "conjugate_gradients", "jacobi", "pagerank",
                                          "power_iteration", "sssp", "triangles"}));
}

} // namespace
} // namespace unravel::tool::test
