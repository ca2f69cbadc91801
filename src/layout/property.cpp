#include "layout/property.h"

#include "report/diagnostic.h"
#include "report/suggest.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::layout {

using parse::PropertyTree;
using report::Kind;
using term::Term;

bool is_taken(const std::string &name, const Layout &layout) {
  const auto is_among = [&](const std::vector<std::string> &names) {
    return std::ranges::find(names, name) != names.end();
  };
  return is_among(layout.coordinates) || is_among(layout.sizes) || layout.array(name) || layout.count(name) ||
         std::ranges::any_of(layout.pieces, [&](const Piece &piece) { return is_among(piece.positions); });
}

term::Term domain_guard(const Term &formula, const Layout &layout) {
  std::vector<Term> parts;
  for (const Term &application : term::applications_of(formula)) {
    const auto *call = application.as<term::Apply>();
    const Array *array = layout.array(call->function);
    for (std::size_t k = 0; k < call->arguments.size(); ++k)
      parts.push_back(term::between(Term(0), call->arguments[k], array->extents[k]));
  }
  return term::conjunction(parts);
}

namespace {

/// A variable name for a quantifier that no declaration of the layout uses.
std::string fresh(const std::string &wanted, const Scope &scope) {
  std::string name = wanted;
  while (scope.variables.count(name) || scope.functions.count(name))
    name += "_";
  return name;
}

/// "p, q, r"
std::string subscripts_for_example(std::size_t count) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k)
    text += fmt::format("{}{}", k == 0 ? "" : ", ",
                        k < 8 ? std::string(1, static_cast<char>('p' + k)) : fmt::format("p{}", k));
  return text;
}

const Array &one_dimensional(const parse::Name &name, const Layout &layout) {
  const Array *array = layout.array(name.text);
  if (!array || array->is_value) {
    std::vector<std::string> names;
    for (const Array &candidate : layout.arrays)
      if (!candidate.is_value) names.push_back(candidate.name);
    report::fail(Kind::unknown_name, name.span,
                 fmt::format("`{}` is not an index array of this layout", name.text),
                 report::suggest(name.text, names, "a property speaks of arrays declared with `index`"));
  }
  if (array->extents.size() != 1)
    report::fail(Kind::bad_property, name.span,
                 fmt::format("`{}` has {} extents; the named properties are for arrays of one extent",
                             name.text, array->extents.size()),
                 fmt::format("say it of all elements, as in `property forall {0} : 0 <= {1}({0})`",
                             subscripts_for_example(array->extents.size()), name.text));
  return *array;
}

/// a before b in the order that the property states, for one array.
Term ordered(const Term &a, const Term &b, bool decreasing, bool strict) {
  const Term &small = decreasing ? b : a;
  const Term &large = decreasing ? a : b;
  return strict ? term::less(small, large) : term::at_most(small, large);
}

/// Lexicographic order of (f1(p), f2(p), ...) and (f1(q), f2(q), ...).
Term lexicographic(const std::vector<std::string> &functions, const Term &p, const Term &q, bool decreasing,
                   bool strict) {
  Term result = strict ? term::falsity() : term::truth();
  for (std::size_t k = functions.size(); k-- > 0;) {
    Term fp = term::apply(functions[k], {p});
    Term fq = term::apply(functions[k], {q});
    if (k + 1 == functions.size())
      result = ordered(fp, fq, decreasing, strict);
    else
      result = term::disjunction(
          {ordered(fp, fq, decreasing, true), term::conjunction({term::equal(fp, fq), result})});
  }
  return result;
}

/// p < q, both in one segment of `within` where it is given; adds the quantified variables.
Term pair_guard(const PropertyTree &tree, const Layout &layout, const Scope &scope, const Term &p,
                const Term &q, std::vector<std::string> &variables) {
  if (!tree.within) return term::less(p, q);
  one_dimensional(*tree.within, layout);
  std::string segment = fresh("r", scope);
  variables.insert(variables.begin(), segment);
  Term r = term::variable(segment);
  Term begin = term::apply(tree.within->text, {r});
  Term end = term::apply(tree.within->text, {r + Term(1)});
  return term::conjunction({term::at_most(begin, p), term::less(p, q), term::less(q, end)});
}

prove::Axiom pairwise(const PropertyTree &tree, const Layout &layout, const Scope &scope) {
  prove::Axiom axiom;
  std::vector<std::string> functions;
  for (const parse::Name &name : tree.functions) {
    one_dimensional(name, layout);
    functions.push_back(name.text);
  }
  axiom.variables = {fresh("p", scope), fresh("q", scope)};
  Term p = term::variable(axiom.variables[0]);
  Term q = term::variable(axiom.variables[1]);
  axiom.guard = pair_guard(tree, layout, scope, p, q, axiom.variables);
  if (tree.form == PropertyTree::Form::Injective) {
    std::vector<Term> differ;
    for (const std::string &function : functions)
      differ.push_back(term::negation(term::equal(term::apply(function, {p}), term::apply(function, {q}))));
    axiom.conclusion = term::disjunction(differ);
  } else {
    axiom.conclusion = lexicographic(functions, p, q, tree.decreasing, tree.strict);
  }
  return axiom;
}

prove::Axiom range(const PropertyTree &tree, const Layout &layout, const Scope &scope) {
  prove::Axiom axiom;
  const Array &array = one_dimensional(tree.functions.at(0), layout);
  axiom.variables = {fresh("p", scope)};
  Term value = term::apply(array.name, {term::variable(axiom.variables[0])});
  Term high = resolve_term(*tree.high, scope);
  axiom.guard = term::truth();
  axiom.conclusion =
      term::conjunction({term::at_most(resolve_term(*tree.low, scope), value),
                         tree.high_included ? term::at_most(value, high) : term::less(value, high)});
  return axiom;
}

prove::Axiom quantified(const PropertyTree &tree, const Scope &scope) {
  prove::Axiom axiom;
  Scope inner = scope;
  for (const parse::Name &name : tree.variables) {
    if (scope.variables.count(name.text) || scope.functions.count(name.text))
      report::fail(Kind::duplicate_name, name.span, fmt::format("`{}` is already declared", name.text),
                   "choose another name for the quantified variable");
    axiom.variables.push_back(name.text);
    inner.variables[name.text] = term::variable(name.text);
  }
  std::tie(axiom.guard, axiom.conclusion) = resolve_implication(*tree.formula, inner);
  return axiom;
}

} // namespace

Property make_property(const PropertyTree &tree, const Layout &layout, const Scope &scope) {
  Property property;
  property.tree = tree;
  switch (tree.form) {
  case PropertyTree::Form::Range: property.axiom = range(tree, layout, scope); break;
  case PropertyTree::Form::Injective:
  case PropertyTree::Form::Monotone: property.axiom = pairwise(tree, layout, scope); break;
  case PropertyTree::Form::Formula: property.axiom = quantified(tree, scope); break;
  }
  prove::Axiom &axiom = property.axiom;
  Term domain = domain_guard(term::conjunction({axiom.guard, axiom.conclusion}), layout);
  axiom.guard = term::conjunction({domain, axiom.guard});
  axiom.text = tree.span.text();
  return property;
}

} // namespace unravel::layout
