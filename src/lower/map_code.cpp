#include "lower/map_code.h"

#include "loop/walk.h"

#include <fmt/format.h>

namespace unravel::lower {

using loop::Block;
using loop::Statement;
using scan::Level;
using term::Term;

namespace {

/// `body` behind the test that the target is a key of the map at all.
Block if_in_map(const Level &level, const plan::DenseMap &map, Block body) {
  if (!map.check_target) return body;
  Term test = term::between(0, level.components.front().target, map.extent);
  return {{loop::If{test, std::move(body), ""}}};
}

/// The chain of a key: one of twice as many as the segment has positions.
Term chain_of(const plan::FilledMap &map, const std::vector<Term> &keys) {
  std::vector<Term> arguments{term::scale(2, map.upper - map.lower) + Term(1)};
  arguments.insert(arguments.end(), keys.begin(), keys.end());
  return term::apply("hash", std::move(arguments));
}

/// From the last position to the first, each put before its chain: so chains rise.
Block fill_hash(const Level &level, const plan::HashMap &map, const MapArrays &arrays) {
  std::string from_end = level.variable + "_from_end";
  std::string chain = level.variable + "_chain";
  Term position = term::variable(level.variable);
  loop::For fill{from_end, Term(0), map.upper - map.lower};
  fill.body = {{loop::Let{level.variable, map.upper - Term(1) - term::variable(from_end)}},
               {loop::Let{chain, chain_of(map, map.keys)}},
               {loop::SetElement{arrays.more, position, term::apply(arrays.map, {term::variable(chain)})}},
               {loop::SetElement{arrays.map, term::variable(chain), position}}};
  fill.comment = fmt::format("the hash map of {}: chains of positions", level.variable);
  return {{std::move(fill)}};
}

/// Where every visit has a map of its own, the position that was found is still in scope.
Block clear_hash(const Level &level, const plan::HashMap &map, const MapArrays &arrays) {
  std::string other = level.variable + "_cleared";
  std::vector<Term> keys;
  for (const Term &key : map.keys)
    keys.push_back(term::substitute(key, {{level.variable, term::variable(other)}}));
  loop::For clear{other, map.lower, map.upper};
  clear.body = {{loop::SetElement{arrays.map, chain_of(map, keys), Term(-1)}}};
  clear.comment = fmt::format("empty the hash map of {}", level.variable);
  return {{std::move(clear)}};
}

} // namespace

std::string found_value(const Level &level) {
  return level.variable + "_value";
}

namespace {

Block fill_dense(const Level &level, const plan::DenseMap &map, const MapArrays &arrays,
                 const loop::Value &value) {
  const Term &key = map.keys.front();
  const char *what = "whether there is one";
  Block round;
  if (map.holds_values()) {
    what = "the values";
    round.push_back(
        {loop::Store{loop::Element{arrays.map, key}, apply(loop::Operator::Stored, std::vector{value})}});
  }
  if (map.has_marks()) round.push_back({loop::SetElement{arrays.more, key, Term(1)}});
  if (map.form == plan::MapForm::Presence)
    round.push_back({loop::Store{loop::Element{arrays.map, key}, {loop::Number{1}}}});
  if (map.form == plan::MapForm::Positions) {
    what = "the positions";
    round.push_back({loop::SetElement{arrays.map, key, term::variable(level.variable)}});
  }
  loop::For fill{level.variable, map.lower, map.upper};
  fill.body = std::move(round);
  fill.comment = fmt::format("the map of {}: by key, {}", level.variable, what);
  return {{std::move(fill)}};
}

Block clear_dense(const Level &level, const plan::DenseMap &map, const MapArrays &arrays) {
  if (!map.tells_absence()) return {};
  const Term &key = map.keys.front();
  Block round;
  if (map.form != plan::MapForm::Marks)
    round.push_back({loop::Store{loop::Element{arrays.map, key}, {loop::Number{0}}}});
  if (map.has_marks()) round.push_back({loop::SetElement{arrays.more, key, Term(0)}});
  loop::For clear{level.variable, map.lower, map.upper};
  clear.body = std::move(round);
  clear.comment = fmt::format("empty the map of {}", level.variable);
  return {{std::move(clear)}};
}

} // namespace

Block fill_map(const Level &level, const LevelPlan &plan, const MapArrays &arrays, const loop::Value &value) {
  if (const auto *map = plan.as<plan::HashMap>()) return fill_hash(level, *map, arrays);
  return fill_dense(level, *plan.as<plan::DenseMap>(), arrays, value);
}

Block clear_map(const Level &level, const LevelPlan &plan, const MapArrays &arrays) {
  if (const auto *map = plan.as<plan::HashMap>()) return clear_hash(level, *map, arrays);
  return clear_dense(level, *plan.as<plan::DenseMap>(), arrays);
}

Block look_in_map(const Level &level, const plan::DenseMap &map, const MapArrays &arrays, const Body &body) {
  const Term &target = level.components.front().target;
  if (map.form == plan::MapForm::Positions) {
    Term position = term::variable(level.variable);
    Term test =
        term::conjunction({term::between(level.lower, position, level.upper), plan::match_condition(level)});
    return if_in_map(level, map,
                     {{loop::Let{level.variable, term::apply(arrays.map, {target})}},
                      {loop::If{test, body(), fmt::format("find {}: by the map", level.variable)}}});
  }
  std::string value = found_value(level);
  Block inner;
  if (map.form != plan::MapForm::Marks)
    inner.push_back({loop::DeclareValue{value, {loop::Element{arrays.map, target}}}});
  if (!map.has_marks()) {
    const char *of_what = map.holds_values() ? "values" : "presence";
    inner.push_back(
        {loop::IfValue{value, body(), fmt::format("find {}: by the map of {}", level.variable, of_what)}});
    return if_in_map(level, map, std::move(inner));
  }
  loop::append(inner, body());
  Term marked = term::equal(term::apply(arrays.more, {target}), Term(1));
  if (map.check_target) marked = term::conjunction({term::between(0, target, map.extent), marked});
  return {{loop::If{marked, std::move(inner), fmt::format("find {}: by the marks", level.variable)}}};
}

Block look_in_hash(const Level &level, const plan::HashMap &map, bool unique, const MapArrays &arrays,
                   const Body &body) {
  Term position = term::variable(level.variable);
  Block then = body();
  if (unique) then.push_back({loop::Break{}});
  Block round{{loop::If{plan::match_condition(level), std::move(then), ""}},
              {loop::Assign{level.variable, term::apply(arrays.more, {position})}}};
  return {{loop::Declare{level.variable, term::apply(arrays.map, {chain_of(map, map.targets)})}},
          {loop::While{term::at_most(0, position), std::move(round),
                       fmt::format("find {}: along the chain of its hash", level.variable)}}};
}

} // namespace unravel::lower
