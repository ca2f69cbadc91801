#include "schedule/transform.h"

#include "combine/substitute.h"
#include "report/diagnostic.h"
#include "schedule/determination.h"
#include "schedule/sequence.h"
#include "space/set.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace unravel::schedule {

using term::Term;

bool has(const combine::IterationSpace &space, const std::string &variable) {
  std::vector<std::string> all = space.variables();
  return contains(all, variable);
}

namespace {

bool is_position(const combine::IterationSpace &space, const std::string &variable) {
  return contains(space.positions, variable);
}

std::vector<std::string> variables_of_all(const combine::Combination &combination) {
  std::vector<std::string> variables;
  for (const combine::IterationSpace &leaf : combination.leaves)
    for (const std::string &variable : leaf.variables())
      if (!contains(variables, variable)) variables.push_back(variable);
  return variables;
}

/// What a space says of one variable and sizes alone, but for divisibility: bounds only have to contain.
std::vector<Term> bounds_of(const combine::IterationSpace &space, const std::string &variable) {
  std::vector<std::string> all = space.variables();
  auto is_other = [&](const Term &atom) {
    const auto *plain = atom.as<term::Variable>();
    return !plain || (plain->name != variable && contains(all, plain->name));
  };
  std::vector<Term> result;
  for (const Term &part :
       space::Set(space.relation).project(is_other).without_divisions().simple_hull().constraints())
    if (term::mentions(part, variable)) result.push_back(part);
  return result;
}

/// Is the index one of the loops', or a plain subscript of the space? In other terms of a sum, which
/// subscript it plainly, it has values of their own.
bool has_extent(const std::string &index, const combine::IterationSpace &space) {
  const auto is_subscript_of = [&](const combine::Operand &operand) {
    return contains(operand.coordinates, term::variable(index));
  };
  const auto is_subscript_of_one = [&](const combine::Lookup &lookup) {
    return std::ranges::any_of(lookup.places, is_subscript_of, &combine::Place::operand);
  };
  return contains(space.loops, index) || is_subscript_of(space.target) ||
         std::ranges::any_of(space.operands, is_subscript_of) ||
         std::ranges::any_of(space.lookups, is_subscript_of_one);
}

/// Coordinates lie within their extents, also where only the entries of a list say which there are.
void add_extents(combine::IterationSpace &space, const combine::Combination &combination) {
  std::vector<Term> parts{space.relation};
  for (const std::string &index : space.coordinates)
    if (auto extent = combination.extents.find(index);
        extent != combination.extents.end() && has_extent(index, space))
      parts.push_back(term::between(Term(0), term::variable(index), extent->second));
  space.relation = term::conjunction(std::move(parts));
}

// ---- one function per transformation. Precondition: the space has the variable.

/// The name of the variable that the transformation adds, `j.tile`; empty where it adds none.
std::string added_name(const Transformation &how) {
  switch (how.kind) {
  case Transformation::Kind::Tile: return how.variable.text + ".tile";
  case Transformation::Kind::Split: return how.variable.text + ".split";
  case Transformation::Kind::Skew: return how.variable.text + ".skew";
  case Transformation::Kind::Shift: return how.variable.text + ".shift";
  case Transformation::Kind::Bound:
  case Transformation::Kind::Fix: break;
  }
  return {};
}

/// Adds a variable with its value to a space, as an equation or, for floor(v / size), as two inequalities.
/// Throws where the name is taken.
void add_variable(combine::IterationSpace &space, combine::AddedVariable variable,
                  const Transformation &how) {
  if (has(space, variable.name))
    report::fail(report::Kind::duplicate_name, how.span,
                 fmt::format("the variable `{}` already exists", variable.name),
                 fmt::format("transform `{}` instead", variable.name));
  Term name = term::variable(variable.name);
  std::vector<Term> parts{space.relation};
  if (const auto *quotient = variable.value.as<term::FloorDivide>())
    parts.push_back(term::between(term::scale(quotient->divisor, name), quotient->numerator,
                                  term::scale(quotient->divisor, name) + Term(quotient->divisor)));
  else
    parts.push_back(term::equal(name, variable.value));
  space.relation = term::conjunction(std::move(parts));
  bound_by_sizes(space, variable.name);
  space.added.push_back(std::move(variable));
}

/// v.tile (v.split) = floor(v / size).
void tile(combine::IterationSpace &space, const Transformation &how) {
  bool outermost = how.kind == Transformation::Kind::Tile;
  std::string of = how.variable.text;
  add_variable(
      space, {added_name(how), of, term::floor_divide(term::variable(of), how.number), outermost, how.number},
      how);
}

/// v.skew = v + factor * by.
void skew(combine::IterationSpace &space, const Transformation &how) {
  std::string of = how.variable.text;
  if (how.by.text == of)
    report::fail(report::Kind::bad_transformation, how.by.span,
                 fmt::format("`{}` can't be skewed by itself", of), "skew it by another coordinate");
  add_variable(
      space, {added_name(how), of, term::variable(of) + term::scale(how.number, term::variable(how.by.text))},
      how);
}

/// v.shift = v + distance.
void shift(combine::IterationSpace &space, const Transformation &how) {
  std::string of = how.variable.text;
  add_variable(space, {added_name(how), of, term::variable(of) + term::Term(how.number)}, how);
}

/// Only the points with low <= v < high: the others are left out.
void bound(combine::IterationSpace &space, const Transformation &how) {
  if (how.low >= how.high)
    report::fail(report::Kind::bad_transformation, how.span,
                 fmt::format("the range [{}, {}) is empty", how.low, how.high),
                 "a range contains its lower end: `bound j in [0, 64)`");
  if (!contains(space.coordinates, how.variable.text))
    report::fail(report::Kind::bad_transformation, how.variable.span,
                 fmt::format("`{}` is not a coordinate", how.variable.text),
                 fmt::format("the coordinates are {}", fmt::join(space.coordinates, ", ")));
  Term range = term::between(Term(how.low), term::variable(how.variable.text), Term(how.high));
  space.relation = term::conjunction({space.relation, range});
}

/// The extent of a coordinate is a number: a condition on the kernel's arguments, and a constant everywhere
/// else.
void fix_extent(combine::Combination &combination, const Transformation &how) {
  const std::string &index = how.variable.text;
  auto extent = combination.extents.find(index);
  const term::Variable *size =
      extent == combination.extents.end() ? nullptr : extent->second.as<term::Variable>();
  if (extent != combination.extents.end() && extent->second.as<term::Constant>())
    report::fail(report::Kind::bad_transformation, how.variable.span,
                 fmt::format("the extent of `{}` is {} already", index, term::to_text(extent->second)),
                 fmt::format("keep one `bound {}`", index));
  if (!size)
    report::fail(
        report::Kind::bad_transformation, how.variable.span,
        fmt::format("`{}` has no extent of its own", index),
        "only coordinates that are a subscript by themselves have one: write `bound r = 16` for the r of "
        "B(j,r)");
  const std::string name = size->name;
  combination.conditions.push_back(
      {term::equal(term::variable(name), Term(how.number)),
       fmt::format("the kernel was made for {} of index {}", how.number, index)});
  const term::Substitution by{{name, Term(how.number)}};
  auto fix = [&](Term &term) { term = term::substitute(term, by); };
  for (combine::IterationSpace &leaf : combination.leaves)
    combine::substitute(leaf, by);
  for (prove::Axiom &axiom : combination.axioms)
    fix(axiom.guard), fix(axiom.conclusion);
  for (auto &[array, extents] : combination.arrays)
    for (Term &each : extents)
      fix(each);
  for (auto &[of, term] : combination.extents)
    fix(term);
}

void apply(combine::IterationSpace &space, const Transformation &how) {
  switch (how.kind) {
  case Transformation::Kind::Tile:
  case Transformation::Kind::Split: return tile(space, how);
  case Transformation::Kind::Skew: return skew(space, how);
  case Transformation::Kind::Shift: return shift(space, how);
  case Transformation::Kind::Bound: return bound(space, how);
  case Transformation::Kind::Fix: return; // of all leaves at once
  }
}

/// Where an element is looked for, no schedule decides.
void refuse_looked_for(const combine::Combination &combination, const parse::Name &name) {
  if (std::ranges::any_of(combination.leaves, [&](auto &leaf) { return has(leaf, name.text); })) return;
  for (const combine::IterationSpace &leaf : combination.leaves)
    for (const combine::Lookup &lookup : leaf.lookups)
      for (const combine::Place &place : lookup.places)
        if (contains(place.operand.positions, name.text))
          report::fail(
              report::Kind::not_supported, name.span,
              fmt::format("`{}` is a position of {}, which is searched at each instance of its statement",
                          name.text, lookup.name),
              "an order may name coordinates, and positions of other tensors");
}

} // namespace

void bound_by_sizes(combine::IterationSpace &space, const std::string &variable) {
  std::vector<Term> parts = term::conjuncts(space.relation);
  for (Term &part : bounds_of(space, variable))
    parts.push_back(std::move(part));
  space.relation = term::conjunction(std::move(parts));
}

parse::ScheduleTree without_empty_loops(parse::ScheduleTree schedule, const std::vector<std::string> &indices,
                                        const combine::Combination &combination) {
  std::set<std::string> empty(indices.begin(), indices.end());
  for (const std::string &variable : variables_of_all(combination))
    empty.erase(variable);
  if (empty.empty()) return schedule;
  auto is_empty = [&](const parse::Name &name) { return empty.contains(name.text); };
  std::erase_if(schedule.transformations, [&](const Transformation &how) {
    if (!is_empty(how.variable) && !is_empty(how.by)) return false;
    if (const std::string name = added_name(how); !name.empty()) empty.insert(name);
    return true;
  });
  std::erase_if(schedule.loops, [&](auto &asked) { return is_empty(asked.variable); });
  std::erase_if(schedule.order, is_empty);
  if (std::ranges::any_of(schedule.fused, is_empty)) schedule.fused.clear();
  if (std::erase_if(schedule.parallel, is_empty) > 0) schedule.sharing.reset();
  return schedule;
}

void transform(combine::Combination &combination, const parse::ScheduleTree &schedule) {
  for (const parse::Name &name : schedule.order)
    refuse_looked_for(combination, name);
  for (const Transformation &how : schedule.transformations)
    for (const parse::Name &name : {how.variable, how.by})
      refuse_looked_for(combination, name);
  if (!schedule.transformations.empty())
    for (combine::IterationSpace &leaf : combination.leaves)
      add_extents(leaf, combination);
  for (const Transformation &how : schedule.transformations) {
    auto applies = [&](const combine::IterationSpace &leaf) {
      return has(leaf, how.variable.text) && (how.by.text.empty() || has(leaf, how.by.text));
    };
    if (!combination.leaves.empty() && std::ranges::none_of(combination.leaves, applies)) {
      bool known =
          std::ranges::any_of(combination.leaves, [&](auto &leaf) { return has(leaf, how.variable.text); });
      fail_unknown_variable(known ? how.by : how.variable, variables_of_all(combination));
    }
    if (how.kind == Transformation::Kind::Fix) {
      fix_extent(combination, how);
      continue;
    }
    for (combine::IterationSpace &leaf : combination.leaves) {
      if (!applies(leaf)) continue;
      if (is_position(leaf, how.variable.text)) // over all entries, also across segments
        leaf = combine::with_slots_in_range(std::move(leaf), combination.arrays);
      apply(leaf, how);
    }
  }
  require_each_once(schedule.order);
  for (const parse::Name &name : schedule.order)
    if (name.span.source && !combination.leaves.empty() &&
        std::ranges::none_of(combination.leaves, [&](auto &leaf) { return has(leaf, name.text); }))
      fail_unknown_variable(name, variables_of_all(combination));
  if (schedule.order.empty()) return;
  for (combine::IterationSpace &leaf : combination.leaves)
    if (!is_bounded(leaf, schedule.order)) // `order A.p, i`
      leaf = combine::with_slots_in_range(std::move(leaf), combination.arrays);
}

std::vector<parse::Name> without_others(std::vector<parse::Name> order, const combine::IterationSpace &space,
                                        const combine::Combination &combination) {
  std::erase_if(order, [&](const parse::Name &name) {
    return !has(space, name.text) &&
           std::ranges::any_of(combination.leaves, [&](auto &other) { return has(other, name.text); });
  });
  return order;
}

std::vector<parse::Name> place_added(const combine::IterationSpace &space, std::vector<parse::Name> order,
                                     std::size_t fixed) {
  Determination determination(space);
  auto place = [&](const std::string &name) {
    return std::ranges::find_if(order, [&](auto &each) { return each.text == name; });
  };
  // The loop that gives a variable its value: its own, or that of one which it follows from.
  auto leader = [&](const std::string &variable) {
    int wanted = determination.find(variable);
    Variables bound = determination.close(0);
    for (auto at = order.begin(); wanted >= 0 && at != order.end(); ++at) {
      int each = determination.find(at->text);
      if (each < 0 || (bound & (Variables{1} << each))) continue;
      bound = determination.close(bound | (Variables{1} << each));
      if (bound & (Variables{1} << wanted)) return at;
    }
    return place(variable);
  };
  // The first place from there on where the variable is bounded.
  auto insert = [&](std::vector<parse::Name>::iterator from, const std::string &name) {
    int variable = determination.find(name);
    Variables bound = determination.close(0);
    for (auto at = order.begin();; ++at) {
      if (at >= from && variable >= 0 && determination.bounded(static_cast<std::size_t>(variable), bound)) {
        order.insert(at, {name, {}});
        return;
      }
      if (at == order.end()) return; // it follows from others
      if (int each = determination.find(at->text); each >= 0)
        bound = determination.close(bound | (Variables{1} << each));
    }
  };
  auto outside = static_cast<std::ptrdiff_t>(fixed);
  for (const combine::AddedVariable &added : space.added)
    if (place(added.name) == order.end()) // tiles of tiles outside of these
      insert(added.outermost ? std::min(place(added.of), order.begin() + outside++) : leader(added.of),
             added.name);
  return order;
}

// ---- Tiles of a coordinate or of a position: strip mining, and with it, by the order, tiling.

std::optional<parse::ScheduleTree> untiled(const parse::ScheduleTree &schedule,
                                           const combine::IterationSpace &space) {
  const bool others = std::ranges::any_of(schedule.transformations, [](auto &how) {
    return how.kind != Transformation::Kind::Tile && how.kind != Transformation::Kind::Split;
  });
  auto is_tile = [&](const parse::Name &name) {
    return std::ranges::any_of(space.added, [&](auto &added) { return added.name == name.text; });
  };
  if (others || std::ranges::any_of(schedule.parallel, is_tile)) return std::nullopt;
  parse::ScheduleTree result = schedule;
  result.transformations.clear();
  result.order = untransformed(schedule.order, space);
  std::erase_if(result.order, // what only other leaves know
                [&](const parse::Name &name) { return !has(space, name.text); });
  return result;
}

std::optional<term::Term> is_one_tile(const combine::IterationSpace &space,
                                      const std::map<std::string, term::Term> &extents) {
  std::vector<term::Term> parts;
  for (const combine::AddedVariable &added : space.added) {
    if (added.tile == 0 || !added.outermost) return std::nullopt;
    const bool of_tile =
        std::ranges::any_of(space.added, [&](auto &other) { return other.name == added.of; });
    if (of_tile) continue; // one tile is one of these
    auto extent = extents.find(added.of);
    if (extent == extents.end()) return std::nullopt;
    parts.push_back(term::at_most(extent->second, term::Term(added.tile)));
  }
  if (parts.empty()) return std::nullopt;
  return term::conjunction(std::move(parts));
}

} // namespace unravel::schedule
