#include "emit/copies.h"

#include "emit/pragmas.h"
#include "emit/workspace.h"

#include <fmt/format.h>

namespace unravel::emit {

using loop::copied_block;
using term::Term;

namespace {

/// Chunks per thread: large ones touch few blocks, and have most of their blocks to themselves.
constexpr int chunks_per_thread = 8;

const loop::WorkspaceArray &workspace_array(const loop::Program &program, const std::string &name) {
  std::size_t k = 0;
  while (program.workspace[k].name != name)
    ++k;
  return program.workspace[k];
}

/// The number of the array's elements.
Term copied_count(const loop::For &loop, const loop::Program &program) {
  return workspace_array(program, loop::copies_of(loop.parallel->copied, loop::copied_by(loop))).extent;
}

/// The block that holds a slot, as a C expression.
std::string block_of(const Term &slot, const Expressions &expressions) {
  return fmt::format("(uint64_t){} / {}", expressions.cast_operand(slot), copied_block);
}

} // namespace

bool clears_copied(const loop::Zero &zero, const loop::For &loop, const loop::Program &program) {
  if (!loop.parallel || loop.parallel->copied != zero.array) return false;
  // Sizes that must be equal are one and the same.
  std::map<std::string, std::string> same;
  auto name_of = [&](std::string name) {
    while (same.contains(name))
      name = same.at(name);
    return name;
  };
  for (const loop::Precondition &condition : program.preconditions)
    for (const Term &part : conjuncts(condition.formula)) {
      std::set<std::string> names = variables_of(part);
      if (names.size() != 2) continue;
      std::string one = name_of(*names.begin()), other = name_of(*names.rbegin());
      if (one != other && part == equal(term::variable(*names.begin()), term::variable(*names.rbegin())))
        same[one] = other;
    }
  auto canonical = [&](const Term &count) {
    term::Substitution by;
    for (const std::string &name : variables_of(count))
      by.emplace(name, term::variable(name_of(name)));
    return substitute(count, by);
  };
  return canonical(copied_count(loop, program)) == canonical(zero.count);
}

CopiesText copies_text(const loop::For &loop, const loop::Program &program, bool clears, Names &names,
                       Expressions &expressions) {
  const loop::Parallel &parallel = *loop.parallel;
  const loop::Operator by = loop::copied_by(loop);
  const std::string copies = loop::copies_of(parallel.copied, by), marks = loop::marks_of(parallel.copied);
  const std::string &result = names.array(parallel.copied);
  const loop::ElementType element = workspace_array(program, copies).element;
  const std::string type = c_type(element);
  const double number = value::identity_of(by);
  const std::string identity = number == 0 ? "0" : expressions.value({loop::Number{number}}, element);
  const std::string count = expressions.term_of_members(copied_count(loop, program));
  auto part = [&](const std::string &array) {
    return fmt::format("{}->{}", names.workspace().parameter, names.workspace().members.at(array));
  };
  CopiesText text;
  auto before = [&](const std::string &one) { text.before.push_back(one); };
  std::string threads = names.fresh("threads");
  std::string enough = threads + " > 1";
  before(fmt::format("const int64_t {} = {};", threads, threads_text(names, expressions)));
  if (parallel.work && parallel.least > 0) {
    std::string work = expressions.term_of_members(*parallel.work);
    before("// copies of the result pay if there are more additions than elements");
    enough += fmt::format(" && {0} >= {1} && {0} >= ({2} + 2) * ({3})", work, parallel.least, threads, count);
  }
  // Without memory for copies there are none.
  std::map<std::string, std::string> strides;
  for (const std::string &array : {copies, marks}) {
    const loop::WorkspaceArray &of = workspace_array(program, array);
    std::string stride = strides[array] = names.fresh(names.array(array) + "_stride");
    std::string room = names.fresh(names.array(array) + "_room");
    std::string capacity =
        fmt::format("{}->{}", names.workspace().parameter, names.workspace().capacities.at(array));
    before(fmt::format("const int64_t {} = {};", stride,
                       expressions.term_of_members(padded_part(of, expressions))));
    before(fmt::format("const int64_t {} = {} ? {} * {} : 0;", room, enough, threads, stride));
    const std::string reserve = fmt::format("{2} = ({3} *)unravel_reserve({2}, &{0}, {1}, sizeof({3}), 0);",
                                            capacity, room, part(array), c_type(of.element));
    if (of.initial) {
      before(fmt::format("if ({} < {}) {}", capacity, room, reserve));
    } else { // the identity, as zeros are one
      const std::string slot = names.fresh("slot");
      before(fmt::format("if ({} < {}) {{", capacity, room));
      before("  " + reserve);
      before(fmt::format("  for (int64_t {0} = 0; {0} < {1}; {0}++)", slot, capacity));
      before(fmt::format("    {}[{}] = {};", part(array), slot, identity));
      before("}");
    }
    text.test +=
        fmt::format("{}{} > 0 && {} >= {}", text.test.empty() ? "if (" : " && ", room, capacity, room);
    enough = room + " > 0";
  }
  text.test += ")";
  text.copy = names.fresh(result + "_own");
  text.marks = names.fresh(result + "_marks");
  text.own = {
      fmt::format("{} *UNRAVEL_RESTRICT {} = {} + omp_get_thread_num() * {};", type, text.copy, part(copies),
                  strides.at(copies)),
      fmt::format("int32_t *UNRAVEL_RESTRICT {} = {} + omp_get_thread_num() * {};", text.marks, part(marks),
                  strides.at(marks)),
  };
  // Otherwise clang takes iterations of one thread for independent, and uses vectors.
  if (parallel.schedule == loop::Parallel::Schedule::Static)
    text.schedule = "for " + schedule_text(loop, "", expressions);
  else if (parallel.schedule == loop::Parallel::Schedule::Guided)
    text.schedule = fmt::format("for schedule(monotonic : guided, {})", parallel.chunk);
  else
    text.schedule = fmt::format("for schedule(monotonic : dynamic, 1 + ({}) / ({} * {}))",
                                expressions.term(loop.upper - loop.lower), chunks_per_thread, threads);
  std::string block = names.fresh("block"), first = names.fresh("first"), end = names.fresh("end");
  std::string thread = names.fresh("thread"), slot = names.fresh("slot"), from = names.fresh("from");
  text.over_blocks = fmt::format("for (int64_t {0} = 0; {0} < ({1} + {2}) / {3}; {0}++)", block, count,
                                 copied_block - 1, copied_block);
  text.add_up = {
      fmt::format("const int64_t {} = {} * {};", first, copied_block, block),
      fmt::format("const int64_t {0} = {1} + {2} < {3} ? {1} + {2} : {3};", end, first, copied_block, count),
  };
  if (clears)
    text.add_up.push_back(
        fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0}++) {3}[{0}] = 0;", slot, first, end, result));
  for (const std::string &line : {
           fmt::format("for (int64_t {0} = 0; {0} < {1}; {0}++) {{", thread, threads),
           fmt::format("  {} *{} = {} + {} * {};", type, from, part(copies), thread, strides.at(copies)),
           fmt::format("  if (!{}[{} * {} + {}]) continue;", part(marks), thread, strides.at(marks), block),
           fmt::format("  {}[{} * {} + {}] = 0;", part(marks), thread, strides.at(marks), block),
           fmt::format("  for (int64_t {0} = {1}; {0} < {2}; {0}++) {{", slot, first, end),
           "    " + expressions.reduction(fmt::format("{}[{}]", result, slot), element, by,
                                          fmt::format("{}[{}]", from, slot)),
           fmt::format("    {}[{}] = {};", from, slot, identity),
           std::string("  }"),
           std::string("}"),
       })
    text.add_up.push_back(line);
  expressions.need("reserve");
  expressions.need("restrict");
  return text;
}

std::string mark_text(const std::string &marks, const Term &slot, const Expressions &expressions) {
  return fmt::format("{}[{}] = 1;", marks, block_of(slot, expressions));
}

std::string stretch_text(const std::string &marks, const Term &slot, const loop::For &along, Names &names,
                         const Expressions &expressions) {
  auto at = [&](const Term &value) {
    return block_of(term::substitute(slot, {{along.variable, value}}), expressions);
  };
  return fmt::format("for (uint64_t {0} = {1}; {0} < {2}; {0}++) {3}[{0}] = 1;", names.fresh("block"),
                     at(along.lower), at(along.upper + Term(copied_block - 1)), marks);
}

} // namespace unravel::emit
