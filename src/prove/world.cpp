// Finite models: the axioms written out for all small values of their variables, one question to the prover.
#include "prove/world.h"

#include "prove/example.h"

#include <algorithm>

namespace unravel::prove {

using term::Term;

std::int64_t World::variable(const std::string &name) const {
  auto at = variables.find(name);
  if (at == variables.end()) throw Outside();
  return at->second;
}

std::int64_t World::apply(const std::string &function, const std::vector<std::int64_t> &arguments) const {
  auto at = arrays.find(function);
  if (at == arrays.end() || at->second.extents.size() != arguments.size()) throw Outside();
  std::size_t slot = 0;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k] < 0 || arguments[k] >= at->second.extents[k]) throw Outside();
    slot = slot * static_cast<std::size_t>(at->second.extents[k]) + static_cast<std::size_t>(arguments[k]);
  }
  return at->second.values.at(slot);
}

namespace {

/// The least and the largest number, sizes included, in the order of trying.
constexpr std::pair<std::int64_t, std::int64_t> limits[] = {{0, 2}, {0, 3}, {-3, 3}, {0, 4}};
/// More formulas than this are not asked about.
constexpr std::size_t formula_limit = 2000;
/// Questions to the prover per example, and the budget of each.
constexpr int question_limit = 60;
constexpr unsigned question_rlimit = 200000;

/// The next tuple in row-major order below the extents.
bool next_place(std::vector<std::int64_t> &place, const std::vector<std::int64_t> &extents) {
  for (std::size_t k = place.size(); k-- > 0;) {
    if (++place[k] < extents[k]) return true;
    place[k] = 0;
  }
  return false;
}

Term element(const std::string &array, const std::vector<std::int64_t> &place) {
  std::vector<Term> arguments(place.begin(), place.end());
  return term::apply(array, std::move(arguments));
}

class WorldSearch {
public:
  WorldSearch(const std::vector<Axiom> &axioms, const std::vector<Term> &hypotheses, const Extents &extents,
              const std::vector<std::string> &first)
      : axioms_(axioms), hypotheses_(hypotheses), first_(first), prover_({}, question_rlimit) {
    auto note = [&](const Term &formula) {
      for (const Term &application : term::applications_of(formula))
        functions_.insert(application.as<term::Apply>()->function);
    };
    for (const Term &hypothesis : hypotheses) {
      note(hypothesis);
      in_hypotheses_.merge(term::variables_of(hypothesis));
    }
    variables_ = in_hypotheses_;
    for (const Axiom &axiom : axioms) {
      note(axiom.conclusion);
      std::set<std::string> used = term::variables_of(term::conjunction({axiom.guard, axiom.conclusion}));
      for (const std::string &bound : axiom.variables)
        used.erase(bound);
      variables_.merge(used);
    }
    for (const std::string &name : functions_) {
      auto known = extents.find(name);
      if (known == extents.end()) {
        complete_ = false;
        continue;
      }
      extents_.insert(*known);
      for (const Term &extent : known->second) {
        std::set<std::string> used = term::variables_of(extent);
        sizes_.insert(used.begin(), used.end());
        variables_.merge(used);
      }
    }
  }

  std::optional<World> run() {
    if (!complete_) return std::nullopt;
    for (auto [least, largest] : limits) {
      if (!write_out(least, largest)) return std::nullopt;
      if (!ask(std::nullopt)) continue;
      settle_sizes();
      settle_rest();
      std::optional<World> world = make_world();
      if (world && is_real(*world)) return world;
    }
    return std::nullopt;
  }

private:
  /// Everything as formulas without quantifiers. False where that is too much.
  bool write_out(std::int64_t least, std::int64_t largest) {
    largest_ = largest;
    formulas_.clear();
    for (const Term &hypothesis : hypotheses_) {
      add(hypothesis);
      for (const Term &application : term::applications_of(hypothesis)) {
        const auto *call = application.as<term::Apply>();
        const std::vector<Term> &extents = extents_.at(call->function);
        for (std::size_t k = 0; k < call->arguments.size(); ++k)
          add(term::between(0, call->arguments[k], extents.at(k)));
      }
    }
    for (const std::string &name : variables_)
      bound(term::variable(name), sizes_.count(name) ? 0 : least);
    for (const auto &[name, extents] : extents_) {
      for (const Term &extent : extents)
        add(term::at_most(extent, largest + 1));
      std::vector<std::int64_t> place(extents.size(), 0), all(extents.size(), largest + 1);
      do
        bound(element(name, place), least);
      while (next_place(place, all));
    }
    return std::ranges::all_of(
        axioms_, [&](const Axiom &axiom) { return instantiate(axiom, 0, axiom.guard, axiom.conclusion); });
  }

  bool instantiate(const Axiom &axiom, std::size_t next, const Term &guard, const Term &conclusion) {
    if (term::is_false(guard)) return true;
    if (formulas_.size() > formula_limit) return false;
    if (next == axiom.variables.size()) {
      add(term::implication(guard, conclusion));
      return true;
    }
    for (std::int64_t value = 0; value <= largest_; ++value) {
      term::Substitution by{{axiom.variables[next], Term(value)}};
      if (!instantiate(axiom, next + 1, term::substitute(guard, by), term::substitute(conclusion, by)))
        return false;
    }
    return true;
  }

  void add(const Term &formula) {
    if (!term::is_true(formula)) formulas_.push_back(formula);
  }

  void bound(const Term &atom, std::int64_t least) {
    add(term::at_most(Term(least), atom));
    add(term::at_most(atom, Term(largest_)));
  }

  /// Is there a model, with one more condition? Then it is kept in `values_`.
  bool ask(const std::optional<Term> &condition) {
    if (questions_++ >= question_limit) return false;
    std::vector<Term> all = formulas_;
    if (condition) all.push_back(*condition);
    if (prover_.refute("small example", "", all) != Answer::Possible) return false;
    const Model model = prover_.model_of_last();
    if (model.values.empty() && !variables_.empty())
      return false; // the solver's limit, met on the second try
    for (const auto &[name, value] : model.values)
      values_[name] = value;
    return true;
  }

  /// The least values that the atoms can have, the first ones first, become the only ones.
  void settle(const std::vector<Term> &atoms) {
    std::vector<std::pair<Term, std::int64_t>> least;
    auto read = [&] {
      least.clear();
      for (const Term &atom : atoms)
        if (auto value = values_.find(term::to_text(atom)); value != values_.end())
          least.emplace_back(atom, value->second);
    };
    do
      read();
    while (ask(smaller_than(least)));
  }

  void settle_sizes() {
    std::vector<Term> sizes;
    for (const std::string &name : sizes_)
      sizes.push_back(term::variable(name));
    settle(sizes);
    term::Substitution by;
    for (const std::string &name : sizes_)
      by[name] = Term(values_.at(name));
    std::vector<Term> before = std::move(formulas_);
    formulas_.clear();
    for (const Term &formula : before)
      add(term::substitute(formula, by));
  }

  void settle_rest() {
    std::vector<Term> atoms;
    for (const std::string &name : first_)
      if (extents_.count(name))
        for (const std::vector<std::int64_t> &place : places_of(name))
          atoms.push_back(element(name, place));
    for (const std::string &name : in_hypotheses_)
      if (!sizes_.count(name)) atoms.push_back(term::variable(name));
    settle(atoms);
  }

  std::vector<std::int64_t> extents_of(const std::string &array) const {
    World sizes;
    for (const std::string &name : variables_)
      sizes.variables[name] = values_.at(name);
    std::vector<std::int64_t> extents;
    for (const Term &extent : extents_.at(array))
      extents.push_back(term::evaluate(extent, sizes));
    return extents;
  }

  std::vector<std::vector<std::int64_t>> places_of(const std::string &array) const {
    std::vector<std::vector<std::int64_t>> places;
    std::vector<std::int64_t> extents = extents_of(array), place(extents.size(), 0);
    if (std::ranges::any_of(extents, [](std::int64_t extent) { return extent <= 0; })) return {};
    do
      places.push_back(place);
    while (next_place(place, extents));
    return places;
  }

  std::optional<World> make_world() const {
    World world;
    for (const std::string &name : variables_)
      world.variables[name] = values_.at(name);
    for (const auto &[name, extents] : extents_) {
      World::Array &array = world.arrays[name];
      array.extents = extents_of(name);
      for (const std::vector<std::int64_t> &place : places_of(name)) {
        auto value = values_.find(term::to_text(element(name, place)));
        if (value == values_.end()) return std::nullopt;
        array.values.push_back(value->second);
      }
    }
    return world;
  }

  bool is_real(const World &world) const {
    try {
      return std::ranges::all_of(hypotheses_,
                                 [&](const Term &each) { return term::evaluate(each, world) != 0; }) &&
             std::ranges::all_of(axioms_, [&](const Axiom &axiom) { return satisfies(world, axiom); });
    } catch (const Outside &) {
      return false;
    }
  }

  const std::vector<Axiom> &axioms_;
  const std::vector<Term> &hypotheses_;
  const std::vector<std::string> &first_;
  std::set<std::string> functions_;
  Extents extents_;                 // of the functions that are mentioned
  std::set<std::string> variables_; // free ones
  std::set<std::string> sizes_;     // those of the extents
  std::set<std::string> in_hypotheses_;
  bool complete_ = true; // all extents are known
  std::int64_t largest_ = 0;
  std::vector<Term> formulas_;
  std::map<std::string, std::int64_t> values_; // the last model, by the atoms' texts
  int questions_ = 0;
  Prover prover_;
};

/// The variables from `next` on, in [-largest, largest]; those before have their values.
bool holds_for_all(const World &world, const std::vector<std::string> &variables, std::size_t next,
                   std::int64_t largest, const Term &guard, const Term &conclusion) {
  if (term::is_false(guard)) return true;
  if (next == variables.size()) return !term::evaluate(guard, world) || term::evaluate(conclusion, world);
  for (std::int64_t value = -largest; value <= largest; ++value) {
    term::Substitution by{{variables[next], Term(value)}};
    if (!holds_for_all(world, variables, next + 1, largest, term::substitute(guard, by),
                       term::substitute(conclusion, by)))
      return false;
  }
  return true;
}

} // namespace

bool satisfies(const World &world, const Axiom &axiom) {
  std::int64_t largest = 0;
  auto note = [&](std::int64_t value) { largest = std::max({largest, value, -value}); };
  for (const auto &[name, value] : world.variables)
    note(value);
  for (const auto &[name, array] : world.arrays) {
    for (std::int64_t extent : array.extents)
      note(extent);
    for (std::int64_t value : array.values)
      note(value);
  }
  largest += 2;
  term::Substitution known;
  for (const auto &[name, value] : world.variables)
    known[name] = Term(value);
  for (const std::string &name : axiom.variables)
    known.erase(name);
  return holds_for_all(world, axiom.variables, 0, largest, term::substitute(axiom.guard, known),
                       term::substitute(axiom.conclusion, known));
}

std::optional<World> small_world(const std::vector<Axiom> &axioms, const std::vector<Term> &hypotheses,
                                 const Extents &extents, const std::vector<std::string> &first) {
  return WorldSearch(axioms, hypotheses, extents, first).run();
}

} // namespace unravel::prove
