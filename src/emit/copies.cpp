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

constexpr int chunks_per_thread = 8;
/// Of the result, to which the copies are added at a time: they stay in the first cache.
constexpr int elements_of_block = 1024;

/// The number of the array's elements.
Term copied_count(const For &loop, const Program &program) {
  return find_workspace(copies_of(loop.parallel->copied), program)->extent;
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

void StatementWriter::write_with_copies(const For &x, const std::string &head) {
  const Statement &loop = *statement_;
  const Zero *zeroed = std::exchange(zeroed_, nullptr);
  const Parallel &parallel = *x.parallel;
  const Operator by = copied_by(x);
  const std::string copies = copies_of(parallel.copied), result = names_.array(parallel.copied);
  const WorkspaceArray &room_for = *find_workspace(copies, program_);
  const ElementType element = room_for.element;
  const std::string type = c_type(element);
  const std::string count = expressions_.term_of_members(copied_count(x, program_));
  const Names::Workspace &work = names_.workspace();
  const std::string all = fmt::format("{}->{}", work.parameter, work.members.at(copies));
  expressions_.need("reserve");
  expressions_.need("restrict");

  const std::string threads = names_.fresh("threads");
  std::string enough = threads + " > 1";
  line("const int64_t {} = {};", threads, threads_text(names_, expressions_));
  if (parallel.work && parallel.least > 0) {
    line("// copies of the result pay if there are more additions than elements");
    enough += fmt::format(" && {0} >= {1} && {0} >= ({2} + 2) * ({3})",
                          expressions_.term_of_members(*parallel.work), parallel.least, threads, count);
  }
  // Without memory for copies there are none.
  const std::string stride = names_.fresh(names_.array(copies) + "_stride");
  const std::string room = names_.fresh(names_.array(copies) + "_room");
  const std::string capacity = fmt::format("{}->{}", work.parameter, work.capacities.at(copies));
  line("const int64_t {} = {};", stride, expressions_.term_of_members(padded_part(room_for, expressions_)));
  line("const int64_t {} = {} ? {} * {} : 0;", room, enough, threads, stride);
  line("if ({0} < {1}) {2} = ({3} *)unravel_reserve({2}, &{0}, {1}, sizeof({3}), 0);", capacity, room, all,
       type);
  const std::string copy = names_.fresh(result + "_own"), slot = names_.fresh("slot");
  // Otherwise clang takes iterations of one thread for independent, and uses vectors.
  const std::string schedule =
      parallel.schedule == Parallel::Schedule::Static ? schedule_text(x, "", expressions_)
      : parallel.schedule == Parallel::Schedule::Guided
          ? fmt::format("schedule(monotonic : guided, {})", parallel.chunk)
          : fmt::format("schedule(monotonic : dynamic, 1 + ({}) / ({} * {}))",
                        expressions_.term(x.upper - x.lower), chunks_per_thread, threads);
  const std::string block = names_.fresh("block"), first = names_.fresh("first"), end = names_.fresh("end");
  const std::string thread = names_.fresh("thread"), from = names_.fresh("from");
  const std::string members =
      names_.fresh("members"); // of the team, which may be smaller than it was asked for

  begin_stops(x.body);
  text_ += "#ifdef _OPENMP\n";
  open(fmt::format("if ({} > 0 && {} >= {})", room, capacity, room), {});
  text_ += "#pragma omp " + team("parallel") + own_copies(x.body) + "\n";
  open("",
       {fmt::format("{} *UNRAVEL_RESTRICT {} = {} + omp_get_thread_num() * {};", type, copy, all, stride)});
  if (const double identity = value::identity_of(by); identity == 0) {
    expressions_.need("memset");
    line("memset({0}, 0, (size_t)({1}) * sizeof(*{0}));", copy, count);
  } else {
    line("for (int64_t {0} = 0; {0} < {1}; {0}++) {2}[{0}] = {3};", slot, count, copy,
         expressions_.value({Number{identity}}, element));
  }
  const std::vector<const WorkspaceArray *> own = own_arrays(x);
  names_.rename_array(parallel.copied, copy);
  with_own(own, [&] {
    text_ += "#pragma omp for " + schedule + "\n";
    statement_ = &loop;
    iterations(head, x.body);
  });
  names_.rename_array(parallel.copied, result);
  line("const int64_t {} = omp_get_num_threads();", members);
  text_ += "#pragma omp for schedule(static)\n";
  open(fmt::format("for (int64_t {0} = 0; {0} < ({1} + {2}) / {3}; {0}++)", block, count,
                   elements_of_block - 1, elements_of_block),
       {});
  line("const int64_t {} = {} * {};", first, elements_of_block, block);
  line("const int64_t {0} = {1} + {2} < {3} ? {1} + {2} : {3};", end, first, elements_of_block, count);
  if (zeroed) line("for (int64_t {0} = {1}; {0} < {2}; {0}++) {3}[{0}] = 0;", slot, first, end, result);
  line("for (int64_t {0} = 0; {0} < {1}; {0}++) {{", thread, members);
  line("  const {} *{} = {} + {} * {};", type, from, all, thread, stride);
  line("  for (int64_t {0} = {1}; {0} < {2}; {0}++)", slot, first, end);
  line("    " + expressions_.reduction(fmt::format("{}[{}]", result, slot), element, by,
                                       fmt::format("{}[{}]", from, slot)));
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
