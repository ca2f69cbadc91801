// What is asked of a layout before it is used: is it consistent, bounded, in range?
#include "layout/layout.h"
#include "prove/example.h"
#include "report/diagnostic.h"
#include "space/set.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace unravel::layout {

using report::Kind;
using term::Term;

namespace {

/// Sizes and counts are not negative, and what counts are: true of every layout, so not a "property".
std::vector<prove::Axiom> basic_facts(const Layout &layout) {
  Layout bare = layout;
  bare.properties.clear();
  bare.lemmas.clear();
  return bare.axioms();
}

std::vector<prove::Axiom> with_properties(const Layout &layout, const std::vector<std::size_t> &chosen) {
  Layout partial = layout;
  partial.lemmas.clear();
  partial.properties.clear();
  for (std::size_t k : chosen)
    partial.properties.push_back(layout.properties[k]);
  derive_lemmas(partial); // those that the chosen properties still give
  return partial.axioms();
}

bool refuted(std::vector<prove::Axiom> axioms, const std::vector<Term> &hypotheses) {
  prove::Prover prover(std::move(axioms));
  return prover.refute("vacuity", "", hypotheses) == prove::Answer::Refuted;
}

/// The properties that together refute the hypotheses, none of them superfluous. `stated`: the property whose
/// conclusion is among the hypotheses.
std::vector<std::size_t> conflict(const Layout &layout, const std::vector<Term> &hypotheses,
                                  const Property *stated) {
  std::vector<std::size_t> kept(layout.properties.size());
  for (std::size_t k = 0; k < kept.size(); ++k)
    kept[k] = k;
  for (std::size_t k = kept.size(); k-- > 0;) {
    if (&layout.properties[k] == stated) continue;
    std::vector<std::size_t> without = kept;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(k));
    if (refuted(with_properties(layout, without), hypotheses)) kept = std::move(without);
  }
  return kept;
}

[[noreturn]] void fail_contradiction(const Layout &layout, const std::vector<Term> &hypotheses,
                                     const std::string &what, const Property *stated = nullptr) {
  std::vector<std::string> texts;
  text::Span span = layout.span;
  for (std::size_t k : conflict(layout, hypotheses, stated)) {
    texts.push_back("`" + layout.properties[k].axiom.text + "`");
    span = layout.properties[k].tree.span;
  }
  report::fail(
      Kind::contradictory_properties, span,
      fmt::format("the properties of layout `{}` contradict each other: {}, given {}", layout.name, what,
                  fmt::join(texts, " and ")),
      fmt::format("from contradictory properties anything could be proved: remove or weaken one of them{}",
                  layout.parameters.empty() ? ""
                                            : fmt::format(", or choose other parameters than <{}>",
                                                          fmt::join(layout.parameters, ", "))));
}

/// A property that no arrays satisfy where its guard holds, or a relation that they make empty, means that
/// nothing with entries satisfies all of them.
void check_vacuity(const Layout &layout, prove::Prover &all) {
  if (layout.properties.empty()) return;
  auto excluded = [&](const std::vector<Term> &hypotheses) {
    return all.refute("vacuity", "", hypotheses) == prove::Answer::Refuted &&
           !refuted(basic_facts(layout), hypotheses);
  };
  for (const Piece &piece : layout.pieces) {
    std::vector<Term> entry = term::conjuncts(piece.relation);
    if (excluded(entry)) fail_contradiction(layout, entry, "no entry can be stored");
  }
  for (const Property &property : layout.properties) {
    if (property.axiom.variables.empty()) continue;
    std::vector<Term> guard = term::conjuncts(property.axiom.guard);
    // With the conclusion, so that the applications in it are known where axioms are instantiated.
    std::vector<Term> instance =
        term::conjuncts(term::conjunction({property.axiom.guard, property.axiom.conclusion}));
    if (all.refute("vacuity", "", instance) != prove::Answer::Refuted) continue;
    // Where the guard is impossible without the property, it says nothing. (Where the others contradict each
    // other, one of them says so.)
    std::vector<std::size_t> others;
    for (std::size_t k = 0; k < layout.properties.size(); ++k)
      if (&layout.properties[k] != &property) others.push_back(k);
    if (!refuted(with_properties(layout, others), guard))
      fail_contradiction(layout, instance, fmt::format("nothing satisfies `{}`", property.axiom.text),
                         &property);
  }
  if (std::vector<Term> facts{term::truth()}; excluded(facts))
    fail_contradiction(layout, facts, "no array satisfies them");
}

/// The atoms that mention a position or coordinate outside `known`.
bool is_open(const Term &atom, const std::set<std::string> &open) {
  for (const std::string &name : term::variables_of(atom))
    if (open.count(name)) return true;
  return false;
}

/// Every position has a lower and an upper bound once the positions before it, in some order, are known.
void check_bounded(const Layout &layout, const Piece &piece) {
  std::vector<Term> parts = term::conjuncts(piece.relation);
  for (std::size_t k = 0; k < layout.order(); ++k)
    parts.push_back(
        term::between(Term(0), term::variable(layout.coordinates[k]), term::variable(layout.sizes[k])));
  space::Set relation(term::conjunction(parts));
  std::set<std::string> open(piece.positions.begin(), piece.positions.end());
  auto bounded = [&](const std::string &position) {
    space::Set shadow = relation.project([&](const Term &atom) {
      return atom != term::variable(position) &&
             (is_open(atom, open) || is_open(atom, {layout.coordinates.begin(), layout.coordinates.end()}));
    });
    bool below = false;
    bool above = false;
    for (const Term &constraint : shadow.simple_hull().constraints()) {
      const auto *compare = constraint.as<term::Compare>();
      if (!compare) continue;
      std::int64_t coefficient = term::coefficient_of(compare->left, position);
      bool equality = compare->relation == term::Relation::Equal;
      below = below || coefficient > 0 || (equality && coefficient != 0);
      above = above || coefficient < 0 || (equality && coefficient != 0);
    }
    return below && above;
  };
  for (bool progress = true; progress && !open.empty();) {
    progress = false;
    for (const std::string &position : piece.positions)
      if (open.count(position) && bounded(position)) open.erase(position), progress = true;
  }
  if (open.empty()) return;
  if (relation.is_empty())
    report::fail(Kind::unbounded_position, piece.span,
                 fmt::format("the relation has no solution{}: no entry can be stored",
                             layout.parameters.empty() ? ""
                                                       : fmt::format(" for the parameters <{}>",
                                                                     fmt::join(layout.parameters, ", "))),
                 "remove or weaken one of its conditions");
  auto first = std::ranges::find_if(piece.positions, [&](auto &name) { return open.count(name) > 0; });
  report::fail(
      Kind::unbounded_position, piece.span, fmt::format("position `{}` has no lower and upper bound", *first),
      fmt::format(
          "add bounds that are known before it, as in `0 <= {0} < NNZ` or `rowptr(r) <= {0} < rowptr(r + 1)`",
          *first));
}

/// Conditions under which `index` lies outside [0, extent).
std::vector<Term> outside(std::vector<Term> conditions, const Term &index, const Term &extent) {
  conditions.push_back(term::negation(term::between(Term(0), index, extent)));
  return conditions;
}

/// By function and argument: how far apart a property's elements are, as start(r) and start(r + 1) by 1 and
/// -1.
using Distances = std::map<std::pair<std::string, std::size_t>, std::set<std::int64_t>>;

Distances steps_of(const std::vector<prove::Axiom> &axioms) {
  Distances steps;
  for (const prove::Axiom &axiom : axioms) {
    std::map<std::tuple<std::string, std::size_t, std::string>, std::set<std::int64_t>> shifts;
    for (const Term &application :
         term::applications_of(term::conjunction({axiom.guard, axiom.conclusion}))) {
      const auto *call = application.as<term::Apply>();
      for (std::size_t k = 0; k < call->arguments.size(); ++k) {
        const term::Linear form = term::linear_form(call->arguments[k]);
        const auto *variable = form.parts.size() == 1 ? form.parts[0].first.as<term::Variable>() : nullptr;
        if (variable && form.parts[0].second == 1)
          shifts[{call->function, k, variable->name}].insert(form.constant);
      }
    }
    for (const auto &[place, of_place] : shifts)
      for (std::int64_t from : of_place)
        for (std::int64_t to : of_place)
          if (from != to) steps[{std::get<0>(place), std::get<1>(place)}].insert(to - from);
  }
  return steps;
}

/// The conditions, and something true of elements next to those that they mention: the prover applies a
/// property to terms of the question alone, and one of start(r + 1) - start(r) says nothing where it has
/// start(r) only.
std::vector<Term> with_neighbours(std::vector<Term> conditions, const prove::Prover &prover) {
  const Distances steps = steps_of(prover.axioms());
  const std::vector<Term> given = term::applications_of(term::conjunction(conditions));
  std::set<Term> known(given.begin(), given.end());
  for (const Term &application : given) {
    const auto *call = application.as<term::Apply>();
    for (std::size_t k = 0; k < call->arguments.size(); ++k) {
      const auto at = steps.find({call->function, k});
      if (at == steps.end()) continue;
      for (std::int64_t step : at->second) {
        std::vector<Term> arguments = call->arguments;
        arguments[k] = arguments[k] + Term(step);
        const Term neighbour = term::apply(call->function, std::move(arguments));
        if (!known.insert(neighbour).second) continue;
        conditions.push_back(
            term::disjunction({term::at_most(Term(0), neighbour), term::at_most(neighbour, Term(0))}));
      }
    }
  }
  return conditions;
}

/// Is `index` in [0, extent) wherever the other conditions hold?
bool in_range(prove::Prover &prover, const std::vector<Term> &conditions, const Term &index,
              const Term &extent) {
  const std::vector<Term> hypotheses = outside(conditions, index, extent);
  const auto refuted = [&](const std::vector<Term> &question) {
    return prover.refute("in range", "", question) == prove::Answer::Refuted;
  };
  if (refuted(hypotheses)) return true;
  const std::vector<Term> more = with_neighbours(hypotheses, prover);
  return more.size() > hypotheses.size() && refuted(more);
}

std::string case_of(prove::Prover &prover, const std::vector<Term> &hypotheses) {
  // Of elements that the conditions don't read it says nothing: next to those, or known ones, as ptr(0) = 0.
  std::vector<Term> conditions = with_neighbours(hypotheses, prover);
  for (const prove::Axiom &axiom : prover.axioms())
    if (axiom.variables.empty())
      conditions.push_back(term::disjunction({term::negation(axiom.guard), axiom.conclusion}));
  std::vector<std::pair<Term, std::int64_t>> values;
  std::string example = prove::small_example(prover, conditions, &values);
  if (!values.empty()) {
    const Term asked = term::conjunction(hypotheses);
    const std::vector<Term> read = term::applications_of(asked);
    const std::set<std::string> named = term::variables_of(asked);
    std::ranges::stable_sort(values, {}, [](const auto &value) { // variables, by name, then what is read
      const auto *variable = value.first.template as<term::Variable>();
      return std::pair(variable == nullptr, variable ? variable->name : std::string());
    });
    example.clear();
    for (const auto &[atom, value] : values)
      if (const auto *variable = atom.as<term::Variable>();
          variable ? named.contains(variable->name)
                   : !atom.as<term::Apply>() || std::ranges::find(read, atom) != read.end())
        example += fmt::format("{}{} = {}", example.empty() ? "" : ", ", term::to_text(atom), value);
  }
  return example.empty() ? "no small case found" : "a case: " + example;
}

/// The conjuncts that can be evaluated without evaluating `application`.
std::vector<Term> conditions_without(const Term &relation, const Term &application) {
  std::vector<Term> kept;
  for (const Term &part : term::conjuncts(relation)) {
    std::vector<Term> used = term::applications_of(part);
    if (std::ranges::find(used, application) == used.end()) kept.push_back(part);
  }
  return kept;
}

/// Whether the condition needs an array's element that positions or coordinates tell.
bool reads_at(const Term &condition, const std::set<std::string> &positions) {
  return std::ranges::any_of(term::applications_of(condition),
                             [&](const Term &read) { return is_open(read, positions); });
}

/// An element that no position tells, as len(0), is read at the first chance: only behind conditions that
/// need no such element.
void check_arguments(const Layout &layout, const Piece &piece, prove::Prover &prover,
                     std::vector<report::Diagnostic> &findings) {
  std::set<std::string> entry(piece.positions.begin(), piece.positions.end());
  entry.insert(layout.coordinates.begin(), layout.coordinates.end());
  auto out_of_range = [&](const text::Span &span, const std::string &use, const std::vector<Term> &conditions,
                          const Array &array, std::size_t k, const Term &index) {
    findings.push_back({Kind::argument_range, span.place(),
                        fmt::format("`{}` may lie outside `{}`: `{}` is not proved to be in [0, {}); {}", use,
                                    array.name, term::to_text(index), term::to_text(array.extents[k]),
                                    case_of(prover, outside(conditions, index, array.extents[k]))),
                        "add a bound to the relation or a `range` property"});
  };
  for (const Term &application : term::applications_of(piece.relation)) {
    const auto *call = application.as<term::Apply>();
    const Array &array = *layout.array(call->function);
    std::vector<Term> conditions = conditions_without(piece.relation, application);
    if (!is_open(application, entry))
      std::erase_if(conditions, [&](const Term &condition) { return reads_at(condition, entry); });
    for (std::size_t k = 0; k < call->arguments.size(); ++k)
      if (!in_range(prover, conditions, call->arguments[k], array.extents[k]))
        out_of_range(piece.places.at(application), term::to_text(application), conditions, array, k,
                     call->arguments[k]);
  }
  if (piece.value.array.empty()) return;
  const Array &array = *layout.array(piece.value.array);
  for (std::size_t k = 0; k < piece.value.slots.size(); ++k)
    if (!in_range(prover, term::conjuncts(piece.relation), piece.value.slots[k], array.extents[k]))
      out_of_range(piece.value.span, fmt::format("{}({})", array.name, term::to_text(piece.value.slots[k])),
                   term::conjuncts(piece.relation), array, k, piece.value.slots[k]);
}

/// What a count is read from must be there for all sizes, 0 too.
void check_counts(const Layout &layout, prove::Prover &prover, std::vector<report::Diagnostic> &findings) {
  for (const Count &count : layout.counts) {
    if (!count.definition) continue;
    for (const Term &application : term::applications_of(*count.definition)) {
      const auto *call = application.as<term::Apply>();
      const Array &array = *layout.array(call->function);
      for (std::size_t k = 0; k < call->arguments.size(); ++k) {
        const Term &argument = call->arguments[k], &extent = array.extents[k];
        if (in_range(prover, {}, argument, extent)) continue;
        findings.push_back(
            {Kind::argument_range, count.span.place(),
             fmt::format(
                 "count `{}` may be read outside `{}`: in `{}` `{}` is not proved to be in [0, {}); {}",
                 count.name, array.name, term::to_text(application), term::to_text(argument),
                 term::to_text(extent), case_of(prover, outside({}, argument, extent))),
             "make the array longer, or state which sizes there are, as in `property 1 <= N`"});
      }
    }
  }
}

/// A coordinate that isn't proved to be in the tensor is made so by a condition in the relation.
void close_coordinates(const Layout &layout, Piece &piece, prove::Prover &prover,
                       std::vector<report::Diagnostic> &findings) {
  for (std::size_t k = 0; k < layout.order(); ++k) {
    Term coordinate = term::variable(layout.coordinates[k]);
    Term size = term::variable(layout.sizes[k]);
    if (in_range(prover, term::conjuncts(piece.relation), coordinate, size)) continue;
    findings.push_back(
        {Kind::coordinate_range, piece.span.place(),
         fmt::format("coordinate `{}` may lie outside [0, {}): entries outside are skipped; {}",
                     layout.coordinates[k], layout.sizes[k],
                     case_of(prover, outside(term::conjuncts(piece.relation), coordinate, size))),
         "state the bound in the relation or as a `range` property"});
    piece.relation = term::conjunction({piece.relation, term::between(Term(0), coordinate, size)});
  }
}

} // namespace

std::vector<report::Diagnostic> check_layout(Layout &layout) {
  prove::Prover prover(layout.axioms());
  check_vacuity(layout, prover);
  std::vector<report::Diagnostic> findings;
  check_counts(layout, prover, findings);
  for (Piece &piece : layout.pieces) {
    check_bounded(layout, piece);
    check_arguments(layout, piece, prover, findings);
    close_coordinates(layout, piece, prover, findings);
  }
  return findings;
}

} // namespace unravel::layout
