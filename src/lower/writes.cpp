#include "lower/writes.h"

#include "loop/walk.h"
#include "lower/local.h"

#include <utility>

namespace unravel::lower {

loop::Target Writes::target() const {
  if (space.target.is_scalar() || plan.adds_to_scalar()) return loop::Local{space.target.local};
  if (entries) return entries->element();
  if (space.target.inserts) return element_of(space.target, workspace.combination());
  return loop::Element{space.target.array, space.target.slot};
}

loop::Accumulate Writes::add(loop::Value value) const {
  return {sum ? loop::Target(*sum) : target(), std::move(value), atomic && !sum && space.target.local.empty(),
          space.by};
}

loop::Block Writes::written(loop::Value value, bool sets) const {
  const combine::Combination &combination = workspace.combination();
  if (const loop::Target to = target(); const auto *element = std::get_if<loop::Element>(&to))
    if (const auto store = written_to_masked(space, *element, value, combination)) return {{*store}};
  return where_it_has_a_value(space, value, combination, [&](loop::Value read) {
    return unless_dropped(entries && !sum ? entries->dropped() : std::nullopt, space.target.tensor,
                          std::move(read), [&](loop::Value kept) { return stored(std::move(kept), sets); });
  });
}

loop::Block Writes::stored(loop::Value value, bool sets) const {
  loop::Block block;
  const bool is_inserted = space.target.inserts && !sum && !plan.adds_to_scalar();
  if (is_inserted) {
    block = insert(space.target, workspace, listed);
    sets = sets || inserts_another(space.target, workspace.combination());
  }
  if (entries && !sum) block = entries->entry(), sets = sets || entries->is_new();
  if (is_inserted && !sets && sets_what_is_new(space.target, workspace, listed, space.by))
    return set_where_new(std::move(block), add(std::move(value)));
  block.push_back(sets ? loop::Statement{loop::Store{target(), std::move(value)}}
                       : loop::Statement{add(std::move(value))});
  return block;
}

} // namespace unravel::lower
