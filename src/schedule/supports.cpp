#include "schedule/supports.h"

#include "combine/repeated.h"
#include "combine/substitute.h"
#include "compute/known.h"
#include "depend/statements.h"
#include "schedule/determination.h"
#include "schedule/sequence.h"
#include "term/solve.h"
#include "text/contains.h"

#include <algorithm>
#include <map>
#include <set>

namespace unravel::schedule {

using combine::Combination;
using combine::IterationSpace;
using combine::Operand;

using term::Term;

namespace {

using Names = std::set<std::string>;

/// The prefix of an operand's positions at which the values of some loops' variables are stored.
struct Support {
  std::string tensor;
  std::vector<std::string> loops;     // positions, in place of the loops over coordinates
  std::vector<std::string> positions; // these, and those that follow from them and the loops outside
  std::vector<Term> relation;         // what is said of them alone and of the variables of loops
  std::size_t count = 0;              // so many loops over coordinates
};

bool is_within(const Names &names, const Names &others) {
  return std::ranges::includes(others, names);
}

Names intersection(const Names &names, const Names &others) {
  Names both;
  std::ranges::set_intersection(names, others, std::inserter(both, both.end()));
  return both;
}

/// How an operand's positions say what the values of loops are: of the loops [begin, end) of the space, those
/// from the first on that follow from them, and not the other way round.
class Prefixes {
public:
  Prefixes(const IterationSpace &space, std::size_t begin, std::size_t end)
      : space_(space), begin_(begin), end_(end), parts_(term::conjuncts(space.relation)) {
    const std::vector<std::string> all = space.variables();
    own_.insert(all.begin(), all.end());
    outside_.insert(space.loops.begin(), space.loops.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  std::optional<Support> of(const Operand &operand) const {
    std::optional<Support> best;
    Support made{operand.tensor, {}, {}, {}, 0};
    Names known = outside_;
    for (const std::string &position : operand.positions) {
      if (known.contains(position)) continue;
      if (!follows(position, known)) made.loops.push_back(position);
      known.insert(position);
      made.positions.push_back(position);
      const std::size_t count = determined(made, known);
      if (count <= made.count) continue;
      made.count = count;
      made.relation = about(made, known);
      best = made;
    }
    return best;
  }

private:
  Names variables_in(const Term &part) const { return intersection(term::variables_of(part), own_); }

  /// Has it one value, computed without arrays, where those are known?
  bool follows(const std::string &position, const Names &known) const {
    return std::ranges::any_of(parts_, [&](const Term &part) {
      const std::optional<Term> value = term::solve_for(position, part);
      return value && term::applications_of(*value).empty() && is_within(variables_in(*value), known);
    });
  }

  /// How many of the loops, from the first on, have values that positions tell.
  std::size_t determined(const Support &made, const Names &known) const {
    std::size_t loop = begin_;
    const auto is_told = [&](const Term &part) {
      const std::optional<Term> value = term::solve_for(space_.loops[loop], part);
      if (!value || value->as<term::Variable>()) return false;
      const Names names = variables_in(*value);
      return is_within(names, known) &&
             std::ranges::any_of(names, [&](const std::string &name) { return contains(made.loops, name); });
    };
    while (loop < end_ && std::ranges::any_of(parts_, is_told))
      ++loop;
    return loop - begin_;
  }

  std::vector<Term> about(const Support &made, const Names &known) const {
    Names all = known;
    for (std::size_t loop = 0; loop < begin_ + made.count; ++loop)
      all.insert(space_.loops[loop]);
    std::vector<Term> parts;
    for (const Term &part : parts_) {
      const Names names = variables_in(part);
      const bool is_of_positions =
          std::ranges::any_of(names, [&](const std::string &name) { return contains(made.positions, name); });
      if (is_of_positions && is_within(names, all)) parts.push_back(part);
    }
    return parts;
  }

  const IterationSpace &space_;
  const std::size_t begin_, end_;
  const std::vector<Term> parts_;
  Names own_, outside_;
};

/// Positions by those of another support, where they say the same of them.
std::optional<term::Substitution> renaming(const Support &support, const Support &other) {
  if (support.tensor != other.tensor || support.count != other.count ||
      support.positions.size() != other.positions.size() || support.loops.size() != other.loops.size())
    return std::nullopt;
  term::Substitution by;
  for (std::size_t k = 0; k < support.positions.size(); ++k)
    by.emplace(other.positions[k], term::variable(support.positions[k]));
  const std::set<Term> parts(support.relation.begin(), support.relation.end());
  std::set<Term> others;
  for (const Term &part : other.relation)
    others.insert(term::substitute(part, by));
  return parts == others ? std::optional(by) : std::nullopt;
}

/// What the statements of shared loops do at coordinates at which nothing is stored.
class Outside {
public:
  /// `depth`: the number of the loops, of which each iteration has locals of its own.
  explicit Outside(std::size_t depth) : depth_(depth) {}

  /// Nothing that others than its locals show?
  bool does_nothing(const IterationSpace &space) {
    if (space.may_miss() || space.target.inserts || space.target.appends) return false;
    const compute::Known value = value_of(space);
    const std::optional<double> number = number_of(value);
    if (!space.sets &&
        (value.kind == compute::Known::Kind::Nothing || number == value::identity_of(space.by)))
      return true;
    if (space.target.local.empty() || space.target.around < depth_) return false;
    const auto [held, is_new] = locals_.try_emplace(space.target.tensor, value);
    const bool is_same = number && number == number_of(held->second);
    if (!space.sets || !(is_new || is_same)) held->second = {};
    return true;
  }

private:
  static std::optional<double> number_of(const compute::Known &value) {
    const bool is_real = value.kind == compute::Known::Kind::Number && value.number.imaginary == 0;
    return is_real ? std::optional(value.number.number()) : std::nullopt;
  }

  compute::Known value_of(const IterationSpace &space) const {
    const auto tree = value::map_leaves<compute::Value>(space.value, [&](const combine::Read &read) {
      const combine::Lookup *lookup = space.lookup(read);
      compute::Access access;
      access.tensor = lookup ? lookup->tensor : space.operand(read).tensor;
      access.is_local = !lookup && !space.operand(read).local.empty();
      return compute::Value{std::move(access)};
    });
    return compute::known_value(tree, space.type, space.types, [&](const compute::Access &access) {
      const auto held = access.is_local ? locals_.find(access.tensor) : locals_.end();
      return held == locals_.end() ? compute::Known() : held->second;
    });
  }

  const std::size_t depth_;
  std::map<std::string, compute::Known> locals_; // what all elements hold
};

class Sharer {
public:
  Sharer(Combination &program, const parse::ScheduleTree &schedule, const Counts &counts,
         prove::Prover &prover)
      : program_(program), counts_(counts), prover_(prover) {
    for (const std::vector<parse::Name> *names : {&schedule.order, &schedule.parallel, &schedule.fused})
      for (const parse::Name &name : *names)
        named_.insert(name.text);
    for (const parse::ScheduleTree::LoopRequest &each : schedule.loops)
      named_.insert(each.variable.text);
    for (const parse::ScheduleTree::Transformation &each : schedule.transformations)
      named_.insert(each.variable.text), named_.insert(each.by.text);
    for (const parse::ScheduleTree::Find &each : schedule.finds)
      named_.insert(each.target.text);
    if (schedule.wavefront) named_.insert(schedule.wavefront->text);
  }

  /// The leaves [begin, end), who share `depth` loops.
  void run(std::size_t begin, std::size_t end, std::size_t depth) {
    for (std::size_t first = begin, last; first < end; first = last) {
      last = first + 1;
      while (last < end && shares(first, last, depth))
        ++last;
      if (last - first > 1) run(first, last, depth + std::max<std::size_t>(share(first, last, depth), 1));
    }
  }

private:
  using Leaves = std::vector<IterationSpace>;

  const IterationSpace &leaf(std::size_t k) const { return program_.leaves[k]; }

  bool shares(std::size_t one, std::size_t other, std::size_t depth) const {
    return leaf(one).loops.size() > depth && leaf(other).loops.size() > depth &&
           leaf(one).place[depth] == leaf(other).place[depth];
  }

  /// Gives the leaves loops over the best support; returns their number, 0 where there is none.
  std::size_t share(std::size_t first, std::size_t last, std::size_t depth) {
    std::size_t end = depth; // of the loops that all of them share
    const auto is_shared = [&](std::size_t loop) {
      for (std::size_t k = first; k < last; ++k)
        if (!shares(first, k, loop) || named_.contains(leaf(k).loops[loop])) return false;
      return true;
    };
    while (is_shared(end))
      ++end;
    for (std::size_t k = first; k < last; ++k)
      if (program_.loops_of_rounds(leaf(k)) > depth) return 0;
    if (end == depth) return 0;
    double least = cost_of({program_.leaves.begin() + static_cast<std::ptrdiff_t>(first),
                            program_.leaves.begin() + static_cast<std::ptrdiff_t>(last)},
                           depth, end - depth);
    std::optional<Leaves> best;
    std::size_t loops = 0, count = 0; // of them, in place of so many
    std::vector<Support> tried;
    for (std::size_t k = first; k < last; ++k)
      for (const Operand &operand : leaf(k).operands) {
        if (!operand.local.empty() || operand.positions.empty() || is_named(operand) ||
            is_written(operand.tensor, first, last))
          continue;
        const std::optional<Support> support = Prefixes(leaf(k), depth, end).of(operand);
        if (!support || std::ranges::any_of(tried, [&](const Support &other) {
              return renaming(other, *support).has_value();
            }))
          continue;
        tried.push_back(*support);
        std::optional<Leaves> made = over(*support, first, last, depth, end);
        if (!made) continue;
        const double cost = cost_of(*made, depth, support->loops.size());
        if (cost >= least || !keeps_order(*support, first, last, depth)) continue;
        least = cost, best = std::move(made), loops = support->loops.size(), count = support->count;
      }
    if (!best) return 0;
    for (combine::LocalTensor &local : program_.locals)
      if (local.around >= depth + count && is_written(local.tensor, first, last))
        local.around += loops, local.around -= count;
    std::ranges::move(*best, program_.leaves.begin() + static_cast<std::ptrdiff_t>(first));
    return loops;
  }

  /// Does the schedule say how its positions are visited, or found?
  bool is_named(const Operand &operand) const {
    return named_.contains(operand.tensor) || named_.contains(operand.name) ||
           std::ranges::any_of(operand.positions,
                               [&](const std::string &each) { return named_.contains(each); });
  }

  bool is_written(const std::string &tensor, std::size_t first, std::size_t last) const {
    for (std::size_t k = first; k < last; ++k)
      if (leaf(k).target.tensor == tensor) return true;
    return false;
  }

  double cost_of(const Leaves &leaves, std::size_t depth, std::size_t loops) const {
    double cost = 0;
    for (const IterationSpace &space : leaves)
      cost += cost_with(space, counts_, depth + loops);
    return cost;
  }

  /// The leaves in loops over the support, where they do nothing outside of it.
  std::optional<Leaves> over(const Support &support, std::size_t first, std::size_t last, std::size_t depth,
                             std::size_t end) const {
    Outside outside(depth + support.count);
    Leaves made;
    for (std::size_t k = first; k < last; ++k) {
      IterationSpace &space = made.emplace_back(leaf(k));
      if (!goes_over(support, space, depth, end)) {
        if (!outside.does_nothing(space)) return std::nullopt;
        space.positions.insert(space.positions.begin(), support.positions.begin(), support.positions.end());
        std::vector<Term> parts = term::conjuncts(space.relation);
        parts.insert(parts.end(), support.relation.begin(), support.relation.end());
        space.relation = term::conjunction(std::move(parts));
      }
      if (space.variables().size() > most_variables) return std::nullopt;
      put_loops(support, space, depth);
      if (!is_bounded(space, first_loops(space, depth + support.loops.size()))) return std::nullopt;
    }
    return made;
  }

  /// Is the leaf executed where that prefix is stored alone? Then its positions have the support's names.
  static bool goes_over(const Support &support, IterationSpace &space, std::size_t depth, std::size_t end) {
    const Prefixes prefixes(space, depth, end);
    for (const Operand &operand : space.operands) {
      if (operand.tensor != support.tensor || !operand.local.empty()) continue;
      const std::optional<Support> own = prefixes.of(operand);
      const std::optional<term::Substitution> by = own ? renaming(support, *own) : std::nullopt;
      if (!by) continue;
      if (own->positions != support.positions) combine::rename_positions(space, *by);
      return true;
    }
    return false;
  }

  static void put_loops(const Support &support, IterationSpace &space, std::size_t depth) {
    const auto replace = [&](auto &list, auto with) {
      const auto begin = list.begin() + static_cast<std::ptrdiff_t>(depth);
      list.insert(list.erase(begin, begin + static_cast<std::ptrdiff_t>(support.count)), with.begin(),
                  with.end());
    };
    replace(space.loops, support.loops);
    std::vector<int> places(support.loops.size(), 0);
    places.front() = space.place[depth];
    replace(space.place, places);
    std::vector<Term> positions;
    for (const std::string &position : support.loops)
      positions.push_back(term::variable(position));
    const auto put = [&](Operand &operand) {
      if (operand.local.empty() || operand.around < depth + support.count) return;
      replace(operand.coordinates, positions);
      operand.around += support.loops.size(), operand.around -= support.count;
    };
    for (Operand &operand : space.operands)
      put(operand);
    for (combine::Lookup &lookup : space.lookups)
      for (combine::Place &place : lookup.places)
        put(place.operand);
    put(space.target);
  }

  /// What all leaves say of the loops outside alone.
  std::vector<Term> around(std::size_t first, std::size_t last, std::size_t depth) const {
    std::vector<Term> parts = term::conjuncts(leaf(first).relation);
    for (std::size_t k = first; k < last; ++k) {
      const std::vector<std::string> variables = leaf(k).variables();
      const std::vector<Term> others = term::conjuncts(leaf(k).relation);
      std::erase_if(parts, [&](const Term &part) {
        const Names names = term::variables_of(part);
        return !contains(others, part) ||
               std::any_of(variables.begin(), variables.end(), [&](const std::string &name) {
                 return names.contains(name) && !is_outside(leaf(k), name, depth);
               });
      });
    }
    return parts;
  }

  static bool is_outside(const IterationSpace &space, const std::string &name, std::size_t depth) {
    const auto end = space.loops.begin() + static_cast<std::ptrdiff_t>(depth);
    return std::find(space.loops.begin(), end, name) != end;
  }

  /// Is no prefix stored twice, and may the loops' iterations come in another order?
  bool keeps_order(const Support &support, std::size_t first, std::size_t last, std::size_t depth) const {
    prove::Prover::Optional optional(prover_, "whether statements share loops over what `" + support.tensor +
                                                  "` stores");
    term::Substitution other;
    for (const std::string &position : support.positions)
      other.emplace(position, term::variable(position + "'"));
    std::vector<Term> both = around(first, last, depth);
    both.insert(both.end(), support.relation.begin(), support.relation.end());
    for (const Term &part : support.relation)
      both.push_back(term::substitute(part, other));
    for (const std::string &position : support.loops) {
      const Term p = term::variable(position), q = other.at(position);
      both.push_back(term::less(p, q)); // and so in the other order
      if (prover_.refute("one position", position, both) != prove::Answer::Refuted) return false;
      both.back() = term::equal(p, q);
    }
    std::vector<const IterationSpace *> statements;
    for (std::size_t k = first; k < last; ++k)
      statements.push_back(&leaf(k));
    for (std::size_t loop = depth; loop < depth + support.count; ++loop)
      if (depend::classify_shared(statements, loop, prover_, false).verdict == depend::Verdict::Carried)
        return false;
    return true;
  }

  Combination &program_;
  const Counts &counts_;
  prove::Prover &prover_;
  Names named_; // loops, positions and tensors: by the schedule
};

} // namespace

void share_supports(Combination &program, const parse::ScheduleTree &schedule, const Counts &counts,
                    prove::Prover &prover) {
  if (schedule.plan && schedule.plan->number <= 0) return;
  Sharer(program, schedule, counts, prover).run(0, program.leaves.size(), 0);
}

} // namespace unravel::schedule
