#include "choose/threads.h"

#include "space/set.h"
#include "term/children.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace unravel::choose {

namespace {

using plan::LeafPlan;
using scan::Level;
using term::Term;

/// Over sizes and counts alone: no array is read, no variable of the nest occurs.
bool is_fixed(const Term &term, const std::vector<Level> &levels) {
  return term::applications_of(term).empty() && std::ranges::none_of(levels, [&](const Level &level) {
           return term::mentions(term, level.variable);
         });
}

bool has_fixed_bounds(const Level &level, const std::vector<Level> &levels) {
  return is_fixed(level.lower, levels) && is_fixed(level.upper, levels);
}

/// The number of iterations, over sizes; 0 where the bounds cross.
Term length_by_sizes(const Level &level) {
  Term length = level.upper - level.lower;
  std::vector<Term> crossed{term::less(length, Term(0))};
  for (const std::string &size : term::variables_of(length))
    if (size.find('.') != std::string::npos) // a tensor's
      crossed.push_back(term::at_most(Term(0), term::variable(size)));
  const bool never = space::Set(term::conjunction(std::move(crossed))).is_empty();
  return never ? length : term::maximum({Term(0), length});
}

/// Whether a loop's bounds are those of a segment: they depend on outer levels.
bool is_segment(const Level &level, const std::vector<Level> &levels) {
  return level.is_loop() && !level.tensor.empty() && !has_fixed_bounds(level, levels);
}

/// Segments inside segments of other tensors: how often their entries are passed again isn't known, but it is
/// often. (Those of the same tensor lie in the segments outside, each entry once.)
int nested_segments(const LeafPlan &plan) {
  const std::vector<Level> &levels = plan.nest.levels;
  std::set<std::string> tensors;
  for (std::size_t k = *plan.parallel; k < levels.size(); ++k)
    if (is_segment(levels[k], levels)) tensors.insert(levels[k].tensor);
  return std::max(static_cast<int>(tensors.size()) - 1, 0);
}

bool is_dynamic(const LeafPlan &plan) {
  return plan.schedule == loop::Parallel::Schedule::Dynamic;
}

/// Whether each iteration is one entry, or one coordinate of something dense.
bool has_short_iterations(const LeafPlan &plan, std::size_t level) {
  const std::vector<Level> &levels = plan.nest.levels;
  return std::none_of(levels.begin() + static_cast<std::ptrdiff_t>(level) + 1, levels.end(),
                      [&](const Level &inner) {
                        return inner.is_loop() || (inner.is_find() && levels[level].tensor.empty());
                      });
}

bool mentions(const Level &level, const std::string &variable) {
  return term::mentions(level.lower, variable) || term::mentions(level.upper, variable);
}

/// Whether a dense loop leads to the entries of a tensor, each once: their segments' bounds depend on its
/// variable, or they are found by it, or their place in the array does, as in rows of equal length.
bool leads_to_entries(const std::string &variable, const Level &inner, const std::vector<Level> &levels,
                      const combine::IterationSpace &space) {
  if (inner.is_find())
    return std::ranges::any_of(inner.components, [&](const auto &component) {
      return component.target == term::variable(variable);
    });
  if (!inner.is_loop() || inner.tensor.empty()) return false;
  return mentions(inner, variable) ||
         std::ranges::any_of(space.operands, [&](const combine::Operand &operand) {
           return operand.name == inner.tensor && !operand.array.empty() &&
                  term::mentions(scan::through_lets(operand.slot, levels), variable);
         });
}

/// Also by way of a loop inside: over a tile's rows.
bool leads_on(std::size_t level, const std::vector<Level> &levels, const combine::IterationSpace &space) {
  for (std::size_t k = level + 1; k < levels.size(); ++k) {
    const bool is_part =
        levels[k].is_loop() && levels[k].tensor.empty() && mentions(levels[k], levels[level].variable);
    if (leads_to_entries(levels[level].variable, levels[k], levels, space) ||
        (is_part && leads_on(k, levels, space)))
      return true;
  }
  return false;
}

/// The length of a loop in the middle of its range: where it has as many iterations in all but the last case,
/// as in a tile, so many.
Term length_in_middle(const Term &lower, const Term &upper, const term::Substitution &middle) {
  const auto *several = upper.as<term::Minimum>();
  for (const Term &end : several ? several->of : std::vector<Term>{upper})
    if (Term length = end - lower; length.as<term::Constant>()) return length;
  return term::maximum({Term(0), term::substitute(upper, middle) - term::substitute(lower, middle)});
}

/// Per level from the parallel loop on its length, over what is known where that stands: iterations of loops
/// from there on are taken to be the middle ones. None where an array that is read inside tells.
std::vector<std::optional<Term>> lengths_in_middle(const LeafPlan &plan) {
  const std::vector<Level> &levels = plan.nest.levels;
  std::vector<std::optional<Term>> lengths(levels.size());
  term::Substitution middle;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (k < *plan.parallel || levels[k].is_let()) continue;
    const Term lower = scan::through_lets(levels[k].lower, levels);
    const Term upper = scan::through_lets(levels[k].upper, levels);
    auto is_known = [&](const Term &bound) {
      std::vector<Term> loads = term::applications_of(bound);
      return std::ranges::none_of(loads, [&](const Term &load) {
        return std::ranges::any_of(middle,
                                   [&](const auto &each) { return term::mentions(load, each.first); });
      });
    };
    const bool known = is_known(lower) && is_known(upper);
    if (known) lengths[k] = length_in_middle(lower, upper, middle);
    middle[levels[k].variable] =
        known ? term::floor_divide(term::substitute(lower + upper, middle), 2) : Term(0);
  }
  return lengths;
}

/// A loop over rows, or over those that are listed; not over what a row has.
bool is_row(std::size_t level, const std::vector<Level> &levels, const combine::IterationSpace &space) {
  return leads_on(level, levels, space) &&
         (levels[level].tensor.empty() || has_fixed_bounds(levels[level], levels));
}

/// How many rows of the result are set to zero on the way from one iteration's to the next one's.
std::optional<Term> cleared_rows(const LeafPlan &plan, const combine::IterationSpace &space,
                                 const combine::Combination &combination) {
  if (!plan.increasing || !space.target.structure.empty()) return std::nullopt;
  return combination.arrays.at(space.target.array)[0];
}

/// The innermost loop runs over coordinates one after the other, and all its iterations share the entries of
/// the tensors that are looped over: compilers use vectors, and little is read. (Where each has entries of
/// its own, as the rows of a slice have, it is these that take the time.)
bool ends_dense(const LeafPlan &plan, const combine::IterationSpace &space) {
  const std::vector<Level> &levels = plan.nest.levels;
  std::set<std::string> inside; // the innermost loop's variable, and what follows from it
  std::set<std::string> tensors;
  for (const Level &level : levels) {
    if (level.is_loop()) inside = {level.variable};
    if (level.is_loop()) tensors.insert(level.tensor);
    if (level.is_let() && term::mentions_any(level.value, inside)) inside.insert(level.variable);
  }
  auto last =
      std::find_if(levels.rbegin(), levels.rend(), [](const Level &level) { return !level.is_let(); });
  if (last == levels.rend() || !last->is_loop() || !last->tensor.empty()) return false;
  return std::ranges::none_of(space.operands, [&](const combine::Operand &operand) {
    return !operand.array.empty() && tensors.contains(operand.name) &&
           term::mentions_any(operand.slot, inside);
  });
}

using Nests = std::set<std::set<std::size_t>>;

/// Of the `counted` levels those around each part of the product: what is inside is executed for each
/// combination of their iterations. Where all of a part's are around another part, too, it has no set of its
/// own. So loops side by side count each by itself. Without parts there is one set, of all.
Nests nests_of_parts(const LeafPlan &plan, const std::set<std::size_t> &counted) {
  if (!plan.parts) return {counted};
  const std::vector<Level> &levels = plan.nest.levels;
  Nests all;
  const auto visit = [&](const auto &self, const plan::PartNode &node, std::set<std::size_t> around) -> void {
    for (const Level &level : node.levels)
      for (const std::size_t k : counted)
        if (levels[k].variable == level.variable) around.insert(k);
    for (const plan::PartNode &inner : node.body)
      self(self, inner, around);
    if (node.part) all.insert(std::move(around));
  };
  std::set<std::size_t> outermost = counted;
  std::erase_if(outermost, [&](std::size_t k) { return k >= plan.parts->begin; });
  for (const plan::PartNode &node : plan.parts->body)
    visit(visit, node, outermost);
  Nests largest = all;
  std::erase_if(largest, [&](const std::set<std::size_t> &one) {
    return std::ranges::any_of(all, [&](const std::set<std::size_t> &other) {
      return one.size() < other.size() && std::ranges::includes(other, one);
    });
  });
  return largest;
}

/// How often loops of these lengths, by their levels, go round inside the others: added up over the parts.
Term rounds_of_parts(const LeafPlan &plan, const std::map<std::size_t, Term> &lengths) {
  std::set<std::size_t> counted;
  for (const auto &[level, length] : lengths)
    counted.insert(level);
  Term sum(0);
  for (const std::set<std::size_t> &nest : nests_of_parts(plan, counted)) {
    Term rounds(1);
    for (const std::size_t level : nest)
      rounds = term::multiply(rounds, lengths.at(level));
    sum = sum + rounds;
  }
  return sum;
}

/// Iterations of the innermost loop from which on a team pays.
std::int64_t least_of(const LeafPlan &plan, const combine::IterationSpace &space,
                      const cost::Thresholds &thresholds) {
  bool finds = std::ranges::any_of(plan.finds.levels, [&](const plan::LevelPlan &find) {
    return find.level > *plan.parallel && !find.as<plan::Direct>();
  });
  return (finds ? thresholds.least_found_entries : thresholds.least_entries) *
         (ends_dense(plan, space) ? cost::dense_per_entry : 1);
}

/// Whether the parallel loop, or one inside of it, has bounds that change with a loop around it.
bool changes_with_outer(const LeafPlan &plan) {
  const std::vector<Level> &levels = plan.nest.levels;
  std::set<std::string> outer;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    auto changes = [&](const Term &bound) {
      return term::mentions_any(scan::through_lets(bound, levels), outer);
    };
    if (k >= *plan.parallel && levels[k].is_loop() && (changes(levels[k].lower) || changes(levels[k].upper)))
      return true;
    if (k < *plan.parallel && !levels[k].is_let()) outer.insert(levels[k].variable);
  }
  return false;
}

/// What maps of so many positions of segments take, or where only few are looked for in them, searching them.
double mapped_work(double positions, double targets) {
  return std::min(positions, static_cast<double>(cost::entries_per_search) * targets +
                                 positions / static_cast<double>(cost::walked_per_entry));
}

/// The iterations of such a loop and of those inside, in one iteration of the loops around: a term where the
/// loop stands. Of a segment that is found inside, the data's length.
Term work_of_pass(const LeafPlan &plan, const find::Lengths &lengths) {
  const std::vector<Level> &levels = plan.nest.levels;
  const std::vector<std::optional<Term>> known = lengths_in_middle(plan);
  std::map<std::size_t, Term> rounds;
  for (std::size_t k = *plan.parallel; k < levels.size(); ++k) {
    if (!levels[k].is_loop()) continue;
    auto length = lengths.find(levels[k].variable);
    Term average(length == lengths.end() ? cost::entries_per_segment
                                         : static_cast<std::int64_t>(std::ceil(length->second)));
    rounds.emplace(k, known[k].value_or(average));
  }
  return rounds_of_parts(plan, rounds);
}

} // namespace

std::optional<Term> entries_of(const std::string &name, const combine::IterationSpace &space,
                               const combine::Combination &combination) {
  for (const combine::Operand &operand : space.operands) {
    if (operand.name != name || operand.array.empty() || !operand.local.empty()) continue;
    Term product(1);
    for (const Term &extent : combination.arrays.at(operand.array))
      product = term::multiply(product, extent);
    if (term::applications_of(product).empty()) return product;
  }
  return std::nullopt;
}

std::optional<Term> work_of(const LeafPlan &plan, const combine::IterationSpace &space,
                            const combine::Combination &combination, const cost::Thresholds &thresholds) {
  if (!plan.parallel) return std::nullopt;
  const std::vector<Level> &levels = plan.nest.levels;
  const std::vector<std::optional<Term>> middle = lengths_in_middle(plan);
  const bool shares_entries = ends_dense(plan, space);
  std::set<std::string> tensors;
  std::map<std::size_t, Term> lengths; // of loops over dense modes
  Term entries(0), rows(0), mapped(0); // mapped: of segments, each once
  for (std::size_t k = *plan.parallel; k < levels.size(); ++k) {
    const Level &level = levels[k];
    const plan::LevelPlan *find = plan.finds.at(k);
    const auto *map = find ? find->as<plan::DenseMap>() : nullptr;
    const bool filled = map && map->level > *plan.parallel;
    if ((level.is_loop() || filled) && tensors.insert(level.tensor).second)
      if (std::optional<Term> count = entries_of(level.tensor, space, combination)) {
        const bool is_part = filled && !(is_fixed(map->lower, levels) && is_fixed(map->upper, levels));
        (is_part ? mapped : entries) = (is_part ? mapped : entries) + *count;
      }
    if (!level.is_loop()) continue;
    const bool fixed = has_fixed_bounds(level, levels);
    // The rows of a matrix that is passed once: its entries count, and each row as some more.
    if (fixed && is_row(k, levels, space))
      rows = rows + term::scale(thresholds.entries_per_row, length_by_sizes(level));
    else if (fixed && level.tensor.empty())
      lengths.emplace(k, length_by_sizes(level));
    else if (level.tensor.empty() && shares_entries && middle[k] && is_fixed(*middle[k], levels))
      lengths.emplace(k, *middle[k]);
  }
  const Term dense = rounds_of_parts(plan, lengths);
  if (std::optional<Term> cleared = cleared_rows(plan, space, combination))
    rows = rows + term::floor_divide(*cleared, cost::cleared_per_entry);
  if (dense == Term(1)) entries = entries + mapped;
  if (!(entries == Term(0))) entries = entries + rows;
  if (entries == Term(0) && dense == Term(1)) return std::nullopt;
  const Term visits = entries == Term(0) ? dense : term::multiply(dense, entries);
  if (dense == Term(1) || mapped == Term(0)) return visits;
  return visits + term::minimum({mapped, term::scale(cost::entries_per_search, visits) +
                                             term::floor_divide(mapped, cost::walked_per_entry)});
}

std::optional<std::size_t> level_for_copies(const LeafPlan &plan, const combine::IterationSpace &space,
                                            const combine::Combination &combination,
                                            const cost::Thresholds &thresholds) {
  const std::vector<Level> &levels = plan.nest.levels;
  if (plan.parallel && levels[*plan.parallel].tensor.empty()) return std::nullopt;
  LeafPlan shared = plan;
  shared.parallel.reset();
  std::set<std::string> read; // variables with values from index arrays: their segments may be any
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Level &level = levels[k];
    if (level.is_find()) return std::nullopt;
    if (level.is_loop() && !shared.parallel) shared.parallel = k;
    if (level.is_let() && !term::applications_of(level.value).empty()) read.insert(level.variable);
    if (level.is_loop() && std::ranges::any_of(read, [&](const std::string &name) {
          return term::mentions(level.lower, name) || term::mentions(level.upper, name);
        }))
      return std::nullopt;
  }
  return shared.parallel && work_of(shared, space, combination, thresholds) ? shared.parallel : std::nullopt;
}

void share_out(LeafPlan &plan, const combine::IterationSpace &space, const combine::Combination &combination,
               const find::Lengths &lengths, bool chunk_is_given, const cost::Thresholds &thresholds) {
  if (!plan.parallel) return;
  bool short_iterations = has_short_iterations(plan, *plan.parallel);
  if (!chunk_is_given && short_iterations) plan.chunk = thresholds.chunk_of_entries;
  plan.least = least_of(plan, space, thresholds);
  if (changes_with_outer(plan)) {
    plan.work = work_of_pass(plan, lengths);
    const std::vector<Level> &levels = plan.nest.levels;
    if (scan::loops_between(levels, *plan.parallel + 1, levels.size()) == 0) plan.work.reset();
  } else {
    plan.work = work_of(plan, space, combination, thresholds);
    for (int k = nested_segments(plan); k > 0; --k)
      plan.least = std::max<std::int64_t>(plan.least / cost::entries_per_segment, 1);
  }
  if (!chunk_is_given && !short_iterations && plan.work && is_dynamic(plan))
    plan.cut = plan::Chunks{std::max<std::int64_t>(plan.least / cost::least_chunks, 1)};
}

void share_out(const std::vector<Statement> &statements, const combine::Combination &combination,
               std::size_t depth, bool chunk_is_given, const cost::Thresholds &thresholds) {
  Term work(0);
  bool short_iterations = true;
  term::Substitution average; // of what a local has in each iteration
  for (const combine::LocalTensor &local : combination.locals)
    if (local.insertion && !local.insertion->count.empty())
      average.emplace(local.insertion->count, Term(cost::entries_per_segment));
  for (const Statement &statement : statements) {
    LeafPlan own = *statement.plan;
    own.parallel = depth;
    short_iterations = short_iterations && has_short_iterations(own, *own.parallel);
    share_out(own, statement.space, combination, statement.lengths, true, thresholds);
    const Term each = term::substitute(own.work ? *own.work : work_of_pass(own, statement.lengths), average);
    work = work + (own.least < thresholds.least_entries
                       ? term::scale(thresholds.least_entries / own.least, each)
                       : term::floor_divide(each, own.least / thresholds.least_entries));
  }
  for (const Statement &statement : statements) {
    LeafPlan &plan = *statement.plan;
    plan.work = work;
    plan.least = thresholds.least_entries;
    if (chunk_is_given) continue;
    if (short_iterations)
      plan.chunk = thresholds.chunk_of_entries;
    else if (is_dynamic(plan))
      plan.cut = plan::Chunks{thresholds.least_entries / cost::least_chunks};
  }
}

double part_of_least(const LeafPlan &plan, const combine::IterationSpace &space,
                     const combine::Combination &combination, const find::Lengths &lengths,
                     const std::map<std::string, double> &counts, const cost::Thresholds &thresholds) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  const std::vector<Level> &levels = plan.nest.levels;
  auto length_of = [&](const Level &level) {
    auto length = lengths.find(level.variable);
    return length == lengths.end() ? unknown : length->second;
  };
  auto visits_of = [&](std::size_t end) {
    double visits = 1;
    for (std::size_t k = *plan.parallel; k < end; ++k)
      if (levels[k].is_loop()) visits *= length_of(levels[k]);
    return visits;
  };
  std::set<std::size_t> loops;
  for (std::size_t k = *plan.parallel; k < levels.size(); ++k)
    if (levels[k].is_loop()) loops.insert(k);
  double visits = 0;
  for (const std::set<std::size_t> &nest : nests_of_parts(plan, loops)) {
    double rounds = 1;
    for (const std::size_t k : nest)
      rounds *= length_of(levels[k]);
    visits += rounds;
  }
  double work = visits;
  for (std::size_t k = *plan.parallel; k < levels.size(); ++k) // rows, as in work_of
    if (levels[k].is_loop() && is_row(k, levels, space))
      work += static_cast<double>(thresholds.entries_per_row) * visits_of(k + 1);
  for (const plan::LevelPlan &find : plan.finds.levels) {
    // What is walked over, or put into a map.
    const std::optional<std::size_t> place = find.made_at();
    if (!place || *place <= *plan.parallel) continue;
    const double positions = visits_of(*place) * length_of(levels[find.level]);
    work += find.filled_map() ? mapped_work(positions, visits) : positions;
  }
  if (std::optional<Term> cleared = cleared_rows(plan, space, combination)) {
    const auto *size = cleared->as<term::Variable>();
    auto count = size ? counts.find(size->name) : counts.end();
    if (count != counts.end()) work += count->second / static_cast<double>(cost::cleared_per_entry);
  }
  return work / static_cast<double>(least_of(plan, space, thresholds));
}

bool is_too_short(const std::vector<Statement> &statements, const combine::Combination &combination,
                  std::size_t depth, const std::map<std::string, double> &counts,
                  const cost::Thresholds &thresholds) {
  double parts = 0;
  for (const Statement &statement : statements) {
    LeafPlan own = *statement.plan;
    own.parallel = depth;
    parts += part_of_least(own, statement.space, combination, statement.lengths, counts, thresholds);
  }
  return parts < 1;
}

std::optional<std::size_t> brief_level(const plan::LeafPlan &plan, const find::Lengths &lengths) {
  const std::vector<Level> &levels = plan.nest.levels;
  std::size_t level = levels.size();
  while (level > 0 && levels[level - 1].is_let() && levels[level - 1].guards.empty())
    --level;
  if (level == 0 || !levels[level - 1].is_loop() || !levels[level - 1].guards.empty()) return std::nullopt;
  const Level &innermost = levels[--level];
  auto length = lengths.find(innermost.variable);
  bool segment =
      !term::applications_of(innermost.lower).empty() || !term::applications_of(innermost.upper).empty();
  bool brief = segment && length != lengths.end() && length->second < cost::brief_segment;
  return brief ? std::optional(level) : std::nullopt;
}

} // namespace unravel::choose
