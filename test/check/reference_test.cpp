#include "check/reference_program.h"

#include "data/generate.h"
#include "parse/parse.h"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace unravel::check {

using data::Coordinates;

namespace {

Coordinates random_tensor(std::vector<std::int64_t> shape, std::size_t entries, unsigned seed) {
  std::mt19937_64 random(seed);
  Coordinates result(std::move(shape));
  for (std::size_t e = 0; e < entries; ++e) { // duplicates included
    std::vector<std::int64_t> coordinate;
    for (std::int64_t extent : result.shape)
      coordinate.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent)));
    result.append(coordinate, static_cast<double>(random() % 9) - 4);
  }
  return result;
}

/// The value at a coordinate, summed over duplicates, and the sum of absolute values; 0 outside the shape.
std::pair<double, double> value_at(const Coordinates &tensor, const std::vector<std::int64_t> &coordinate) {
  double sum = 0, magnitude = 0;
  for (std::size_t e = 0; e < tensor.size(); ++e)
    if (tensor.coordinate(e) == coordinate) sum += tensor.value[e], magnitude += std::fabs(tensor.value[e]);
  return {sum, magnitude};
}

using Tensors = std::map<std::string, Coordinates>;

/// A line or program, its operands and the shape of its result.
struct Example {
  compute::Computation computation;
  ProgramInput input;

  Example(const std::string &text, const Tensors &tensors, std::vector<std::int64_t> shape,
          std::vector<double> initial = {}) {
    const auto source = std::make_shared<const text::Source>("expression", text);
    computation = text.find(';') == std::string::npos
                      ? compute::make_computation(parse::parse_assignment(source))
                      : compute::make_computation(parse::parse_program(source));
    for (const compute::TensorUse &use : computation.tensors)
      if (!use.is_result) input.operands[use.name] = &tensors.at(use.name);
    for (const auto &[name, extents] : computation.program.extents)
      for (std::size_t k = 0; k < extents.size(); ++k)
        if (const auto *size = extents[k].as<term::Variable>(); size && tensors.contains(name))
          input.sizes[size->name] = tensors.at(name).shape[k];
    input.results[result()] = {std::move(shape), std::move(initial)};
  }

  const std::string &result() const { return computation.tensors.front().name; }
  Reference dense() const { return evaluate_program(computation.program, input).results.at(result()); }
  SparseReference sparse() const { return evaluate_sparse_program(computation.program, input); }
};

struct Subscript {
  std::string index;
  std::int64_t shift = 0;
};
using Subscripts = std::vector<Subscript>;

/// result(subscripts) = constant * factor * factor * ...
struct Product {
  double constant = 1;
  std::vector<std::pair<std::string, Subscripts>> factors;
  std::vector<std::int64_t> shape;
  Subscripts result;
};

std::string text_of(const std::string &tensor, const Subscripts &subscripts) {
  std::string text;
  for (const Subscript &each : subscripts)
    text += fmt::format("{}{}{:+}", text.empty() ? "" : ", ", each.index, each.shift);
  return subscripts.empty() ? tensor : fmt::format("{}({})", tensor, text);
}

/// Against the sum over all values of all indices at which each subscript lies inside its tensor.
void check(const Product &product, const Tensors &tensors) {
  std::string line = fmt::format("{} = {}", text_of("y", product.result), product.constant);
  std::map<std::string, std::int64_t> extents;
  const auto bound = [&](const Subscripts &subscripts, const std::vector<std::int64_t> &shape) {
    for (std::size_t mode = 0; mode < shape.size(); ++mode) {
      const std::int64_t here = shape[mode] - subscripts[mode].shift;
      std::int64_t &extent = extents.try_emplace(subscripts[mode].index, here).first->second;
      extent = std::max<std::int64_t>(0, std::min(extent, here));
    }
  };
  bound(product.result, product.shape);
  for (const auto &[tensor, subscripts] : product.factors) {
    line += " * " + text_of(tensor, subscripts);
    bound(subscripts, tensors.at(tensor).shape);
  }
  std::map<std::string, std::int64_t> index;
  const auto elements = static_cast<std::size_t>(data::element_count(product.shape));
  std::vector<double> expected(elements), magnitude(elements);
  const auto at = [&](const Subscripts &subscripts) {
    std::vector<std::int64_t> coordinate;
    for (const Subscript &each : subscripts)
      coordinate.push_back(index.at(each.index) + each.shift);
    return coordinate;
  };
  const auto take_point = [&] {
    std::size_t offset = 0;
    const std::vector<std::int64_t> target = at(product.result);
    for (std::size_t mode = 0; mode < target.size(); ++mode) {
      if (target[mode] < 0) return;
      offset =
          offset * static_cast<std::size_t>(product.shape[mode]) + static_cast<std::size_t>(target[mode]);
    }
    double term = product.constant, size = std::fabs(product.constant);
    for (const auto &[tensor, subscripts] : product.factors) {
      const auto [value, absolute] = value_at(tensors.at(tensor), at(subscripts));
      term *= value, size *= absolute;
    }
    expected[offset] += term, magnitude[offset] += size;
  };
  const std::function<void(std::map<std::string, std::int64_t>::const_iterator)> run = [&](auto next) {
    if (next == extents.end()) return take_point();
    for (std::int64_t value = 0; value < next->second; ++value)
      index[next->first] = value, run(std::next(next));
  };
  run(extents.begin());
  const Example example(line, tensors, product.shape);
  const Reference reference = example.dense();
  EXPECT_EQ(reference.value, expected) << line;
  EXPECT_EQ(reference.shape, product.shape);
  for (std::size_t k = 0; k < elements; ++k)
    EXPECT_NEAR(reference.magnitude[k], magnitude[k], 1e-12 * magnitude[k]) << line;
  const SparseReference sparse = example.sparse();
  std::vector<double> values(elements);
  for (std::size_t k = 0; k < sparse.offset.size(); ++k)
    values[static_cast<std::size_t>(sparse.offset[k])] = sparse.value[k];
  EXPECT_EQ(values, expected) << line;
}

TEST(Reference, Sparse) {
  const Tensors tensors{{"A", random_tensor({6, 5}, 20, 1)}, {"B", random_tensor({5, 7}, 12, 2)}};
  const Example product("C(i,j) = A(i,k) * B(k,j)", tensors, {6, 7});
  const Reference dense = product.dense();
  const SparseReference sparse = product.sparse();
  EXPECT_LT(sparse.offset.size(), dense.value.size());
  const SparseReference twice =
      Example("C(i,j) = A(i,k) * B(k,j) + A(i,k) * B(k,j)", tensors, {6, 7}).sparse();
  ASSERT_EQ(twice.offset.size(), sparse.offset.size());
  for (std::size_t e = 0; e < twice.offset.size(); ++e)
    EXPECT_EQ(twice.value[e], 2 * dense.value[static_cast<std::size_t>(twice.offset[e])]);

  Coordinates got = data::from_dense({6, 7}, dense.value);
  EXPECT_TRUE(compare(got, sparse, 1e-12).ok);
  got.append({3, 4}, 0.5); // one of two entries with this coordinate
  const Comparison off = compare(got, sparse, 1e-12);
  EXPECT_FALSE(off.ok);
  EXPECT_EQ(off.coordinate, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(off.bad_elements, 1U);
  EXPECT_EQ(off.got.number() - off.expected.number(), 0.5);
  // What lies where no term is must be 0.
  EXPECT_FALSE(compare(Coordinates({6, 7}), sparse, 1e-12).ok);
}

TEST(Reference, Products) {
  const Tensors tensors{{"A", random_tensor({4, 5}, 12, 3)}, {"B", random_tensor({5, 3}, 10, 4)},
                        {"C", random_tensor({4, 3}, 30, 5)}, {"T", random_tensor({4, 3, 5}, 25, 6)},
                        {"U", random_tensor({3, 2}, 6, 7)},  {"V", random_tensor({5, 2}, 8, 8)},
                        {"x", random_tensor({5}, 9, 2)}};
  check({1, {{"A", {{"i"}, {"j"}}}, {"x", {{"j"}}}}, {4}, {{"i"}}}, tensors);
  check({-2.5, {{"A", {{"i"}, {"j"}}}, {"x", {{"j"}}}}, {4}, {{"i"}}}, tensors);
  check({1, {{"A", {{"i"}, {"k"}}}, {"B", {{"k"}, {"j"}}}}, {4, 3}, {{"i"}, {"j"}}}, tensors);
  check({1, {{"A", {{"i"}, {"k"}}}, {"B", {{"k"}, {"j"}}}, {"C", {{"i"}, {"j"}}}}, {3, 4}, {{"j"}, {"i"}}},
        tensors);
  check({1, {{"A", {{"i"}, {"j"}}}, {"A", {{"i"}, {"j"}}}}, {}, {}}, tensors);
  check({1,
         {{"T", {{"i"}, {"j"}, {"k"}}}, {"U", {{"j"}, {"r"}}}, {"V", {{"k"}, {"r"}}}},
         {4, 2},
         {{"i"}, {"r"}}},
        tensors);
}

TEST(Reference, RepeatedTransposedAndShifted) {
  const Tensors tensors{{"A", random_tensor({5, 5}, 30, 9)},
                        {"v", random_tensor({5}, 7, 10)},
                        {"x", random_tensor({6}, 8, 11)}};
  check({1, {{"A", {{"i"}, {"i"}}}, {"v", {{"i"}}}}, {}, {}}, tensors);
  check({1, {{"A", {{"i"}, {"i", 1}}}}, {5}, {{"i"}}}, tensors);
  check({1, {{"A", {{"j"}, {"i"}}}, {"A", {{"i"}, {"j"}}}}, {5}, {{"i"}}}, tensors);
  check({1, {{"x", {{"i", 1}}}, {"v", {{"i", -2}}}}, {4}, {{"i"}}}, tensors);
  check({1, {{"x", {{"i", 1}}}}, {}, {}}, tensors);
  check({1, {{"A", {{"i"}, {"j", 2}}}, {"x", {{"j", -1}}}}, {5}, {{"i"}}}, tensors);
  check({1, {{"v", {{"i"}}}}, {5}, {{"i", 2}}}, tensors);
}

TEST(Reference, ScalarsBroadcastsAndDisconnectedFactors) {
  Tensors tensors{{"s", Coordinates(std::vector<std::int64_t>{})},
                  {"x", random_tensor({4}, 5, 12)},
                  {"v", random_tensor({3}, 5, 13)},
                  {"none", Coordinates({4})},
                  {"empty", Coordinates({0})}};
  tensors["s"].append({}, 3), tensors["s"].append({}, -1);
  check({1, {{"s", {}}, {"x", {{"i"}}}}, {4}, {{"i"}}}, tensors);
  check({1, {{"s", {}}}, {}, {}}, tensors);
  check({2, {}, {3}, {{"i"}}}, tensors);
  check({1, {{"x", {{"i"}}}}, {4, 3}, {{"i"}, {"j"}}}, tensors);
  check({1, {{"x", {{"i"}}}, {"v", {{"j"}}}}, {4, 3}, {{"i"}, {"j"}}}, tensors);
  check({1, {{"x", {{"i"}}}, {"none", {{"i"}}}}, {4}, {{"i"}}}, tensors);
  check({1, {{"x", {{"i"}}}}, {4, 4}, {{"i"}, {"i"}}}, tensors);
  EXPECT_TRUE(Example("y(i) = empty(i)", tensors, {0}).dense().value.empty());
}

TEST(Reference, RandomProducts) {
  std::mt19937_64 random(77);
  const std::string indices = "ijkr";
  for (int round = 0; round < 300; ++round) {
    Tensors tensors;
    Product product;
    const std::size_t factors = 1 + random() % 3;
    const auto subscript = [&](std::int64_t shift) { return Subscript{{indices[random() % 4]}, shift}; };
    for (std::size_t f = 0; f < factors; ++f) {
      std::vector<std::int64_t> shape(random() % 4, 3);
      const std::string name = fmt::format("A{}", f);
      tensors[name] = random_tensor(shape, shape.empty() ? 1 + random() % 2 : random() % 12,
                                    static_cast<unsigned>(random()));
      Subscripts subscripts;
      for (std::size_t mode = 0; mode < shape.size(); ++mode)
        subscripts.push_back(
            subscript(static_cast<std::int64_t>(random() % 5) / 4 * (random() % 2 ? 1 : -1)));
      product.factors.emplace_back(name, std::move(subscripts));
    }
    for (std::size_t mode = random() % 3; mode-- > 0;)
      product.result.push_back(subscript(0)), product.shape.push_back(4);
    check(product, tensors);
  }
}

/// One of a bracket's terms is enough: points of several are visited once.
TEST(Reference, Brackets) {
  const Tensors tensors{{"A", random_tensor({5, 6}, 9, 21)},
                        {"B", random_tensor({5, 6}, 9, 22)},
                        {"b", random_tensor({6}, 3, 23)},
                        {"x", random_tensor({6}, 40, 24)}};
  const auto at = [&](const char *tensor, std::vector<std::int64_t> coordinate) {
    return value_at(tensors.at(tensor), coordinate).first;
  };
  std::vector<double> sums(5), with_vector(5);
  for (std::int64_t i = 0; i < 5; ++i)
    for (std::int64_t j = 0; j < 6; ++j) {
      const auto k = static_cast<std::size_t>(i);
      sums[k] += (at("A", {i, j}) - at("B", {i, j})) * (at("A", {i, j}) + at("B", {i, j})) * at("x", {j});
      with_vector[k] += (at("A", {i, j}) + at("b", {j})) * at("x", {j});
    }
  EXPECT_EQ(Example("y(i) = (A(i,j) - B(i,j)) * (A(i,j) + B(i,j)) * x(j)", tensors, {5}).dense().value, sums);
  EXPECT_EQ(Example("y(i) = (A(i,j) + b(j)) * x(j)", tensors, {5}).dense().value, with_vector);
  const SparseReference sparse = Example("C(i,j) = (A(i,j) + B(i,j)) * A(i,j)", tensors, {5, 6}).sparse();
  EXPECT_LE(sparse.offset.size(), tensors.at("A").size());
}

TEST(Reference, KeepsNanAndInfinity) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Tensors tensors{{"x", Coordinates({3})}};
  Coordinates &x = tensors["x"];
  x.append({0}, infinity);
  x.append({1}, infinity);
  x.append({1}, -infinity);
  const Reference reference = Example("y(i) = x(i)", tensors, {3}).dense();
  EXPECT_EQ(reference.value[0], infinity);
  EXPECT_TRUE(std::isnan(reference.value[1]));
  EXPECT_TRUE(compare({infinity, std::nan(""), 0}, reference, 1e-12).ok);
  EXPECT_FALSE(compare({-infinity, std::nan(""), 0}, reference, 1e-12).ok);
  EXPECT_FALSE(compare({infinity, 1, 0}, reference, 1e-12).ok);
  EXPECT_FALSE(compare({infinity, std::nan(""), std::nan("")}, reference, 1e-12).ok);
}

/// Multiplied out, a bracket loses all digits: what a kernel computes so is wrong, in a line and in a
/// program.
TEST(Reference, BracketsMultipliedOutAreWrong) {
  std::mt19937_64 random(5);
  const double mu = 1e8;
  Tensors tensors{{"x", Coordinates({1000})}, {"mu", Coordinates(std::vector<std::int64_t>{})}};
  tensors["mu"].append({}, mu);
  double written = 0, squares = 0, sum = 0;
  for (std::int64_t i = 0; i < 1000; ++i) {
    const double x = mu + static_cast<double>(random() % 1000) / 512;
    tensors["x"].append({i}, x);
    written += (x - mu) * (x - mu), squares += x * x, sum += x;
  }
  const double multiplied_out = squares - 2 * mu * sum + 1000 * mu * mu;
  for (const char *text : {"v = (x(i) - mu) * (x(i) - mu)", "for i { v += (x(i) - mu) * (x(i) - mu); }"}) {
    const Reference reference = Example(text, tensors, {}).dense();
    EXPECT_TRUE(compare({written}, reference, 1e-12).ok) << text;
    EXPECT_FALSE(compare({multiplied_out}, reference, 1e-12).ok) << text;
    EXPECT_LT(reference.magnitude.front(), 10 * written) << text;
  }
}

/// Factors are multiplied from the left: what is too large in between stays so. Of what is too small little
/// is known.
TEST(Reference, ProductsAreWritten) {
  Tensors tensors{{"a", Coordinates({1})}, {"x", Coordinates({1})}, {"z", Coordinates({1})}};
  volatile double a = 1e308, x = 1e-300, z = 1;
  tensors["a"].append({0}, a), tensors["x"].append({0}, x), tensors["z"].append({0}, z);
  const auto is_right = [&](const std::string &text, double value) {
    return compare({value}, Example(text.c_str(), tensors, {1}).dense(), 1e-12).ok;
  };
  for (const std::string end :
       {"", " + 0*z(i)", " * abs(z(i))"}) { // a term by itself, one of several, a value
    EXPECT_TRUE(is_right("y(i) = a(i) * x(i) * x(i)" + end, a * x * x)) << end;
    EXPECT_FALSE(is_right("y(i) = a(i) * x(i) * x(i)" + end, 0)) << end;
    EXPECT_TRUE(is_right("y(i) = 2 * a(i) * x(i)" + end, 2 * a * x)) << end;
    EXPECT_FALSE(is_right("y(i) = 2 * a(i) * x(i)" + end, 2e8)) << end;
    EXPECT_TRUE(is_right("y(i) = x(i) * x(i) * a(i)" + end, x * x * a)) << end;
    EXPECT_FALSE(is_right("y(i) = x(i) * x(i) * a(i)" + end, 1e-8)) << end;
  }
}

/// What one element is off by is seen in each form of statement, as is an entry too many or too few.
TEST(Reference, PlantedErrors) {
  const Tensors tensors{{"A", random_tensor({6, 5}, 14, 31)},
                        {"B", random_tensor({5, 7}, 16, 32)},
                        {"M", random_tensor({6, 7}, 20, 33)},
                        {"d", random_tensor({6}, 60, 34)},
                        {"x", random_tensor({5}, 40, 35)}};
  struct Form {
    const char *text;
    std::vector<std::int64_t> shape;
  };
  for (const Form &form : std::vector<Form>{
           {"y(i) = A(i,j) * x(j)", {6}},
           {"y(i) += 2 * A(i,j) * x(j) - d(i)", {6}},
           {"y(i) = A(i,j) * (x(j) - d(i))", {6}},
           {"y(i) min= A(i,j) * x(j)", {6}},
           {"y(i) max= exp(A(i,j))", {6}},
           {"C(i,j) = A(i,k) * B(k,j)", {6, 7}},
           {"C(i,j) = A(i,k) * B(k,j) mask M(i,j)", {6, 7}},
           {"C(i,j) = A(i,k) * B(k,j) mask !M(i,j)", {6, 7}},
           {"C(i,j) = A(i,k) * B(k,j) in min.+", {6, 7}},
           {"y(i) = x(i) / 3", {5}},
           {"for i { for j { y(i) += A(i,j) * x(j); } }", {6}},
           {"for i { let s = 0; for j { s += A(i,j) * x(j); } y(i) = s + d(i); }", {6}},
           {"tensor y(n), d(n); for i in [0, n) { y(i) = d(i); for j in [0, i) { y(i) -= 0.5 * y(j); } }",
            {6}}}) {
    const Example example(form.text, tensors, form.shape);
    const Reference reference = example.dense();
    Coordinates got = data::from_dense(form.shape, reference.value);
    EXPECT_TRUE(compare(reference.value, reference, 1e-12).ok) << form.text;
    for (std::size_t k = 0; k < reference.value.size(); ++k) {
      std::vector<double> off = reference.value;
      off[k] = std::isfinite(off[k]) ? off[k] + 1e-9 * (1 + std::fabs(off[k])) : 0;
      EXPECT_FALSE(compare(off, reference, 1e-12).ok) << form.text << " " << k;
    }
    if (!is_line(example.computation.program)) continue;
    const SparseReference sparse = example.sparse();
    Coordinates entries(form.shape);
    for (std::size_t k = 0; k < sparse.offset.size(); ++k) {
      Coordinates one = data::from_dense(form.shape, reference.value);
      entries.append(one.coordinate(static_cast<std::size_t>(sparse.offset[k])), sparse.value[k]);
    }
    EXPECT_TRUE(compare(entries, sparse, 1e-12).ok) << form.text;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      Coordinates off = entries;
      off.value[k] = std::isfinite(off.value[k]) ? off.value[k] + 1e-9 * (1 + std::fabs(off.value[k])) : 0;
      EXPECT_FALSE(compare(off, sparse, 1e-12).ok) << form.text << " " << k;
    }
  }
}

TEST(Reference, Compares) {
  Reference reference{{2, 3}, {1, 2, 3, 4, 0, 6}, {1, 2, 30, 4, 0, 6}};
  Comparison same = compare(reference.value, reference, 1e-12);
  EXPECT_TRUE(same.ok);
  EXPECT_EQ(same.max_relative_error, 0);
  // An error is measured against the terms' sizes, not against the sum.
  Comparison close = compare({1, 2, 3.25, 4, 0, 6}, reference, 0.01);
  EXPECT_TRUE(close.ok);
  EXPECT_DOUBLE_EQ(close.max_relative_error, 0.25 / 30);
  Comparison off = compare({1, 2, 3, 4.5, 1e-300, 6}, reference, 0.01);
  EXPECT_FALSE(off.ok);
  EXPECT_EQ(off.coordinate, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(off.got.number(), 4.5);
  EXPECT_EQ(off.expected.number(), 4);
  EXPECT_EQ(off.bad_elements, 2u);
}

/// Doubles don't tell them apart: in halves, and added up, they are compared exactly.
TEST(Reference, IntegersAreExact) {
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  Reference reference{{2}, {0x1p60, -1}, {0, 0}};
  reference.integer = {large, -1}, reference.type = value::Type::Int64;
  Coordinates got({2});
  got.in_halves = true;
  got.append({0}, 1, 0x1p28), got.append({1}, -1, 0);
  EXPECT_TRUE(compare(got, reference, 1e-12).ok);
  got.append({0}, 1, 0);
  const Comparison off = compare(got, reference, 1e-12);
  EXPECT_FALSE(off.ok);
  EXPECT_EQ(off.got.integer, large + 1);
  EXPECT_EQ(off.expected.integer, large);
  got.append({0}, -1, 0);
  EXPECT_TRUE(compare(got,
                      SparseReference{.shape = {2},
                                      .offset = {0, 1},
                                      .value = {0x1p60, -1},
                                      .magnitude = {0, 0},
                                      .integer = {large, -1},
                                      .type = value::Type::Int64},
                      1e-12)
                  .ok);
}

using value::Type;

/// A vector, or a matrix in one row.
Coordinates tensor_of(std::vector<std::int64_t> shape, const std::vector<double> &values) {
  Coordinates made(std::move(shape));
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::vector<std::int64_t> coordinate(made.order());
    if (!coordinate.empty()) coordinate.back() = static_cast<std::int64_t>(k);
    made.append(coordinate, values[k]);
  }
  return made;
}

struct TypedCase {
  std::string text;
  Type operands, result;
  std::vector<double> a, b;             // of 1 x n matrices A and B, and of vectors a and b
  std::vector<double> right, wrong;     // of the first and of what terms make that are converted otherwise
  std::vector<double> initial = {0, 0}; // of the result
};

/// Docs/operators.md, "Types of values": the values are those of the text, computed by hand. What the
/// compiler says of a statement's type takes no part.
TEST(Reference, TypesAreThoseOfTheText) {
  using enum value::Type;
  const double most = 2147483647, wrap = 4294967296;
  const TypedCase cases[] = {
      {"y(i) = a(i) + b(i)", Int32, Int64, {most, 1}, {5, 2}, {most + 5 - wrap, 3}, {most + 5, 3}},
      {"y(i) = a(i) + b(i)", Int32, Float64, {most, 1}, {5, 2}, {most + 5 - wrap, 3}, {most + 5, 3}},
      {"y(i) = a(i) - b(i)", UInt32, Int64, {5, 3}, {6, 2}, {wrap - 1, 1}, {-1, 1}},
      {"y(i) = a(i) + b(i)", Float64, Int64, {0.5, 1}, {0.5, 2}, {1, 3}, {0, 3}},
      {"y(i) = a(i) * b(i)", Int32, Int64, {65536, 3}, {65536, 4}, {0, 12}, {wrap, 12}},
      {"y(i) += a(i) + b(i)",
       Int32,
       Int64,
       {most, 1},
       {5, 2},
       {most + 15 - wrap, 10},
       {most + 15, 10},
       {10, 7}},
      {"y(i) += a(i) - b(i)", UInt32, Int64, {5, 3}, {6, 2}, {9, 8}, {wrap + 9, 8}, {10, 7}},
      {"y(i) = a(i) * b(i)", Float64, Int64, {0.29, 1}, {100, 2}, {28, 2}, {29, 2}},
      {"y(i) += -a(i)", UInt32, Int64, {5, 3}, {}, {5, 4}, {wrap + 5, wrap + 4}, {10, 7}},
      // Integers that are added up over an index are added in the target's type, fractions before they are
      // cut.
      {"y = a(i) + b(i)", Int32, Int64, {most, 1}, {5, 2}, {most + 8}, {most + 8 - wrap}, {0}},
      {"y = a(i) - b(i)", UInt32, Int64, {5, 3}, {6, 4}, {-2}, {2 * wrap - 2}, {0}},
      {"y = a(i) * b(i)", Float64, Int64, {0.5, 0.5}, {1, 1}, {1}, {0}, {0}},
      {"y += a(i) * b(i)", Float64, Int64, {0.5, 0.5}, {1, 2}, {8}, {7}, {7}},
      // The greater one is 300, which an int8 has as 44.
      {"y(i) = max(a(i), b(i))", Int64, Int8, {300, 1}, {100, 2}, {44, 2}, {100, 2}},
      {"y(j) max= max(A(i,j), b(j))", Int64, Int8, {300, 1}, {100, 2}, {44, 2}, {100, 2}, {-128, -128}},
      // Each case of a mask has one value.
      {"y(i) = a(i) - b(i) mask i < 1 or a(i)", UInt32, Int64, {5, 3}, {6, 2}, {wrap - 1, 1}, {-1, 1}},
      // In a program each statement converts what it computes.
      {"for i { y(i) = a(i); y(i) += b(i); }",
       Int32,
       Int64,
       {most, 1},
       {5, 2},
       {most + 5, 3},
       {most + 5 - wrap, 3}},
      {"for i { y(i) = a(i) + b(i); }", Int32, Int64, {most, 1}, {5, 2}, {most + 5 - wrap, 3}, {most + 5, 3}},
      {"for i { y(i) += a(i) - b(i); }", UInt32, Int64, {5, 3}, {6, 2}, {-1, 1}, {wrap - 1, 1}},
  };
  for (const TypedCase &each : cases) {
    const Tensors tensors{
        {"a", tensor_of({2}, each.a)}, {"b", tensor_of({2}, each.b)}, {"A", tensor_of({1, 2}, each.a)}};
    std::vector<std::int64_t> shape;
    if (each.right.size() > 1) shape = {2};
    Example example(each.text, tensors, shape, each.initial);
    for (const char *name : {"a", "b", "A"})
      example.input.types[name] = each.operands;
    example.input.types["y"] = each.result;
    for (compute::Statement &statement : example.computation.program.statements)
      statement.type = Type::Int8, statement.types = {{"y", Type::Int8}};
    const Reference reference = example.dense();
    EXPECT_EQ(reference.value, each.right) << each.text;
    const auto is_right = [&](const std::vector<double> &values, const auto &of) {
      return compare(tensor_of(shape, values), of, 1e-12).ok;
    };
    EXPECT_TRUE(is_right(each.right, reference)) << each.text;
    EXPECT_FALSE(is_right(each.wrong, reference)) << each.text;
    if (!is_line(example.computation.program) || example.computation.program.statements.front().accumulate)
      continue;
    EXPECT_TRUE(is_right(each.right, example.sparse())) << each.text;
    EXPECT_FALSE(is_right(each.wrong, example.sparse())) << each.text;
  }
}

/// What isn't stored, times infinity: nothing where it is added; else that isn't specified.
TEST(Reference, WhatIsNotStoredMayBeNoNumber) {
  constexpr double infinity = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  Tensors tensors{{"x", tensor_of({3}, {2})},
                  {"z", tensor_of({3}, {3, infinity, 0})},
                  {"w", tensor_of({3}, {5, -7, -7})}};
  const auto allows = [&](const std::string &line, const std::vector<double> &values) {
    const Example example(line, tensors, {3});
    const bool is_allowed = compare(values, example.dense(), 1e-12).ok;
    EXPECT_EQ(compare(tensor_of({3}, values), example.sparse(), 1e-12).ok, is_allowed) << line;
    return is_allowed;
  };
  EXPECT_TRUE(allows("y(i) = x(i) * z(i)", {6, 0, 0}));
  EXPECT_FALSE(allows("y(i) = x(i) * z(i)", {6, nan, 0}));
  for (const double either : {0.0, nan})
    EXPECT_TRUE(allows("y(i) = max(x(i) * z(i), w(i))", {6, either, 0})) << either;
  EXPECT_FALSE(allows("y(i) = max(x(i) * z(i), w(i))", {6, -7, 0}));
  EXPECT_FALSE(allows("y(i) = max(x(i) * z(i), w(i))", {6, nan, nan}));
  const std::string quotient = "y(i) = select(x(i) <= 1, x(i) * x(i) / z(i), w(i))";
  for (const double either : {0.0, nan})
    EXPECT_TRUE(allows(quotient, {5, 0, either})) << either;
  EXPECT_FALSE(allows(quotient, {5, nan, 0}));
}

/// What `any` has chosen among several values may be each of them, and nothing else.
TEST(Reference, ChoicesOfAny) {
  Reference reference{{3}, {1, 2, 3}, {1, 2, 3}};
  reference.choices = {{1, {{2, 2, 0}, {-5, 5, 0}}}};
  EXPECT_TRUE(compare({1, -5, 3}, reference, 1e-12).ok);
  EXPECT_TRUE(compare({1, 2, 3}, reference, 1e-12).ok);
  EXPECT_FALSE(compare({1, 0, 3}, reference, 1e-12).ok);
  EXPECT_FALSE(compare({-5, 2, 3}, reference, 1e-12).ok);
}

/// Few enough steps to be tested at all: how long it takes is recorded, not asserted.
TEST(Reference, LargeProducts) {
  Tensors tensors{{"A", generate(data::parse_generator("random:100000x100000,entries=1000000"))},
                  {"x", generate(data::parse_generator("random:100000,density=1"))},
                  {"B", generate(data::parse_generator("random:1000x1000,entries=100000,seed=1"))},
                  {"C", generate(data::parse_generator("random:1000x1000,entries=100000,seed=2"))}};
  const auto timed = [&](const char *text, const char *property, std::vector<std::int64_t> shape) {
    const auto start = std::chrono::steady_clock::now();
    Reference made = Example(text, tensors, std::move(shape)).dense();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    ::testing::Test::RecordProperty(property, std::to_string(seconds.count()));
    return made;
  };
  const Reference y = timed("y(i) = A(i,j) * x(j)", "spmv_seconds", {100000});
  const Coordinates &a = tensors["A"], &b = tensors["B"], &c = tensors["C"];
  std::vector<double> plain(100000);
  for (std::size_t e = 0; e < a.size(); ++e)
    plain[static_cast<std::size_t>(a.index[0][e])] +=
        a.value[e] * tensors["x"].value[static_cast<std::size_t>(a.index[1][e])];
  EXPECT_TRUE(compare(plain, y, 1e-13).ok);

  const Reference product = timed("D(i,j) = B(i,k) * C(k,j)", "product_seconds", {1000, 1000});
  double sum = 0, row_by_row = 0;
  for (double value : product.value)
    sum += value;
  std::vector<double> column_sums(1000), row_sums(1000);
  for (std::size_t e = 0; e < b.size(); ++e)
    column_sums[static_cast<std::size_t>(b.index[1][e])] += b.value[e];
  for (std::size_t e = 0; e < c.size(); ++e)
    row_sums[static_cast<std::size_t>(c.index[0][e])] += c.value[e];
  for (std::size_t n = 0; n < 1000; ++n)
    row_by_row += column_sums[n] * row_sums[n];
  EXPECT_NEAR(sum, row_by_row, 1e-6 * (1 + std::fabs(row_by_row)));
}

} // namespace
} // namespace unravel::check
