#include "lower/append.h"

#include "loop/walk.h"
#include "lower/deal.h"
#include "lower/jump.h"

#include <algorithm>

namespace unravel::lower {

using combine::AssembledResult;
using combine::Combination;
using layout::IndexElement;
using loop::Block;
using packing::AppendLevel;
using term::Term;

namespace {

Term end(const std::string &name) {
  return term::variable(end_of(name));
}

loop::Reserve reserve(const AppendLevel &level, const Term &least) {
  return {level.count, least, level.arrays};
}

bool has_ends(const AppendLevel &level) {
  return level.bounds && level.bounds->begin != level.bounds->end;
}

/// Where an array tells the ends of segments: each ends where the next one begins, the last one with the
/// entries. `count`: of the nodes above.
Block set_ends(const AppendLevel &level, const Term &count) {
  const packing::BoundSegments &of = *level.bounds;
  const auto set_end = [&](const Term &next, const Term &end_of_last) { // of the node before the next one
    Term value = end_of_last - Term(of.end_offset);
    if (of.is_length) value = value - pointer_at(level, next - Term(1));
    return loop::Statement{loop::SetElement{of.end, next - Term(of.shift), value}};
  };
  const Term first(std::max<std::int64_t>(of.shift, 0)), next = term::variable(of.end + ".next");
  loop::For ends{next.as<term::Variable>()->name, first, count};
  ends.body.push_back(set_end(next, pointer_at(level, next)));
  ends.comment = "where segments end";
  return {{std::move(ends)},
          {loop::If{term::at_most(first, count), {set_end(count, end(level.position))}, ""}}};
}

loop::Statement one_more(const std::string &name) {
  return {loop::Assign{end_of(name), end(name) + Term(1)}};
}

/// The next node of the level above begins.
Block begin_next(const AppendLevel &level) {
  Block next = begun_at(level, end(level.pointer));
  next.push_back(one_more(level.pointer));
  return next;
}

/// Nodes above, of a computed position, begin up to that one.
Block begin_up_to(const AppendLevel &level, const Term &last) {
  return {{loop::While{term::at_most(end(level.pointer), last), begin_next(level), ""}}};
}

/// Behind the last entry: what the pointer behind the last of `count` nodes above tells.
Block end_pointers_of(const AppendLevel &level, const AppendLevel &above) {
  const Term count = above.is_counted() ? end(above.position) : above.extent;
  const bool has_end = !has_ends(level); // an element for it
  Block block;
  if (!above.is_counted()) loop::append(block, begin_up_to(level, has_end ? count : count - Term(1)));
  if (!has_end) loop::append(block, set_ends(level, count));
  if (has_end && above.is_counted()) loop::append(block, begun_at(level, count));
  return block;
}

/// Behind the last entry: the last of each level's pointers.
Block end_pointers(const AssembledResult &result) {
  Block block;
  const std::vector<AppendLevel> &levels = result.append.levels;
  for (const AppendLevel &level : levels) {
    if (!level.is_counted() || level.pointer.empty()) continue;
    loop::append(block, end_pointers_of(level, levels[level.parent]));
  }
  return block;
}

/// Goes through the entries in their order, and appends those that stay. They go to a place that isn't behind
/// their own, and a segment's bounds are read before it is gone through: nothing is written too early.
class Dropping {
public:
  Dropping(const combine::AssembledResult &result, double dropped, const Extents &extents)
      : result_(result), levels_(result.append.levels), last_(result.append.last), dropped_(dropped),
        extents_(extents) {
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      old_.emplace(levels_[k].position, old(k));
      const bool is_made = k < last_ && levels_[k].is_counted();
      next_.emplace(levels_[k].position, is_made                   ? end(k) - Term(1)
                                         : levels_[k].is_counted() ? end(k)
                                                                   : old(k));
    }
  }

  Block code() const {
    Block block = end_pointers(result_);
    for (std::size_t k = 0; k <= last_; ++k) {
      if (!levels_[k].is_counted()) continue;
      if (levels_[k].pointer.empty()) block.push_back({loop::Let{name(k, "all"), end(k)}});
      block.push_back({loop::Assign{end_of(levels_[k].position), Term(0)}});
      if (has_computed_parent(k)) block.push_back({loop::Assign{end_of(levels_[k].pointer), Term(0)}});
    }
    block.push_back(loop_over(0));
    return block;
  }

private:
  std::string name(std::size_t level, const char *what) const { return levels_[level].position + "." + what; }
  Term old(std::size_t level) const { return term::variable(name(level, "old")); }
  Term end(std::size_t level) const { return term::variable(end_of(levels_[level].position)); }
  bool has_computed_parent(std::size_t level) const {
    return !levels_[level].pointer.empty() && !levels_[levels_[level].parent].is_counted();
  }

  loop::Element value_at(const term::Substitution &by) const {
    return {result_.append.value, slot_of(result_.append.value, result_.append.slots, extents_, by)};
  }

  /// The values of a node, one after the other.
  Block over_values(Block body) const {
    for (std::size_t k = levels_.size(); k-- > last_ + 1;)
      body = {{loop::For{name(k, "old"), Term(0), levels_[k].extent, 1, std::nullopt, std::move(body), ""}}};
    return body;
  }

  loop::Statement loop_over(std::size_t level) const {
    const AppendLevel &here = levels_[level];
    loop::For loop{name(level, "old"), Term(0), here.extent};
    if (here.is_counted() && here.pointer.empty()) loop.upper = term::variable(name(level, "all"));
    if (here.is_counted() && !here.pointer.empty()) {
      loop.lower = pointer_at(here, old(here.parent));
      loop.upper = segment_end(here, old(here.parent));
    }
    if (level < last_ && here.is_counted())
      loop.body.push_back({loop::Let{name(level, "first"), end(level)}});
    if (level < last_)
      loop.body.push_back(loop_over(level + 1));
    else
      loop::append(loop.body, entry());
    return {std::move(loop)};
  }

  Block entry() const {
    if (last_ + 1 == levels_.size())
      return unless_dropped(dropped_, result_.tensor, {value_at(old_)}, [&](auto) {
        return kept({{loop::Store{value_at(next_), {value_at(old_)}}}});
      });
    const std::string stays = name(last_, "stays");
    Block block{{loop::Declare{stays, Term(0)}}};
    loop::append(block, over_values(unless_dropped(dropped_, result_.tensor, {value_at(old_)}, [&](auto) {
                   return Block{{loop::Assign{stays, Term(1)}}};
                 })));
    Block moved = over_values({{loop::Store{value_at(next_), {value_at(old_)}}}});
    block.push_back({loop::If{term::equal(term::variable(stays), Term(1)), kept(std::move(moved)), ""}});
    return block;
  }

  /// Nodes above that have no entry yet begin, then the entry's own.
  Block kept(Block values) const {
    Block block;
    for (std::size_t k = 0; k <= last_; ++k) {
      if (!levels_[k].is_counted()) continue;
      if (has_computed_parent(k)) loop::append(block, begin_up_to(levels_[k], old(levels_[k].parent)));
      Block node = made(k);
      if (k < last_) {
        node.push_back(one_more(levels_[k].position));
        node = {{loop::If{term::equal(end(k), term::variable(name(k, "first"))), std::move(node), ""}}};
      }
      loop::append(block, std::move(node));
    }
    loop::append(block, std::move(values));
    block.push_back(one_more(levels_[last_].position));
    return block;
  }

  Block made(std::size_t level) const {
    term::Substitution next = next_;
    next[levels_[level].position] = end(level);
    Block block;
    for (const IndexElement &element : levels_[level].keys)
      block.push_back({loop::SetElement{element.array, slot_of(element.array, element.slots, extents_, next),
                                        term::apply(element.array, term::substitute(element.slots, old_))}});
    for (const AppendLevel &inner : levels_)
      if (!inner.pointer.empty() && inner.parent == level) loop::append(block, begun_at(inner, end(level)));
    return block;
  }

  const combine::AssembledResult &result_;
  const std::vector<AppendLevel> &levels_;
  const std::size_t last_;
  const double dropped_;
  const Extents &extents_;
  term::Substitution old_,
      next_; // positions: as they are; of the entry that stays, once nodes above it are made
};

} // namespace

std::string end_of(const std::string &name) {
  return name + ".end";
}

Term pointer_at(const AppendLevel &level, const Term &above) {
  const Term element = term::apply(level.pointer, {above});
  return level.bounds ? element + Term(level.bounds->begin_offset) : element;
}

Term segment_end(const AppendLevel &level, const Term &above) {
  if (!has_ends(level)) return pointer_at(level, above + Term(1));
  const packing::BoundSegments &of = *level.bounds;
  const Term end = term::apply(of.end, {above + Term(1 - of.shift)}) + Term(of.end_offset);
  return of.is_length ? end + pointer_at(level, above) : end;
}

Block begun_at(const AppendLevel &level, const Term &above) {
  const Term value = end(level.position) - Term(level.bounds ? level.bounds->begin_offset : 0);
  return {{loop::SetElement{level.pointer, above, value}}};
}

Block begin_assembly(const AssembledResult &result, bool is_dealt) {
  Block block;
  const std::vector<AppendLevel> &levels = result.append.levels;
  for (const AppendLevel &level : levels) {
    if (!level.is_counted()) continue;
    block.push_back({loop::Declare{end_of(level.position), Term(0)}});
    if (!is_dealt) block.push_back({reserve(level, Term(0))});
    if (!level.pointer.empty() && !levels[level.parent].is_counted())
      block.push_back({loop::Declare{end_of(level.pointer), Term(0)}});
  }
  return block;
}

Block end_assembly(const AssembledResult &result) {
  Block block = end_pointers(result);
  for (const AppendLevel &level : result.append.levels)
    if (level.is_counted()) block.push_back({loop::SetCount{level.count, end(level.position)}});
  return block;
}

loop::Appended appended_to(const AssembledResult &result) {
  loop::Appended appended;
  const std::vector<AppendLevel> &levels = result.append.levels;
  for (const AppendLevel &level : levels) {
    if (!level.is_counted()) continue;
    appended.counters.push_back({level.count, end_of(level.position)});
    if (level.pointer.empty()) continue;
    const AppendLevel &above = levels[level.parent];
    appended.pointers.push_back(
        {level.pointer, end_of(above.is_counted() ? above.position : level.pointer), end_of(level.position)});
  }
  return appended;
}

Block unless_dropped(std::optional<double> dropped, const std::string &of, loop::Value value,
                     const std::function<Block(loop::Value)> &stored) {
  if (!dropped) return stored(std::move(value));
  const auto *known = std::get_if<loop::Local>(&value.kind);
  const loop::Local local = known ? *known : loop::Local{of + ".value"};
  Block block;
  if (!known) block.push_back({loop::DeclareValue{local.name, std::move(value)}});
  loop::IfValue test{local.name, stored({local}), "", loop::IfValue::Test::Differs};
  test.number = *dropped;
  block.push_back({std::move(test)});
  return block;
}

bool has_whole_values(const AssembledResult &result, const LeafPlan &plan) {
  return !plan.is_dealt && (plan.is_distinct || !result.append.merges);
}

Appending::Appending(const combine::IterationSpace &space, const LeafPlan &plan, const SharedLoops &shared,
                     const Combination &combination, std::optional<double> dropped)
    : EntryCode(dropped), result_(*combination.assembly(space.target.tensor)), extents_(combination.arrays),
      is_distinct_(plan.is_distinct), initial_(value::identity_of(space.by)),
      entry_(result_.entry_of(space.target)) {
  const std::vector<AppendLevel> &levels = result_.append.levels;
  const term::Substitution coordinates = entry_;
  for (const AppendLevel &level : levels)
    entry_.emplace(level.position, level.is_counted() ? end(level.position) - Term(1)
                                                      : term::substitute(level.value, coordinates));
  // Only such a loop: elsewhere a position may be one that no entry has, or a later one's.
  const std::vector<scan::Level> &nest = plan.nest.levels;
  const auto first = std::ranges::find_if(nest, [](const scan::Level &level) { return level.is_loop(); });
  if (first == nest.end() || levels.front().is_counted() || position(0) != term::variable(first->variable) ||
      first->lower != Term(0) || first->upper != levels.front().extent)
    return;
  // And only where the statement has a part in each of its iterations; merged loops test conditions inside.
  const auto level = static_cast<std::size_t>(first - nest.begin());
  const bool is_in_each = plan.merged || (first->guards.empty() && shared.conditions.empty());
  // A loop that goes on at its next match skips iterations, which have pointers to begin, too.
  if (is_in_each && level + 1 >= plan.shared && !jump_at(plan, level, std::nullopt)) begins_at_ = level;
}

Term Appending::position(std::size_t level) const {
  return entry_.at(result_.append.levels[level].position);
}

/// The pointers into the level up to that of the entry's node above.
Block Appending::begun(std::size_t level) const {
  const AppendLevel &here = result_.append.levels[level];
  return begin_up_to(here, position(here.parent));
}

Block Appending::with_node(std::size_t level, Block inside) const {
  if (begins_at_ != level) return inside;
  // one at most; compilers would take a loop for one that is worth vectors
  const AppendLevel &first = result_.append.levels[1];
  Block block{{loop::If{term::at_most(end(first.pointer), position(0)), begin_next(first), ""}}};
  loop::append(block, std::move(inside));
  return block;
}

/// A new node.
Block Appending::made(std::size_t level) const {
  const std::vector<AppendLevel> &levels = result_.append.levels;
  const AppendLevel &here = levels[level];
  const Term next = end(here.position);
  term::Substitution by = entry_;
  by[here.position] = next;
  Block block{{reserve(here, next + Term(1))}};
  for (const IndexElement &element : here.keys)
    block.push_back({set(element, extents_, by)});
  for (const AppendLevel &inner : levels)
    if (!inner.pointer.empty() && inner.parent == level) loop::append(block, begun_at(inner, next));
  block.push_back(one_more(here.position));
  return block;
}

loop::Element Appending::value_at(const term::Substitution &by) const {
  return {result_.append.value, slot_of(result_.append.value, result_.append.slots, extents_, by)};
}

/// Sets the values of the last node.
Block Appending::cleared() const {
  const packing::Append &append = result_.append;
  term::Substitution by = entry_;
  for (std::size_t k = append.last + 1; k < append.levels.size(); ++k)
    by[append.levels[k].position] = term::variable(append.levels[k].position);
  Block block{{loop::Store{value_at(by), {loop::Number{initial_}}}}};
  for (std::size_t k = append.levels.size(); k-- > append.last + 1;) {
    loop::For values{append.levels[k].position, Term(0), append.levels[k].extent};
    values.body = std::move(block);
    block = {{std::move(values)}};
  }
  return block;
}

/// Is the entry's node none yet? Those of one node above come one after the other.
Term Appending::begins(std::size_t level) const {
  const AppendLevel &here = result_.append.levels[level];
  const Term begin = here.pointer.empty() ? Term(0) : pointer_at(here, position(here.parent));
  std::vector<Term> cases{term::at_most(end(here.position), begin)};
  for (const IndexElement &element : here.keys)
    cases.push_back(
        term::negation(term::equal(term::apply(element.array, term::substitute(element.slots, entry_)),
                                   term::substitute(element.value, entry_))));
  return term::disjunction(std::move(cases));
}

bool Appending::is_new() const {
  const packing::Append &append = result_.append;
  return !append.merges || (is_distinct_ && append.last + 1 == append.levels.size());
}

Block Appending::entry() const {
  const packing::Append &append = result_.append;
  Block block;
  for (std::size_t k = 0; k <= append.last; ++k) {
    const AppendLevel &here = append.levels[k];
    if (!here.is_counted()) continue;
    if (!here.pointer.empty() && !append.levels[here.parent].is_counted() && !begins_at_)
      loop::append(block, begun(k));
    Block next = made(k);
    if (k == append.last && is_new()) {
      loop::append(block, std::move(next));
      continue;
    }
    if (k == append.last) loop::append(next, cleared());
    block.push_back({loop::If{begins(k), std::move(next), ""}});
  }
  return block;
}

loop::Element Appending::element() const {
  return value_at(entry_);
}

Block drop_entries(const combine::AssembledResult &result, double dropped, const Extents &extents) {
  return Dropping(result, dropped, extents).code();
}

std::shared_ptr<const EntryCode> code_of_entries(const combine::IterationSpace &space, const LeafPlan &plan,
                                                 const SharedLoops &shared, Workspace &workspace) {
  if (!space.target.appends) return nullptr;
  if (plan.is_dealt) return code_of_dealt_entries(space, plan, workspace);
  const combine::Combination &all = workspace.combination();
  const bool is_whole = has_whole_values(*all.assembly(space.target.tensor), plan);
  return std::make_shared<Appending>(space, plan, shared, all,
                                     is_whole ? workspace.dropped_of(space.target.tensor) : std::nullopt);
}

} // namespace unravel::lower
