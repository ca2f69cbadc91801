#include "lower/map_code.h"

#include "loop/walk.h"
#include "lower/values.h"
#include "value/chosen.h"

#include <fmt/format.h>

namespace unravel::lower {

using loop::Block;
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
  std::string from_end = level.variable + ".from_end";
  std::string chain = level.variable + ".chain";
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
  std::string other = level.variable + ".cleared";
  std::vector<Term> keys;
  for (const Term &key : map.keys)
    keys.push_back(term::substitute(key, {{level.variable, term::variable(other)}}));
  loop::For clear{other, map.lower, map.upper};
  clear.body = {{loop::SetElement{arrays.map, chain_of(map, keys), Term(-1)}}};
  clear.comment = fmt::format("empty the hash map of {}", level.variable);
  return {{std::move(clear)}};
}

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

/// May what is not stored be added, as nothing?
bool adds_nothing(const combine::IterationSpace &space, plan::MapForm form) {
  if (form == plan::MapForm::Values) return space.is_product();
  return form == plan::MapForm::Presence && space.adds() && space.lookups.empty() &&
         space.target_type() != value::Type::Bool;
}

/// The find that the map's value in the loop is of.
const LevelPlan *find_of(const LeafPlan &leaf, const std::string &value) {
  for (const LevelPlan &plan : leaf.finds.levels) {
    const auto *map = plan.as<plan::DenseMap>();
    if (map && found_value(leaf.nest.levels[plan.level], *map) == value) return &plan;
  }
  return nullptr;
}

} // namespace

std::string found_value(const Level &level, const plan::DenseMap &map) {
  return level.variable + (map.holds_values() ? ".value" : ".present");
}

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
  std::string value = found_value(level, map);
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

const plan::DenseMap *summed_map(const combine::IterationSpace &space, const LeafPlan &leaf,
                                 std::size_t index) {
  // A sum of nothing would be an entry.
  if (space.sets || space.target.appends || space.target.inserts) return nullptr;
  const std::vector<Level> &levels = leaf.nest.levels;
  if (index >= levels.size() || !levels[index].is_loop() || !levels[index].guards.empty()) return nullptr;
  const plan::DenseMap *found = nullptr;
  for (std::size_t k = index; k < levels.size(); ++k) {
    const Level &here = levels[k];
    if (term::mentions(space.target.slot, here.variable)) return nullptr;
    if (k == index || (here.is_let() && here.guards.empty())) continue;
    const LevelPlan *plan = leaf.finds.at(k);
    const auto *map = plan ? plan->as<plan::DenseMap>() : nullptr;
    if (found || !map || !here.guards.empty() || map->check_target || map->level > index ||
        !adds_nothing(space, map->form))
      return nullptr;
    found = map;
  }
  return found;
}

loop::Block values_of_map(const LeafPlan &leaf, std::size_t index,
                          const std::function<std::string(std::size_t)> &map_of) {
  loop::Block block;
  for (std::size_t k = index + 1; k < leaf.nest.levels.size(); ++k) {
    const Level &here = leaf.nest.levels[k];
    if (here.is_let())
      block.push_back({loop::Let{here.variable, here.value}});
    else
      block.push_back({loop::DeclareValue{found_value(here, *leaf.finds.at(k)->as<plan::DenseMap>()),
                                          {loop::Element{map_of(k), here.components.front().target}}}});
  }
  return block;
}

loop::Block sum_of_map(const loop::Local &sum, value::Type type, const loop::For &head, loop::Block of_map,
                       loop::Block of_stored) {
  loop::For plain = head, again = head;
  plain.body = std::move(of_map);
  again.comment.clear();
  again.body = std::move(of_stored);
  loop::IfValue test{sum.name,
                     {{loop::Store{sum, {loop::Number{0}}}}, {std::move(again)}},
                     "an infinity may have met an unstored entry: sum again, over stored ones",
                     loop::IfValue::Test::NotANumber};
  return {{loop::DeclareValue{sum.name, {loop::Number{0}}, declared(type)}},
          {std::move(plain)},
          {std::move(test)}};
}

loop::Statement where_they_overlap(loop::For loop, const term::Term &target, const term::Term &key,
                                   const std::string &position, const term::Term &lower,
                                   const term::Term &upper) {
  const auto at = [](const term::Term &of, const std::string &variable, const term::Term &place) {
    return term::substitute(of, {{variable, place}});
  };
  const term::Term one(1);
  const term::Term overlap = term::conjunction(
      {term::less(loop.lower, loop.upper), term::less(lower, upper),
       term::at_most(at(key, position, lower), at(target, loop.variable, loop.upper - one)),
       term::at_most(at(target, loop.variable, loop.lower), at(key, position, upper - one))});
  return {loop::If{overlap, {{std::move(loop)}}, "otherwise no keys match"}};
}

std::pair<loop::Block, loop::Value> sum_of_present(const combine::IterationSpace &space, const LeafPlan &leaf,
                                                   const loop::For &head, loop::Block of_map,
                                                   const loop::Value &value) {
  const value::Type type = space.target_type();
  loop::Local present;
  term::Term target;
  term::Substitution by;
  for (const loop::Statement &statement : of_map) {
    if (const auto *let = std::get_if<loop::Let>(&statement.kind))
      by.emplace(let->variable, term::substitute(let->value, by));
    if (const auto *found = std::get_if<loop::DeclareValue>(&statement.kind)) {
      present.name = found->name;
      target = term::substitute(std::get<loop::Element>(found->initial.kind).slot, by);
    }
  }
  const LevelPlan &find = *find_of(leaf, present.name);
  const auto &map = *find.as<plan::DenseMap>();
  const auto looped = [&](loop::DeclareValue declaration, loop::Accumulate add) {
    loop::For loop = head;
    loop.body = std::move(of_map);
    loop.body.push_back({std::move(add)});
    const std::string &position = leaf.nest.levels[find.level].variable;
    loop::Statement all = map.in_order ? where_they_overlap(std::move(loop), target, map.keys.front(),
                                                            position, map.lower, map.upper)
                                       : loop::Statement{std::move(loop)};
    return loop::Block{{std::move(declaration)}, std::move(all)};
  };
  const loop::Value chosen = value::chosen(value);
  const double *number = value::number_of(chosen);
  if (number && *number == 1) {
    const loop::Local count{head.variable + ".count"};
    loop::Value all{count};
    if (type != value::Type::Int64) all = apply(value::conversion_to(type), std::vector{std::move(all)});
    return {looped({count.name, {loop::Number{0}}, value::Type::Int64}, {count, {present}}), std::move(all)};
  }
  const loop::Local sum{head.variable + ".sum"};
  const loop::Value test = apply(value::conversion_to(space.type), std::vector<loop::Value>{{present}});
  const loop::Value part =
      apply(loop::Operator::Select, std::vector<loop::Value>{test, chosen, {loop::Number{0}}});
  return {looped({sum.name, {loop::Number{0}}, declared(type)}, {sum, as_target(part, space)}), {sum}};
}

bool looks_for_marks(const LeafPlan &leaf, std::size_t index, const loop::Block &body) {
  const std::vector<Level> &levels = leaf.nest.levels;
  std::size_t next = index + 1;
  while (next < levels.size() && levels[next].is_let())
    ++next;
  const LevelPlan *plan = next < levels.size() ? leaf.finds.at(next) : nullptr;
  const auto *map = plan ? plan->as<plan::DenseMap>() : nullptr;
  if (!map || !map->has_marks()) return false;
  for (std::size_t k = 0; k + 1 < body.size(); ++k)
    if (!std::holds_alternative<loop::Let>(body[k].kind)) return false;
  const auto *test = body.empty() ? nullptr : std::get_if<loop::If>(&body.back().kind);
  return test && test->otherwise.empty();
}

} // namespace unravel::lower
