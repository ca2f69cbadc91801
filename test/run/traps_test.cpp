// Traps of the study of find synthesis that lie outside of find (the others: test/find/traps_test.cpp). Each
// shows the guard, and that without it the kernel goes wrong.
#include "check/validate.h"
#include "convert/pack.h"
#include "layout_file.h"
#include "report/diagnostic.h"
#include "run/compiled.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <regex>

using namespace unravel;
using namespace unravel::run::test;

namespace {

// ---- trap 11: proofs are over the integers, elements have 32 bits

/// A vector in blocks of four, the numbers of its blocks fit 32 bits longer than its coordinates; and one
/// with indices of 64 bits.
const char *const own_layouts = R"(
layout far(i: N) {
  index  idx[NNZ] : int64;
  count  NNZ;
  value  val[NNZ];
  stored { [p] -> [i] : 0 <= p < NNZ and i = idx(p) } at val(p);
  property range idx in [0, N);
  property strictly increasing idx;
}
layout blocks(i: N) {
  index  b[NB];
  count  NB;
  value  val[NB, 4];
  stored { [p, c] -> [i] : 0 <= p < NB and 0 <= c < 4 and i = 4*b(p) + c and i < N } at val(p, c);
  property range b in [0, ceil(N / 4));
  property strictly increasing b;
}
)";

Problem product(const std::string &a, const std::string &b, const std::string &method,
                loop::ElementType index) {
  Problem problem{"s = A(i) * B(i)", {{"A", a}, {"B", b}}, {"order A.p, i, B.p"}, {"B.p=" + method}};
  problem.index = index;
  return problem;
}

/// Packing is not derived for such blocks.
tensor::Tensor in_blocks(const layout::Layout &layout, const data::Coordinates &entries) {
  std::vector<std::int32_t> numbers;
  std::vector<double> values;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    auto number = static_cast<std::int32_t>(entries.index[0][e] / 4);
    if (numbers.empty() || numbers.back() != number) {
      numbers.push_back(number);
      values.resize(values.size() + 4);
    }
    values[values.size() - 4 + static_cast<std::size_t>(entries.index[0][e] % 4)] = entries.value[e];
  }
  tensor::Tensor tensor;
  tensor.layout = layout;
  tensor.sizes["N"] = entries.shape[0];
  tensor.counts["NB"] = static_cast<std::int64_t>(numbers.size());
  tensor.arrays["b"] = data::Elements::of(numbers);
  tensor.arrays["val"] = data::Elements::of(values);
  EXPECT_TRUE(check::validate(tensor).ok());
  return tensor;
}

/// Three coordinates of A and of B around 2^31, two of them the same.
PackedCase around_two_billion(const Problem &problem) {
  const pipeline::Front front = pipeline::read_request(problem.request());
  const compute::Computation &computation = front.computation;
  const std::int64_t first = (std::int64_t{1} << 31) - 40, extent = first + 100;
  PackedCase made;
  made.sizes.indices["i"] = extent;
  made.initial = {0};
  made.coordinates["A"] = made.coordinates["B"] = data::Coordinates({extent});
  made.coordinates["s"] = data::Coordinates(std::vector<std::int64_t>{});
  made.coordinates["s"].append({}, 0);
  for (std::int64_t k : {0, 21, 50})
    made.coordinates["A"].append({first + k}, 3);
  for (std::int64_t k : {0, 13, 50})
    made.coordinates["B"].append({first + k}, 2);
  std::map<std::string, const data::Coordinates *> operands;
  convert::PackOptions options;
  if (problem.index == loop::ElementType::Int64) options.index = tensor::IndexType::Int64;
  for (const compute::TensorUse &use : computation.tensors) {
    const data::Coordinates &entries = made.coordinates.at(use.name);
    const layout::Layout &layout = front.layouts.at(use.name);
    made.tensors.emplace(use.name, layout.name == "blocks" ? in_blocks(layout, entries)
                                                           : convert::pack(layout, entries, options));
    if (!use.is_result) operands[use.name] = &entries;
  }
  made.expected = reference_of(computation, operands, made.sizes, made.initial);
  return made;
}

/// 4 * (int64_t)b[q] as the product that 32 bits hold.
std::string without_casts(const std::string &c) {
  std::string text = std::regex_replace(c, std::regex(R"(4 \* \(int64_t\)(\w+(\[[^\]]+\])?))"),
                                        "(int64_t)(int32_t)(4u * (unsigned)$1)");
  EXPECT_TRUE(text != c) << "no cast to be taken out";
  return text;
}

TEST(KernelTraps, trap_11_products_of_elements_need_64_bits) {
  unravel::test::LayoutFile file(own_layouts);
  for (const std::string method : {"seq", "gallop", "binary"}) { // others read into locals of 64 bits
    Problem problem =
        product(file.path() + ":far", file.path() + ":blocks", method, loop::ElementType::Int32);
    PackedCase input = around_two_billion(problem);
    EXPECT_TRUE(Compiled(problem).check(input, 1)) << method;
    EXPECT_FALSE(Compiled(problem, without_casts).compare(input, 1).ok) << method;
  }
}

/// The type of the elements must hold every coordinate: packing refuses what doesn't fit.
TEST(KernelTraps, trap_11_elements_hold_every_coordinate) {
  for (const std::string method : {"seq", "gallop", "binary"}) {
    Problem narrow = product("sv", "sv", method, loop::ElementType::Int32);
    Problem wide = product("sv", "sv", method, loop::ElementType::Int64);
    try {
      around_two_billion(narrow);
      ADD_FAILURE() << "not refused";
    } catch (const report::Error &error) {
      EXPECT_EQ(error.diagnostic().kind, report::Kind::index_width);
    }
    PackedCase input = around_two_billion(wide);
    EXPECT_TRUE(Compiled(wide).check(input, 1)) << method;
    // The same coordinates cut to 32 bits.
    for (const char *name : {"A", "B"}) {
      data::Elements &elements = input.tensors.at(name).array("idx");
      std::vector<std::int32_t> cut;
      for (std::int64_t coordinate : elements.as<std::int64_t>())
        cut.push_back(static_cast<std::int32_t>(coordinate));
      elements = data::Elements::of(cut);
    }
    EXPECT_FALSE(Compiled(narrow).compare(input, 1).ok) << method;
  }
}

// ---- trap 13: properties are trusted, arrays from outside may not have them

/// The entries of a tensor in another order of positions: the same tensor, but not as its layout has it.
void shuffle(tensor::Tensor &tensor, const std::vector<std::string> &index_arrays, std::mt19937_64 &random) {
  std::vector<std::size_t> order(tensor.array("val").size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  auto rearrange = [&]<class Number>(data::Elements &elements, Number) {
    std::vector<Number> moved;
    for (std::size_t k : order)
      moved.push_back(elements.as<Number>()[k]);
    elements = data::Elements::of(moved);
  };
  for (const std::string &name : index_arrays)
    rearrange(tensor.array(name), std::int32_t{});
  rearrange(tensor.array("val"), double{});
}

TEST(KernelTraps, trap_13_arrays_without_the_property_that_was_relied_upon) {
  struct Row {
    Problem problem;
    std::string tensor;
    std::vector<std::string> arrays;
  };
  std::vector<Row> rows;
  for (const std::string method : {"seq", "gallop", "binary"}) {
    const std::vector<std::string> schedule{"serial; order i, A.p, x.p"};
    rows.push_back(
        {{"y(i) = A(i,j) * x(j)", {{"A", "csr"}, {"x", "sv"}}, schedule, {"x=" + method}}, "x", {"idx"}});
    rows.push_back(
        {{"s = A(i,j) * B(i,j)", {{"A", "csr"}, {"B", "coo"}}, {"serial; order i"}, {"B=" + method}},
         "B",
         {"row", "col"}});
  }
  std::mt19937_64 random(7);
  for (const Row &row : rows) {
    Packer packer(row.problem);
    Compiled kernel(row.problem);
    int wrong = 0, refused = 0;
    Sizes sizes;
    sizes.indices = {{"i", 5}, {"j", 8}};
    for (int round = 0; round < 40; ++round) {
      std::optional<PackedCase> input = packer.draw(sizes, random);
      ASSERT_TRUE(input);
      EXPECT_TRUE(kernel.check(*input, 1));
      tensor::Tensor &tensor = input->tensors.at(row.tensor);
      EXPECT_TRUE(check::validate(tensor).ok());
      shuffle(tensor, row.arrays, random);
      bool is_wrong = !kernel.compare(*input, 1).ok, is_refused = !check::validate(tensor).ok();
      wrong += is_wrong;
      refused += is_refused;
      // The guard: what goes wrong is refused before the kernel runs.
      EXPECT_TRUE(!is_wrong || is_refused) << row.problem.text();
    }
    EXPECT_GT(wrong, 0) << row.problem.text();
    EXPECT_GE(refused, wrong);
  }
}

} // namespace
