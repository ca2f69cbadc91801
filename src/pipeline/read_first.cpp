#include "pipeline/read_first.h"

#include "combine/structure.h"
#include "compute/build_tree.h"
#include "compute/taken_names.h"
#include "parse/parse.h"
#include "pipeline/types.h"
#include "report/diagnostic.h"

#include <fmt/format.h>
#include <map>
#include <tuple>

namespace unravel::pipeline {

using parse::AssignmentTree;
using parse::Expression;
using parse::StatementTree;

namespace {

bool is_at(const text::Span &span, const text::Place &place) {
  const text::Place at = span.place();
  return std::tie(at.file, at.line, at.column) == std::tie(place.file, place.line, place.column);
}

class Rewriting {
public:
  Rewriting(const Front &front, const text::Place &refused)
      : front_(front), refused_(refused), taken_(*front.tree) {}

  /// Puts the scalars in front of the refused statements. Says whether there are any.
  bool rewrite(std::vector<StatementTree> &body) {
    bool is_other = false;
    std::vector<StatementTree> made;
    for (StatementTree &statement : body) {
      is_other = rewrite(statement.body) || is_other;
      if (statement.kind == StatementTree::Kind::Assign && is_at(statement.assignment.span, refused_)) {
        const std::size_t before = made.size();
        read_first(statement.assignment.value, statement.assignment.target.name.text, made);
        is_other = is_other || made.size() > before;
      }
      made.push_back(std::move(statement));
    }
    body = std::move(made);
    return is_other;
  }

  const std::string &why() const { return why_; }
  /// By scalar, what it holds.
  const std::map<std::string, std::string> &texts() const { return texts_; }

private:
  bool has_entries(const std::string &tensor) const {
    const auto layout = front_.layouts.find(tensor);
    return layout != front_.layouts.end() && !combine::has_slot_of_each(layout->second);
  }

  void read_first(Expression &written, const std::string &target, std::vector<StatementTree> &made) {
    const std::string tensor = written.name.text;
    if (written.kind != Expression::Kind::Call || tensor == target || !has_entries(tensor)) {
      for (Expression &child : written.children)
        read_first(child, target, made);
      return;
    }
    const std::string scalar = taken_.fresh(tensor + "_read");
    texts_[scalar] = parse::to_text(written);
    why_ += fmt::format("# scalar {}: `{}` is needed where it isn't stored, too\n", scalar, texts_[scalar]);
    const Expression name = compute::access_expression({scalar, written.span}, {});
    made.push_back(
        compute::assign(StatementTree::Kind::Local, AssignmentTree::Operator::Set, name, std::move(written)));
    written = name;
  }

  const Front &front_;
  const text::Place &refused_;
  compute::TakenNames taken_;
  std::string why_;
  std::map<std::string, std::string> texts_;
};

/// Nothing where another thing was refused, or where there is nothing to read first.
std::optional<Front> reading_first(const Request &request, const Front &front,
                                   const report::Diagnostic &refused) {
  if (!front.tree || refused.kind != report::Kind::not_a_product) return std::nullopt;
  parse::ProgramTree tree = *front.tree;
  Rewriting rewriting(front, refused.place);
  if (!rewriting.rewrite(tree.body)) return std::nullopt;
  Front made = front;
  const std::vector<compute::TensorUse> tensors = front.computation.tensors; // they keep their order
  made.why += rewriting.why();
  made.stands_for.insert(rewriting.texts().begin(), rewriting.texts().end());
  put_program(tree, front.computation.program.fills, made);
  made.computation.tensors = tensors;
  settle_types(request, made);
  restrict_loops(made.computation.program, made.schedule);
  return made;
}

} // namespace

Compilation with_reads_first(const Request &request, const Front &front,
                             const std::function<Compilation()> &make) {
  report::Diagnostic refused;
  if (std::optional<Compilation> made = report::unless_refused(make, &refused)) return std::move(*made);
  if (const std::optional<Front> other = reading_first(request, front, refused))
    if (auto made = report::unless_refused([&] { return compile(request, *other); })) return std::move(*made);
  throw report::Error(refused);
}

} // namespace unravel::pipeline
