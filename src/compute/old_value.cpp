#include "compute/old_value.h"

#include "compute/build_tree.h"
#include "compute/taken_names.h"
#include "text/contains.h"

#include <algorithm>
#include <functional>

namespace unravel::compute {

using parse::Expression;
using parse::StatementTree;
using term::Term;
using AssignOp = parse::AssignmentTree::Operator;

namespace {

bool is_plain(const Subscript &subscript) {
  return subscript.shift == 0;
}

bool reads_old(const Statement &term) {
  return reads(term, term.target.tensor);
}

class OldValueWriter {
public:
  OldValueWriter(const Computation &line, TakenNames taken)
      : line_(line), terms_(line.program.statements), first_(terms_.front()), taken_(std::move(taken)) {
    indices_ = names(indices_of(first_.target), first_.span);
    if (std::ranges::any_of(terms_, [](const Statement &term) { return !has_plain_subscripts(term); }))
      name_sizes();
  }

  ProgramOfOld program() {
    made_.operators = line_.program.operators;
    made_.span = first_.span;
    const bool stays_in_place = std::ranges::all_of(
        terms_, [&](const Statement &term) { return !reads_old(term) || is_of_each_element(term); });
    if (stays_in_place)
      set_in_place();
    else
      copy_old_values();
    for (const Statement &term : terms_)
      if (!reads_old(term) || !stays_in_place) add(term);
    return {std::move(made_), stays_in_place ? new_ : old_};
  }

private:
  /// Is there one point of the term for each element of the result?
  bool is_of_each_element(const Statement &term) const {
    return term.masks.empty() && term::is_true(term.condition) && has_plain_subscripts(term) &&
           term.indices.size() == first_.target.subscripts.size();
  }

  void set_in_place() {
    new_ = taken_.fresh("new");
    const Expression sum = access_expression({new_, first_.span}, {});
    std::vector<StatementTree> body{assign(StatementTree::Kind::Local, AssignOp::Set, sum,
                                           number_expression(identity_of(first_), first_.span))};
    for (const Statement &term : terms_)
      if (reads_old(term)) body.push_back(assigned(term, sum, expression_of(term.value, term), true));
    body.push_back(assigned(first_, expression_of(first_.target), sum, first_.accumulate));
    append(made_.body, in_loops(indices_, std::move(body)));
  }

  void copy_old_values() {
    old_ = taken_.fresh("old");
    const Expression target = expression_of(first_.target);
    made_.body.push_back(assign(StatementTree::Kind::Local, AssignOp::Set,
                                access_expression({old_, first_.span}, indices_), target));
    if (!first_.accumulate)
      append(made_.body, in_loops(indices_, {assign(StatementTree::Kind::Assign, AssignOp::Set, target,
                                                    number_expression(identity_of(first_), first_.span))}));
  }

  /// Adds it to the result, or reduces that by it.
  void add(Statement term) {
    std::vector<Term> conditions{term.condition};
    std::map<std::string, std::pair<Term, Term>> ranges; // of indices that no tensor has by themselves
    each_access(term, [&](const Access &access) {
      for (std::size_t mode = 0; mode < access.subscripts.size(); ++mode)
        if (const Subscript &subscript = access.subscripts[mode]; !is_plain(subscript)) {
          const Term size = term::variable(sizes_.at(place(access.tensor, mode)));
          if (!has_plain(term, subscript.index))
            ranges.emplace(subscript.index, std::pair(Term(0), size - Term(subscript.shift)));
          if (subscript.shift < 0) conditions.push_back(term::at_most(Term(0), subscript.value));
          conditions.push_back(term::less(subscript.value, size));
        }
    });
    term.condition = term::conjunction(std::move(conditions));
    if (!old_.empty())
      value::each_leaf<Access>(term.value, [&](Access &access) {
        if (access.tensor == first_.target.tensor) access.tensor = old_;
      });
    std::vector<StatementTree> body{
        assigned(term, expression_of(term.target), expression_of(term.value, term), true)};
    for (std::size_t k = term.indices.size(); k-- > 0;) {
      body = in_loops(names({term.indices[k]}, term.span), std::move(body));
      if (const auto range = ranges.find(term.indices[k]); range != ranges.end()) {
        body.front().low = term_expression(range->second.first, term.span);
        body.front().high = term_expression(range->second.second, term.span);
      }
    }
    append(made_.body, std::move(body));
  }

  static bool has_plain(const Statement &term, const std::string &index) {
    bool found = false;
    each_access(term, [&](const Access &access) {
      for (const Subscript &subscript : access.subscripts)
        found = found || (is_plain(subscript) && subscript.index == index);
    });
    return found;
  }

  // ---- extents, which conditions on shifted subscripts need by name

  static std::string place(const std::string &tensor, std::size_t mode) {
    return tensor + "." + std::to_string(mode);
  }

  /// All tensors are declared: modes that an index subscripts by itself have one extent.
  void name_sizes() {
    std::map<std::string, std::string> of_index;
    for (const TensorUse &tensor : line_.tensors)
      for (std::size_t mode = 0; mode < tensor.order; ++mode)
        sizes_.emplace(place(tensor.name, mode), place(tensor.name, mode));
    for (const Statement &term : terms_)
      each_access(term, [&](const Access &access) {
        for (std::size_t mode = 0; mode < access.subscripts.size(); ++mode) {
          if (!is_plain(access.subscripts[mode])) continue;
          const std::string size = sizes_.at(place(access.tensor, mode));
          const std::string same = of_index.emplace(access.subscripts[mode].index, size).first->second;
          for (auto *all : {&sizes_, &of_index})
            for (auto &each : *all)
              if (each.second == size) each.second = same;
        }
      });
    std::map<std::string, std::string> named;
    for (auto &[mode, size] : sizes_) {
      const auto [known, is_new] = named.emplace(size, "");
      if (is_new) known->second = taken_.fresh("n");
      size = known->second;
    }
    for (const TensorUse &tensor : line_.tensors) {
      parse::TensorTree declared{{tensor.name, first_.span}, {}};
      for (std::size_t mode = 0; mode < tensor.order; ++mode)
        declared.extents.push_back(access_expression({sizes_.at(place(tensor.name, mode)), first_.span}, {}));
      if (tensor.order > 0) made_.tensors.push_back(std::move(declared));
    }
  }

  const Computation &line_;
  const std::vector<Statement> &terms_;
  const Statement &first_;
  TakenNames taken_;
  std::vector<parse::Name> indices_;         // the target's
  std::map<std::string, std::string> sizes_; // by tensor and mode
  std::string old_;                          // the local with the old values, or empty
  std::string new_;                          // the one with an element's new value, or empty
  parse::ProgramTree made_;
};

} // namespace

bool reads_old_value(const Program &line) {
  return std::ranges::any_of(line.statements, reads_old);
}

LineOfOld with_old_operand(const parse::AssignmentTree &tree, Computation line) {
  const std::string result = line.program.statements.front().target.tensor;
  LineOfOld made{std::move(line), TakenNames(tree).fresh("old")};
  std::vector<TensorUse> &tensors = made.line.tensors;
  const TensorUse of_result = *std::ranges::find(tensors, result, &TensorUse::name);
  tensors.push_back({made.old, of_result.order, false, of_result.span});
  for (Statement &term : made.line.program.statements)
    value::each_leaf<Access>(term.value, [&](Access &access) {
      if (access.tensor == result) access.tensor = made.old;
    });
  return made;
}

ProgramOfOld with_old_value(const parse::AssignmentTree &tree, const Computation &line) {
  return OldValueWriter(line, TakenNames(tree)).program();
}

} // namespace unravel::compute
