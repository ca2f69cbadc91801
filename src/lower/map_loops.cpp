#include "lower/map_loops.h"

#include "lower/map_code.h"
#include "lower/values.h"
#include "value/chosen.h"

namespace unravel::lower {

using scan::Level;

namespace {

/// May what is not stored be added, as nothing?
bool adds_nothing(const combine::IterationSpace &space, plan::MapForm form) {
  if (form == plan::MapForm::Values) return space.is_product();
  return form == plan::MapForm::Presence && space.adds() && space.lookups.empty() &&
         space.target_type() != value::Type::Bool;
}

} // namespace

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

loop::Block values_of_map(const scan::Nest &nest, std::size_t index,
                          const std::function<std::string(std::size_t)> &map_of) {
  loop::Block block;
  for (std::size_t k = index + 1; k < nest.levels.size(); ++k) {
    const Level &here = nest.levels[k];
    if (here.is_let())
      block.push_back({loop::Let{here.variable, here.value}});
    else
      block.push_back({loop::DeclareValue{found_value(here),
                                          {loop::Element{map_of(k), here.components.front().target}}}});
  }
  return block;
}

loop::Block sum_of_map(const loop::Local &sum, const loop::For &head, loop::Block of_map,
                       loop::Block of_stored) {
  loop::For plain = head, again = head;
  plain.body = std::move(of_map);
  again.comment.clear();
  again.body = std::move(of_stored);
  loop::IfValue test{sum.name,
                     {{loop::Store{sum, {loop::Number{0}}}}, {std::move(again)}},
                     "an infinity may have met an unstored entry: sum again, over stored ones",
                     loop::IfValue::Test::NotANumber};
  return {{loop::DeclareValue{sum.name, {loop::Number{0}}}}, {std::move(plain)}, {std::move(test)}};
}

namespace {

/// The loop, where the ranges of its targets and of the map's keys overlap. `target`: over its variable.
loop::Statement where_they_overlap(loop::For loop, const term::Term &target, const plan::DenseMap &map,
                                   const std::string &position) {
  const auto at = [](const term::Term &of, const std::string &variable, const term::Term &place) {
    return term::substitute(of, {{variable, place}});
  };
  const term::Term &key = map.keys.front(), one(1);
  const term::Term overlap = term::conjunction(
      {term::less(loop.lower, loop.upper), term::less(map.lower, map.upper),
       term::at_most(at(key, position, map.lower), at(target, loop.variable, loop.upper - one)),
       term::at_most(at(target, loop.variable, loop.lower), at(key, position, map.upper - one))});
  return {loop::If{overlap, {{std::move(loop)}}, "otherwise no keys match"}};
}

/// The find that the map's value in the loop is of.
const LevelPlan *find_of(const LeafPlan &leaf, const std::string &value) {
  for (const LevelPlan &plan : leaf.finds.levels)
    if (found_value(leaf.nest.levels[plan.level]) == value) return &plan;
  return nullptr;
}

} // namespace

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
    loop::Statement all = map.in_order ? where_they_overlap(std::move(loop), target, map, position)
                                       : loop::Statement{std::move(loop)};
    return loop::Block{{std::move(declaration)}, std::move(all)};
  };
  const loop::Value chosen = value::chosen(value);
  const double *number = value::number_of(chosen);
  if (number && *number == 1) {
    const loop::Local count{head.variable + "_count"};
    loop::Value all{count};
    if (type != value::Type::Int64) all = apply(value::conversion_to(type), std::vector{std::move(all)});
    return {looped({count.name, {loop::Number{0}}, value::Type::Int64}, {count, {present}}), std::move(all)};
  }
  const loop::Local sum{head.variable + "_sum"};
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
