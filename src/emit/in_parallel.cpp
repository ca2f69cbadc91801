#include "emit/statement_writer.h"

#include "emit/copies.h"
#include "emit/mentioned.h"
#include "emit/pragmas.h"
#include "emit/workspace.h"
#include "loop/assembled.h"
#include "loop/passes.h"
#include "loop/walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace unravel::emit {

using namespace loop;
using term::Term;

void StatementWriter::workspace(const std::set<std::string> &used) {
  outside_ = mentioned(options_.openmp_pragmas ? without_parallel(program_.body) : program_.body);
  each_statement(program_.body, [&](const Statement &statement) {
    const auto *loop = std::get_if<For>(&statement.kind);
    if (options_.openmp_pragmas && loop && loop->parallel) in_parallel_.merge(mentioned({statement}));
  });
  for (const WorkspaceArray &array : program_.workspace)
    if (used.contains(array.name) && !array.for_teams) reserve(array);
  for (const WorkspaceArray &array : program_.workspace) {
    bool in_parts = strides_.contains(array.name);
    if (!used.contains(array.name) || array.for_teams || (in_parts && !outside_.contains(array.name)))
      continue;
    expressions_.need("restrict");
    line(fmt::format("{} *UNRAVEL_RESTRICT {} = {}->{};", expressions_.type_in_workspace(array),
                     names_.array(array.name), names_.workspace().parameter,
                     names_.workspace().members.at(array.name)));
    find_blocks(array);
  }
}

void StatementWriter::find_blocks(const WorkspaceArray &array) {
  if (!expressions_.is_marked(array.name)) return;
  const std::string name = names_.fresh(names_.array(array.name) + "_blocks");
  line(fmt::format("const int64_t {} = {};", name, expressions_.term_of_members(first_block(array))));
  Expressions::Marked marked = expressions_.marked();
  marked[array.name] = name;
  expressions_.set_marked(std::move(marked));
}

void StatementWriter::reserve(const WorkspaceArray &array) {
  if (array.grows) return;
  bool in_parts = array.per_thread && in_parallel_.contains(array.name);
  Reservation made = reserve_text(array, in_parts, names_, expressions_);
  if (in_parts) strides_[array.name] = made.stride;
  lines(made.before);
  open(made.test, made.inside);
  close({});
}

void StatementWriter::write_parallel(const For &x, const std::string &head) {
  if (std::exchange(in_team_, false)) {
    pragma("for schedule(static)", "");
    return iterations(head, x.body);
  }
  begin_stops(x.body);
  std::string reduction;
  if (!x.parallel->sum.empty())
    reduction =
        fmt::format(" reduction({} : {})",
                    reduction_name(loop::reduction_of(x.body, x.parallel->sum).value_or(loop::Operator::Add),
                                   expressions_.types().of_local(x.parallel->sum), expressions_),
                    names_.variable(x.parallel->sum));
  std::string work = expressions_.term(x.upper - x.lower);
  std::string otherwise;
  bool needs_work = x.parallel->work && (x.parallel->least > 0 || x.parallel->share > 0);
  if (needs_work && is_work_in_pragma(x, program_)) {
    work = expressions_.term_of_members(*x.parallel->work);
  } else if (needs_work) {
    work = names_.fresh(names_.variable(x.variable) + "_work");
    line(fmt::format("const int64_t {} = {};", work, expressions_.term(*x.parallel->work)));
    otherwise = fmt::format("(void){};", work);
  }
  std::string enough = x.parallel->least > 0 ? fmt::format(" if ({}{} >= {})", x.simd ? "parallel : " : "",
                                                           work, x.parallel->least)
                                             : "";
  std::string schedule =
      fmt::format("for {}{}{}", x.simd ? "simd " : "", schedule_text(x, work, expressions_), reduction);
  const std::vector<const WorkspaceArray *> own = own_arrays(x);
  if (own.empty()) {
    pragma(team("parallel " + schedule + enough), otherwise);
    iterations(head, x.body);
    return end_stops();
  }
  const Statement &loop = *statement_;
  pragma(team("parallel" + enough), otherwise);
  line("{");
  ++indent_;
  with_own(own, [&] {
    pragma(schedule, "");
    statement_ = &loop;
    iterations(head, x.body);
  });
  --indent_;
  line("}");
  end_stops();
}

void StatementWriter::begin_stops(const Block &body) {
  bool stops = false;
  each_statement(body, [&](const Statement &statement) {
    stops = stops || std::holds_alternative<Reserve>(statement.kind);
  });
  if (!stops) return;
  stopped_ = names_.fresh("stopped");
  line(fmt::format("int {} = 0;", stopped_));
}

void StatementWriter::end_stops() {
  if (stopped_.empty()) return;
  line(fmt::format("if ({}) goto {};", std::exchange(stopped_, {}), assembly_.label()));
}

void StatementWriter::iterations(const std::string &head, const Block &body) {
  if (stopped_.empty()) return nested(head, body);
  expressions_.need("stops");
  const Statement &loop = *statement_;
  open(head, {fmt::format("if (unravel_has_stopped(&{})) continue;", stopped_)});
  const std::string stop = names_.fresh("stop"), outside = assembly_.fail_at(stop);
  statement_ = &loop;
  nested("", body);
  line("continue;");
  text_ += stop + ":\n";
  close({fmt::format("unravel_stop(&{});", stopped_)});
  assembly_.fail_at(outside);
}

std::string StatementWriter::team(const std::string &directive) {
  if (names_.workspace().threads.empty()) return directive;
  return fmt::format("{} num_threads({})", directive, threads_text(names_, expressions_));
}

std::string StatementWriter::threads_that_pay(const For &x, const std::string &iterations) {
  const Parallel &parallel = *x.parallel;
  const std::string threads = threads_text(names_, expressions_);
  if (parallel.least <= 0) return threads;
  const std::string work = !parallel.work                   ? iterations
                           : is_work_in_pragma(x, program_) ? expressions_.term_of_members(*parallel.work)
                                                            : expressions_.term(*parallel.work);
  return fmt::format("{} >= {} ? {} : 1", work, parallel.least, threads);
}

void StatementWriter::write_appending(const For &x, const std::string &lower, const std::string &upper) {
  for (const char *part : {"room", "room_ahead", "parts", "thread", "grow"})
    expressions_.need(part);
  const Appended &made = *x.parallel->appended;
  const std::string parts = names_.fresh("parts"), chunk = names_.fresh("chunk");
  const std::string &variable = names_.variable(x.variable);
  const std::string first = names_.fresh(variable + "_first"), end = names_.fresh(variable + "_last");
  const std::string stopped = names_.fresh("stopped");
  const std::string iterations = expressions_.term(x.upper - x.lower);
  const std::vector<std::string> variables = made.variables();
  std::size_t arrays = 0;
  for (const Appended::Counter &counter : made.counters)
    arrays += arrays_of_count(*assembled_result(counter.count, program_), counter.count).size();
  const Statement &loop = *statement_;
  comment("chunks of iterations: each thread appends to arrays of its own, which are then joined");
  open("", {fmt::format("unravel_parts {};", parts),
            fmt::format("if (!unravel_parts_begin(&{}, {}, {}, {}, {})) goto {};", parts, iterations,
                        threads_that_pay(x, iterations), variables.size(), arrays, assembly_.label())});
  pragma(team(fmt::format("parallel if ({}.chunks > 1)", parts)) + own_copies(x), "");
  open("", {});
  with_own(own_arrays(x), [&] {
    std::map<std::string, std::string> outside;
    for (const std::string &each : variables)
      outside[each] = names_.variable(each);
    lines(assembly_.begin_own(
        made,
        {parts, chunk, {fmt::format("{} + 1 - {}", variable, first), fmt::format("{} - {}", end, first)}},
        stopped));
    open(fmt::format("for (int64_t {0}; ({0} = unravel_parts_next(&{1})) >= 0;)", chunk, parts), {});
    for (const auto &[name, next] : {std::pair(first, chunk), std::pair(end, chunk + " + 1")})
      line(fmt::format("const int64_t {} = unravel_parts_first(&{}, {}, {}, {});", name, parts, next, lower,
                       upper));
    line(fmt::format("if (unravel_parts_failed(&{})) continue;", parts));
    for (std::size_t k = 0; k < variables.size(); ++k) {
      const std::string &own = names_.variable(variables[k]);
      if (!made.counter(variables[k]))
        line(fmt::format("{} = {} > 0 ? {} : {};", own, chunk, first, outside.at(variables[k])));
      line(fmt::format("unravel_parts_from(&{}, {}, {}, {});", parts, chunk, k, own));
    }
    open("", {});
    statement_ = &loop;
    nested(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0}++)", variable, first, end), x.body);
    for (const Appended::Pointers &pointers : made.pointers)
      if (!made.counter(pointers.end)) {
        const std::string &own = names_.variable(pointers.end);
        comment("nodes without entries");
        open(fmt::format("while ({} + 1 < {}.chunks && {} < {})", chunk, parts, own, end), {});
        line(fmt::format(
            "{}[{}] = {};", names_.array(pointers.array), own,
            expressions_.as_element(term::variable(pointers.into), expressions_.type_of(pointers.array))));
        close({own + "++;"});
      }
    for (std::size_t k = 0; k < variables.size(); ++k)
      line(fmt::format("unravel_parts_to(&{}, {}, {}, {});", parts, chunk, k, names_.variable(variables[k])));
    close({"continue;"});
    text_ += stopped + ":\n";
    line(fmt::format("unravel_parts_fail(&{}, {});", parts, assembly_.code()));
    close({});
    lines(assembly_.hold(made, parts));
    assembly_.end_own();
  });
  close({});
  lines(assembly_.join(made, parts));
  close({});
}

/// Each thread has a copy of sizes, and of the pointers to arrays that it doesn't append to: what threads
/// share lies in memory.
std::string StatementWriter::own_copies(const For &x) {
  const std::set<std::string> used = mentioned(x.body);
  std::string list;
  const auto add = [&](const std::string &name) { list += (list.empty() ? "" : ", ") + name; };
  for (const TensorParameter &parameter : program_.parameters) {
    for (const std::string &size : parameter.sizes)
      if (const std::string name = parameter.name + "." + size; used.contains(name))
        add(names_.variable(name));
    for (const ArrayParameter &array : parameter.arrays) {
      const std::string name = parameter.name + "." + array.name, count = count_of_array(parameter, array);
      if (used.contains(name) &&
          std::ranges::none_of(x.parallel->appended->counters,
                               [&](const Appended::Counter &counter) { return counter.count == count; }))
        add(names_.array(name));
    }
  }
  return list.empty() ? "" : fmt::format(" firstprivate({})", list);
}

std::vector<const WorkspaceArray *> StatementWriter::own_arrays(const For &loop) const {
  const std::set<std::string> used = mentioned(loop.body);
  std::vector<const WorkspaceArray *> own;
  for (const WorkspaceArray &array : program_.workspace)
    if (array.per_thread && used.contains(array.name)) own.push_back(&array);
  return own;
}

void StatementWriter::with_own(const std::vector<const WorkspaceArray *> &own,
                               const std::function<void()> &inside) {
  const Expressions::Marked marked = expressions_.marked();
  std::vector<std::string> outside;
  for (const WorkspaceArray *array : own)
    outside.push_back(declare_own(*array));
  inside();
  for (std::size_t k = 0; k < own.size(); ++k)
    names_.rename_array(own[k]->name, outside[k]);
  expressions_.set_marked(marked);
}

void StatementWriter::write_team(const For &x, const std::string &head) {
  begin_stops(x.body);
  pragma(team("parallel"), "");
  in_team_ = true;
  nested(head, x.body);
  in_team_ = false;
  end_stops();
}

bool StatementWriter::clears_copied(const Statement &next) {
  const auto *zero = std::get_if<Zero>(&statement_->kind);
  const auto *loop = options_.openmp_pragmas ? std::get_if<For>(&next.kind) : nullptr;
  if (zero && loop && emit::clears_copied(*zero, *loop, program_)) zeroed_ = zero;
  return zero && zeroed_ == zero;
}

void StatementWriter::write_with_copies(const For &x, const std::string &head) {
  const Statement &loop = *statement_;
  const Zero *zeroed = std::exchange(zeroed_, nullptr);
  CopiesText text = copies_text(x, program_, zeroed != nullptr, names_, expressions_);
  lines(text.before);
  begin_stops(x.body);
  text_ += "#ifdef _OPENMP\n";
  open(text.test, {});
  text_ += "#pragma omp " + team("parallel") + "\n";
  open("", text.own);
  copied_ = x.parallel->copied, marks_ = text.marks;
  std::string result = names_.array(copied_);
  names_.rename_array(copied_, text.copy);
  const std::vector<const WorkspaceArray *> own = own_arrays(x);
  with_own(own, [&] {
    text_ += "#pragma omp " + text.schedule + "\n";
    statement_ = &loop;
    iterations(head, x.body);
  });
  names_.rename_array(std::exchange(copied_, {}), result);
  text_ += "#pragma omp for schedule(dynamic, 8)\n";
  open(text.over_blocks, text.add_up);
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

void StatementWriter::pragma(const std::string &text, const std::string &otherwise) {
  text_ += "#ifdef _OPENMP\n#pragma omp " + text + "\n";
  if (!otherwise.empty()) {
    text_ += "#else\n";
    line(otherwise);
  }
  text_ += "#endif\n";
}

std::string StatementWriter::declare_own(const WorkspaceArray &array) {
  std::string outside = names_.array(array.name);
  std::string local = outside_.contains(array.name) ? names_.fresh(outside + "_own") : outside;
  expressions_.need("thread");
  expressions_.need("restrict");
  line(fmt::format("{} *UNRAVEL_RESTRICT {} = {}->{} + unravel_thread() * {};",
                   expressions_.type_in_workspace(array), local, names_.workspace().parameter,
                   names_.workspace().members.at(array.name), strides_.at(array.name)));
  names_.rename_array(array.name, local);
  find_blocks(array);
  return outside;
}

} // namespace unravel::emit
