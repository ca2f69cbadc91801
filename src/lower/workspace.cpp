#include "lower/workspace.h"

#include "lower/map_code.h"
#include "report/diagnostic.h"

#include <fmt/format.h>

namespace unravel::lower {

using find::LevelPlan;
using scan::Level;
using term::Term;

void Workspace::add_map(const Level &level, const LevelPlan &plan, const loop::Element &value,
                        bool per_thread) {
  if (plan.method == find::Method::Hash) return add_hash(level, plan, per_thread);
  loop::WorkspaceArray array;
  array.name = map_array(level, plan);
  array.extent = plan.map_extent;
  array.per_thread = per_thread;
  if (holds_values(plan)) {
    array.element = element_of(value.array);
    array.about = fmt::format("the values of {} by key", level.tensor);
  } else {
    array.element = index_;
    array.initial = std::nullopt;
    array.about =
        fmt::format("positions of {} by key; what isn't the segment's is left from before", level.tensor);
  }
  if (plan.map_limit != 0) array.when = term::at_most(plan.map_extent, Term(plan.map_limit));
  Term when = array.when;
  add(std::move(array));
  if (plan.map_form != find::MapForm::Marked) return;
  loop::WorkspaceArray marks;
  marks.name = marks_array(level);
  marks.element = loop::ElementType::Bit;
  marks.extent = plan.map_extent;
  marks.per_thread = per_thread;
  marks.when = when;
  marks.about = fmt::format("which keys {} has", level.tensor);
  add(std::move(marks));
}

/// Chains of positions: one link for each position that there may be, and twice as many chains.
void Workspace::add_hash(const Level &level, const LevelPlan &plan, bool per_thread) {
  std::optional<Term> positions;
  for (const Term &key : plan.map_keys)
    for (const Term &read : term::applications_of(key)) {
      const auto *call = read.as<term::Apply>();
      for (std::size_t k = 0; k < call->arguments.size(); ++k)
        if (call->arguments[k] == term::variable(level.variable))
          positions = combination_.arrays.at(call->function).at(k);
    }
  report::require(positions.has_value(), "a hashed key reads an array at the position");
  loop::WorkspaceArray first;
  first.name = map_array(level, plan);
  first.element = index_;
  first.extent = term::scale(2, *positions) + Term(1);
  first.initial = -1;
  first.per_thread = per_thread;
  first.about = fmt::format("per hash of a key of {} the first position", level.tensor);
  add(std::move(first));
  loop::WorkspaceArray next;
  next.name = chains_array(level);
  next.element = index_;
  next.extent = *positions;
  next.initial = std::nullopt;
  next.per_thread = per_thread;
  next.about = fmt::format("per position of {} the next one of its hash", level.tensor);
  add(std::move(next));
}

loop::ElementType Workspace::element_of(const std::string &value_array) const {
  for (const loop::TensorParameter &parameter : parameters_)
    for (const loop::ArrayParameter &array : parameter.arrays)
      if (parameter.name + "." + array.name == value_array) return array.element;
  report::require(false, "a map of values is of a parameter's array");
  return loop::ElementType::Float64;
}

void Workspace::add(loop::WorkspaceArray array) {
  for (const loop::WorkspaceArray &known : arrays_)
    if (known.name == array.name) {
      report::require(known.per_thread == array.per_thread, "variants of a kernel share a map in one way");
      return;
    }
  arrays_.push_back(std::move(array));
}

} // namespace unravel::lower
