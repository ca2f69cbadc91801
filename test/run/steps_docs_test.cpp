// Kernels of the lines that docs/ shows do as many steps as their tensors have slots, and as pairs of entries
// meet, times a constant: in layouts of all kinds, in small and in large extents.
#include "run/shown.h"
#include "run/steps.h"
#include "run/sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <unistd.h>

namespace unravel::run::test {
namespace {

/// A vector has few, since a bracket of a matrix and a vector has the vector's entries in each row.
const std::int64_t entries_of_matrices = 2000, entries_of_vectors = 40, small_extent = 8;
/// A constant times a logarithm, which searches in segments take.
const std::int64_t steps_per_slot = 100;

/// What is left out: lines with a text, in layouts that a pattern is found in (`A=csr C=dcsc`).
struct LeftOut {
  std::string line, layouts, why;
};
const std::vector<LeftOut> left_out{
    {"C(i,j) = A(i,j) + b(i)", "C=(csr|dcsc|coo)", "the result has all elements"},
    {"2i)", "", "complex values, which aren't in the interpreter's memory here"},
    {"(A(i,j) - x(i)) * (A(i,j) - x(i))", "", "docs/index-notation.md says that all elements are visited"},
    {"exp(A(i,j) - x(j))", "", "docs/operators.md says that all elements are visited"},
    {"(x(i) - x(j)) * (x(i) - x(j))", "y=sv", "each element of y is the sum of n squares"},
    {"(x(i) + u(j)) * (x(i) - u(j))", "=sv", "both brackets are computed as written, for each i and j"},
    // To be mended. Operands are converted by the counts of data, each tensor once:
    {"C(i,j) = max(A(i,j), B(i,j))", "A=dcsc B=hash_matrix<4> C=dcsc",
     "all rows of B are looked in for each j"},
    {"A(i,k) * conj(A(j,k))", "A=(csr|bcsr|hash_matrix)", "all i are gone through for each j"},
};

bool is_left_out(const Problem &problem) {
  std::string layouts;
  for (const auto &[tensor, format] : problem.formats)
    layouts += tensor + "=" + format + " ";
  return std::ranges::any_of(left_out, [&](const LeftOut &known) {
    return problem.expression.find(known.line) != std::string::npos &&
           std::regex_search(layouts, std::regex(known.layouts));
  });
}

struct Case {
  Problem problem;
  std::set<std::string> small; // indices whose extent doesn't grow: a dense tensor has one mode that does
  bool has_counts = true;      // does the compiler know those of the data?
  bool is_alike = false;       // operands of one shape have entries at the same places

  std::string text() const {
    return fmt::format("{}{}{}{}{}", problem.text(), has_counts ? ", with counts" : "",
                       is_alike ? ", alike" : "", small.empty() ? "" : ", small: ", fmt::join(small, " "));
  }
};

template <class T> const T &one_of(const std::vector<T> &of, std::mt19937_64 &random) {
  return of[random() % of.size()];
}

Problem with_layouts(const ShownLine &line, std::mt19937_64 &random) {
  static const std::vector<std::string> matrices = {"csr",          "csc", "coo_unsorted",   "dcsr",
                                                    "dcsc",         "csf", "hash_matrix<4>", "bcsr<2,2>",
                                                    "symmetric_csr"},
                                        vectors = {"dense", "sv"}, tensors = {"csf", "coo3"},
                                        results = {"csr", "dcsc", "coo", "dense"};
  Problem problem{line.text, {}, {}, {}};
  for (const compute::TensorUse &use : pipeline::read_request(problem.request()).computation.tensors) {
    const auto fill = line.fills.find(use.name);
    const bool divides = line.text.find("/ " + use.name) != std::string::npos && fill == line.fills.end();
    const bool are_coordinates = use.is_result && line.text.find("= arg") != std::string::npos;
    if (divides || are_coordinates || use.order == 0) continue;
    std::string format = use.order == 1   ? one_of(vectors, random)
                         : use.order == 2 ? one_of(use.is_result ? results : matrices, random)
                         : use.is_result  ? "dense"
                                          : one_of(tensors, random);
    if (use.is_result && !line.lender.empty() && random() % 2) format = "like:" + line.lender;
    if (fill != line.fills.end()) format = (format == "symmetric_csr" ? "csr " : format + " ") + fill->second;
    problem.formats[use.name] = format;
  }
  if (const auto lender = problem.formats.find(line.lender); lender != problem.formats.end())
    if (problem.formats["D"].starts_with("like:") && lender->second == "symmetric_csr")
      lender->second = "csr";
  return problem;
}

Sizes sizes_of(const compute::Computation &computation, const std::set<std::string> &small,
               std::int64_t extent) {
  Sizes sizes;
  for (const std::string &index : names_of_sizes(computation))
    sizes.indices[index] = small.contains(index) ? small_extent : extent;
  sizes.shifted_surplus = 2;
  return sizes;
}

/// As few as there can be; nothing where no choice is consistent.
std::optional<std::set<std::string>> small_indices(const compute::Computation &computation,
                                                   const Problem &problem, std::mt19937_64 &random) {
  const std::vector<std::string> &names = names_of_sizes(computation);
  std::vector<std::set<std::string>> found;
  for (std::size_t choice = 0; choice + 1 < std::size_t{1} << names.size(); ++choice) {
    std::set<std::string> small;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (choice >> k & 1) small.insert(names[k]);
    const Sizes sizes = sizes_of(computation, small, 1000);
    const bool fits = std::ranges::all_of(computation.tensors, [&](const compute::TensorUse &use) {
      const auto shape = shape_of(computation, use.name, sizes);
      const auto format = problem.formats.find(use.name);
      const bool is_dense = format == problem.formats.end() || format->second.starts_with("dense");
      const bool is_square = format != problem.formats.end() && format->second == "symmetric_csr";
      return shape && (!is_square || shape->front() == shape->back()) &&
             (!is_dense || std::ranges::count_if(*shape, [](auto n) { return n >= 1000; }) <= 1);
    });
    if (!fits || (!found.empty() && small.size() > found.front().size())) continue;
    if (!found.empty() && small.size() < found.front().size()) found.clear();
    found.push_back(small);
  }
  if (found.empty()) return std::nullopt;
  return one_of(found, random);
}

/// A symmetric matrix, of which so many entries are stored.
std::string symmetric_file(std::int64_t extent, std::int64_t entries, std::size_t seed) {
  const std::string name =
      fmt::format("{}unravel_steps_{}_{}_{}.mtx", testing::TempDir(), getpid(), extent, seed);
  std::mt19937_64 random(seed);
  std::set<std::pair<std::int64_t, std::int64_t>> places;
  const auto any = [&] { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent)); };
  while (static_cast<std::int64_t>(places.size()) < entries) {
    const std::int64_t i = any(), j = any();
    places.emplace(std::max(i, j), std::min(i, j));
  }
  std::ofstream file(name);
  file << "%%MatrixMarket matrix coordinate real symmetric\n";
  file << extent << " " << extent << " " << entries << "\n";
  for (const auto &[i, j] : places)
    file << i + 1 << " " << j + 1 << " 0.5\n";
  return name;
}

/// Inputs, and how often entries of two operands meet.
struct Inputs {
  Request request;
  std::int64_t pairs = 0;
};

Inputs inputs_of(const Case &of, std::int64_t extent) {
  Inputs inputs;
  Request &request = inputs.request;
  request.compile = of.problem.request();
  const compute::Computation computation = pipeline::read_request(request.compile).computation;
  const Sizes sizes = sizes_of(computation, of.small, extent);
  std::map<std::string, double> entries_of;
  for (const compute::TensorUse &use : computation.tensors) {
    if (use.is_result) continue;
    const std::vector<std::int64_t> shape = shape_of(computation, use.name, sizes).value();
    double elements = 1;
    for (const std::int64_t mode : shape)
      elements *= static_cast<double>(mode);
    const auto format = of.problem.formats.find(use.name);
    const bool is_dense = format == of.problem.formats.end() || format->second == "dense";
    const bool is_symmetric = format != of.problem.formats.end() && format->second == "symmetric_csr";
    const auto entries = static_cast<std::int64_t>(
        std::min<double>(shape.size() == 1 ? entries_of_vectors : entries_of_matrices, elements / 4));
    entries_of[use.name] = is_dense ? elements : static_cast<double>(entries);
    const std::size_t seed = of.is_alike ? 1 : request.inputs.size() + 1;
    if (shape.empty())
      request.inputs[use.name] = "0.5";
    else if (is_symmetric)
      request.inputs[use.name] = symmetric_file(shape[0], entries / 2, seed);
    else
      request.inputs[use.name] =
          fmt::format("random:{},entries={},seed={}", fmt::join(shape, "x"), entries, seed);
  }
  for (const auto &[index, size] : sizes.indices)
    request.extents[index] = size;

  std::vector<const compute::Access *> operands;
  for (const compute::Statement &statement : computation.program.statements)
    compute::each_access(statement, [&](const compute::Access &access) {
      const bool is_known = std::ranges::any_of(operands, [&](const compute::Access *known) {
        return known->tensor == access.tensor &&
               std::ranges::equal(known->subscripts, access.subscripts, {}, &compute::Subscript::index,
                                  &compute::Subscript::index);
      });
      if (entries_of.contains(access.tensor) && !is_known) operands.push_back(&access);
    });
  for (std::size_t k = 0; k < operands.size(); ++k)
    for (std::size_t other = 0; other < k; ++other) {
      double met = entries_of.at(operands[k]->tensor) * entries_of.at(operands[other]->tensor);
      bool share = operands.size() == 2;
      for (const auto &[index, size] : sizes.indices) {
        const auto has = [&](const compute::Access *access) {
          return std::ranges::any_of(access->subscripts, [&](const auto &own) { return own.index == index; });
        };
        if (!has(operands[k]) || !has(operands[other])) continue;
        met /= static_cast<double>(size);
        share = true;
      }
      if (share) inputs.pairs += static_cast<std::int64_t>(met);
    }
  return inputs;
}

/// A kernel for data, which may have been compiled without their counts.
struct Measured {
  Prepared prepared;
  pipeline::Compilation compilation;
  std::int64_t pairs = 0;

  bool is_warned_of() const {
    return std::ranges::count(compilation.warnings, report::Kind::excess_steps, &report::Diagnostic::kind);
  }
  /// More iterations than the bound fail.
  Count count() && {
    Count count = count_steps(std::move(prepared), compilation, steps_per_slot * pairs, steps_per_slot);
    count.slots += pairs;
    return count;
  }
};

Measured to_measure(const Case &of, std::int64_t extent) {
  const Inputs inputs = inputs_of(of, extent);
  Prepared prepared = prepare(inputs.request);
  pipeline::Compilation compilation =
      of.has_counts ? std::move(prepared.compilation) : pipeline::compile(inputs.request.compile);
  return {std::move(prepared), std::move(compilation), inputs.pairs};
}

/// False where the compiler refuses it.
bool check(const Case &of) {
  SCOPED_TRACE(of.text());
  try {
    Measured at_first = to_measure(of, 1000), at_last = to_measure(of, 10000);
    EXPECT_FALSE(at_first.is_warned_of());
    EXPECT_FALSE(at_last.is_warned_of());
    const Count few = std::move(at_first).count(), many = std::move(at_last).count();
    EXPECT_LE(few.steps, steps_per_slot * few.slots);
    EXPECT_LE(many.steps, steps_per_slot * many.slots);
    EXPECT_LE(many.steps, 12 * few.steps * std::max<std::int64_t>(1, many.slots / few.slots / 10));
  } catch (const report::Error &error) {
    if (is_limit(error)) return false;
    ADD_FAILURE() << error.what();
  }
  return true;
}

/// Does it do more steps than the bound? The interpreter stops there.
bool is_too_slow(Measured measured) {
  try {
    const Count count = std::move(measured).count();
    return count.steps > steps_per_slot * count.slots;
  } catch (const report::Error &error) {
    if (error.diagnostic().message.find("runs for more than") == std::string::npos) throw;
    return true;
  }
}

class DocsSteps : public testing::TestWithParam<const char *> {};

TEST_P(DocsSteps, AreAsManyAsSlotsAndPairs) {
  const std::size_t wanted = take_all() ? 5 : 1;
  std::set<std::string> seen;
  std::size_t measured = 0;
  for (const ShownLine &line : lines_in(GetParam())) {
    if (!seen.insert(line.text).second || is_left_out({line.text, {}, {}, {}})) continue;
    // Another line on the page doesn't change what is drawn for this one.
    std::seed_seq seed(line.text.begin(), line.text.end());
    std::mt19937_64 random(seed);
    for (std::size_t choice = 0, done = 0; choice < 10 * wanted && done < wanted; ++choice) {
      Case of{with_layouts(line, random), {}, random() % 2 == 0, random() % 2 == 0};
      if (is_left_out(of.problem)) continue;
      const compute::Computation computation = pipeline::read_request(of.problem.request()).computation;
      const std::optional<std::set<std::string>> small = small_indices(computation, of.problem, random);
      if (!small) continue;
      of.small = *small;
      done += check(of) ? 1 : 0;
      measured += choice == 0 ? 1 : 0;
    }
  }
  EXPECT_GE(measured, 20u);
}

TEST(SlowSteps, AreWarnedOfWhereTheyAreTooMany) {
  const std::vector<Case> cases = {
      {{"y(i) += exp(A(i,j) - x(j))", {{"A", "coo_unsorted"}}, {}, {}}, {}},
      {{"y(j) = (A(i,j) - x(i)) * (A(i,j) - x(i))", {{"A", "csc"}}, {}, {}}, {}},
      {{"s = (x(i) + u(j)) * (x(i) - u(j))", {{"u", "sv"}}, {}, {}}, {}},
  };
  for (const Case &of : cases) {
    SCOPED_TRACE(of.text());
    Measured measured = to_measure(of, 10000);
    EXPECT_TRUE(measured.is_warned_of());
    EXPECT_TRUE(is_too_slow(std::move(measured)));
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, DocsSteps, testing::Values("index-notation.md", "operators.md"));

} // namespace
} // namespace unravel::run::test
