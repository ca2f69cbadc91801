#include "pipeline/reuse.h"

#include "choose/assembled.h"
#include "combine/space.h"
#include "compute/build_tree.h"
#include "layout/example.h"
#include "layout/structure.h"
#include "loop/passes.h"
#include "loop/rename.h"
#include "loop/verify.h"
#include "packing/append.h"
#include "pipeline/plans.h"
#include "pipeline/types.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace unravel::pipeline {

using compute::Access;
using compute::Statement;
using layout::Layout;
using report::Kind;

namespace {

[[noreturn]] void refuse(const Front &front, const std::string &why, const std::string &hint) {
  report::fail(Kind::not_supported, front.schedule.reuse->span, "`reuse`: " + why, hint);
}

/// What keeps entries from being collected in a local tensor, from which they come in order: `tile i by 2`
/// and `order j, i`; nothing where the schedule asks for neither.
std::string orders_asked(const parse::ScheduleTree &schedule) {
  using Kind = parse::ScheduleTree::Transformation::Kind;
  static const std::map<Kind, const char *> verbs = {{Kind::Tile, "tile"},   {Kind::Split, "split"},
                                                     {Kind::Skew, "skew"},   {Kind::Shift, "shift"},
                                                     {Kind::Bound, "bound"}, {Kind::Fix, "bound"}};
  std::vector<std::string> asked;
  for (const parse::ScheduleTree::Transformation &transformation : schedule.transformations)
    asked.push_back(fmt::format("`{} {}`", verbs.at(transformation.kind), transformation.span.text()));
  if (!schedule.order.empty()) {
    std::vector<std::string> names;
    for (const parse::Name &name : schedule.order)
      names.push_back(name.text);
    asked.push_back(fmt::format("`order {}`", fmt::join(names, ", ")));
  }
  return fmt::format("{}", fmt::join(asked, " and "));
}

/// The result's layout without its values: 1 where it has an entry.
Layout entries_of(Layout layout) {
  std::erase_if(layout.arrays, [](const layout::Array &array) { return array.is_value; });
  for (layout::Piece &piece : layout.pieces)
    piece.value = {false, "", {}, 1, piece.value.span};
  return layout;
}

/// The line is executed where the result has an entry, whose old value is none of the line's:
///
///     C(i,j) = A(i,j) * B(i,j) mask C_entries(i,j)
void keep_to_entries(compute::Computation &computation, const std::string &result,
                     const std::string &entries) {
  int occurrence = 0;
  computation.program.statements.front().accumulate = false;
  for (Statement &statement : computation.program.statements) {
    Access access = statement.target;
    access.tensor = entries;
    access.fill.reset();
    access.occurrence = ++occurrence;
    statement.masks.push_back({std::move(access)});
  }
  const compute::TensorUse &use = *std::ranges::find(computation.tensors, result, &compute::TensorUse::name);
  computation.tensors.push_back({entries, use.order, false, use.span});
  if (auto extents = computation.program.extents.find(result); extents != computation.program.extents.end())
    computation.program.extents.emplace(entries, extents->second);
}

/// The line with a local tensor for its result, which is read where the result has an entry.
parse::ProgramTree with_local(const compute::Program &line, const compute::ResultLocal &local,
                              const std::string &entries) {
  parse::ProgramTree tree = compute::with_result_local(line, local);
  const auto keep = [&](const auto &self, std::vector<parse::StatementTree> &body) -> void {
    for (parse::StatementTree &statement : body) {
      self(self, statement.body);
      parse::AssignmentTree &assignment = statement.assignment;
      if (statement.kind != parse::StatementTree::Kind::Assign ||
          assignment.target.name.text != line.statements.front().target.tensor)
        continue;
      parse::Expression access = assignment.target;
      access.name.text = entries;
      assignment.mask = assignment.mask
                            ? parse::over(parse::Expression::Kind::And,
                                          {std::move(*assignment.mask), std::move(access)}, assignment.span)
                            : std::move(access);
    }
  };
  keep(keep, tree.body);
  return tree;
}

/// The line, or with a local tensor for its result a program, whose result has given entries. The local is a
/// dense one; one that begins with zeros is zero once it is read: what the line adds to it lies where the
/// result has entries.
Front values_front(const Request &request, Front front, const std::optional<compute::ResultLocal> &local) {
  const std::string result = front.computation.tensors.front().name;
  const std::string entries = compute::fresh_tensor(front.computation, result + "_entries");
  front.stands_for[entries] = result;
  if (local) {
    front.stands_for[local->tensor] = result;
    const compute::Program &line = front.computation.program;
    const bool begins_with_zeros = compute::identity_of(line.statements.front()) == 0;
    set_type_of_local(local->tensor, front);
    put_program(with_local(line, *local, entries), line.fills, front);
    settle_types(request, front);
    if (begins_with_zeros) front.computation.program.zero_once_read.insert(local->tensor);
    std::erase(front.other_formats, local->tensor);
  } else {
    keep_to_entries(front.computation, result, entries);
    front.program = compute::text_of_line(front.computation.program);
  }
  Layout &layout = front.layouts.at(result);
  std::vector<layout::SharedMode> modes;
  for (std::size_t mode = 0; mode < layout.order(); ++mode)
    modes.push_back(mode);
  front.layouts.emplace(entries, entries_of(layout));
  layout = layout::structure_of(layout, modes, front.schedule.reuse->span);
  front.structure = entries;
  return front;
}

} // namespace

Compilation compile_for_reuse(const Request &request, const Front &front) {
  const bool is_line = compute::free_statement_of(front.computation.program,
                                                  front.computation.program.statements.front().target.tensor);
  if (!is_line) refuse(front, "a program can't reuse its structure yet", "write the result as one line");
  const std::string result = front.computation.tensors.front().name;
  const std::string example = layout::example_of_entries(front.computation.tensors.front().order);
  if (!front.structure.empty() || combine::has_slot_of_each(front.layouts.at(result)))
    refuse(front, fmt::format("`{}` already has its structure", result),
           fmt::format("leave out `reuse`; or give `{0}` a layout that lists its entries, -f {0}={1}", result,
                       example));
  Front once = front;
  once.schedule.reuse.reset();
  once.schedule.plan = no_plan; // no buffer's values may matter to the structure
  Request request_of_structure = request, request_of_values = request;
  request_of_structure.name += "_structure";
  request_of_values.name += "_values";
  Compilation made = compile(request_of_structure, once);
  if (const std::string asked = orders_asked(front.schedule);
      !made.packed.empty() && !front.packed.contains(result) && !asked.empty())
    refuse(front,
           fmt::format("with {} the entries of `{}` come in another order, and are packed after the kernel",
                       asked, result),
           fmt::format("leave out {} or `reuse`", asked));
  if (!made.packed.empty())
    refuse(front, fmt::format("`{}` is packed after the kernel", result),
           fmt::format("choose a layout that entries can be appended to, as -f {}={}", result, example));
  if (!packing::append_of(front.layouts.at(result)).merges)
    refuse(front, fmt::format("`{}` may have several entries of one coordinate", result),
           fmt::format("choose a layout that has each once, as -f {}={}", result, example));
  made.program = loop::without_values(std::move(made.program));
  made.program.expression += ", the structure alone";
  loop::verify(made.program);

  const bool has_vector = std::ranges::any_of(
      made.combination.locals, [](const combine::LocalTensor &local) { return local.around > 0; });
  std::optional<compute::ResultLocal> local;
  if (has_vector)
    local = choose::local_for_result(combine::combine(front.computation, front.layouts), front.computation,
                                     request.counts);
  Front for_values = values_front(request, front, local);
  for_values.schedule.reuse.reset();
  auto values = std::make_shared<Compilation>(compile(request_of_values, for_values));
  loop::join_parameters(values->program, for_values.structure, result);
  values->program.expression += ", the values of the structure that is there";
  loop::verify(values->program);
  for (Stage stage : values->stages) {
    stage.name = "values: " + stage.name;
    made.stages.push_back(std::move(stage));
  }
  made.values = std::move(values);
  return made;
}

} // namespace unravel::pipeline
