#include "pipeline/brackets.h"

#include "combine/space.h"
#include "compute/argmin.h"
#include "compute/brackets.h"
#include "compute/build_tree.h"
#include "compute/counted.h"
#include "compute/reduced_in_local.h"
#include "compute/reduced_parts.h"
#include "pipeline/conversions.h"
#include "pipeline/types.h"
#include "report/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::pipeline {

namespace {

using compute::Brackets;

/// Does the find walk its operand in the order of the loops, or compute where it stands? So it does where a
/// map holds a segment of the operand, or all of one with a single mode.
bool is_in_order(const plan::LevelPlan &find) {
  if (const plan::FilledMap *map = find.filled_map()) return map->level > 0 || map->keys.size() == 1;
  return std::ranges::any_of(find.candidates, [](const plan::Candidate &candidate) {
    return candidate.proved &&
           (candidate.method == plan::Method::Sequential || candidate.method == plan::Method::Direct ||
            candidate.method == plan::Method::Probe);
  });
}

bool finds_in_order(const Compilation &made) {
  return std::ranges::all_of(
      made.leaves, [](const Leaf &leaf) { return std::ranges::all_of(leaf.plan.finds.levels, is_in_order); });
}

bool is_loop(const scan::Level &level) {
  return level.is_loop();
}

/// The operands that are looked for at all points, as they may be stored there several times, or of which a
/// segment is tried at each point position by position.
std::set<std::string> looked_up_dearly(const Compilation &made) {
  std::set<std::string> tensors;
  const auto lists_entries = [&](const combine::Operand &operand) {
    const auto layout = made.layouts.find(operand.tensor);
    return layout != made.layouts.end() && !combine::has_slot_of_each(layout->second);
  };
  for (const combine::IterationSpace &space : made.combination.leaves)
    if (std::ranges::none_of(space.operands, lists_entries))
      for (const combine::Lookup &lookup : space.lookups)
        if (lookup.wanted != combine::Lookup::Wanted::Absence) tensors.insert(lookup.tensor);
  for (const Leaf &leaf : made.leaves)
    for (const plan::LevelPlan &find : leaf.plan.finds.levels) {
      const std::vector<scan::Level> &levels = leaf.plan.nest.levels;
      const auto level = levels.begin() + static_cast<std::ptrdiff_t>(find.level);
      if (find.method() == plan::Method::Scan && std::any_of(levels.begin(), level, is_loop))
        tensors.insert(operand_of(level->tensor));
    }
  return tensors;
}

class Settler {
public:
  Settler(const Request &request, const Front &front) : request_(request), front_(front) {
    for (const compute::Statement &statement : front.computation.program.statements)
      for (const compute::Value &term : compute::reduced_parts(statement))
        found_.insert(kind_of(statement, term));
    found_.erase(Brackets::Kept);
  }

  std::optional<Compilation> compile() const {
    if (compute::is_reduced_before_conversion(front_.computation.program, front_.computation.types))
      return compile_converted();
    if (auto counted = report::unless_refused([&] { return compile_counted(); }); counted && *counted)
      return std::move(*counted);
    if (found_.empty()) return std::nullopt;
    const bool as_written = front_.schedule.brackets.has_value();
    const std::set<Brackets> dear = as_written ? std::set<Brackets>{} : std::set{Brackets::Out};
    const auto compile_written = [&] {
      return multiplied_out(dear, "walking the bracket would visit elements that aren't stored");
    };
    if (as_written || found_ == dear) return compile_written();
    report::Diagnostic refused;
    std::optional<Compilation> made = report::unless_refused(compile_written, &refused);
    const bool is_one = found_.contains(Brackets::OneOrOut);
    if (made && (is_one ? finds_in_order(*made) : !made->has_scans())) return made;
    if (is_one)
      if (auto out = report::unless_refused([&] {
            return multiplied_out({Brackets::Out, Brackets::OneOrOut},
                                  "the layouts of the bracket's terms have no common order");
          }))
        return out;
    if (auto collected = report::unless_refused([&] { return compile_collected(); }); collected && *collected)
      return std::move(*collected);
    if (!made) throw report::Error(refused);
    return made;
  }

private:
  Brackets kind_of(const compute::Statement &statement, const compute::Value &term) const {
    const Brackets kind = compute::brackets_of(statement, term, total_);
    const bool is_exact =
        value::is_integer(statement.type) && compute::may_convert_terms(statement, statement.types);
    return kind == Brackets::OneOrOut && is_exact ? Brackets::Out : kind;
  }

  Front settled() const {
    Front made = front_;
    made.has_settled_brackets = true;
    return made;
  }

  /// Terms of these kinds are multiplied out, the others computed as they are written.
  Compilation multiplied_out(const std::set<Brackets> &kinds, const std::string &why) const {
    Front made = settled();
    std::string terms;
    made.computation.program =
        compute::multiplied_out(front_.computation.program, [&](const auto &statement, const auto &term) {
          if (!kinds.contains(kind_of(statement, term))) return false;
          terms += fmt::format("{}`{}`", terms.empty() ? "" : ", ", compute::to_text(term));
          return true;
        });
    const std::string note = terms.empty() ? "" : fmt::format("multiplied out: {}: {}", terms, why);
    const compute::Program &line = made.computation.program;
    const bool is_whole =
        terms.empty() || !is_line() || compute::may_convert_terms(line.statements.front(), front_.types);
    return with_note(
        is_whole ? pipeline::compile(request_, made) : Settler(request_, made).compile_converted(), note);
  }

  static Compilation with_note(Compilation made, const std::string &note) {
    if (!note.empty()) made.notes.push_back(note);
    return made;
  }

  bool is_line() const {
    return std::ranges::all_of(front_.computation.program.statements, &compute::Statement::is_free);
  }

  /// What is counted is all of an index, not the part of it that a schedule asks for.
  bool is_bounded() const {
    return std::ranges::any_of(front_.schedule.transformations, [](const auto &each) {
      return each.kind == parse::ScheduleTree::Transformation::Kind::Bound;
    });
  }

  void put(const parse::ProgramTree &program, const std::string &why, Front &made) const {
    const compute::Program &own = front_.computation.program;
    put_program(program, front_.tree ? own.fills : fills_with_initial(own), made);
    made.why = "# " + why + "\n";
  }

  Compilation compile_program(Front made) const {
    settle_types(request_, made);
    restrict_loops(made.computation.program, made.schedule);
    return pipeline::compile(request_, made);
  }

  /// An `argmin` as two lines.
  compute::Program lines_of(const parse::AssignmentTree &argmin, compute::TakenNames &taken) const {
    const auto [best, coordinate] = compute::lines_of_argmin(argmin, taken);
    compute::Program all = line_of(best);
    all.local_tensors[best.target.name.text] = 0;
    for (compute::Statement &statement : line_of(coordinate).statements)
      all.statements.push_back(std::move(statement));
    for (compute::Statement &statement : all.statements)
      statement.accumulate = false;
    return all;
  }

  compute::Program line_of(const parse::AssignmentTree &tree) const {
    Front made = front_;
    made.computation = compute::make_computation(tree, front_.computation.program.fills);
    settle_types(request_, made);
    made.computation.program.extents = front_.computation.program.extents;
    return std::move(made.computation.program);
  }

  /// A line of the program may read what the program is given, by the line's own indices alone.
  bool reads_operands(const compute::Program &lines) const {
    bool all = true;
    for (const compute::Statement &line : lines.statements)
      compute::each_read(line, [&](const compute::Access &access) {
        const auto use =
            std::ranges::find(front_.computation.tensors, access.tensor, &compute::TensorUse::name);
        const bool is_operand = use != front_.computation.tensors.end() && !use->is_result;
        all = all && (is_operand || lines.local_tensors.contains(access.tensor));
      });
    return all;
  }

  struct Locals {
    std::map<std::string, std::string> operands; // that locals hold
    std::map<std::string, value::Type> types;    // of all
  };

  /// `dear`: operands that are collected in local tensors.
  std::optional<parse::ProgramTree> counted_rest(const compute::Program &lines, compute::TakenNames &taken,
                                                 const std::set<std::string> &dear, Locals &locals) const {
    const auto other = compute::with_collected_operands(lines, taken, dear);
    if (!other) return {};
    const auto is_total = [&](const compute::Access &access) {
      const auto is_one = [&](const auto &each) { return each.second == access.tensor; };
      return std::ranges::none_of(other->locals, is_one) && total_(access);
    };
    auto counted = compute::with_counted_rest(other->lines, taken, is_total);
    if (!counted) return {};
    const value::Type target = compute::type_of(front_.types, lines.statements.back().target.tensor);
    for (const std::string &count : counted->counts)
      locals.types[count] = value::is_integer(target) ? value::Type::Int64 : value::Type::Float64;
    for (const std::string &coordinate : counted->coordinates)
      locals.types[coordinate] = value::Type::Int64;
    if (!counted->sum.empty()) locals.types[counted->sum] = target;
    for (const auto &[operand, local] : other->locals) {
      locals.operands[local] = operand;
      locals.types[local] = compute::type_of(front_.types, operand);
    }
    return std::move(counted->program);
  }

  /// The program with its lines of `argmin` counted.
  std::optional<parse::ProgramTree> counted_lines(const std::set<std::string> &dear, Locals &locals) const {
    compute::TakenNames taken(*front_.tree);
    std::map<std::string, parse::TensorTree> declared;
    const auto made_of =
        [&](const parse::AssignmentTree &argmin) -> std::optional<std::vector<parse::StatementTree>> {
      const auto lines = report::unless_refused([&] { return lines_of(argmin, taken); });
      if (!lines || !reads_operands(*lines)) return {};
      auto counted = counted_rest(*lines, taken, dear, locals);
      if (!counted) return {};
      for (parse::TensorTree &tensor : counted->tensors)
        declared.emplace(tensor.name.text, std::move(tensor));
      return std::move(counted->body);
    };
    auto program = compute::with_lines_of_argmin(*front_.tree, made_of);
    if (!program) return {};
    for (const parse::TensorTree &tensor : front_.tree->tensors)
      declared.erase(tensor.name.text);
    for (auto &[name, tensor] : declared)
      program->tensors.push_back(std::move(tensor));
    return program;
  }

  /// The same of the line.
  std::optional<parse::ProgramTree> counted_line(const std::set<std::string> &dear, Locals &locals) const {
    const auto written = front_.argmin ? front_.argmin : compute::assignment_of(front_.computation.program);
    if (!written) return {};
    compute::TakenNames taken(*written);
    return counted_rest(front_.argmin ? lines_of(*front_.argmin, taken) : front_.computation.program, taken,
                        dear, locals);
  }

  std::optional<Compilation> compile_counted(const std::set<std::string> &dear) const {
    Locals locals;
    const auto program = front_.tree ? counted_lines(dear, locals) : counted_line(dear, locals);
    if (!program || (locals.operands.empty() && !dear.empty())) return {};
    Front made = front_;
    made.argmin.reset();
    for (const auto &[local, type] : locals.types)
      made.types[local] = type;
    made.stands_for.insert(locals.operands.begin(), locals.operands.end());
    std::string why = "what isn't stored is counted: its terms are all the same";
    for (const auto &[local, operand] : locals.operands)
      why += fmt::format("; {} holds {}, each coordinate once", local, operand);
    put(*program, why, made);
    for (const auto &[local, operand] : locals.operands)
      load_local(local, layout_of_entries(front_.layouts.at(operand).order()), made);
    return compile_program(std::move(made));
  }

  std::optional<Compilation> compile_counted() const {
    if (!front_.structure.empty() || is_bounded() || !(front_.tree || front_.argmin || is_line())) return {};
    report::Diagnostic refused;
    auto made = report::unless_refused([&] { return compile_counted({}); }, &refused);
    if (made && !*made) return {};
    std::set<std::string> dear;
    if (made)
      dear = looked_up_dearly(**made);
    else
      for (const compute::TensorUse &use : front_.computation.tensors)
        if (!use.is_result && !combine::has_slot_of_each(front_.layouts.at(use.name))) dear.insert(use.name);
    if (!dear.empty())
      if (auto other = report::unless_refused([&] { return compile_counted(dear); }); other && *other)
        return std::move(*other);
    if (!made) throw report::Error(refused);
    return std::move(*made);
  }

  /// Precondition: the line's value is converted after it is reduced.
  Compilation compile_converted() const {
    const compute::Statement &first = front_.computation.program.statements.front();
    const std::string &result = first.target.tensor;
    const auto layout = front_.layouts.find(result);
    const bool is_dense = layout == front_.layouts.end() || combine::has_slot_of_each(layout->second);
    const bool has_entries = !is_dense && first.by == value::Operator::Add && front_.structure.empty();
    auto reduced =
        is_dense || has_entries ? compute::reduced_in_local(front_.computation.program) : std::nullopt;
    if (!reduced) fail_converted(first, "");
    Front made = settled();
    put(reduced->program, "the whole is converted after it is reduced", made);
    if (!is_dense && reduced->order > 0) load_local(reduced->local, layout_of_entries(reduced->order), made);
    made.types[reduced->local] = first.type;
    made.stands_for[reduced->local] = result;
    for (parse::ScheduleTree::Reduce &reduction : made.schedule.reductions)
      if (reduction.target.text == result) reduction.target.text = reduced->local;
    report::Diagnostic refused;
    auto compiled = report::unless_refused([&] { return compile_program(std::move(made)); }, &refused);
    if (!compiled && refused.kind == report::Kind::not_parallel)
      fail_converted(first, " by a loop in parallel");
    if (!compiled) throw report::Error(refused);
    return std::move(*compiled);
  }

  std::optional<Compilation> compile_collected() const {
    if (!is_line()) return {};
    const auto collected = compute::with_collected_brackets(front_.computation.program, total_);
    if (!collected) return {};
    Front made = settled();
    const std::string why = "brackets are summed in local tensors first: their terms have no common order";
    put(collected->program, why, made);
    for (const auto &[local, order] : collected->locals) {
      load_local(local, layout_of_entries(order), made);
      made.types[local] = front_.computation.program.statements.front().type;
    }
    return with_note(compile_program(std::move(made)), why);
  }

  const Request &request_;
  const Front &front_;
  const compute::IsTotal total_ = [this](const compute::Access &access) {
    const auto layout = front_.layouts.find(access.tensor);
    return layout == front_.layouts.end() || combine::has_slot_of_each(layout->second);
  };
  std::set<Brackets> found_;
};

} // namespace

std::optional<Compilation> compile_with_brackets(const Request &request, const Front &front) {
  if (front.has_settled_brackets) return std::nullopt;
  return Settler(request, front).compile();
}

} // namespace unravel::pipeline
