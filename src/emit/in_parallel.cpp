#include "emit/statement_writer.h"

#include "emit/mentioned.h"
#include "emit/pragmas.h"
#include "emit/workspace.h"
#include "loop/arrays.h"
#include "loop/assembled.h"
#include "loop/passes.h"
#include "loop/walk.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace unravel::emit {

using namespace loop;
using term::Term;

namespace {

/// How many numbers are multiplied to one.
std::vector<Term> factors_of(const Term &term) {
  const auto *product = term.as<term::Product>();
  if (!product) return {term};
  std::vector<Term> factors = factors_of(product->left);
  for (Term &factor : factors_of(product->right))
    factors.push_back(std::move(factor));
  return factors;
}

/// A parallel loop that a team which is there may share out: no thread has anything that is to be combined,
/// and what it does is known in front of all loops that the team does.
bool may_be_joined(const Statement &statement, const Program &program) {
  const auto *loop = statement.as<For>();
  if (!loop || !loop->parallel || loop->parallel->least == Parallel::never) return false;
  const Parallel &parallel = *loop->parallel;
  return parallel.sum.empty() && parallel.copied.empty() && !parallel.appended &&
         loop->sums == VectorSum::None && !holds<Reserve>(loop->body) &&
         is_over_sizes(loop->lower, program) && is_over_sizes(loop->upper, program) &&
         (!parallel.work || is_work_in_pragma(*loop, program));
}

} // namespace

std::size_t StatementWriter::begin_joined(const Block &statements, std::size_t k) {
  if (!options_.openmp_pragmas || threads_ > 0 || in_team_ || joined_) return 0;
  const auto parallel = [&](std::size_t at) -> const Parallel & {
    return *statements[at].as<For>()->parallel;
  };
  std::size_t end = k;
  std::int64_t least = 0; // all others are multiples of it
  for (; end < statements.size() && may_be_joined(statements[end], program_); ++end) {
    const std::int64_t own = parallel(end).least;
    const std::int64_t smaller = end == k ? own : std::min(least, own);
    if (end > k && (smaller == 0 ? least != own : std::max(least, own) % smaller != 0)) break;
    least = smaller;
  }
  if (end < k + 2) return 0;
  Term work(0);
  Block bodies;
  for (std::size_t at = k; at < end; ++at) {
    const auto &loop = *statements[at].as<For>();
    append(bodies, loop.body);
    if (least == 0) continue;
    work =
        work + floor_divide(parallel(at).work.value_or(loop.upper - loop.lower), parallel(at).least / least);
  }
  comment("one team does these loops, one after the other");
  pragma(team(least > 0 ? fmt::format("parallel if ({} >= {})", expressions_.term_of_members(work), least)
                        : "parallel") +
             own_copies(std::move(bodies)),
         "");
  open("", {});
  joined_ = true;
  return end;
}

void StatementWriter::end_joined() {
  joined_ = false;
  close({});
}

void StatementWriter::workspace(const std::set<std::string> &used) {
  outside_ = mentioned(options_.openmp_pragmas ? without_parallel(program_.body) : program_.body);
  each_statement(program_.body, [&](const Statement &statement) {
    const auto *loop = statement.as<For>();
    if (options_.openmp_pragmas && loop && loop->parallel) in_parallel_.merge(mentioned({statement}));
  });
  for (const WorkspaceArray &array : program_.workspace)
    if (used.contains(array.name) && !array.for_teams) reserve(array);
  for (const WorkspaceArray &array : program_.workspace) {
    bool in_parts = strides_.contains(array.name);
    if (!used.contains(array.name) || array.for_teams || (in_parts && !outside_.contains(array.name)))
      continue;
    expressions_.need("restrict");
    line("{} *UNRAVEL_RESTRICT {} = {}->{};", expressions_.type_in_workspace(array), names_.array(array.name),
         names_.workspace().parameter, names_.workspace().members.at(array.name));
    find_blocks(array);
  }
}

void StatementWriter::find_blocks(const WorkspaceArray &array) {
  if (!expressions_.is_marked(array.name)) return;
  const std::string name = names_.fresh(names_.array(array.name) + "_blocks");
  line("const int64_t {} = {};", name, expressions_.term_of_members(first_block(array)));
  Expressions::Marked marked = expressions_.marked();
  marked[array.name] = name;
  expressions_.set_marked(std::move(marked));
}

void StatementWriter::reserve(const WorkspaceArray &array) {
  if (array.grows) return;
  const Names::Workspace &work = names_.workspace();
  const std::string &name = names_.array(array.name);
  const std::string member = work.parameter + "->" + work.members.at(array.name);
  const std::string capacity = work.parameter + "->" + work.capacities.at(array.name);
  std::string size = expressions_.term_of_members(elements_of(array, expressions_));
  if (array.per_thread && in_parallel_.contains(array.name)) {
    const std::string stride = strides_[array.name] = names_.fresh(name + "_stride");
    line("const int64_t {} = {};", stride, expressions_.term_of_members(padded_part(array, expressions_)));
    size = threads_text(names_, expressions_) + " * " + stride;
  }
  if (!is_true(array.when)) // 0 where the array isn't needed
    size = fmt::format("{} ? {} : 0", expressions_.term_of_members(array.when), size);
  const std::string room = names_.fresh(name + "_room");
  line("const int64_t {} = {};", room, size);
  expressions_.need("reserve");
  if (array.hashed &&
      array.extent.as<term::Product>()) { // no memory for elements would show that they are too many
    std::string count = "1.0";
    for (const Term &factor : factors_of(array.extent))
      count += fmt::format(" * (double)({})", expressions_.term_of_members(factor));
    line("if ({} > 9e18) return 2;", count);
  }
  open(fmt::format("if ({} < {})", capacity, room), {});
  if (array.hashed) line("{}({}, {});", expressions_.for_table("free_tables", array.name), member, capacity);
  line("{0} = ({1} *)unravel_reserve({0}, &{2}, {3}, sizeof({1}), {4});", member,
       expressions_.type_in_workspace(array), capacity, room, array.hashed ? 0 : array.initial.value_or(0));
  close({fmt::format("if (!{}) return 2;", member)});
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
    line("const int64_t {} = {};", work, expressions_.term(*x.parallel->work));
    otherwise = fmt::format("(void){};", work);
  }
  std::string enough = x.parallel->least > 0 ? fmt::format(" if ({}{} >= {})", x.simd ? "parallel : " : "",
                                                           work, x.parallel->least)
                                             : "";
  std::string schedule =
      fmt::format("for {}{}{}", x.simd ? "simd " : "", schedule_text(x, work, expressions_), reduction);
  const std::vector<const WorkspaceArray *> own = own_arrays(x);
  const bool alone = !joined_ || threads_ > 1;
  if (alone && !holds<Reserve>(x.body)) enough += own_copies(x.body);
  if (own.empty()) {
    pragma(alone ? team("parallel " + schedule + enough) : schedule, alone ? otherwise : "");
    iterations(head, x.body);
    return end_stops();
  }
  const Statement &loop = *statement_;
  if (alone) pragma(team("parallel" + enough), otherwise);
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
  if (!holds<Reserve>(body)) return;
  stopped_ = names_.fresh("stopped");
  line("int {} = 0;", stopped_);
}

void StatementWriter::end_stops() {
  if (stopped_.empty()) return;
  line("if ({}) goto {};", std::exchange(stopped_, {}), assembly_.label());
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
  const Term count = term::floor_divide(x.upper - x.lower + Term(x.step - 1), x.step);
  const std::string iterations = expressions_.term(count);
  const std::vector<std::string> variables = made.variables();
  std::size_t arrays = 0;
  for (const Appended::Counter &counter : made.counters)
    arrays += arrays_of_count(*assembled_result(counter.count, program_), counter.count).size();
  const Statement &loop = *statement_;
  comment("chunks of iterations: each thread appends to arrays of its own, which are put behind each other");
  open("", {fmt::format("unravel_parts {};", parts),
            fmt::format("if (!unravel_parts_begin(&{}, {}, {}, {}, {})) goto {};", parts, iterations,
                        threads_that_pay(x, iterations), variables.size(), arrays, assembly_.label())});
  lines(assembly_.describe(made, parts));
  pragma(team(fmt::format("parallel if ({}.chunks > 1)", parts)) + own_copies(x.body, &made), "");
  open("", {});
  with_own(own_arrays(x), [&] {
    std::map<std::string, std::string> outside;
    for (const std::string &each : variables)
      outside[each] = names_.variable(each);
    lines(assembly_.begin_own(
        made,
        {parts,
         chunk,
         {fmt::format("{} + {} - {}", variable, x.step, first), fmt::format("{} - {}", end, first)}},
        stopped));
    open(fmt::format("for (int64_t {0}; ({0} = unravel_parts_next(&{1})) >= 0;)", chunk, parts), {});
    for (const auto &[name, next] : {std::pair(first, chunk), std::pair(end, chunk + " + 1")})
      if (x.step == 1)
        line("const int64_t {} = unravel_parts_first(&{}, {}, {}, {});", name, parts, next, lower, upper);
      else
        line("const int64_t {} = {} + {} * unravel_parts_first(&{}, {}, 0, {});", name, lower, x.step, parts,
             next, iterations);
    line("if (unravel_parts_failed(&{})) continue;", parts);
    for (std::size_t k = 0; k < variables.size(); ++k) {
      const std::string &own = names_.variable(variables[k]);
      if (!made.counter(variables[k]))
        line("{} = {} > 0 ? {} : {};", own, chunk, first, outside.at(variables[k]));
      line("unravel_parts_from(&{}, {}, {}, {});", parts, chunk, k, own);
    }
    open("", {});
    statement_ = &loop;
    nested(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {3})", variable, first, end, step_of(x)), x.body);
    for (const Appended::Pointers &pointers : made.pointers)
      if (!made.counter(pointers.end)) {
        const std::string &own = names_.variable(pointers.end);
        comment("nodes without entries");
        open(fmt::format("while ({} + 1 < {}.chunks && {} < {})", chunk, parts, own, end), {});
        line("{}[{}] = {};", names_.array(pointers.array), own,
             expressions_.as_element(term::variable(pointers.into), expressions_.type_of(pointers.array)));
        close({own + "++;"});
      }
    for (std::size_t k = 0; k < variables.size(); ++k)
      line("unravel_parts_to(&{}, {}, {}, {});", parts, chunk, k, names_.variable(variables[k]));
    line("unravel_parts_made(&{}, {});", parts, chunk);
    lines(assembly_.hold(made, parts));
    const std::string put = names_.fresh("put");
    open(fmt::format("for (int64_t {0}; ({0} = unravel_parts_put(&{1})) >= 0;)", put, parts), {});
    lines(assembly_.raise(made, parts, put, false));
    close({fmt::format("unravel_parts_settle(&{}, {});", parts, put)});
    for (const Appended::Counter &counter : made.counters)
      line("if (unravel_parts_is_put(&{}, {})) {} = 0;", parts, chunk, names_.variable(counter.end));
    close({"continue;"});
    text_ += stopped + ":\n";
    line("unravel_parts_fail(&{}, {});", parts, assembly_.code());
    close({});
    lines(assembly_.hold(made, parts));
    assembly_.end_own();
  });
  close({});
  lines(assembly_.place(made, parts));
  open(fmt::format("if (!{} && unravel_parts_are_left(&{}))", Assembly::failure_of(parts), parts), {});
  pragma(team("parallel for schedule(static)"), "");
  open(fmt::format("for (int64_t {0} = 0; {0} < {1}.chunks; {0}++)", chunk, parts),
       {fmt::format("if (unravel_parts_is_put(&{}, {})) continue;", parts, chunk)});
  lines(assembly_.copy(made, parts, chunk));
  close({});
  close({});
  lines(assembly_.end(made, parts));
  close({});
}

/// Each thread has a copy of sizes, and of the pointers to arrays that it doesn't append to: what threads
/// share lies in memory, and is read again behind a store that might be to that.
std::string StatementWriter::own_copies(Block body, const Appended *appended) {
  each_statement(body, [](Statement &statement) {
    auto *loop = statement.as<For>();
    if (loop) loop->masked.reset();
    if (loop && loop->parallel) loop->parallel->work.reset();
  });
  const std::set<std::string> used = mentioned(body); // but for what is compared with members
  const auto is_appended = [&](const TensorParameter &parameter, const ArrayParameter &array) {
    return appended && std::ranges::any_of(appended->counters, [&](const Appended::Counter &counter) {
             return counter.count == count_of_array(parameter, array);
           });
  };
  std::string list;
  const auto add = [&](const std::string &name) { list += (list.empty() ? "" : ", ") + name; };
  for (const TensorParameter &parameter : program_.parameters) {
    for (const std::string &size : parameter.sizes)
      if (const std::string name = parameter.name + "." + size; used.contains(name))
        add(names_.variable(name));
    for (const ArrayParameter &array : parameter.arrays) {
      const std::string name = parameter.name + "." + array.name;
      if (used.contains(name) && !is_appended(parameter, array)) add(names_.array(name));
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
  const std::vector<const WorkspaceArray *> own = own_arrays(x);
  const Statement &loop = *statement_;
  pragma(team("parallel") + (holds<Reserve>(x.body) ? "" : own_copies(x.body)), "");
  if (!own.empty()) open("", {});
  with_own(own, [&] {
    in_team_ = true;
    statement_ = &loop;
    nested(head, x.body);
    in_team_ = false;
  });
  if (!own.empty()) close({});
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
  line("{} *UNRAVEL_RESTRICT {} = {}->{} + unravel_thread() * {};", expressions_.type_in_workspace(array),
       local, names_.workspace().parameter, names_.workspace().members.at(array.name),
       strides_.at(array.name));
  names_.rename_array(array.name, local);
  find_blocks(array);
  return outside;
}

} // namespace unravel::emit
