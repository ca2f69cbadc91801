#include "loop/copies.h"

#include "loop/arrays.h"

#include <fmt/format.h>
#include <utility>

namespace unravel::loop {

using term::Term;

namespace {

/// Where the loops that ask for the copies have enough to do: for a single one it is known.
Term enough_work(const Program &program, const std::string &array) {
  Term when = term::truth();
  int loops = 0;
  each<For>(program.body, [&](const For &loop) {
    if (!loop.parallel || loop.parallel->copied != array) return;
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

std::string copies_of(const std::string &array) {
  return array + "_copies";
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
    if (!array || find_workspace(copies_of(name), program)) continue;
    WorkspaceArray copies;
    copies.name = copies_of(name);
    copies.element = array->element;
    copies.extent = slots_of(*array);
    copies.initial.reset();
    copies.per_thread = copies.for_teams = true;
    copies.about = fmt::format("what threads {} {}", by == Operator::Add ? "add to" : "reduce into", name);
    copies.when = enough_work(program, name);
    program.workspace.push_back(std::move(copies));
  }
  return program;
}

} // namespace unravel::loop
