#include "loop/copies.h"

#include "loop/walk.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::loop {

using term::Term;

namespace {

const ArrayParameter *result_array(const Program &program, const std::string &name) {
  for (const TensorParameter &parameter : program.parameters)
    for (const ArrayParameter &array : parameter.arrays)
      if (parameter.is_result && parameter.name + "." + array.name == name) return &array;
  return nullptr;
}

bool has(const Program &program, const std::string &name) {
  return std::any_of(program.workspace.begin(), program.workspace.end(),
                     [&](const WorkspaceArray &array) { return array.name == name; });
}

/// Where the loops that ask for the copies have enough to do: for a single one it is known.
Term enough_work(const Program &program, const std::string &array, const std::string &needed) {
  Term when = term::truth();
  int loops = 0;
  each_statement(program.body, [&](const Statement &statement) {
    const auto *loop = std::get_if<For>(&statement.kind);
    if (!loop || !loop->parallel || loop->parallel->copied != array) return;
    if (needed != marks_of(array) && needed != copies_of(array, copied_by(*loop))) return;
    ++loops;
    if (loop->parallel->work && loop->parallel->least > 0)
      when = term::at_most(Term(loop->parallel->least), *loop->parallel->work);
  });
  return loops == 1 ? when : term::truth();
}

} // namespace

Operator copied_by(const For &loop) {
  return reduction_of(loop.body, loop.parallel->copied).value_or(Operator::Add);
}

std::string copies_of(const std::string &array, const Operator &by) {
  const std::string copies = array + "_copies";
  return value::identity_of(by) == 0 ? copies : fmt::format("{}_{}", copies, value::laws_of(by).name);
}

std::string marks_of(const std::string &array) {
  return array + "_touched";
}

bool only_adds_to(const For &loop, const std::string &array) {
  bool only = true;
  std::optional<Operator> by;
  for (const Statement &outer : loop.body)
    each_statement(outer, [&](const Statement &statement) {
      if (const auto *store = std::get_if<Store>(&statement.kind))
        if (const auto *element = std::get_if<Element>(&store->target))
          only = only && element->array != array;
      if (const auto *zero = std::get_if<Zero>(&statement.kind)) only = only && zero->array != array;
      if (const auto *call = std::get_if<Blas>(&statement.kind))
        if (const auto *element = std::get_if<Element>(&call->target)) only = only && element->array != array;
      const auto *reduced = std::get_if<Accumulate>(&statement.kind);
      const auto *to = reduced ? std::get_if<Element>(&reduced->target) : nullptr;
      if (to && to->array == array) {
        only = only && by.value_or(reduced->by) == reduced->by;
        by = reduced->by;
      }
      if (const auto *inner = std::get_if<For>(&statement.kind)) only = only && !inner->parallel;
      each_own_value(statement, [&](const Value &value) {
        each_element(value, [&](const Element &element) { only = only && element.array != array; });
      });
    });
  return only;
}

Program reserve_copies(Program program, const Known & /*known*/) {
  std::vector<std::pair<std::string, Operator>> copied;
  each_statement(program.body, [&](const Statement &statement) {
    const auto *loop = std::get_if<For>(&statement.kind);
    if (loop && loop->parallel && !loop->parallel->copied.empty())
      copied.emplace_back(loop->parallel->copied, copied_by(*loop));
  });
  for (const auto &[name, by] : copied) {
    const ArrayParameter *array = result_array(program, name);
    if (!array || has(program, copies_of(name, by))) continue;
    WorkspaceArray copies;
    copies.name = copies_of(name, by);
    copies.element = array->element;
    copies.extent = Term(1);
    for (const Term &extent : array->extents)
      copies.extent = term::multiply(copies.extent, extent);
    copies.per_thread = copies.for_teams = true;
    copies.about = fmt::format("what threads {} {}", by == Operator::Add ? "add to" : "reduce into", name);
    WorkspaceArray marks = copies;
    marks.name = marks_of(name);
    marks.element = ElementType::Int32;
    marks.extent = term::ceil_divide(copies.extent, copied_block);
    marks.about = fmt::format("to which blocks of {} elements", copied_block);
    if (value::identity_of(by) != 0) copies.initial.reset();
    copies.when = enough_work(program, name, copies.name);
    marks.when = enough_work(program, name, marks.name);
    program.workspace.push_back(std::move(copies));
    if (!has(program, marks.name)) program.workspace.push_back(std::move(marks));
  }
  return program;
}

} // namespace unravel::loop
