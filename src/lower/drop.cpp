#include "lower/drop.h"

#include "loop/walk.h"
#include "lower/append.h"

namespace unravel::lower {

using layout::IndexElement;
using loop::Block;
using packing::AppendLevel;
using term::Term;

namespace {

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

Block drop_entries(const combine::AssembledResult &result, double dropped, const Extents &extents) {
  return Dropping(result, dropped, extents).code();
}

} // namespace unravel::lower
