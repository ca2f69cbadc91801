#include "lower/map_loops.h"

#include "lower/map_code.h"

namespace unravel::lower {

using scan::Level;

bool sums_over_map(const combine::IterationSpace &space, const LeafPlan &leaf, std::size_t index) {
  if (space.sets || !space.is_product()) return false;
  if (space.target.appends || space.target.inserts) return false; // a sum of nothing would be an entry
  const std::vector<Level> &levels = leaf.nest.levels;
  if (index >= levels.size() || levels[index].kind != Level::Kind::Loop || !levels[index].guards.empty())
    return false;
  bool found = false;
  for (std::size_t k = index; k < levels.size(); ++k) {
    const Level &here = levels[k];
    if (term::mentions(space.target.slot, here.variable)) return false;
    if (k == index || (here.kind == Level::Kind::Let && here.guards.empty())) continue;
    const LevelPlan *plan = leaf.finds.at(k);
    const auto *map = plan ? plan->as<plan::DenseMap>() : nullptr;
    if (found || !map || !here.guards.empty() || map->check_target || map->form != plan::MapForm::Values ||
        map->level > index)
      return false;
    found = true;
  }
  return found;
}

loop::Block values_of_map(const scan::Nest &nest, std::size_t index,
                          const std::function<std::string(std::size_t)> &map_of) {
  loop::Block block;
  for (std::size_t k = index + 1; k < nest.levels.size(); ++k) {
    const Level &here = nest.levels[k];
    if (here.kind == Level::Kind::Let)
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
                     "an infinity may have met what isn't stored: again, from what is stored",
                     loop::IfValue::Test::NotANumber};
  return {{loop::DeclareValue{sum.name, {loop::Number{0}}}}, {std::move(plain)}, {std::move(test)}};
}

bool looks_for_marks(const LeafPlan &leaf, std::size_t index, const loop::Block &body) {
  const std::vector<Level> &levels = leaf.nest.levels;
  std::size_t next = index + 1;
  while (next < levels.size() && levels[next].kind == Level::Kind::Let)
    ++next;
  const LevelPlan *plan = next < levels.size() ? leaf.finds.at(next) : nullptr;
  const auto *map = plan ? plan->as<plan::DenseMap>() : nullptr;
  if (!map || map->form != plan::MapForm::Marked) return false;
  for (std::size_t k = 0; k + 1 < body.size(); ++k)
    if (!std::holds_alternative<loop::Let>(body[k].kind)) return false;
  const auto *test = body.empty() ? nullptr : std::get_if<loop::If>(&body.back().kind);
  return test && test->otherwise.empty();
}

} // namespace unravel::lower
