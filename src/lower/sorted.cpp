#include "lower/sorted.h"

#include "loop/walk.h"
#include "lower/origins.h"

#include <fmt/format.h>

namespace unravel::lower {

using loop::Block;
using term::Term;

Block sorted_loop(const scan::Level &here, const plan::SortedLoop &plan, Workspace &workspace,
                  bool per_thread, Block inside) {
  const SortArrays arrays = workspace.add_sorted(here, plan, per_thread);
  const std::string slot = here.variable + "_slot", count = here.variable + "_count";
  const Term position = term::apply(arrays.order, {term::variable(slot)});
  const auto over_all = [&](Block body) {
    loop::For loop{slot, Term(0), term::variable(count)};
    loop.body = std::move(body);
    return loop;
  };
  Block block{{loop::Let{count, here.upper - here.lower}}};
  if (arrays.grow) {
    const Term all = term::variable(count);
    block.push_back({loop::Reserve{"", all, {arrays.order, arrays.keys}}});
    block.push_back({loop::Reserve{"", term::scale(arrays.room_of_each, all), {arrays.room}}});
  }
  // The last key first: sorting by an earlier one keeps what is there in order.
  for (std::size_t k = plan.keys.size(); k-- > 0;) {
    const bool is_first = k + 1 == plan.keys.size();
    const Term value = is_first ? here.lower + term::variable(slot) : position;
    Block fill;
    if (is_first) fill.push_back({loop::SetElement{arrays.order, term::variable(slot), value}});
    fill.push_back({loop::SetElement{arrays.keys, term::variable(slot),
                                     term::substitute(plan.keys[k], {{here.variable, value}})}});
    block.push_back({over_all(std::move(fill))});
    block.push_back({loop::Sort{arrays.order, arrays.keys, arrays.room, term::variable(count)}});
  }
  Block visit{{loop::Let{here.variable, position}}};
  loop::append(visit, std::move(inside));
  loop::For visits = over_all(std::move(visit));
  visits.comment = fmt::format("{}, sorted", comment(here));
  block.push_back({std::move(visits)});
  return block;
}

} // namespace unravel::lower
