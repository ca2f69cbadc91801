// Kernels do as many steps as their operands have entries, whatever the extents are: the interpreter counts
// what the loops do and touch with the same number of entries in small and in large extents.
#include "run/steps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <ostream>

namespace unravel::run::test {
namespace {

using Formats = std::map<std::string, std::string>;

struct Case {
  std::string line;
  Formats formats;
  bool has_counts = true; // does the compiler know those of the data?
};
void PrintTo(const Case &of, std::ostream *out) {
  *out << of.line;
}

/// With 2,000 entries in each operand. `most`: more iterations fail.
std::int64_t steps_of(const Case &of, std::int64_t extent, std::int64_t most) {
  Request request;
  request.compile.expression = of.line;
  request.compile.formats = of.formats;
  for (const compute::TensorUse &use : pipeline::read_request(request.compile).computation.tensors) {
    if (use.is_result) continue;
    std::string shape = fmt::format("{}", extent);
    for (std::size_t mode = 1; mode < use.order; ++mode)
      shape += fmt::format("x{}", extent);
    const std::int64_t entries = use.order == 1 ? 100 : 2000;
    request.inputs[use.name] =
        fmt::format("random:{},entries={},seed={}", shape, entries, request.inputs.size() + 1);
  }
  Prepared prepared = prepare(request);
  const pipeline::Compilation compilation =
      of.has_counts ? std::move(prepared.compilation) : pipeline::compile(request.compile);
  const Count count = count_steps(std::move(prepared), compilation, most, 0);
  EXPECT_TRUE(count.has_values);
  return count.steps;
}

class RunSteps : public testing::TestWithParam<Case> {};

TEST_P(RunSteps, GrowWithEntriesAndExtents) {
  const std::int64_t few = steps_of(GetParam(), 1000, 100'000'000);
  EXPECT_LE(steps_of(GetParam(), 10000, 12 * few), 12 * few);
}

const std::string product = "C(i,j) = A(i,k) * B(k,j)", gram = "C(i,j) = A(i,k) * A(j,k)",
                  sum = "C(i,j) = A(i,j) + B(i,j)", without = "C(i,j) = A(i,j) mask !B(i,j)",
                  by_rows = "p(i) = argmax(j, A(i,j))", by_columns = "p(j) = argmin(i, A(i,j))",
                  in_loops = "for i { p(i) = argmin(j, A(i,j)); }",
                  in_program = "tensor A(n, m), p(n), q(m); for i { p(i) = argmax(j, A(i,j)); } "
                               "repeat 2 { for j { q(j) = argmin(i, A(i,j)); } }",
                  in_rows = "for i { let w = 0; for j { w += A(i,j) * x(j); } y(i) += w * w; }",
                  in_fibres = "for i { for j { let w = 0; for k { w += T(i,j,k) * x(k); } y(i) += w * w; } }",
                  unmasked = "p(i) = argmax(j, A(i,j)) mask !M(i,j)";

const std::vector<Case> cases{
    {gram, {{"A", "csr"}, {"C", "csr"}}},
    {gram + " in min.+", {{"A", "csr"}, {"C", "csr"}}},
    {gram + " in max.*", {{"A", "csr"}, {"C", "csr"}}},
    {product, {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
    {product, {{"A", "csr"}, {"B", "csc"}, {"C", "csr"}}},
    {product, {{"A", "csc"}, {"B", "csr"}, {"C", "csr"}}},
    {product, {{"A", "csr"}, {"B", "coo"}, {"C", "csr"}}},
    {product, {{"A", "csr"}, {"B", "coo"}, {"C", "csr"}}, false},
    {sum, {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}}},
    {sum, {{"A", "coo_unsorted"}, {"B", "coo_unsorted"}, {"C", "csr"}}, false},
    {sum, {{"A", "coo"}, {"B", "coo"}, {"C", "coo"}}, false},
    {sum, {{"A", "dcsc"}, {"B", "coo"}, {"C", "coo"}}, false},
    {sum, {{"A", "dcsr"}, {"B", "coo"}, {"C", "csr"}}, false},
    {without, {{"A", "hash_matrix<4>"}, {"B", "dcsc"}, {"C", "dcsc"}}},
    {"B(i,j) = A(i,j) + (i = j)", {{"A", "csr"}, {"B", "csr"}}},
    {"B(i,j) = A(i,j) - 2 * (i = j + 1)", {{"A", "coo"}, {"B", "coo"}}, false},
    {"y(i) max= A(i,j)", {{"A", "csr"}}, false},
    {"y(j) max= A(i,j)", {{"A", "csr"}}, false},
    {"s max= A(i,j)", {{"A", "csr"}}, false},
    {"y(i) max= A(i,j) * x(j)", {{"A", "csr"}}, false},
    {"y(j) = select(A(i,j) > 0, i, -1)", {{"A", "dcsr"}}, false},
    {"y(i) max= A(i,j)", {{"A", "coo_dup"}}, false},
    {"s = pow(A(i,j) - x(j), 2)", {{"A", "csc"}, {"x", "dense"}}, false},
    {"s = (A(i,j) - x(i)) * (A(i,j) - x(i))", {{"A", "coo_dup"}, {"x", "dense"}}, false},
    {by_rows, {{"A", "csr"}}, false},
    {by_columns, {{"A", "csr"}}, false},
    {by_rows, {{"A", "csc"}}, false},
    {by_columns, {{"A", "dcsr"}}, false},
    {by_rows, {{"A", "coo_unsorted"}}, false},
    {by_columns, {{"A", "hash_matrix<4>"}}, false},
    {by_rows, {{"A", "bcsr<2,2>"}}, false},
    {by_rows, {{"A", "coo_dup"}}, false},
    {in_loops, {{"A", "csr"}}, false},
    {in_loops, {{"A", "coo_unsorted"}}, false},
    {in_program, {{"A", "csr"}}, false},
    {in_program, {{"A", "hash_matrix<4>"}}, false},
    {in_rows, {{"A", "dcsr"}}},
    {in_rows, {{"A", "csc"}}},
    {in_fibres, {{"T", "csf3"}}},
    {in_fibres, {{"T", "coo3"}}},
    {unmasked, {{"A", "csr"}, {"M", "csr"}}, false},
    {unmasked, {{"A", "csr"}, {"M", "coo_unsorted"}}, false},
    {unmasked, {{"A", "coo_dup"}, {"M", "csc"}}, false},
    {"y(i) += exp(A(i,j)) mask !M(i,j)", {{"A", "csr"}, {"M", "csr"}}, false},
    {"C(i,j) = A(j,i) in max.*", {{"A", "csr"}, {"C", "csr"}}},
    {"y(i) = A(i,j) * x(j)", {{"A", "csr"}, {"x", "sv"}}},
    {"y(i) = A(i,j) * x(j)", {{"A", "dcsr"}, {"x", "sv"}, {"y", "sv"}}},
};

std::string name_of(const testing::TestParamInfo<Case> &info) {
  std::string name;
  for (const char *key : {"A", "B", "M", "x", "C"})
    if (const auto format = info.param.formats.find(key); format != info.param.formats.end())
      for (const char letter : format->second)
        if (std::isalnum(static_cast<unsigned char>(letter))) name += letter;
  return fmt::format("{}_{}{}", info.index, name, info.param.has_counts ? "" : "_without_counts");
}

INSTANTIATE_TEST_SUITE_P(Lines, RunSteps, testing::ValuesIn(cases), name_of);

} // namespace
} // namespace unravel::run::test
