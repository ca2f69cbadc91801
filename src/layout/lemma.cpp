// Lemmas that follow from the properties, proved once when a layout is read: orders by induction over
// positions, ranges of sorted pointer arrays with known ends.
#include "layout/layout.h"
#include "layout/property.h"
#include "layout/resolve.h"
#include "term/solve.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::layout {

using term::Term;

namespace {

/// What holds under the guard of a call f(argument) of a one-dimensional array: it is a term without calls,
/// at least that, or at most.
struct EndFact {
  std::string function;
  Term call;
  Term value;
  bool is_lower, is_upper; // bound; of an equation both
  Term guard;
  Term formula;
  std::string text;
};

std::vector<EndFact> end_facts(const std::vector<prove::Axiom> &axioms) {
  std::vector<EndFact> facts;
  for (const prove::Axiom &axiom : axioms) {
    if (!axiom.variables.empty()) continue;
    for (const Term &part : term::conjuncts(axiom.conclusion)) {
      const Term *equation = term::equation(part);
      const Term *left = equation ? equation : term::inequality(part);
      const std::vector<Term> calls = term::applications_of(part);
      if (!left || calls.size() != 1) continue;
      for (const auto &[atom, coefficient] : term::linear_form(*left).parts)
        if (atom == calls[0] && (coefficient == 1 || coefficient == -1)) {
          const Term value = coefficient == 1 ? calls[0] - *left : calls[0] + *left;
          facts.push_back({atom.as<term::Apply>()->function, atom, value, equation || coefficient == 1,
                           equation || coefficient == -1, axiom.guard, part, axiom.text});
        }
    }
  }
  return facts;
}

/// Orders by induction. The rule: let R be transitive. If f(p) R f(p + 1) for all neighbours p, p + 1 of a
/// range, then f(p) R f(q) for all p < q of the range. (Lexicographic orders of several arrays are transitive
/// too; a range is the whole array, or a segment of another one.) The premise is the prover's to refute; the
/// prover alone can't conclude, since it instantiates axioms on the terms of a question only.
class Induction {
public:
  explicit Induction(Layout &layout) : layout_(layout), prover_(layout.axioms()) {
    for (const std::vector<std::string> *names : {&layout.coordinates, &layout.sizes})
      for (const std::string &name : *names)
        scope_.variables[name] = term::variable(name);
    for (const Count &count : layout.counts)
      scope_.variables[count.name] = term::variable(count.name);
    for (const Array &array : layout.arrays)
      scope_.functions[array.name] = array.extents.size();
  }

  /// The named properties speak of all pairs already: only formulas may speak of neighbours alone.
  void run() {
    for (const Property &property : layout_.properties) {
      if (property.tree.form != parse::PropertyTree::Form::Formula || property.axiom.variables.empty())
        continue;
      std::vector<std::string> ordered = arrays_of(property.axiom.conclusion);
      std::vector<std::string> all =
          arrays_of(term::conjunction({property.axiom.guard, property.axiom.conclusion}));
      for (const std::string &name : all)
        try_keys({name}, all);
      if (ordered.size() < 2 || ordered.size() > 3) continue;
      do
        try_keys(ordered, all);
      while (std::next_permutation(ordered.begin(), ordered.end()));
    }
  }

private:
  /// The index arrays of one extent in a formula, sorted.
  std::vector<std::string> arrays_of(const Term &formula) const {
    std::set<std::string> names;
    for (const Term &application : term::applications_of(formula)) {
      const Array *array = layout_.array(application.as<term::Apply>()->function);
      if (array && !array->is_value && array->extents.size() == 1) names.insert(array->name);
    }
    return {names.begin(), names.end()};
  }

  void try_keys(const std::vector<std::string> &keys, const std::vector<std::string> &arrays) {
    if (!tried_.insert(keys).second) return;
    std::vector<std::string> ranges{""};
    for (const std::string &name : arrays)
      if (std::ranges::find(keys, name) == keys.end()) ranges.push_back(name);
    for (const std::string &within : ranges)
      for (bool strict : {true, false})
        for (bool decreasing : {false, true})
          if (try_order(keys, within, strict, decreasing)) return;
  }

  /// Whether the order holds; a lemma says so where it can't be proved without one.
  bool try_order(const std::vector<std::string> &keys, const std::string &within, bool strict,
                 bool decreasing) {
    parse::PropertyTree tree;
    tree.form = parse::PropertyTree::Form::Monotone;
    tree.strict = strict;
    tree.decreasing = decreasing;
    for (const std::string &key : keys)
      tree.functions.push_back({key, {}});
    if (!within.empty()) tree.within = parse::Name{within, {}};
    Property lemma = make_property(tree, layout_, scope_);
    const std::string &p = lemma.axiom.variables.end()[-2], &q = lemma.axiom.variables.back();
    std::vector<Term> hypotheses = term::conjuncts(lemma.axiom.guard);
    hypotheses.push_back(term::negation(lemma.axiom.conclusion));
    if (refuted(hypotheses)) return true;
    for (Term &hypothesis : hypotheses)
      hypothesis = term::substitute(hypothesis, {{q, term::variable(p) + Term(1)}});
    if (!refuted(hypotheses)) return false;
    std::string tuple = keys.size() == 1 ? keys[0] : fmt::format("({})", fmt::join(keys, ", "));
    lemma.axiom.text =
        fmt::format("{}{} {}{}", strict ? "strictly " : "", decreasing ? "decreasing" : "increasing", tuple,
                    within.empty() ? "" : " within " + within);
    lemma.derived = true;
    lemma.derivation = fmt::format("neighbours {0} and {0} + 1, by induction", p);
    layout_.lemmas.push_back(std::move(lemma));
    return true;
  }

  bool refuted(const std::vector<Term> &hypotheses) {
    return prover_.refute("order lemma", "", hypotheses) == prove::Answer::Refuted;
  }

  Layout &layout_;
  Scope scope_;
  prove::Prover prover_;
  std::set<std::vector<std::string>> tried_;
};

/// From neighbours to all pairs by adding up steps, for ranges and arrays of any form. Where the conclusion
/// is g(p) + c <= g(p + 1), c > 0 and g a call of an array, and each part of the guard bounds p from one
/// side or doesn't mention it: then g(p) + c <= g(q) for all p < q, where the bounds from below hold for p
/// and those from above for q - 1, so that both hold in between.
class Steps {
public:
  explicit Steps(Layout &layout) : layout_(layout) {}

  void run() {
    for (const Property &property : layout_.properties)
      if (property.tree.form == parse::PropertyTree::Form::Formula)
        for (const std::string &position : property.axiom.variables)
          if (std::optional<prove::Axiom> all = of_all_pairs(property.axiom, position); all && !follows(*all))
            layout_.lemmas.push_back({std::move(*all),
                                      {},
                                      true,
                                      fmt::format("neighbours {0} and {0} + 1, by induction", position)});
  }

private:
  std::optional<prove::Axiom> of_all_pairs(const prove::Axiom &axiom, const std::string &position) const {
    std::string other = "q";
    while (layout_.array(other) || layout_.count(other) || std::ranges::count(layout_.sizes, other) > 0 ||
           std::ranges::count(axiom.variables, other) > 0)
      other += "_";
    const Term p = term::variable(position), q = term::variable(other);
    prove::Axiom all{{}, axiom.variables, {}, {}};
    all.variables.push_back(other);
    std::vector<Term> guard, conclusion;
    for (const Term &part : term::conjuncts(axiom.guard)) {
      const Term *left = term::inequality(part);
      const std::int64_t factor = left ? term::coefficient_of(*left, position) : 0;
      if (factor == 0 ? term::mentions(part, position)
                      : term::mentions(*left - term::scale(factor, p), position))
        return std::nullopt;
      guard.push_back(factor < 0 ? term::substitute(part, {{position, q - Term(1)}}) : part);
    }
    guard.push_back(term::less(p, q));
    for (const Term &part : term::conjuncts(axiom.conclusion))
      if (std::optional<Term> pair = of_pair(part, position, q)) conclusion.push_back(*pair);
    if (conclusion.empty()) return std::nullopt;
    all.guard = term::conjunction(std::move(guard));
    all.conclusion = term::conjunction(std::move(conclusion));
    all.text = fmt::format("forall {} : {} => {}", fmt::join(all.variables, ", "), term::to_text(all.guard),
                           term::to_text(all.conclusion));
    return all;
  }

  /// g(p) + c <= g(p + 1), or falling, as it is for p and q.
  static std::optional<Term> of_pair(const Term &part, const std::string &position, const Term &q) {
    const Term *left = term::inequality(part);
    if (!left) return std::nullopt;
    const term::Linear linear = term::linear_form(*left);
    if (linear.parts.size() != 2 || linear.constant >= 0) return std::nullopt;
    if (linear.parts[0].second != -linear.parts[1].second) return std::nullopt;
    Term high, low;
    for (const auto &[atom, coefficient] : linear.parts) {
      if (!atom.as<term::Apply>() || (coefficient != 1 && coefficient != -1)) return std::nullopt;
      (coefficient == 1 ? high : low) = atom;
    }
    const Term p = term::variable(position);
    auto at = [&](const Term &call, const Term &value) {
      return term::substitute(call, {{position, value}});
    };
    if (high == at(low, p + Term(1))) return term::at_most(low - Term(linear.constant), at(low, q));
    if (low == at(high, p + Term(1))) return term::at_most(at(high, q) - Term(linear.constant), high);
    return std::nullopt;
  }

  bool follows(const prove::Axiom &axiom) const {
    std::vector<Term> hypotheses = term::conjuncts(axiom.guard);
    hypotheses.push_back(term::negation(axiom.conclusion));
    prove::Prover prover(layout_.axioms());
    return prover.refute("order lemma", "", hypotheses) == prove::Answer::Refuted;
  }

  Layout &layout_;
};

/// The bounds of one array: those that hold wherever it has elements in one lemma, those that need more, as
/// of `1 <= N => rowptr(0) = 0`, in one per condition.
class Ranges {
public:
  Ranges(Layout &layout, const std::vector<EndFact> &facts, prove::Prover &prover, const Array &array)
      : layout_(layout), prover_(prover), array_(array) {
    while (layout.array(quantified_))
      quantified_ += "_";
    for (const EndFact &fact : facts)
      if (fact.function == array.name) facts_.emplace_back(fact, left_of(fact.guard));
  }

  void run() {
    std::vector<Term> guards;
    for (const auto &[fact, guard] : facts_)
      if (!contains(guards, guard)) guards.push_back(guard);
    for (const Term &guard : guards)
      derive(guard);
  }

private:
  Term domain() const { return term::between(Term(0), term::variable(quantified_), array_.extents[0]); }

  bool follows(std::vector<Term> hypotheses, const Term &conclusion) {
    hypotheses.push_back(term::negation(conclusion));
    return prover_.refute("range lemma", array_.name, hypotheses) == prove::Answer::Refuted;
  }

  /// What the guard says beyond that the array has the element.
  Term left_of(const Term &guard) {
    std::vector<Term> left;
    for (const Term &part : term::conjuncts(guard))
      if (!follows({domain()}, part)) left.push_back(part);
    return term::conjunction(std::move(left));
  }

  void derive(const Term &guard) {
    const Term value = term::apply(array_.name, {term::variable(quantified_)});
    const Term all = term::conjunction({domain(), guard});
    std::vector<Term> conclusions;
    std::vector<std::string> from;
    for (bool is_lower : {true, false})
      for (const auto &[fact, needed] : facts_) {
        const Term bound = is_lower ? term::at_most(fact.value, value) : term::at_most(value, fact.value);
        if (needed != guard || !(is_lower ? fact.is_lower : fact.is_upper)) continue;
        // The fact is among the hypotheses so that its application is instantiated too.
        if (!follows({all, fact.formula}, bound)) {
          derive_on_one_side(fact, all, bound);
          continue;
        }
        conclusions.push_back(bound);
        if (std::string text = "`" + fact.text + "`"; !contains(from, text)) from.push_back(std::move(text));
      }
    if (!conclusions.empty()) add(fmt::format("{}", fmt::join(from, " and ")), all, conclusions);
  }

  /// Where the element that is known isn't the last one: of those up to it, or from it on.
  void derive_on_one_side(const EndFact &fact, const Term &all, const Term &bound) {
    const Term element = term::variable(quantified_), known = fact.call.as<term::Apply>()->arguments[0];
    for (const Term &side : {term::at_most(element, known), term::at_most(known, element)})
      if (const Term guard = term::conjunction({all, side});
          !follows({guard}, term::equal(element, known)) && follows({guard, fact.formula}, bound))
        add("`" + fact.text + "`", guard, {bound});
  }

  void add(const std::string &from, const Term &guard, const std::vector<Term> &conclusions) {
    Property lemma;
    lemma.derived = true;
    lemma.derivation = fmt::format("{} and the order of `{}`", from, array_.name);
    lemma.axiom = {
        fmt::format("range of {}", array_.name), {quantified_}, guard, term::conjunction(conclusions)};
    layout_.lemmas.push_back(std::move(lemma));
  }

  Layout &layout_;
  prove::Prover &prover_;
  const Array &array_;
  std::string quantified_ = "r";
  std::vector<std::pair<EndFact, Term>> facts_; // and what is left of the guard
};

void derive_ranges(Layout &layout) {
  std::vector<prove::Axiom> axioms = layout.axioms();
  std::vector<EndFact> facts = end_facts(axioms);
  if (facts.empty()) return;
  prove::Prover prover(axioms);
  for (const Array &array : layout.arrays)
    if (!array.is_value && array.extents.size() == 1) Ranges(layout, facts, prover, array).run();
}

} // namespace

void derive_lemmas(Layout &layout) {
  bool formulas = std::ranges::any_of(layout.properties, [](const Property &property) {
    return property.tree.form == parse::PropertyTree::Form::Formula && !property.axiom.variables.empty();
  });
  if (formulas) {
    Induction(layout).run();
    Steps(layout).run();
  }
  derive_ranges(layout);
}

} // namespace unravel::layout
