// Parallel loops whose threads add to copies of the result (loop/copies.h). What comes before the loop makes
// room for the copies, where they are worth it; the test is whether there is:
//
//     if (there is room) { in parallel { the loop, which adds to the thread's copy; add the copies up } }
//     else { the loop as it is }
#include "emit/statement_writer.h"

#include "emit/pragmas.h"
#include "emit/workspace.h"
#include "loop/arrays.h"
#include "loop/copies.h"

#include <fmt/format.h>
#include <utility>

namespace unravel::emit {

using namespace loop;
using term::Term;

namespace {

/// Chunks per thread: large ones touch few blocks, and have most of their blocks to themselves.
constexpr int chunks_per_thread = 8;

/// The number of the array's elements.
Term copied_count(const For &loop, const Program &program) {
  return find_workspace(copies_of(loop.parallel->copied, copied_by(loop)), program)->extent;
}

/// Whether it sets all elements to zero that threads have copies of in the loop.
bool clears_all(const Zero &zero, const For &loop, const Program &program) {
  if (!loop.parallel || loop.parallel->copied != zero.array) return false;
  // Sizes that must be equal are one and the same.
  std::map<std::string, std::string> same;
  auto name_of = [&](std::string name) {
    while (same.contains(name))
      name = same.at(name);
    return name;
  };
  for (const Precondition &condition : program.preconditions)
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

} // namespace

bool StatementWriter::clears_copied(const Statement &next) {
  const auto *zero = statement_->as<Zero>();
  const auto *loop = options_.openmp_pragmas ? next.as<For>() : nullptr;
  if (zero && loop && clears_all(*zero, *loop, program_)) zeroed_ = zero;
  return zero && zeroed_ == zero;
}

const Element *StatementWriter::in_copy(const Accumulate &x) const {
  const auto *element = std::get_if<Element>(&x.target);
  return element && element->array == copied_ ? element : nullptr;
}

std::string StatementWriter::block_of(const Term &slot) const {
  return fmt::format("(uint64_t){} / {}", expressions_.cast_operand(slot), copied_block);
}

void StatementWriter::mark(const Term &slot) {
  line("{}[{}] = 1;", marks_, block_of(slot));
}

void StatementWriter::mark_stretch(const Term &slot, const For &along) {
  auto at = [&](const Term &value) { return block_of(substitute(slot, {{along.variable, value}})); };
  const std::string block = names_.fresh("block");
  line("for (uint64_t {0} = {1}; {0} < {2}; {0}++) {3}[{0}] = 1;", block, at(along.lower),
       at(along.upper + Term(copied_block - 1)), marks_);
}

void StatementWriter::write_with_copies(const For &x, const std::string &head) {
  const Statement &loop = *statement_;
  const Zero *zeroed = std::exchange(zeroed_, nullptr);
  const Parallel &parallel = *x.parallel;
  const Operator by = copied_by(x);
  const std::string copies = copies_of(parallel.copied, by), marks = marks_of(parallel.copied);
  const std::string result = names_.array(parallel.copied);
  const ElementType element = find_workspace(copies, program_)->element;
  const std::string type = c_type(element);
  const double number = value::identity_of(by);
  const std::string identity = number == 0 ? "0" : expressions_.value({Number{number}}, element);
  const std::string count = expressions_.term_of_members(copied_count(x, program_));
  const Names::Workspace &work = names_.workspace();
  auto part = [&](const std::string &array) {
    return fmt::format("{}->{}", work.parameter, work.members.at(array));
  };
  expressions_.need("reserve");
  expressions_.need("restrict");

  const std::string threads = names_.fresh("threads");
  std::string enough = threads + " > 1", test;
  line("const int64_t {} = {};", threads, threads_text(names_, expressions_));
  if (parallel.work && parallel.least > 0) {
    line("// copies of the result pay if there are more additions than elements");
    enough += fmt::format(" && {0} >= {1} && {0} >= ({2} + 2) * ({3})",
                          expressions_.term_of_members(*parallel.work), parallel.least, threads, count);
  }
  // Without memory for copies there are none.
  std::map<std::string, std::string> strides;
  for (const std::string &array : {copies, marks}) {
    const WorkspaceArray &of = *find_workspace(array, program_);
    const std::string stride = strides[array] = names_.fresh(names_.array(array) + "_stride");
    const std::string room = names_.fresh(names_.array(array) + "_room");
    const std::string capacity = fmt::format("{}->{}", work.parameter, work.capacities.at(array));
    line("const int64_t {} = {};", stride, expressions_.term_of_members(padded_part(of, expressions_)));
    line("const int64_t {} = {} ? {} * {} : 0;", room, enough, threads, stride);
    const std::string reserve = fmt::format("{2} = ({3} *)unravel_reserve({2}, &{0}, {1}, sizeof({3}), 0);",
                                            capacity, room, part(array), c_type(of.element));
    if (of.initial) {
      line("if ({} < {}) {}", capacity, room, reserve);
    } else { // the identity, as zeros are one
      const std::string slot = names_.fresh("slot");
      line("if ({} < {}) {{", capacity, room);
      line("  " + reserve);
      line("  for (int64_t {0} = 0; {0} < {1}; {0}++)", slot, capacity);
      line("    {}[{}] = {};", part(array), slot, identity);
      line("}");
    }
    test += fmt::format("{}{} > 0 && {} >= {}", test.empty() ? "" : " && ", room, capacity, room);
    enough = room + " > 0";
  }
  const std::string copy = names_.fresh(result + "_own"), own_marks = names_.fresh(result + "_marks");
  // Otherwise clang takes iterations of one thread for independent, and uses vectors.
  const std::string schedule =
      parallel.schedule == Parallel::Schedule::Static ? schedule_text(x, "", expressions_)
      : parallel.schedule == Parallel::Schedule::Guided
          ? fmt::format("schedule(monotonic : guided, {})", parallel.chunk)
          : fmt::format("schedule(monotonic : dynamic, 1 + ({}) / ({} * {}))",
                        expressions_.term(x.upper - x.lower), chunks_per_thread, threads);
  const std::string block = names_.fresh("block"), first = names_.fresh("first"), end = names_.fresh("end");
  const std::string thread = names_.fresh("thread"), slot = names_.fresh("slot"), from = names_.fresh("from");

  begin_stops(x.body);
  text_ += "#ifdef _OPENMP\n";
  open(fmt::format("if ({})", test), {});
  text_ += "#pragma omp " + team("parallel") + "\n";
  open("", {fmt::format("{} *UNRAVEL_RESTRICT {} = {} + omp_get_thread_num() * {};", type, copy, part(copies),
                        strides.at(copies)),
            fmt::format("int32_t *UNRAVEL_RESTRICT {} = {} + omp_get_thread_num() * {};", own_marks,
                        part(marks), strides.at(marks))});
  copied_ = parallel.copied, marks_ = own_marks;
  names_.rename_array(copied_, copy);
  const std::vector<const WorkspaceArray *> own = own_arrays(x);
  with_own(own, [&] {
    text_ += "#pragma omp for " + schedule + "\n";
    statement_ = &loop;
    iterations(head, x.body);
  });
  names_.rename_array(std::exchange(copied_, {}), result);
  text_ += "#pragma omp for schedule(dynamic, 8)\n";
  open(fmt::format("for (int64_t {0} = 0; {0} < ({1} + {2}) / {3}; {0}++)", block, count, copied_block - 1,
                   copied_block),
       {});
  line("const int64_t {} = {} * {};", first, copied_block, block);
  line("const int64_t {0} = {1} + {2} < {3} ? {1} + {2} : {3};", end, first, copied_block, count);
  if (zeroed) line("for (int64_t {0} = {1}; {0} < {2}; {0}++) {3}[{0}] = 0;", slot, first, end, result);
  line("for (int64_t {0} = 0; {0} < {1}; {0}++) {{", thread, threads);
  line("  {} *{} = {} + {} * {};", type, from, part(copies), thread, strides.at(copies));
  line("  if (!{}[{} * {} + {}]) continue;", part(marks), thread, strides.at(marks), block);
  line("  {}[{} * {} + {}] = 0;", part(marks), thread, strides.at(marks), block);
  line("  for (int64_t {0} = {1}; {0} < {2}; {0}++) {{", slot, first, end);
  line("    " + expressions_.reduction(fmt::format("{}[{}]", result, slot), element, by,
                                       fmt::format("{}[{}]", from, slot)));
  line("    {}[{}] = {};", from, slot, identity);
  line("  }");
  line("}");
  close({});
  close({});
  --indent_;
  line("} else");
  text_ += "#endif\n";
  open("", {});
  with_own(own, [&] {
    if (zeroed) write(*zeroed);
    statement_ = &loop;
    iterations(head, x.body);
  });
  close({});
  end_stops();
}

} // namespace unravel::emit
