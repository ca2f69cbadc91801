#include "scan/tree.h"

#include "report/diagnostic.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace unravel::scan {

using term::Term;

namespace {

std::vector<Term> parts_of_maximum(const Term &bound) {
  const auto *maximum = bound.as<term::Maximum>();
  return maximum ? maximum->of : std::vector<Term>{bound};
}

std::vector<Term> parts_of_minimum(const Term &bound) {
  const auto *minimum = bound.as<term::Minimum>();
  return minimum ? minimum->of : std::vector<Term>{bound};
}

std::vector<Term> without(std::vector<Term> parts, const std::vector<Term> &others) {
  std::erase_if(parts, [&](const Term &part) { return contains(others, part); });
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

std::vector<Node> nodes_at(std::size_t depth, const std::vector<Nested> &statements);

Node node_of(std::size_t depth, const std::vector<Nested> &statements) {
  Node node;
  node.depth = depth;
  for (const Nested &statement : statements)
    node.statements.push_back(statement.number);
  if (statements.size() == 1 && depth >= statements.front().nodes) return node;
  node.variable = statements.front().nest->levels[depth].variable;
  std::vector<Term> lowers, uppers;
  for (const Nested &statement : statements) {
    const Level &level = statement.nest->levels[depth];
    report::require(level.is_loop() && level.variable == node.variable, "shared loops are the first levels");
    lowers.push_back(level.lower);
    uppers.push_back(level.upper);
  }
  node.lower = term::minimum(widest(std::move(lowers), parts_of_maximum));
  node.upper = term::maximum(widest(std::move(uppers), parts_of_minimum));
  node.body = nodes_at(depth + 1, statements);
  return node;
}

std::vector<Node> nodes_at(std::size_t depth, const std::vector<Nested> &statements) {
  auto shares = [&](const Nested &one, const Nested &other) {
    const bool by_source = one.space->loops.size() > depth && other.space->loops.size() > depth &&
                           one.space->place[depth] == other.space->place[depth];
    return by_source || (depth == 0 && other.joins);
  };
  std::vector<Node> nodes;
  for (auto first = statements.begin(); first != statements.end();) {
    const auto last =
        std::find_if(first + 1, statements.end(), [&](const Nested &each) { return !shares(*first, each); });
    nodes.push_back(node_of(depth, {first, last}));
    first = last;
  }
  return nodes;
}

void print(const std::vector<Node> &nodes, std::string &text) {
  for (const Node &node : nodes) {
    text += fmt::format("{:{}}", "", 2 * node.depth);
    if (node.is_loop())
      text += fmt::format("loop {} in [{}, {})\n", node.variable, term::to_text(node.lower),
                          term::to_text(node.upper));
    else
      text += fmt::format("statement {}\n", node.statements.front());
    print(node.body, text);
  }
}

} // namespace

void fail_shared(const std::string &variable, const combine::IterationSpace &space) {
  report::fail(
      report::Kind::not_supported, space.span,
      fmt::format("the loop over `{}` is shared with other statements, but here it depends on what is "
                  "stored in a sparse tensor",
                  variable),
      "give the statements loops of their own, or choose a layout in which the loop's values aren't "
      "stored");
}

Nest with_first_loops(Nest nest, const combine::IterationSpace &space, std::size_t loops) {
  if (loops == 0) return nest;
  std::vector<Level> first, between;
  std::vector<Term> guards; // of what has been passed, but for those of `between`
  term::Substitution assigned;
  auto level = nest.levels.begin();
  auto as_loop = [&](Level loop) {
    if (loop.is_let()) {
      loop.lower = loop.value, loop.upper = loop.value + Term(1);
      loop.value = Term();
    }
    loop.lower = term::substitute(loop.lower, assigned);
    loop.upper = term::substitute(loop.upper, assigned);
    std::vector<Term> &tested = between.empty() ? guards : between.back().guards;
    for (const Component &component : loop.components)
      tested.push_back(component.is_equality()
                           ? term::equal(component.key, component.target)
                           : term::between(component.key, component.target, component.key + component.width));
    loop.components.clear();
    loop.kind = Level::Kind::Loop;
    tested.insert(tested.end(), loop.guards.begin(), loop.guards.end());
    loop.guards.clear();
    first.push_back(std::move(loop));
  };
  while (first.size() < loops) {
    const std::string &variable = space.loops[first.size()];
    // A condition may fix a loop further in, so that it has its value before: if i = 1, of tiles of i.
    const auto known =
        std::ranges::find_if(between, [&](const Level &each) { return each.variable == variable; });
    if (known != between.end()) {
      Level fixed = std::move(*known);
      between.erase(known);
      as_loop(std::move(fixed));
      continue;
    }
    report::require(level != nest.levels.end(), "the nest has all of its statement's loops");
    if (level->variable == variable) {
      as_loop(std::move(*level));
    } else if (level->is_let()) {
      assigned.insert_or_assign(level->variable, term::substitute(level->value, assigned));
      between.push_back(std::move(*level));
    } else {
      fail_shared(variable, space);
    }
    ++level;
  }
  first.back().guards = std::move(guards);
  first.insert(first.end(), std::make_move_iterator(between.begin()), std::make_move_iterator(between.end()));
  first.insert(first.end(), std::make_move_iterator(level), std::make_move_iterator(nest.levels.end()));
  nest.levels = std::move(first);
  return nest;
}

std::vector<Node> nest_tree(const std::vector<Nested> &statements) {
  report::require(std::ranges::is_sorted(statements,
                                         [](const Nested &one, const Nested &other) {
                                           return one.space->place < other.space->place;
                                         }),
                  "statements are in the order of the text");
  return nodes_at(0, statements);
}

std::vector<Term> conditions_of(const Level &level, const Node &loop) {
  const Term variable = term::variable(loop.variable);
  std::vector<Term> conditions;
  for (const Term &part : without(parts_of_maximum(level.lower), parts_of_maximum(loop.lower)))
    conditions.push_back(term::at_most(part, variable));
  for (const Term &part : without(parts_of_minimum(level.upper), parts_of_minimum(loop.upper)))
    conditions.push_back(term::less(variable, part));
  return conditions;
}

std::string to_text(const std::vector<Node> &nodes) {
  std::string text;
  print(nodes, text);
  return text;
}

} // namespace unravel::scan
