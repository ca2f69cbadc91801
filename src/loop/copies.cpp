#include "loop/copies.h"

#include "loop/arrays.h"

#include <fmt/format.h>
#include <utility>

namespace unravel::loop {

using term::Term;

namespace {

/// Where the loops that ask for the copies have enough to do: for a single one it is known.
Term enough_work(const Program &program, const std::string &array, const std::string &needed) {
  Term when = term::truth();
  int loops = 0;
  each<For>(program.body, [&](const For &loop) {
    if (!loop.parallel || loop.parallel->copied != array) return;
    if (needed != marks_of(array) && needed != copies_of(array, copied_by(loop))) return;
    ++loops;
    if (loop.parallel->work && loop.parallel->least > 0)
      when = term::at_most(Term(loop.parallel->least), *loop.parallel->work);
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

bool only_adds_to(const Block &block, const std::string &array) {
  std::optional<Operator> by;
  return !reads(block, array) && !holds(block, [&](const Statement &statement) {
    if (const auto *loop = statement.as<For>()) return loop->parallel.has_value();
    const Element *element = written_element(statement);
    if (!element) return blocks_of(statement).empty() && effects_of(statement).stored.contains(array);
    const auto *reduced = statement.as<Accumulate>();
    if (!reduced || element->array != array) return element->array == array;
    return std::exchange(by, reduced->by).value_or(reduced->by) != reduced->by;
  });
}

Program reserve_copies(Program program, const Known & /*known*/) {
  std::vector<std::pair<std::string, Operator>> copied;
  each<For>(program.body, [&](const For &loop) {
    if (loop.parallel && !loop.parallel->copied.empty())
      copied.emplace_back(loop.parallel->copied, copied_by(loop));
  });
  for (const auto &[name, by] : copied) {
    const ArrayParameter *array = find_array(name, program);
    if (!array || find_workspace(copies_of(name, by), program)) continue;
    WorkspaceArray copies;
    copies.name = copies_of(name, by);
    copies.element = array->element;
    copies.extent = slots_of(*array);
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
    if (!find_workspace(marks.name, program)) program.workspace.push_back(std::move(marks));
  }
  return program;
}

} // namespace unravel::loop
