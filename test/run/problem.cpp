#include "run/problem.h"

#include "odd_layouts.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>

namespace unravel::run::test {

pipeline::Request Problem::request() const {
  pipeline::Request request;
  (from.empty() ? request.expression : request.from) = from.empty() ? expression : from;
  for (const auto &[tensor, layout] : formats)
    request.formats[tensor] = unravel::test::layout_reference(layout);
  request.schedules = schedules;
  request.finds = finds;
  request.name = name;
  request.index = index;
  request.value = value;
  request.only_alternative = only_alternative;
  request.budget = budget;
  request.untiled_for_one_tile = untiled_for_one_tile;
  request.counts = counts;
  request.always_parallel = true; // small as it is
  return request;
}

std::string Problem::text() const {
  std::string text = "'" + expression + "'";
  for (const auto &[tensor, layout] : formats)
    text += " -f " + tensor + "=" + layout;
  for (const std::string &schedule : schedules)
    text += " -s '" + schedule + "'";
  for (const std::string &find : finds)
    text += " --find " + find;
  for (const auto &[array, length] : counts)
    text += " " + array + " about " + std::to_string(length);
  if (only_alternative) text += " only alternative " + std::to_string(*only_alternative);
  if (!untiled_for_one_tile) text += " tiled always";
  return text + " --index " + loop::name_of(index) + " --type " + loop::name_of(value);
}

std::vector<Problem> with_known_lengths() {
  const std::vector<Problem> sums = {{"y(i) = A(i,j) * x(j)", {{"A", "csr"}}, {}, {}},
                                     {"y(j) = A(i,j) * x(i)", {{"A", "csc"}}, {}, {}},
                                     {"y(i) = A(i,j) * x(j) * z(j)", {{"A", "dcsr"}}, {"plan none"}, {}},
                                     {"y(i) = -A(i,j) * x(j)", {{"A", "csr"}, {"x", "sv"}}, {}, {}},
                                     {"y(i) = 2 * A(i,j) * x(j + 1)", {{"A", "csr"}}, {}, {}},
                                     {"Y(i,k) = A(i,j) * X(j,k)", {{"A", "csr"}}, {"order i, k, A.p"}, {}},
                                     {"Y(i,j) = A(i,j,k) * x(k)", {{"A", "csf3"}}, {}, {}}};
  std::vector<Problem> result;
  for (const Problem &sum : sums)
    for (double length : {0.25, 20.0}) {
      result.push_back(sum);
      for (const char *pointers : {"A.rowptr", "A.colptr", "A.fibptr"})
        result.back().counts[pointers] = length;
    }
  return result;
}

const std::vector<std::string> &shipped_matrices() {
  static const std::vector<std::string> names = {"csr",     "csc",  "coo",   "coo_unsorted",
                                                 "coo_dup", "dcsr", "dense", "dense<1,0>"};
  return names;
}

const std::vector<std::string> &literature_matrices() {
  static const std::vector<std::string> names = {
      "dcsc",      "bcsr<2,3>",  "bcsr<3,4>",   "bcsc<2,3>",      "ubcsr<2,3>", "ell",       "sell<2>",
      "sellcs<2>", "dia",        "csb<2>",      "banded",         "bitmap",     "csr_lower", "coo_aos",
      "warp24",    "run_length", "pattern_csr", "hash_matrix<2>", "csr4",       "ellr",      "hyb<1>"};
  return names;
}

const std::vector<std::string> &literature_squares() {
  static const std::vector<std::string> names = {"packed_lower",  "packed_upper", "skyline",
                                                 "symmetric_csr", "skew_csr",     "lower_diagonal"};
  return names;
}

const std::vector<std::string> &literature_tensors() {
  static const std::vector<std::string> names = {"coo3", "csf3", "mode_generic<2,1,2>", "hicoo<2>"};
  return names;
}

const std::vector<std::string> &literature_order_4() {
  static const std::vector<std::string> names = {"coo4", "csf4"};
  return names;
}

const std::vector<std::string> &odd_matrices() {
  static const std::vector<std::string> names = {
      "@csr_down",        "@csr_any",    "@csr_weak",        "@csr_from_one",
      "@csr_even",        "@csr_once",   "@csr_upside_down", "@permuted/permuted_csr",
      "@permuted/jagged", "@coo_rows",   "@coo_down",        "@coo_weak",
      "@one_per_row",     "@dcsr_mixed", "@dcsr_all",        "@diagonals",
      "@csr_live"};
  return names;
}

const std::vector<std::string> &vectors() {
  static const std::vector<std::string> names = {"dense",   "sv",       "@sv_down",    "@sv_weak",
                                                 "@sv_any", "@sv_once", "@sv_from_one"};
  return names;
}

namespace {

/// Properties in unusual forms, or a little too weak.
const std::vector<std::string> &unusual_matrices() {
  static const std::vector<std::string> names = {"@unusual/csr_neighbours", "@unusual/csr_tail",
                                                 "@unusual/csr_two_rows",   "@unusual/coo_neighbours",
                                                 "@derived/csr_doubled",    "@derived/csr_doubled_back"};
  return names;
}

const std::vector<std::string> &unusual_vectors() {
  static const std::vector<std::string> names = {
      "@unusual/sv_contraposed", "@unusual/sv_neighbours", "@unusual/sv_neighbours_down",
      "@unusual/sv_late",        "@unusual/sv_tail",       "@unusual/sv_gaps",
      "@unusual/sv_pairs",       "@unusual/sv_shifted"};
  return names;
}

} // namespace

namespace {

std::vector<Computation> first_computations() {
  std::vector<std::string> matrices = shipped_matrices();
  matrices.insert(matrices.end(), odd_matrices().begin(), odd_matrices().end());
  const std::vector<std::string> &few = shipped_matrices();
  std::vector<std::string> square = matrices;
  square.push_back("@symmetric");
  const std::vector<std::string> third = {"csr", "coo", "dcsr"};
  const std::vector<std::string> full = {"dense", "dense<1,0>"};
  const std::vector<std::string> blocks = {"@pieces/bcsr<2,3>", "@blocks/unaligned"};
  return {
      {"y(i) = A(i,j) * x(j)", {{"A", square}, {"x", vectors()}}},
      {"y(i) = A(i,j) * x(j)", {{"A", unusual_matrices()}, {"x", unusual_vectors()}}},
      {"s = A(i,j) * B(i,j)", {{"A", {"csr", "coo_unsorted"}}, {"B", unusual_matrices()}}},
      {"y(j) = A(i,j) * x(i)", {{"A", matrices}, {"x", vectors()}}},
      {"s = A(i,j) * B(i,j)", {{"A", matrices}, {"B", matrices}}},
      {"y(i) = A(i,j) * B(i,j)", {{"A", matrices}, {"B", matrices}}},
      {"C(i,j) = A(i,k) * B(k,j)", {{"A", matrices}, {"B", few}, {"C", full}}},
      {"D(i,j) = S(i,j) * U(i,r) * V(j,r)", {{"S", matrices}, {"U", full}, {"V", {"dense", "csr"}}}},
      {"t = A(i,i) * v(i)", {{"A", square}, {"v", vectors()}}},
      {"y(i) = A(i,j) * x(j+1)", {{"A", matrices}, {"x", vectors()}}},
      {"y(i) = A(i,j) * x(j-1)", {{"A", matrices}, {"x", vectors()}}},
      {"y(i) = 2 * A(j,i) * x(j)", {{"A", matrices}, {"x", vectors()}}},
      {"y(i) += A(i,j) * x(j)", {{"A", matrices}, {"x", {"dense", "sv"}}}},
      {"s = a * x(i) * y(i)", {{"x", vectors()}, {"y", vectors()}}},
      {"s = A(i,j) * B(i,j) * C(i,j)", {{"A", matrices}, {"B", few}, {"C", third}}},
      {"s = A(i,j) * A(j,i)", {{"A", square}}},
      {"y(i) = A(i+1,j) * B(i,j)", {{"A", few}, {"B", few}}},
      {"y(i+1) = A(i,j) * x(j)", {{"A", few}, {"x", {"dense", "sv"}}}},
      // of triangles nothing: the properties contradict it
      {"y(j) = A(j,j+1) * B(j,i)",
       {{"A", {"lower_diagonal", "packed_lower", "csr_lower", "csr"}}, {"B", few}}},
      {"y(i) = A(i,j) * x(j)", {{"A", blocks}, {"x", {"dense", "sv", "@sv_weak"}}}},
      {"s = A(i,j) * B(i,j)", {{"A", {"csr", "coo", "dcsr", "@csr_any"}}, {"B", blocks}}},
      {"y(i) = A(i,j) * B(i,j)", {{"A", blocks}, {"B", {"csr", "coo"}}}},
      {"s = A(i,j) * B(i,k) * C(j,k)", {{"A", third}, {"B", third}, {"C", third}}},
      {"C(i,j) = x(i) * z(j)", {{"x", vectors()}, {"z", vectors()}, {"C", full}}},
      {"y(i+1) = x(i+2)", {{"x", vectors()}}},
      {"y(i-1) = x(i-2)", {{"x", vectors()}}},
      {"y(i+1) = a(j)", {{"a", {"dense", "sv", "hash_vector<4>"}}}},
      {"y(i) = A(i,j) * x(j) + B(i,j) * z(j)", {{"A", square}, {"B", few}, {"z", {"dense", "sv"}}}},
      {"y(i) = b(i) - A(i,j) * x(j)", {{"A", matrices}, {"b", vectors()}}},
      {"C(i,j) = A(i,j) + 2 * B(j,i) - D(i,j)", {{"A", matrices}, {"B", few}, {"D", third}, {"C", full}}},
      {"t = (A(i,j) + B(i,j)) * C(i,j)", {{"A", matrices}, {"B", few}, {"C", third}}},
      {"r(i) = a * (A(i,j) * x(j)) + b * (y(i) - 1)", {{"A", square}, {"y", vectors()}}},
      {"y(i) = y(i) + A(i,j) * x(j) - B(i,j)", {{"A", few}, {"B", few}}},
      {"C(i,j) = A(i,j) + x(i) - z(j)", {{"A", few}, {"x", vectors()}, {"z", vectors()}, {"C", full}}},
  };
}

/// Each layout in each kernel, and each pair of layouts.
std::vector<Computation> literature_computations() {
  std::vector<std::string> matrices = literature_matrices();
  matrices.insert(matrices.end(), literature_squares().begin(), literature_squares().end());
  const std::vector<std::string> &tensors = literature_tensors();
  std::vector<Computation> all = {
      {"y(i) = A(i,j) * x(j)", {{"A", matrices}, {"x", {"dense", "sv"}}}},
      {"y(i) = A(i,j) * B(i,j)", {{"A", {"csr", "coo_unsorted"}}, {"B", matrices}}},
      {"y(i) = A(i,j) * x(j)", {{"A", {"csr", "ell"}}, {"x", {"bitmap", "hash_vector<2>"}}}},
      {"s = a * x(i) * y(i)", {{"x", {"hash_vector<2>"}}, {"y", vectors()}}},
      {"s = A(i,j,k) * B(i,j,k)", {{"A", tensors}, {"B", tensors}}},
      {"C(i,j) = A(i,j,k) * x(k)", {{"A", tensors}, {"x", {"dense", "sv"}}}},
      {"C(i,r) = A(i,j,k) * U(j,r) * V(k,r)", {{"A", tensors}, {"U", {"dense"}}, {"V", {"dense", "csr"}}}},
      {"s = A(i,j,k,l) * x(i) * y(j) * z(k) * w(l)", {{"A", literature_order_4()}, {"w", {"dense", "sv"}}}},
  };
  std::vector<std::string> every = matrices;
  every.insert(every.end(), shipped_matrices().begin(), shipped_matrices().end());
  all.push_back({"s = A(i,j) * B(i,j)", {{"A", matrices}, {"B", every}}});
  all.push_back({"C(i,j) = A(i,k) * B(k,j)", {{"A", matrices}, {"B", matrices}}});
  all.push_back({"C(i,r) = A(i,k) * U(k,r)", {{"A", every}, {"U", {"dense", "dense<1,0>"}}}});
  all.push_back({"D(i,j) = S(i,j) * U(i,r) * V(j,r)", {{"S", matrices}, {"U", {"dense"}}}});
  return all;
}

} // namespace

const std::vector<Computation> &computations() {
  static const std::vector<Computation> all = [] {
    std::vector<Computation> both = first_computations();
    std::vector<Computation> more = literature_computations();
    both.insert(both.end(), more.begin(), more.end());
    return both;
  }();
  return all;
}

std::vector<Problem> all_problems() {
  std::vector<Problem> problems;
  for (const Computation &computation : computations()) {
    std::vector<Problem> made{Problem{computation.expression, {}, {}, {}}};
    for (const auto &[tensor, layouts] : computation.choices) {
      std::vector<Problem> longer;
      for (const Problem &problem : made)
        for (const std::string &layout : layouts) {
          longer.push_back(problem);
          longer.back().formats[tensor] = layout;
        }
      made = std::move(longer);
    }
    problems.insert(problems.end(), made.begin(), made.end());
  }
  return problems;
}

std::vector<Problem> with_alternatives() {
  std::vector<Problem> problems;
  auto add = [&](const std::string &expression, const std::map<std::string, std::string> &formats) {
    problems.push_back({expression, formats, {}, {}});
  };
  for (const char *matrix : {"csr", "dcsr", "coo", "csc", "@csr_any", "@csr_down", "@csr_from_one"})
    for (const char *vector : {"sv", "@sv_once", "@sv_from_one"})
      add("y(i) = A(i,j) * x(j)", {{"A", matrix}, {"x", vector}});
  add("y(i) = A(i,j) * x(j+1)", {{"A", "csr"}, {"x", "sv"}});
  add("y(i) = A(i,j) * x(j-1)", {{"A", "csr"}, {"x", "@sv_from_one"}});
  add("y(i) += A(i,j) * x(j)", {{"A", "csr"}, {"x", "sv"}});
  add("y(i) = 2 * A(j,i) * x(j)", {{"A", "csc"}, {"x", "sv"}});
  add("y(i) = A(i,j) * B(i,j)", {{"A", "csr"}, {"B", "csr"}});
  add("y(i) = A(i,j) * B(i,j)", {{"A", "dcsr"}, {"B", "csr"}});
  add("y(i) = A(i,j) * B(i,j)", {{"A", "dcsr"}, {"B", "dcsr"}});
  add("s = A(i,j) * B(i,j)", {{"A", "csr"}, {"B", "csr"}});
  add("C(i,j) = A(i,k) * B(k,j)", {{"A", "csr"}, {"B", "csc"}});
  add("s = a * x(i) * y(i)", {{"x", "sv"}, {"y", "sv"}});
  add("s = a * x(i) * y(i)", {{"x", "@sv_once"}, {"y", "sv"}});
  add("s = x(i) * y(i) * z(i)", {{"x", "sv"}, {"y", "sv"}, {"z", "sv"}});
  add("s = 2 * x(i) * y(i)", {{"x", "sv"}, {"y", "sv"}});
  add("d(i) = x(i) * y(i)", {{"x", "sv"}, {"y", "@sv_from_one"}});
  add("s = A(i,j) * B(i,k) * C(j,k)", {{"A", "csr"}, {"B", "csr"}, {"C", "csr"}});
  add("s = A(i,j) * B(i,k) * C(j,k)", {{"A", "coo"}, {"B", "csr"}, {"C", "dcsr"}});
  return problems;
}

std::vector<ArrayState> array_states() {
  const char *inner = "C(i,j) = A(i,k) * B(k,j)", *both = "y(i) = A(i,j) * B(i,j)";
  std::vector<ArrayState> all;
  auto add = [&](const char *expression, const std::map<std::string, std::string> &formats, const char *order,
                 const char *found, const char *index, const char *room, bool per_thread,
                 const char *parallel) {
    Problem problem{expression, formats, {std::string("order ") + order}, {found + std::string("=seq")}};
    all.push_back({std::move(problem), found, index, room, per_thread, parallel});
  };
  // The array begins inside the parallel loop.
  add(inner, {{"A", "csr"}, {"B", "csc"}}, "i, A.p, j", "B.p", "j", "B.N", true, "i");
  add(both, {{"A", "csr"}, {"B", "@pieces/bcsr<2,3>"}}, "B.b, B.p, B.r, B.c", "A.p", "i - 2*B.b", "A.M", true,
      "B.b");
  // Nothing runs in parallel.
  add("s = A(i,j) * B(i,j)", {{"A", "coo"}, {"B", "@pieces/bcsr<2,3>"}}, "A.p", "B.p", "i", "A.M", false, "");
  // The parallel loop's iterations have their own slots.
  add(both, {{"A", "csr"}, {"B", "@diagonals"}}, "B.d, i", "A.p", "i", "A.M", false, "i");
  add(inner, {{"A", "coo"}, {"B", "csc"}}, "A.p, j", "B.p", "i, j", "A.M*B.N", false, "j");
  // Each chunk has an array.
  add("C(i,j) = A(i,j) * B(i,j)", {{"B", "csc"}}, "i, j", "B.p", "j", "A.N", true, "i.chunk");
  // Each chunk would need one, for a row's few entries.
  add("C(i,j) = A(i,j) * B(i,j)", {{"A", "csr"}, {"B", "csc"}}, "i, A.p", "B.p", "j", "A.N", false, "");
  // Slots by a column; matches that are adjacent; downwards.
  add("y(i) = A(i,j) * B(k,j) * D(i,k)", {{"A", "csr"}, {"B", "csr"}, {"D", "csr"}}, "i, A.p, D.p", "B.p",
      "k", "B.M", true, "i");
  add("C(i,k) = A(i,j) * B(k,j)", {{"A", "csr"}, {"B", "@csr_weak"}}, "i, A.p, k", "B.p", "k", "B.M", true,
      "i");
  add("C(i,k) = A(i,j) * B(k,j)", {{"A", "csr"}, {"B", "@csr_down"}}, "i, A.p, k", "B.p", "k", "B.M", true,
      "i");
  return all;
}

std::size_t number_of_plans(const Problem &problem) {
  std::size_t most = 0;
  for (const pipeline::Leaf &leaf : pipeline::compile(problem.request()).leaves)
    most = std::max(most, leaf.plan.alternatives.size() + 1);
  return most;
}

bool take_all() {
  const char *all = std::getenv("UNRAVEL_TEST_ALL");
  return all && std::string(all) == "1";
}

namespace {

/// What a problem shows: its computation, each of its layouts, its pairs of layouts of `shipped_matrices`.
std::set<std::string> features_of(const Problem &problem) {
  std::set<std::string> features{problem.expression};
  auto is_common = [](const std::string &layout) {
    const std::vector<std::string> &common = shipped_matrices();
    return layout == "sv" || std::find(common.begin(), common.end(), layout) != common.end();
  };
  for (const auto &[tensor, layout] : problem.formats) {
    features.insert(layout);
    for (const auto &[other, second] : problem.formats)
      if (tensor < other && is_common(layout) && is_common(second)) features.insert(layout + "," + second);
  }
  return features;
}

} // namespace

std::vector<Problem> sample_of(const std::vector<Problem> &problems, std::size_t count, std::uint64_t seed) {
  std::vector<Problem> shuffled = problems;
  if (const char *other = std::getenv("UNRAVEL_TEST_SEED")) seed += 100 * std::strtoull(other, nullptr, 10);
  std::mt19937_64 random(seed);
  for (std::size_t k = shuffled.size(); k > 1; --k)
    std::swap(shuffled[k - 1], shuffled[random() % k]);
  if (take_all()) return shuffled;
  // First what shows something new, then others, as many as are wanted.
  std::set<std::string> seen;
  std::vector<Problem> chosen, rest;
  for (Problem &problem : shuffled) {
    std::size_t before = seen.size();
    seen.merge(features_of(problem));
    (seen.size() > before ? chosen : rest).push_back(std::move(problem));
  }
  for (std::size_t k = 0; k < rest.size() && chosen.size() < count; ++k)
    chosen.push_back(std::move(rest[k]));
  return chosen;
}

std::vector<Problem> literature_sample(std::size_t count, std::uint64_t seed) {
  std::set<std::string> layouts;
  for (const auto *names :
       {&literature_matrices(), &literature_squares(), &literature_tensors(), &literature_order_4()})
    layouts.insert(names->begin(), names->end());
  std::vector<Problem> problems = all_problems();
  std::erase_if(problems, [&](const Problem &problem) {
    return std::none_of(problem.formats.begin(), problem.formats.end(),
                        [&](const auto &format) { return layouts.count(format.second) > 0; });
  });
  return sample_of(problems, count, seed);
}

double prime(std::size_t k) {
  static const std::vector<double> primes = [] {
    std::vector<double> found;
    for (int n = 2; found.size() < 400; ++n)
      if (std::none_of(found.begin(), found.end(), [&](double p) { return n % static_cast<int>(p) == 0; }))
        found.push_back(n);
    return found;
  }();
  return primes[k % primes.size()];
}

double special(std::size_t k, double otherwise) {
  switch (k % 7) {
  case 1: return 0;
  case 3: return std::numeric_limits<double>::infinity();
  case 5: return k % 2 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  default: return otherwise;
  }
}

std::optional<std::vector<std::int64_t>> shape_of(const compute::Computation &computation,
                                                  const std::string &tensor, const Sizes &sizes) {
  const compute::Program &program = computation.program;
  std::optional<std::vector<std::int64_t>> shape;
  if (auto declared = program.extents.find(tensor); declared != program.extents.end()) {
    term::Substitution known;
    for (const auto &[size, extent] : sizes.indices)
      known.emplace(size, term::Term(extent));
    shape.emplace();
    for (const term::Term &extent : declared->second) {
      const term::Term value = term::substitute(extent, known);
      const auto *number = value.as<term::Constant>();
      report::require(number, "all sizes are given that a tensor's extents name");
      shape->push_back(number->value);
    }
    if (std::any_of(shape->begin(), shape->end(), [](std::int64_t extent) { return extent < 0; }))
      return std::nullopt;
  }
  bool fits = true;
  for (const compute::Statement &statement : program.statements)
    compute::each_access(statement, [&](const compute::Access &access) {
      if (!statement.is_free || access.tensor != tensor) return;
      std::vector<std::int64_t> own;
      for (const compute::Subscript &subscript : access.subscripts) {
        std::int64_t extent = sizes.indices.at(subscript.index);
        own.push_back(subscript.shift == 0 ? extent
                                           : std::max<std::int64_t>(0, extent + sizes.shifted_surplus));
      }
      fits = fits && (!shape || *shape == own);
      shape = own;
    });
  return fits ? shape : std::nullopt;
}

const std::vector<std::string> &names_of_sizes(const compute::Computation &computation) {
  return computation.program.extents.empty() ? computation.indices : computation.program.sizes;
}

namespace {

struct Variables : term::Environment {
  std::int64_t variable(const std::string &name) const override { return values.at(name); }
  std::int64_t apply(const std::string &, const std::vector<std::int64_t> &) const override { return 0; }
  std::map<std::string, std::int64_t> values;
};

bool stays_inside(const compute::Program &program, const compute::Statement &statement, std::size_t depth,
                  Variables &variables) {
  if (depth < statement.loops.size()) {
    const compute::Loop &loop = statement.loops[depth];
    const std::int64_t low = term::evaluate(loop.low, variables);
    std::int64_t high = term::evaluate(loop.high, variables);
    if (!loop.until.empty()) high = std::min(high, low + 1); // nothing is subscripted with rounds
    bool inside = true;
    for (std::int64_t each = low; each < high && inside; ++each) {
      variables.values[loop.variable] = each;
      inside = stays_inside(program, statement, depth + 1, variables);
    }
    return inside;
  }
  if (statement.is_free || !term::evaluate(statement.condition, variables)) return true;
  bool inside = true;
  compute::each_access(statement, [&](const compute::Access &access) {
    for (std::size_t k = 0; !access.is_local && k < access.subscripts.size(); ++k) {
      const std::int64_t at = term::evaluate(access.subscripts[k].value, variables);
      inside = inside && 0 <= at && at < term::evaluate(program.extents.at(access.tensor)[k], variables);
    }
  });
  return inside;
}

} // namespace

bool stays_inside(const compute::Computation &computation, const Sizes &sizes) {
  Variables variables;
  variables.values = sizes.indices;
  for (const compute::LeastSize &size : computation.program.least)
    if (sizes.indices.at(size.name) < size.least) return false;
  for (const compute::Statement &statement : computation.program.statements)
    if (!stays_inside(computation.program, statement, 0, variables)) return false;
  return true;
}

void choose_given(const compute::Computation &computation, Sizes &sizes, std::size_t number) {
  static const std::int64_t values[] = {1, 0, -1, 2, -2, 3, 7, -9};
  for (const compute::GivenSize &size : computation.program.given) {
    sizes.indices[size.name] = values[number % std::size(values)];
    number += 3;
  }
}

/// The locals of which it matters which elements are stored: those that are masks, and what decides that.
static std::set<std::string> locals_with_entries(const compute::Program &program) {
  std::set<std::string> found;
  const auto add = [&](const compute::Access &access) {
    if (program.local_tensors.contains(access.tensor)) found.insert(access.tensor);
  };
  for (const compute::Statement &statement : program.statements)
    for (const compute::Mask &mask : statement.masks)
      add(mask.access);
  for (std::size_t before = found.size() + 1; before != found.size();) {
    before = found.size();
    for (const compute::Statement &statement : program.statements)
      if (found.contains(statement.target.tensor)) value::each_leaf<compute::Access>(statement.value, add);
  }
  return found;
}

check::ProgramReference program_reference(const compute::Computation &computation,
                                          const std::map<std::string, const data::Coordinates *> &operands,
                                          const Sizes &sizes, const std::vector<double> &initial,
                                          const std::vector<double> &imaginary) {
  check::ProgramInput input{operands, sizes.indices, {}};
  input.types = computation.types;
  input.listed = locals_with_entries(computation.program);
  for (const compute::TensorUse &use : computation.tensors) {
    if (!use.is_result) continue;
    check::ProgramResult &result = input.results[use.name];
    result.shape = shape_of(computation, use.name, sizes).value();
    if (use.name == computation.tensors.front().name) result.initial = initial, result.imaginary = imaginary;
  }
  return check::evaluate_program(computation.program, input);
}

check::Reference reference_of(const compute::Computation &computation,
                              const std::map<std::string, const data::Coordinates *> &operands,
                              const Sizes &sizes, const std::vector<double> &initial,
                              const std::vector<double> &imaginary) {
  return program_reference(computation, operands, sizes, initial, imaginary)
      .results.at(computation.tensors.front().name);
}

data::Coordinates random_tensor(const std::vector<std::int64_t> &shape, double density, bool repeats,
                                std::mt19937_64 &random) {
  data::Coordinates result(shape);
  std::int64_t elements = data::element_count(shape);
  for (std::int64_t element = 0; element < elements; ++element) {
    if (static_cast<double>(random() % 1000) >= density * 1000) continue;
    std::vector<std::int64_t> coordinate(shape.size());
    std::int64_t rest = element;
    for (std::size_t mode = shape.size(); mode-- > 0;) {
      coordinate[mode] = rest % shape[mode];
      rest /= shape[mode];
    }
    for (int times = repeats && random() % 4 == 0 ? 2 : 1; times > 0; --times)
      result.append(coordinate, static_cast<double>(random() % 19) - 9);
  }
  // In any order.
  for (std::size_t k = result.size(); k > 1; --k) {
    std::size_t other = random() % k;
    std::swap(result.value[k - 1], result.value[other]);
    for (std::vector<std::int64_t> &index : result.index)
      std::swap(index[k - 1], index[other]);
  }
  return result;
}

} // namespace unravel::run::test
