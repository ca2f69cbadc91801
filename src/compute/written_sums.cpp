#include "compute/written_sums.h"

#include "compute/own_operators.h"
#include "compute/subscripts.h"
#include "parse/parse.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <utility>

namespace unravel::compute {

using parse::Expression;
using ExpressionKind = Expression::Kind;
using Indices = std::set<std::string>;
using AssignOp = parse::AssignmentTree::Operator;

namespace {

Indices texts_of(const std::vector<parse::Name> &names) {
  Indices texts;
  for (const parse::Name &name : names)
    texts.insert(name.text);
  return texts;
}

Indices both(const Indices &one, const Indices &other) {
  Indices made;
  std::ranges::set_intersection(one, other, std::inserter(made, made.end()));
  return made;
}

bool is_sum(const Expression &written) {
  return written.kind == ExpressionKind::Add || written.kind == ExpressionKind::Subtract;
}
bool is_product(const Expression &written) {
  return written.kind == ExpressionKind::Multiply || written.kind == ExpressionKind::Divide;
}

class SumWriter {
public:
  SumWriter(const Indices &all, const Operators &operators, std::string reduction)
      : all_(all), operators_(operators), reduction_(std::move(reduction)) {}

  /// The expression with the sums over those indices, each of which it uses, or its mask.
  Expression with_sums(Expression written, const Indices &open) {
    if (open.empty()) return written;
    if (is_sum(written) || written.kind == ExpressionKind::Negate) {
      for (Expression &term : written.children) {
        const Indices used = used_in(term);
        Indices of_term = open;
        std::erase_if(of_term,
                      [&](auto &index) { return !used.contains(index) && !of_mask_.contains(index); });
        term = with_sums(std::move(term), of_term);
      }
      return written;
    }
    Indices here = open;
    if (is_product(written)) {
      std::vector<Factor> factors;
      collect(written, false, factors);
      std::size_t summed = 0;
      for (Factor &factor : factors) {
        const Indices inside = summed_inside(factor, factors, open);
        has_several_ = has_several_ || (!inside.empty() && ++summed > 1);
        for (const std::string &index : inside)
          here.erase(index);
        *factor.written = with_sums(std::move(*factor.written), inside);
      }
      if (!here.empty()) note_brackets(factors, here);
    }
    return here.empty() ? written : reduced(std::move(written), here);
  }

  Expression reduced(Expression written, const Indices &over) {
    note_arguments(written, over);
    Expression call;
    call.kind = ExpressionKind::Call;
    call.span = written.span;
    call.name = {reduction_, written.span};
    for (const std::string &index : over) {
      Expression name;
      name.kind = ExpressionKind::Name;
      name.name = {index, written.span};
      call.children.push_back(std::move(name));
    }
    call.children.push_back(std::move(written));
    return call;
  }

  Indices used_in(const Expression &written) const {
    std::vector<parse::Name> names;
    add_names(written, names);
    return both(texts_of(names), all_);
  }

  void set_mask(const Indices &used) { of_mask_ = used; }
  const std::vector<std::string> &notes() const { return notes_; }
  const std::vector<std::string> &warnings() const { return warnings_; }
  bool has_several() const { return has_several_; }

private:
  struct Factor {
    Expression *written;
    bool is_divisor;
  };

  static void collect(Expression &written, bool is_divisor, std::vector<Factor> &factors) {
    if (!is_product(written)) return factors.push_back({&written, is_divisor});
    for (std::size_t k = 0; k < written.children.size(); ++k)
      collect(written.children[k], is_divisor != (written.kind == ExpressionKind::Divide && k > 0), factors);
  }

  /// Those that this bracket alone uses.
  Indices summed_inside(const Factor &factor, const std::vector<Factor> &factors, const Indices &open) const {
    if (factor.is_divisor || !is_sum(*factor.written)) return {};
    Indices inside = both(open, used_in(*factor.written));
    for (const Factor &other : factors)
      if (other.written != factor.written)
        for (const std::string &index : used_in(*other.written))
          inside.erase(index);
    return inside;
  }

  void note_brackets(const std::vector<Factor> &factors, const Indices &here) {
    for (const std::string &index : here) {
      std::size_t brackets = 0;
      const Expression *lacking = nullptr;
      for (const Factor &factor : factors) {
        if (!is_sum(*factor.written) || !used_in(*factor.written).contains(index)) continue;
        ++brackets;
        each_term(*factor.written, [&](const Expression &term) {
          if (!lacking && !used_in(term).contains(index)) lacking = &term;
        });
      }
      if (brackets > 1 && lacking)
        notes_.push_back(fmt::format(
            "`{0}` stands in both brackets, so it is summed over their product, where `{1}` counts "
            "for each {0}; a sum in each bracket has an index of its own",
            index, parse::to_text(*lacking)));
    }
  }

  template <class Visit> static void each_term(const Expression &written, const Visit &visit) {
    if (!is_sum(written)) return visit(written);
    for (const Expression &child : written.children)
      each_term(child, visit);
  }

  /// Calls `visit` with each outermost function.
  template <class Visit> void each_function(const Expression &written, const Visit &visit) const {
    if (written.kind == ExpressionKind::Call && operators_.called(written.name.text)) return visit(written);
    for (const Expression &child : written.children)
      each_function(child, visit);
  }

  Indices used_outside_functions(const Expression &written) const {
    if (written.kind == ExpressionKind::Call && operators_.called(written.name.text)) return {};
    if (written.kind == ExpressionKind::Name || written.kind == ExpressionKind::Call) return used_in(written);
    Indices found;
    for (const Expression &child : written.children)
      found.merge(used_outside_functions(child));
    return found;
  }

  void note_arguments(const Expression &term, const Indices &over) {
    const Indices outside = used_outside_functions(term);
    for (const std::string &index : over) {
      if (outside.contains(index)) continue;
      each_function(term, [&](const Expression &function) {
        for (const Expression &argument : function.children)
          if ((is_sum(argument) || is_product(argument)) && used_in(argument).contains(index))
            warnings_.push_back(fmt::format(
                "`{0}` stands only inside `{1}`, so what is summed over it is the function's value; "
                "to sum `{2}` first, compute it into a tensor of its own",
                index, function.name.text, parse::to_text(argument)));
      });
    }
  }

  const Indices &all_;
  const Operators &operators_;
  std::string reduction_;
  Indices of_mask_;
  std::vector<std::string> notes_, warnings_;
  bool has_several_ = false;
};

} // namespace

WrittenSums written_sums(const parse::AssignmentTree &line, const std::string &name) {
  WrittenSums made{line.value};
  if (line.semiring) return made;
  const Operators operators(line.operators);
  const Indices all = texts_of(subscripts_of(line, operators));
  const bool is_sum = line.op == AssignOp::Set || line.op == AssignOp::Add || line.op == AssignOp::Subtract;
  SumWriter writer(all, operators,
                   is_sum                          ? name
                   : line.op == AssignOp::Multiply ? "product"
                                                   : line.reduction.text);
  Indices open = writer.used_in(line.value);
  if (line.mask) {
    writer.set_mask(writer.used_in(*line.mask));
    open.merge(writer.used_in(*line.mask));
  }
  const Indices of_result = writer.used_in(line.target);
  std::erase_if(open, [&](const std::string &index) { return of_result.contains(index); });
  if (is_sum)
    made.value = writer.with_sums(line.value, open);
  else if (!open.empty())
    made.value = writer.reduced(line.value, open);
  made.notes = writer.notes();
  made.warnings = writer.warnings();
  made.has_several = writer.has_several();
  return made;
}

std::string text_with_sums(const parse::AssignmentTree &line, WrittenSums sums) {
  parse::AssignmentTree made = line;
  made.value = std::move(sums.value);
  std::string text = parse::to_text(made) + "\n";
  for (const std::string &note : sums.notes)
    text += "# note: " + note + "\n";
  for (const std::string &warning : sums.warnings)
    text += "# warning: " + warning + "\n";
  return text;
}

} // namespace unravel::compute
