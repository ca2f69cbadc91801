// What is read before there is data: the computation, its layouts, the schedule.
#include "pipeline.h"

#include "cfront/cfront.h"
#include "combine/forward.h"
#include "combine/structure.h"
#include "compute/argmin.h"
#include "compute/as_line.h"
#include "compute/as_program.h"
#include "compute/fills.h"
#include "compute/in_parts.h"
#include "compute/kept_result.h"
#include "compute/precompute.h"
#include "compute/written_sums.h"
#include "layout/example.h"
#include "layout/layout.h"
#include "layout/structure.h"
#include "machine/stopwatch.h"
#include "packing/append.h"
#include "parse/parse.h"
#include "pipeline/conversions.h"
#include "pipeline/packed.h"
#include "pipeline/plans.h"
#include "pipeline/term_plans.h"
#include "pipeline/types.h"
#include "pipeline/words_of_user.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <ranges>

namespace unravel::pipeline {

using report::Kind;

namespace {

std::shared_ptr<const text::Source> argument(const std::string &name, const std::string &content) {
  return std::make_shared<const text::Source>(name, content);
}

/// Of requests that contradict each other none is silently dropped.
void check_contradictions(const parse::ScheduleTree &schedule) {
  const auto check_serial = [&](const char *request, const std::vector<parse::Name> &names) {
    if (schedule.serial && !names.empty())
      report::fail(Kind::syntax_error, names.front().span,
                   fmt::format("`serial` and `{} {}` contradict each other", request,
                               fmt::join(names | std::views::transform(&parse::Name::text), ", ")),
                   "keep one of them");
  };
  check_serial("parallel", schedule.parallel);
  check_serial("fuse", schedule.fused);
  std::map<std::string, std::string> methods;
  for (const parse::ScheduleTree::Find &find : schedule.finds) {
    auto [first, fresh] = methods.emplace(find.target.text, find.method.text);
    if (!fresh && first->second != find.method.text)
      report::fail(Kind::syntax_error, find.method.span,
                   fmt::format("`{}` is to be found by `{}` and by `{}`", find.target.text, first->second,
                               find.method.text),
                   "keep one of them");
  }
}

/// The schedules given with -s and --find, as one.
parse::ScheduleTree read_schedules(const Request &request) {
  parse::ScheduleTree all;
  auto add = [&](const parse::ScheduleTree &one) {
    if (!one.order.empty()) all.order = one.order;
    all.transformations.insert(all.transformations.end(), one.transformations.begin(),
                               one.transformations.end());
    all.loops.insert(all.loops.end(), one.loops.begin(), one.loops.end());
    all.parallel.insert(all.parallel.end(), one.parallel.begin(), one.parallel.end());
    all.finds.insert(all.finds.end(), one.finds.begin(), one.finds.end());
    if (one.chunk) all.chunk = one.chunk;
    if (one.sharing) all.sharing = one.sharing;
    if (!one.fused.empty()) all.fused = one.fused;
    all.reductions.insert(all.reductions.end(), one.reductions.begin(), one.reductions.end());
    all.serial = all.serial || one.serial;
    if (one.wavefront) all.wavefront = one.wavefront;
    if (one.packed) all.packed = one.packed;
    if (one.workspace) all.workspace = one.workspace;
    if (one.plan) all.plan = one.plan;
    all.conversions.insert(all.conversions.end(), one.conversions.begin(), one.conversions.end());
    if (one.reuse) all.reuse = one.reuse;
    if (one.drop) all.drop = one.drop;
    if (one.blas) all.blas = one.blas;
    if (one.brackets) all.brackets = one.brackets;
  };
  for (const std::string &schedule : request.schedules)
    add(parse::parse_schedule(argument("-s", schedule)));
  for (const std::string &find : request.finds) {
    if (find.find('=') == std::string::npos)
      report::fail(Kind::bad_option, fmt::format("`--find {}` names no method", find),
                   "write --find x=binary");
    all.finds.push_back(parse::parse_find(argument("--find", find)));
  }
  check_contradictions(all);
  return all;
}

/// What formats say of the values that tensors hold.
compute::Fills fills_of(const Request &request) {
  compute::Fills fills;
  for (const auto &[tensor, format] : request.formats) {
    const parse::ValuesTree values = parse::parse_layout_reference(argument("-f " + tensor, format)).values;
    if (values.fill) fills.emplace(tensor, *values.fill);
  }
  return fills;
}

void read_c(const Request &request, const compute::Fills &fills, Front &front) {
  cfront::Function function = cfront::read(request.from);
  front.program = parse::to_text(function.tree);
  const value::Type type = request.value.value_or(value::Type::Float64);
  if (type != (function.is_float ? value::Type::Float32 : value::Type::Float64))
    report::fail(Kind::bad_option,
                 fmt::format("`{}` computes with `{}`, the kernel with {}", function.name,
                             function.is_float ? "float" : "double", value::facts_of(type).word),
                 function.is_float ? "add --type f32"
                                   : fmt::format("leave out --type {}", value::facts_of(type).word));
  front.computation = compute::make_computation(function.tree, fills);
  front.computation.text = front.program;
  front.tree = std::move(function.tree);
}

void set_program(const parse::ProgramTree &tree, const compute::Fills &fills, Front &front) {
  front.tree = tree;
  front.program = parse::to_text(tree);
  front.computation = compute::make_computation(tree, fills);
}

/// `fills`: as declared. The program's result begins with what the line's does. `factors_in`: as there.
void precompute(const parse::AssignmentTree &assignment, compute::Fills fills, Front &front,
                std::optional<value::Type> factors_in = {}) {
  const parse::ProgramTree tree = compute::with_workspace(assignment, *front.schedule.workspace, factors_in);
  if (const std::string &result = assignment.target.name.text;
      assignment.op != parse::AssignmentTree::Operator::Set)
    fills.emplace(result, compute::initial_of(compute::make_computation(assignment, fills).program, result));
  set_program(tree, fills, front);
}

void require_slots_of_argmin(const compute::TensorUse &result, const Front &front) {
  if (!front.argmin || combine::has_slot_of_each(front.layouts.at(result.name))) return;
  report::fail(
      Kind::sparse_result, result.span,
      fmt::format("`{}` has a layout that lists its entries, but `{}` gives each element a coordinate",
                  result.name, front.argmin->value.name.text),
      fmt::format("leave out -f {}=...: it is dense then", result.name));
}

/// Elements are written in any order, in parallel too: none may share its value with another one.
void require_values_of_elements(const compute::TensorUse &result, const text::Span &format,
                                const Front &front) {
  const layout::Layout &layout = front.layouts.at(result.name);
  if (!combine::has_slot_of_each(layout) || layout::has_values_of_one_element(layout)) return;
  report::fail(
      Kind::sparse_result, format,
      fmt::format("`{}` can't be a result in layout `{}`: it isn't proved that each of its values is "
                  "that of one element, and each element has one value",
                  result.name, layout.name),
      fmt::format("leave out -f {}=...: it is dense then; or give each element a slot of its own in `{}`",
                  result.name, layout.pieces.front().value.array));
}

/// A program's result begins as 0 in each element, so that `min=` needs a declared fill to begin with
/// another.
void require_beginning(const compute::TensorUse &result, const Front &front) {
  if (combine::has_slot_of_each(front.layouts.at(result.name))) return;
  for (const compute::Statement &statement : front.computation.program.statements) {
    const double identity = compute::identity_of(statement);
    if (statement.target.tensor == result.name && statement.accumulate && !statement.is_free &&
        !statement.target.fill && identity != 0)
      report::fail(Kind::sparse_result, statement.span,
                   fmt::format("`{}` is 0 where it has no entry, but what it is reduced by begins with {}",
                               result.name, identity),
                   fmt::format("declare it with `fill {}`, or leave it dense", identity));
  }
}

void load(const std::string &tensor, const parse::LayoutReference &reference, std::size_t order,
          Front &front) {
  layout::CheckedLayout checked = layout::load_layout(reference, order);
  for (report::Diagnostic &finding : checked.findings)
    front.warnings.push_back(std::move(finding));
  front.layouts.emplace(tensor, std::move(checked.layout));
}

/// The type that it says of values is noted.
parse::LayoutReference read_reference(const std::string &tensor, const std::string &format, Front &front) {
  parse::LayoutReference reference = parse::parse_layout_reference(argument("-f " + tensor, format));
  if (!reference.values.type) return reference;
  const value::Type type = value::type_called(reference.values.type->text).value();
  const auto [known, is_fresh] = front.types.emplace(tensor, type);
  if (!is_fresh && known->second != type)
    report::fail(Kind::bad_option, reference.values.type->span,
                 fmt::format("`{}` is declared with values of another type than -f gives it, {}", tensor,
                             value::facts_of(known->second).word),
                 "leave out one of them");
  return reference;
}

/// A result to which the kernel can't append is a list of it, to be packed then.
void list_unless_appended(const std::string &tensor, Front &front) {
  const layout::Layout &layout = front.layouts.at(tensor);
  if (combine::has_slot_of_each(layout)) return;
  report::Diagnostic why;
  if (report::unless_refused([&] { return packing::append_of(layout); }, &why)) return;
  if (why.kind != Kind::cannot_append) throw report::Error(why);
  front = *with_list(std::move(front), tensor, false, why);
}

/// `drop zeros`: an element that isn't stored is what nothing is reduced to.
void find_dropped(Front &front) {
  const text::Span &asked = front.schedule.drop->span;
  const std::vector<compute::TensorUse> &tensors = front.computation.tensors;
  const std::string result = tensors.front().name;
  const std::string example = layout::example_of_entries(tensors.front().order);
  if (front.schedule.reuse)
    report::fail(Kind::not_supported, asked,
                 "`drop zeros` with `reuse`: which values are 0 may change from call to call",
                 fmt::format("leave out one of them; with `reuse` {} keeps an entry for each", result));
  if (!front.structure.empty())
    report::fail(Kind::not_supported, asked,
                 fmt::format("`drop zeros`: the entries of `{}` are those of `{}`", result, front.structure),
                 fmt::format("give it a structure of its own, as -f {}={}", result, example));
  for (const compute::TensorUse &use : tensors) {
    if (!use.is_result || combine::has_slot_of_each(front.layouts.at(use.name))) continue;
    front.dropped.emplace(use.name, compute::nothing_of(front.computation.program, use.name));
  }
  if (front.dropped.empty())
    report::fail(Kind::not_supported, asked,
                 fmt::format("`drop zeros`: each element of `{}` is stored", result),
                 fmt::format("give it a layout that lists its entries, as -f {}={}", result, example));
}

/// Formats of tensors that the expression doesn't have may be the local's that its result gets.
bool may_get_result_local(const Request &request, const Front &front) {
  const compute::Program &program = front.computation.program;
  if (front.tree && std::ranges::any_of(front.computation.tensors, [&](const compute::TensorUse &use) {
        return use.is_result && request.formats.contains(use.name);
      }))
    return true;
  return request.formats.contains(program.statements.front().target.tensor) &&
         compute::may_have_result_local(program);
}

} // namespace

void restrict_loops(compute::Program &program, const parse::ScheduleTree &schedule) {
  using Transformation = parse::ScheduleTree::Transformation;
  for (const Transformation &bound : schedule.transformations) {
    if (bound.kind != Transformation::Kind::Bound || bound.low >= bound.high) continue;
    term::Term range =
        term::between(term::Term(bound.low), term::variable(bound.variable.text), term::Term(bound.high));
    for (compute::Statement &statement : program.statements)
      if (std::any_of(statement.loops.begin(), statement.loops.end(),
                      [&](auto &loop) { return loop.variable == bound.variable.text; }))
        statement.condition = term::conjunction({statement.condition, range});
  }
}

void load_local(const std::string &tensor, const std::string &format, Front &front) {
  const parse::LayoutReference reference = read_reference(tensor, format, front);
  if (!reference.like.empty())
    report::fail(Kind::bad_structure, reference.span,
                 fmt::format("`{}` is a local tensor: it has arrays of its own", tensor),
                 fmt::format("`like:` is for the result; write -f {}=LAYOUT", tensor));
  if (reference.values.fill)
    report::fail(Kind::bad_option, reference.values.fill_span,
                 fmt::format("`{}` is a local tensor: it begins with what `let` says", tensor),
                 "leave the fill out");
  load(tensor, reference, front.computation.program.extents.at(tensor).size(), front);
}

std::string layout_of_entries(std::size_t order) {
  return order == 1 ? "listed" : "hashed";
}

void check_formats(const Request &request, const Front &front) {
  if (front.other_formats.empty()) return;
  const std::string &tensor = front.other_formats.front();
  if (front.schedule.workspace && front.schedule.workspace->tensor.text == tensor)
    report::fail(
        Kind::unknown_tensor, front.schedule.workspace->tensor.span,
        fmt::format("`-f {}={}`: the workspace `{}` is a number", tensor, request.formats.at(tensor), tensor),
        fmt::format("a local tensor has indices: `workspace {}(j) for ...`", tensor));
  std::vector<std::string> names;
  for (const compute::TensorUse &use : front.computation.tensors)
    names.push_back(use.name);
  report::fail(Kind::unknown_tensor,
               fmt::format("`-f {}={}`: the expression has no tensor `{}`", tensor,
                           request.formats.at(tensor), tensor),
               fmt::format("it has `{}`", fmt::join(names, "`, `")));
}

/// The types of the tensors of the line as it was written; those of its statements are --check's own. Where
/// it became a program, bounds are those of the program's loops: what is outside of them keeps its old value
/// there, and the line has none.
static void settle_written(const Request &request, Front &front) {
  if (!front.written) return;
  const auto is_bound = [](const parse::ScheduleTree::Transformation &each) {
    return each.kind == parse::ScheduleTree::Transformation::Kind::Bound;
  };
  const bool is_program = !front.computation.program.statements.front().is_free;
  if (is_program && std::ranges::any_of(front.schedule.transformations, is_bound)) front.written.reset();
  if (!front.written) return;
  Front line = front;
  line.computation = front.written->line;
  if (!front.written->old.empty())
    line.types[front.written->old] = front.types.at(line.computation.tensors.front().name);
  settle_types(request, line);
  if (is_program && compute::is_reduced_before_conversion(line.computation.program, line.types))
    fail_converted(line.computation.program.statements.front(), "");
  front.written->line.types = std::move(line.computation.types);
}

/// Where nothing is added to the workspace it holds what nothing is reduced to, and the product with a fill
/// must be that, too: 0 times an infinity isn't. What infinities are stored only the data tell.
static void require_fills_that_nothing_meets(const Front &front) {
  const compute::Statement &statement = front.computation.program.statements.back();
  const double nothing = compute::identity_of(statement);
  const value::Operator product = statement.product.value_or(value::Operator::Multiply);
  compute::each_read(statement, [&](const compute::Access &read) {
    if (read.tensor == front.schedule.workspace->tensor.text) return;
    if (std::isfinite(read.fill_or_zero())) return;
    if (value::evaluate<double>(product, std::vector<double>{nothing, *read.fill}) == nothing) return;
    report::fail(Kind::not_supported, front.schedule.workspace->tensor.span,
                 fmt::format("`{}` holds {} where nothing is added to it, and `{}` has the fill {}",
                             front.schedule.workspace->tensor.text, nothing, read.tensor, *read.fill),
                 "leave the workspace out: the line as written has no term there");
  });
}

/// The program's result has the type that the line's has, and the workspace's sums have the one in which the
/// line is computed. Where its format says another, --check follows the program.
static void settle_workspace(const Request &request, const parse::AssignmentTree &assignment,
                             const compute::Fills &fills, Front &front) {
  const std::string result = assignment.target.name.text, local = front.schedule.workspace->tensor.text;
  compute::LineOfOld written{compute::make_computation(assignment, fills), ""};
  Front line = front;
  line.computation = written.line;
  settle_types(request, line);
  const compute::Statement &whole = line.computation.program.statements.front();
  compute::check_types_of_workspace(assignment, whole, front.computation.program);
  front.types[result] = line.types.at(result);
  if (!value::is_integer(line.types.at(result))) require_fills_that_nothing_meets(front);
  if (front.types.contains(local)) return;
  Front untyped = front;
  settle_types(request, untyped);
  const value::Type own = untyped.types.at(local), wanted = compute::type_of_part(whole, own);
  if (own != wanted && own != value::promoted(wanted)) // as small integers are that are added up
    precompute(assignment, fills, front, wanted);
  front.written = std::move(written);
}

Front read_request(const Request &request) {
  machine::Stopwatch watch;
  Front front;
  front.schedule = read_schedules(request);
  const bool is_assignment = request.from.empty() && !parse::is_program(request.expression);
  if (front.schedule.workspace && !is_assignment)
    report::fail(Kind::not_supported, front.schedule.workspace->tensor.span,
                 "`workspace` is for a line of index notation", "in a program write `let w(j) = 0;`");
  if (front.schedule.plan && front.schedule.plan->number > 0 && !is_assignment)
    report::fail(Kind::not_supported, front.schedule.plan->span, "`plan` is for a line of index notation",
                 "a program itself says what is computed first");
  const compute::Fills fills = fills_of(request);
  std::string of_result;                     // a local that holds values of the result
  std::optional<parse::AssignmentTree> line; // that gets a workspace
  if (auto text = argument(request.file, request.expression); !request.from.empty()) {
    read_c(request, fills, front);
  } else if (!is_assignment) {
    front.tree = parse::parse_program(text);
    front.computation = compute::make_computation(*front.tree, fills);
  } else {
    parse::AssignmentTree tree = parse::parse_assignment(text);
    compute::WrittenSums sums = compute::written_sums(tree, "sum");
    front.notes_on_sums = sums.notes;
    front.notes_on_sums.insert(front.notes_on_sums.end(), sums.warnings.begin(), sums.warnings.end());
    front.line = compute::text_with_sums(tree, std::move(sums));
    if (front.schedule.workspace) {
      precompute(tree, fills, front);
      line = std::move(tree);
    } else if (std::optional<compute::AsProgram> program = compute::as_program(tree, fills)) {
      set_program(program->tree, fills, front);
      front.tree.reset(); // old values are what the result holds before
      front.written = std::move(program->line);
      of_result = std::move(program->local);
      if (compute::is_argmin(tree) && !tree.target.children.empty()) front.argmin = tree;
    } else {
      front.computation = compute::make_computation(tree, fills);
      front.written = compute::LineOfOld{front.computation, ""};
    }
  }
  front.own_words = words_in(request.from.empty() ? request.expression : front.program);
  if (!of_result.empty()) front.stands_for[of_result] = front.computation.tensors.front().name;
  front.types = front.computation.types;
  for (const auto &[tensor, format] : request.formats) {
    if (front.computation.program.local_tensors.contains(tensor)) {
      load_local(tensor, format, front);
      continue;
    }
    if (std::none_of(front.computation.tensors.begin(), front.computation.tensors.end(),
                     [&](auto &use) { return use.name == tensor; }))
      front.other_formats.push_back(tensor);
  }
  if (!may_get_result_local(request, front)) check_formats(request, front);
  for (const compute::TensorUse &use : front.computation.tensors) {
    auto format = request.formats.find(use.name);
    parse::LayoutReference reference =
        read_reference(use.name, format == request.formats.end() ? "dense" : format->second, front);
    if (!reference.like.empty()) {
      if (!use.is_result)
        report::fail(Kind::bad_structure, reference.span,
                     fmt::format("`{}` is an operand: it has arrays of its own", use.name),
                     fmt::format("`like:` is for the result; write -f {}=LAYOUT", use.name));
      if (!compute::free_statement_of(front.computation.program, use.name))
        report::fail(Kind::bad_structure, reference.span,
                     "a result of a program has a structure of its own so far");
      front.like = reference; // once the operands' layouts are there
      continue;
    }
    load(use.name, reference, use.order, front);
    if (use.is_result) require_values_of_elements(use, reference.span, front);
    if (use.is_result) require_slots_of_argmin(use, front);
    if (use.is_result && !is_assignment) require_beginning(use, front);
    if (use.is_result) list_unless_appended(use.name, front);
  }
  if (front.like) {
    combine::Structure structure = combine::structure_like(front.computation, front.layouts, *front.like);
    front.structure = structure.operand;
    front.layouts.emplace(front.computation.tensors.front().name, std::move(structure.layout));
  }
  if (!of_result.empty()) {
    Front untyped = front;
    settle_types(request, untyped);
    const value::Type result = untyped.types.at(front.computation.tensors.front().name);
    const value::Type own = untyped.types.at(of_result); // of fractions, which are cut as a whole
    front.types[of_result] = value::is_integer(result) && !value::is_integer(own) ? own : result;
  }
  if (line) settle_workspace(request, *line, fills, front);
  settle_types(request, front);
  settle_written(request, front);
  for (const parse::ScheduleTree::Conversion &conversion : front.schedule.conversions)
    convert_operand(request, front, conversion);
  if (front.schedule.drop) find_dropped(front);
  restrict_loops(front.computation.program, front.schedule);
  front.milliseconds = watch.milliseconds();
  return front;
}

Front with_rows_of_argmin(const Request &request, Front front) {
  machine::Stopwatch watch;
  const parse::AssignmentTree line = *front.argmin;
  set_program(compute::with_argmin(line, true), front.computation.program.fills, front);
  front.argmin.reset();
  settle_types(request, front);
  restrict_loops(front.computation.program, front.schedule);
  front.milliseconds += watch.milliseconds();
  return front;
}

/// Does a program look for divisors, which a line doesn't?
static bool looks_for_divisors(const compute::Program &line, const Front &front) {
  bool found = false;
  for (const compute::Statement &term : line.statements)
    value::each_role<compute::Access>(term.value, [&](const compute::Access &read, value::Role role) {
      found = found ||
              (role == value::Role::Divisor && !combine::has_slot_of_each(front.layouts.at(read.tensor)));
    });
  return found;
}

static std::optional<Front> as_line(const Request &request, const Front &front) {
  const auto result = front.layouts.find(front.computation.tensors.front().name);
  if (result == front.layouts.end() || combine::has_slot_of_each(result->second)) return {};
  machine::Stopwatch watch;
  compute::Computation forwarded = front.computation;
  forwarded.program = combine::forward_sums(forwarded);
  std::optional<compute::Computation> line = compute::as_line(forwarded, front.types);
  if (!line || looks_for_divisors(line->program, front)) return {};
  Front made = front;
  made.tree.reset();
  made.line = compute::text_of_line(line->program);
  made.computation = std::move(*line);
  settle_types(request, made);
  made.milliseconds += watch.milliseconds();
  return made;
}

Front with_kept_result(const Request &request, Front front, const std::string &result,
                       const std::string &why) {
  machine::Stopwatch watch;
  const std::size_t order =
      std::ranges::find(front.computation.tensors, result, &compute::TensorUse::name)->order;
  const compute::Fills fills = front.computation.program.fills;
  const std::string local = compute::fresh_tensor(front.computation, result + "_now");
  const double nothing = compute::fill_of(front.computation.program, result).value_or(0);
  front.why += fmt::format("# local {}: {}; its entries are those of {} at the end\n", local, why, result);
  put_program(compute::with_kept_result(std::move(*front.tree), result, local, order, nothing), fills, front);
  front.has_settled_brackets = false; // they are as written in the tree
  front.kept.insert(result);
  front.stands_for[local] = result;
  front.types[local] = front.types.at(result);
  const auto format = request.formats.find(local);
  std::erase(front.other_formats, local);
  load_local(local, format != request.formats.end() ? format->second : layout_of_entries(order), front);
  settle_types(request, front);
  restrict_loops(front.computation.program, front.schedule);
  front.milliseconds += watch.milliseconds();
  return front;
}

std::optional<Front> for_sparse_result(const Request &request, const Front &front) {
  if (std::optional<Front> line = as_line(request, front)) return line;
  if (!front.tree) return std::nullopt;
  for (const compute::TensorUse &use : front.computation.tensors) {
    const auto layout = front.layouts.find(use.name);
    if (!use.is_result || layout == front.layouts.end() || combine::has_slot_of_each(layout->second))
      continue;
    if (const std::string why = compute::why_kept(*front.tree, use.name); !why.empty())
      return with_kept_result(request, front, use.name, why);
  }
  return std::nullopt;
}

Front with_result_local(const Request &request, Front front, const compute::ResultLocal &local,
                        const std::string &why) {
  machine::Stopwatch watch;
  TermPlans planned = plans_of_terms(request, front, &local);
  front.is_planned = !planned.empty();
  const parse::ProgramTree tree =
      compute::with_result_local(front.computation.program, local, std::move(planned.statements));
  front.program = parse::to_text(tree);
  front.why = fmt::format("# local {}({}): {}{}\n{}", local.tensor, fmt::join(local.modes, ", "), why,
                          request.formats.contains(local.tensor) ? "" : local.why, planned.why);
  front.stands_for[local.tensor] = front.computation.program.statements.front().target.tensor;
  set_type_of_local(local.tensor, front);
  put_program(tree, front.computation.program.fills, front);
  const auto format = request.formats.find(local.tensor);
  if (local.is_masked) front.computation.program.masked_locals.insert(local.tensor);
  std::erase(front.other_formats, local.tensor);
  load_local(local.tensor, format == request.formats.end() ? local.layout : format->second, front);
  for (const auto &[buffer, layout] : planned.layouts)
    load_local(buffer, layout, front);
  settle_types(request, front);
  restrict_loops(front.computation.program, front.schedule);
  front.milliseconds += watch.milliseconds();
  return front;
}

} // namespace unravel::pipeline
