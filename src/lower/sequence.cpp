#include "lower/sequence.h"

#include "loop/rename.h"
#include "loop/walk.h"
#include "lower/leaf_names.h"
#include "lower/pieces.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace unravel::lower {

using loop::Block;
using loop::Statement;
using term::Term;

namespace {

/// A statement's loop over a shared variable, taken out of its block.
struct Shared {
  Block before; // states and maps
  Range range;
  Block body;
  Block behind;
};

/// Of names in front of the loop; false where something else stands there.
bool move_lets_inside(Shared &loop) {
  for (std::size_t k = loop.before.size(); k-- > 0;) {
    const auto *let = std::get_if<loop::Let>(&loop.before[k].kind);
    if (!let) return false;
    loop.range.lower = term::substitute(loop.range.lower, {{let->variable, let->value}});
    loop.range.upper = term::substitute(loop.range.upper, {{let->variable, let->value}});
  }
  loop.body.insert(loop.body.begin(), std::make_move_iterator(loop.before.begin()),
                   std::make_move_iterator(loop.before.end()));
  loop.before.clear();
  return true;
}

std::vector<Term> parts_of_maximum(const Term &bound) {
  const auto *maximum = bound.as<term::Maximum>();
  return maximum ? maximum->of : std::vector<Term>{bound};
}

std::vector<Term> parts_of_minimum(const Term &bound) {
  const auto *minimum = bound.as<term::Minimum>();
  return minimum ? minimum->of : std::vector<Term>{bound};
}

std::vector<Term> without(std::vector<Term> parts, const std::vector<Term> &others) {
  std::erase_if(
      parts, [&](const Term &part) { return std::find(others.begin(), others.end(), part) != others.end(); });
  return parts;
}

/// The bounds that are not implied by another one, all of whose parts they have: max(a, b) by max(a).
template <class Parts> std::vector<Term> widest(std::vector<Term> bounds, const Parts &parts_of) {
  for (std::size_t k = 0; k < bounds.size(); ++k)
    for (std::size_t other = bounds.size(); other-- > 0;)
      if (other != k && without(parts_of(bounds[k]), parts_of(bounds[other])).empty()) {
        bounds.erase(bounds.begin() + static_cast<std::ptrdiff_t>(other));
        if (other < k) --k;
      }
  return bounds;
}

/// What must hold of the variable in `all` so that it lies in `one`.
std::vector<Term> within(const Term &variable, const Range &one, const Range &all) {
  std::vector<Term> conditions;
  for (const Term &part : without(parts_of_maximum(one.lower), parts_of_maximum(all.lower)))
    conditions.push_back(term::at_most(part, variable));
  for (const Term &part : without(parts_of_minimum(one.upper), parts_of_minimum(all.upper)))
    conditions.push_back(term::less(variable, part));
  return conditions;
}

bool is_of_lets(const Block &block) {
  return std::all_of(block.begin(), block.end(), [](const Statement &statement) {
    return std::holds_alternative<loop::Let>(statement.kind);
  });
}

/// A scan for its only match ends with it; the loop that it shares has more to do, and nothing else matches.
void drop_breaks(Block &body) {
  std::erase_if(body, [](const Statement &each) { return std::holds_alternative<loop::Break>(each.kind); });
  for (Statement &statement : body)
    if (!loop::is_loop(statement))
      for (Block *inner : loop::blocks_of(statement))
        drop_breaks(*inner);
}

/// A variable of a loop further in may have one value that is known further out: `if j = 0`. What is named
/// from there on is named inside.
void move_fixed_inside(Shared &loop, const std::vector<std::string> &loops) {
  auto is_fixed = [&](const Statement &each) {
    const auto *let = std::get_if<loop::Let>(&each.kind);
    return let && std::find(loops.begin(), loops.end(), let->variable) != loops.end();
  };
  auto first = std::find_if(loop.before.begin(), loop.before.end(), is_fixed);
  Block before(std::make_move_iterator(loop.before.begin()), std::make_move_iterator(first));
  loop.before.erase(loop.before.begin(), first);
  move_lets_inside(loop);
  loop.before.insert(loop.before.begin(), std::make_move_iterator(before.begin()),
                     std::make_move_iterator(before.end()));
}

/// The loop over the variable in the block; conditions around it go into its body.
Shared take_loop(Block block, const std::string &variable, const combine::IterationSpace &space) {
  Shared taken;
  for (std::size_t k = 0; k < block.size(); ++k) {
    auto rest = [&](Block &to) {
      to.insert(to.end(), std::make_move_iterator(block.begin() + static_cast<std::ptrdiff_t>(k) + 1),
                std::make_move_iterator(block.end()));
    };
    if (auto *loop = std::get_if<loop::For>(&block[k].kind); loop && loop->variable == variable) {
      taken.range = {loop->lower, loop->upper};
      taken.body = std::move(loop->body);
      drop_breaks(taken.body);
      rest(taken.behind);
      move_fixed_inside(taken, space.loops);
      return taken;
    }
    if (auto *let = std::get_if<loop::Let>(&block[k].kind); let && let->variable == variable) {
      taken.range = {let->value, let->value + Term(1)};
      rest(taken.body);
      return taken;
    }
    auto *guard = std::get_if<loop::If>(&block[k].kind);
    if (guard && guard->otherwise.empty() && k + 1 == block.size()) {
      Shared inner = take_loop(std::move(guard->then), variable, space);
      if (!inner.behind.empty() || !move_lets_inside(inner)) break;
      inner.body = {{loop::If{guard->condition, std::move(inner.body), guard->comment}}};
      inner.before = std::move(taken.before);
      move_fixed_inside(inner, space.loops);
      return inner;
    }
    taken.before.push_back(std::move(block[k]));
  }
  report::fail(
      report::Kind::not_supported, space.span,
      fmt::format("the loop over `{}` is shared with other statements, but here it depends on what is "
                  "stored in a sparse tensor",
                  variable),
      "give the statements loops of their own, or choose a layout in which the loop's values aren't "
      "stored");
}

bool mentions_local(const Statement &statement, const std::string &name) {
  bool found = false;
  loop::each_statement(statement, [&](const Statement &inner) {
    auto writes = [&](const loop::Target &target) {
      const auto *local = std::get_if<loop::Local>(&target);
      return local && local->name == name;
    };
    if (const auto *store = std::get_if<loop::Store>(&inner.kind)) found = found || writes(store->target);
    if (const auto *add = std::get_if<loop::Accumulate>(&inner.kind)) found = found || writes(add->target);
    loop::each_own_value(inner, [&](const loop::Value &value) {
      loop::each_local(value, [&](const loop::Local &local) { found = found || local.name == name; });
    });
  });
  return found;
}

/// In the innermost block that holds all uses, before the first.
void declare_local(Block &block, const std::string &name) {
  std::vector<std::size_t> uses;
  for (std::size_t k = 0; k < block.size(); ++k)
    if (mentions_local(block[k], name)) uses.push_back(k);
  if (uses.empty()) return;
  Statement &first = block[uses.front()];
  if (uses.size() == 1)
    for (Block *inner : loop::blocks_of(first)) {
      bool elsewhere = false;
      for (Block *other : loop::blocks_of(first))
        elsewhere = elsewhere ||
                    (other != inner && std::any_of(other->begin(), other->end(),
                                                   [&](auto &each) { return mentions_local(each, name); }));
      if (!elsewhere) return declare_local(*inner, name);
    }
  auto *store = std::get_if<loop::Store>(&first.kind);
  if (store && std::holds_alternative<loop::Local>(store->target)) {
    loop::Value initial = std::move(store->value);
    first = {loop::DeclareValue{name, std::move(initial)}};
    return;
  }
  block.insert(block.begin() + static_cast<std::ptrdiff_t>(uses.front()),
               {loop::DeclareValue{name, {loop::Number{0}}}});
}

/// Without what the block begins with that is known by the same name already.
void drop_known(Block &more, Block &block, const std::map<std::string, std::size_t> &lets) {
  while (!more.empty()) {
    const auto *let = std::get_if<loop::Let>(&more.front().kind);
    auto place = let ? lets.find(let->variable) : lets.end();
    if (place == lets.end()) return;
    Statement &known = block[place->second];
    if (std::get<loop::Let>(known.kind).value != let->value) return;
    known.origins.insert(known.origins.end(), more.front().origins.begin(), more.front().origins.end());
    more.erase(more.begin());
  }
}

/// The loop over pieces of equal work.
Statement in_pieces(loop::For loop, const LeafPlan &plan) {
  const EqualWork &equal = *plan.equal;
  scan::Level range;
  range.variable = loop.variable;
  range.lower = loop.lower, range.upper = loop.upper;
  report::require(equal.range && range.lower == equal.range->first && range.upper == equal.range->second,
                  "a shared loop is cut as was proved");
  Pieces pieces = pieces_of(range, equal, plan.chunk);
  pieces.loop.parallel = loop::Parallel{1, plan.least, plan.work};
  pieces.loop.parallel->schedule = plan.schedule;
  loop.lower = pieces.from, loop.upper = pieces.to;
  loop.parallel.reset();
  pieces.loop.body.push_back({std::move(loop)});
  if (equal.when_empty) return {std::move(pieces.loop)};
  return {loop::If{term::less(range.lower, range.upper), {{std::move(pieces.loop)}}, ""}};
}

/// What stands in front of a loop is in scope in the bodies of all that share it: no other one declares the
/// name again.
void keep_before_apart(std::vector<Shared> &loops) {
  std::vector<std::set<std::string>> inside;
  for (const Shared &loop : loops)
    inside.push_back(loop::effects_of(loop.body).declared);
  for (std::size_t k = 0; k < loops.size(); ++k) {
    Shared &own = loops[k];
    std::set<std::string> taken;
    for (std::size_t other = 0; other < loops.size(); ++other)
      if (other != k) taken.insert(inside[other].begin(), inside[other].end());
    const std::map<std::string, std::string> others =
        names_in_place(loop::effects_of(own.before).declared, taken, inside[k]);
    if (others.empty()) continue;
    for (Block *block : {&own.before, &own.body, &own.behind})
      loop::rename(*block, others);
    for (const auto &[name, fresh] : others)
      for (Term *bound : {&own.range.lower, &own.range.upper})
        *bound = term::substitute(*bound, {{name, term::variable(fresh)}});
  }
}

/// `outside`: names that are in scope where the block will stand.
Block at_depth(std::vector<Part> parts, std::size_t depth, const Replace &in_wavefronts,
               const std::set<std::string> &outside) {
  Block block;
  std::set<std::string> declared = outside;
  std::map<std::string, std::size_t> lets; // where they stand
  auto add = [&](Block more) {
    drop_known(more, block, lets);
    keep_apart(more, declared);
    for (std::size_t k = 0; k < more.size(); ++k)
      if (const auto *let = std::get_if<loop::Let>(&more[k].kind))
        lets.emplace(let->variable, block.size() + k);
    loop::append(block, std::move(more));
  };
  for (std::size_t first = 0; first < parts.size();) {
    std::size_t last = first + 1;
    const std::vector<int> &place = parts[first].space->place;
    while (last < parts.size() && parts[last].space->place[depth] == place[depth] &&
           parts[last].space->loops.size() > depth && parts[first].space->loops.size() > depth)
      ++last;
    const bool replaced = depth == 0 && parts[first].in_wavefronts;
    add(std::move(parts[first].before));
    if (last == first + 1 && !replaced) {
      add(std::move(parts[first].block));
      first = last;
      continue;
    }
    const std::string &variable = parts[first].space->loops[depth];
    std::vector<Shared> loops;
    std::set<std::string> names; // of what stands in front of the loop
    for (std::size_t k = first; k < last; ++k) {
      keep_apart(parts[k].block, names);
      for (const std::string &loop : parts[k].space->loops) // these are one for all
        names.erase(loop);
      loops.push_back(take_loop(std::move(parts[k].block), variable, *parts[k].space));
      if (is_of_lets(loops.back().before)) move_lets_inside(loops.back()); // the same bounds for all
    }
    keep_before_apart(loops);
    std::vector<Range> ranges;
    for (const Shared &each : loops)
      ranges.push_back(each.range);
    const Range range = range_of_all(ranges);
    Block before, behind;
    std::vector<Part> inside;
    for (std::size_t k = first; k < last; ++k) {
      Shared &each = loops[k - first];
      std::vector<Term> inner = within(term::variable(variable), each.range, range);
      Block body = std::move(each.body);
      if (!inner.empty()) body = {{loop::If{term::conjunction(std::move(inner)), std::move(body), ""}}};
      loop::append(before, std::move(each.before));
      loop::append(behind, std::move(each.behind));
      inside.push_back({parts[k].space, parts[k].plan, std::move(body)});
    }
    loop::For loop{variable, range.lower, range.upper};
    const LeafPlan &plan = *parts[first].plan;
    if (plan.shared_parallel == depth && before.empty()) {
      loop.parallel = loop::Parallel{plan.chunk_per_thread ? 0 : plan.chunk, plan.least, plan.work};
      loop.parallel->schedule = plan.schedule;
      loop.parallel->share = plan.share;
    }
    std::set<std::string> locals;
    for (const Part &part : inside)
      if (replaced && !part.space->target.local.empty()) locals.insert(part.space->target.local);
    std::set<std::string> known = declared_in(before);
    known.insert(outside.begin(), outside.end());
    loop.body = at_depth(std::move(inside), depth + 1, in_wavefronts, known);
    for (const std::string &local : locals) // what replaces the loop may have its body several times
      declare_local(loop.body, local);
    Block whole = std::move(before);
    if (replaced)
      loop::append(whole, in_wavefronts(std::move(loop)));
    else
      whole.push_back(loop.parallel && plan.equal ? in_pieces(std::move(loop), plan)
                                                  : Statement{std::move(loop)});
    loop::append(whole, std::move(behind));
    add(std::move(whole));
    first = last;
  }
  return block;
}

} // namespace

Range range_of_all(const std::vector<Range> &ranges) {
  std::vector<Term> lowers, uppers;
  for (const Range &each : ranges) {
    lowers.push_back(each.lower);
    uppers.push_back(each.upper);
  }
  return {term::minimum(widest(std::move(lowers), parts_of_maximum)),
          term::maximum(widest(std::move(uppers), parts_of_minimum))};
}

Block in_sequence(std::vector<Part> parts, const Replace &in_wavefronts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part &a, const Part &b) { return a.space->place < b.space->place; });
  std::set<std::string> locals;
  for (const Part &part : parts)
    if (!part.in_wavefronts && !part.space->target.local.empty()) locals.insert(part.space->target.local);
  Block block = at_depth(std::move(parts), 0, in_wavefronts, {});
  for (const std::string &local : locals)
    declare_local(block, local);
  return block;
}

} // namespace unravel::lower
