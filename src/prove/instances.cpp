// Instances of axioms on the terms of a question.
#include "prove/instances.h"

#include "text/contains.h"

#include <algorithm>
#include <unordered_set>

namespace unravel::prove {

namespace {

/// More instances than this in one question: given up.
constexpr std::size_t instance_limit = 20000;
/// Of a property over many variables most choices of values end in instances that say nothing.
constexpr std::size_t choice_limit = 200000;

std::uint64_t place_key(int function, std::size_t argument) {
  return static_cast<std::uint64_t>(function) * 64 + argument;
}

} // namespace

struct Instances::Known {
  std::unordered_map<Id, std::int64_t> at_least; // a >= value
  std::unordered_set<Id> literals;

  /// 1: holds, -1: doesn't, 0: not said.
  int decide(Expressions &all, Id literal) const {
    if (all[literal].op == Op::AtLeast) {
      auto [parts, constant] = all.split(all[literal].children[0]);
      if (auto at = at_least.find(parts); at != at_least.end() && at->second >= -constant) return 1;
      auto [against, limit] = all.split(all[all.negation(literal)].children[0]);
      if (auto at = at_least.find(against); at != at_least.end() && at->second >= -limit) return -1;
      return 0;
    }
    if (literals.count(literal)) return 1;
    if (literals.count(all.negation(literal))) return -1;
    return 0;
  }

  /// A disjunction without the parts that can't hold.
  Id without_decided(Expressions &all, Id formula) const {
    if (all[formula].op != Op::Or) return formula;
    std::vector<Id> left;
    for (Id part : std::vector<Id>(all[formula].children)) {
      std::vector<Id> needed = all[part].op == Op::And ? all[part].children : std::vector<Id>{part};
      bool impossible = std::ranges::any_of(needed, [&](Id each) { return decide(all, each) < 0; });
      if (!impossible) left.push_back(part);
    }
    return all.disjunction(left);
  }

  void add(Expressions &all, Id literal) {
    if (all[literal].op != Op::AtLeast) {
      literals.insert(literal);
      return;
    }
    auto [parts, constant] = all.split(all[literal].children[0]);
    auto [at, fresh] = at_least.emplace(parts, -constant);
    if (!fresh) at->second = std::max(at->second, -constant);
  }
};

/// One rule being instantiated.
struct Instances::Search {
  const Rule &rule;
  const Known *known;
  std::vector<std::vector<Id>> candidates;
  Expressions::Substitution chosen;     // of the first bound variables
  std::vector<std::vector<Id>> negated; // literals of the clause so far, per depth
  std::unordered_set<Id> &seen;
  Ready &ready;
};

Instances::Instances(Expressions &expressions, const std::vector<Axiom> &axioms) : all_(expressions) {
  rules_.reserve(axioms.size());
  for (const Axiom &axiom : axioms)
    rules_.push_back(compile(axiom));
}

Instances::Rule Instances::compile(const Axiom &axiom) {
  Rule rule;
  std::map<std::string, Id> names;
  for (const std::string &name : axiom.variables) {
    rule.bound.push_back({all_.bound_variable(name), {}});
    names[name] = rule.bound.back().variable;
  }
  Id guard = all_.import(axiom.guard, names);
  rule.conclusion = all_.import(axiom.conclusion, names);
  for (Bound &bound : rule.bound) {
    find_places(guard, bound);
    find_places(rule.conclusion, bound);
  }
  std::vector<Id> parts = all_[guard].op == Op::And ? all_[guard].children : std::vector<Id>{guard};
  rule.guards.resize(rule.bound.size() + 1);
  for (Id part : parts) {
    std::size_t last = 0;
    for (std::size_t k = 0; k < rule.bound.size(); ++k) {
      Expressions::Substitution mark(all_);
      mark.bind(rule.bound[k].variable, all_.truth());
      if (all_[part].open && mark(part) != part) last = k + 1;
    }
    rule.guards[last].push_back(part);
  }
  if (rule.bound.empty()) {
    std::vector<Id> open{guard, rule.conclusion};
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (all_[open[k]].op == Op::Apply) rule.functions.push_back(all_[open[k]].symbol);
      for (Id child : all_[open[k]].children)
        open.push_back(child);
    }
  }
  return rule;
}

void Instances::find_places(Id expression, Bound &bound) const {
  const Expression &node = all_[expression];
  if (!node.open) return;
  for (std::size_t k = 0; k < node.children.size(); ++k) {
    find_places(node.children[k], bound);
    if (node.op != Op::Apply) continue;
    const Expression &argument = all_[node.children[k]];
    bool alone = node.children[k] == bound.variable;
    bool shifted = argument.op == Op::Linear && argument.children.size() == 1 &&
                   argument.coefficients[0] == 1 && argument.children[0] == bound.variable;
    if (!alone && !shifted) continue;
    std::int64_t shift = alone ? 0 : argument.number;
    auto at = std::ranges::find_if(bound.places, [&](const Place &place) {
      return place.function == node.symbol && place.argument == k;
    });
    if (at == bound.places.end()) at = bound.places.insert(at, Place{node.symbol, k, {}});
    if (!contains(at->shifts, shift)) at->shifts.push_back(shift);
  }
}

std::vector<Id> Instances::flatten(const std::vector<term::Term> &hypotheses) {
  std::vector<Id> flat;
  for (const term::Term &hypothesis : hypotheses) {
    Id formula = all_.import(hypothesis);
    if (all_[formula].op == Op::And)
      flat.insert(flat.end(), all_[formula].children.begin(), all_[formula].children.end());
    else
      flat.push_back(formula);
  }
  return flat;
}

/// variable = term without applications: the variable is replaced everywhere. variable = term with
/// applications: the equality stays, but where the term is an argument the variable is written, so that equal
/// index terms are one candidate.
void Instances::use_equalities(Ready &ready) {
  std::vector<std::pair<Id, Id>> solved; // variable, value
  std::vector<Id> named;                 // equalities with applications
  for (Id formula : ready.hypotheses) {
    if (all_[formula].op != Op::Equal) continue;
    Id sum = all_[formula].children[0];
    for (const auto &[variable, value] : solved) {
      Expressions::Substitution once(all_);
      once.bind(variable, value);
      sum = once(sum);
    }
    if (all_[sum].applies) {
      named.push_back(sum);
      continue;
    }
    std::vector<std::pair<Id, std::int64_t>> parts{{sum, 1}};
    if (all_[sum].op == Op::Linear) {
      parts.clear();
      for (std::size_t k = 0; k < all_[sum].children.size(); ++k)
        parts.emplace_back(all_[sum].children[k], all_[sum].coefficients[k]);
    }
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      auto [variable, coefficient] = *part;
      if (all_[variable].op != Op::Variable || (coefficient != 1 && coefficient != -1)) continue;
      // sum = coefficient * variable + rest = 0
      Id rest = all_.add(sum, -coefficient, variable);
      Expressions::Substitution occurs(all_);
      occurs.bind(variable, all_.constant(0));
      if (occurs(rest) != rest) continue;
      Id value = all_.add(all_.constant(0), -coefficient, rest);
      Expressions::Substitution once(all_);
      once.bind(variable, value);
      for (auto &earlier : solved)
        earlier.second = once(earlier.second);
      solved.emplace_back(variable, value);
      break;
    }
  }
  Expressions::Substitution by(all_);
  for (const auto &[variable, value] : solved)
    by.bind(variable, value);
  std::vector<std::pair<Id, Id>> folds;
  for (Id equality : named) {
    Id sum = by(equality);
    if (all_[sum].op != Op::Linear) continue;
    const Expression node = all_[sum];
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      std::int64_t coefficient = node.coefficients[k];
      if (all_[node.children[k]].op != Op::Variable || (coefficient != 1 && coefficient != -1)) continue;
      Id rest = all_.add(sum, -coefficient, node.children[k]);
      folds.emplace_back(all_.add(all_.constant(0), -coefficient, rest), node.children[k]);
      break;
    }
  }
  if (solved.empty() && folds.empty()) return;
  Expressions::Substitution final_pass(all_);
  for (const auto &[variable, value] : solved)
    final_pass.bind(variable, value);
  for (const auto &[value, variable] : folds)
    final_pass.fold_argument(value, variable);
  for (Id &formula : ready.hypotheses)
    formula = final_pass(formula);
  ready.eliminated = std::move(solved);
}

Instances::Arguments Instances::arguments_of(const std::vector<Id> &formulas) const {
  Arguments arguments;
  std::vector<char> seen(all_.size(), 0);
  std::vector<Id> open(formulas);
  while (!open.empty()) {
    Id id = open.back();
    open.pop_back();
    if (seen[static_cast<std::size_t>(id)]) continue;
    seen[static_cast<std::size_t>(id)] = 1;
    const Expression &node = all_[id];
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      open.push_back(node.children[k]);
      if (node.op == Op::Apply) arguments[place_key(node.symbol, k)].push_back(node.children[k]);
    }
  }
  for (auto &[place, list] : arguments) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return arguments;
}

std::vector<Id> Instances::candidates(const Bound &bound, const Arguments &arguments) {
  std::vector<Id> found;
  for (const Place &place : bound.places) {
    auto at = arguments.find(place_key(place.function, place.argument));
    if (at == arguments.end()) continue;
    const std::vector<Id> &list = at->second;
    for (Id argument : list) {
      Id candidate = all_.plus(argument, -place.shifts[0]);
      bool everywhere = std::all_of(place.shifts.begin() + 1, place.shifts.end(), [&](std::int64_t shift) {
        return std::ranges::binary_search(list, all_.plus(candidate, shift));
      });
      if (everywhere) found.push_back(candidate);
    }
  }
  if (bound.places.empty())
    // Only in arithmetic: any index term may matter.
    for (const auto &[place, list] : arguments)
      found.insert(found.end(), list.begin(), list.end());
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool Instances::relevant(const Rule &rule, const Arguments &arguments) const {
  return std::ranges::all_of(rule.functions,
                             [&](int function) { return arguments.count(place_key(function, 0)) != 0; });
}

void Instances::enumerate(Search &search, std::size_t depth) {
  if (++search.ready.choices > choice_limit) search.ready.too_many = true;
  if (search.ready.too_many || search.ready.contradiction) return;
  Expressions::Substitution &by = search.chosen;
  std::vector<Id> &literals = search.negated[depth];
  literals.clear();
  if (depth > 0) literals = search.negated[depth - 1];
  for (Id guard : search.rule.guards[depth]) {
    Id formula = by(guard);
    if (formula == all_.truth()) continue;
    if (formula == all_.falsity()) return;
    if (int decided = search.known ? search.known->decide(all_, formula) : 0; decided != 0) {
      if (decided < 0) return;
      continue;
    }
    literals.push_back(all_.negation(formula));
  }
  if (depth < search.rule.bound.size()) {
    for (Id candidate : search.candidates[depth]) {
      search.chosen.bind(search.rule.bound[depth].variable, candidate);
      enumerate(search, depth + 1);
      search.chosen.unbind();
    }
    return;
  }
  Id conclusion = by(search.rule.conclusion);
  if (search.known && search.known->decide(all_, conclusion) > 0) return;
  std::vector<Id> clause = literals;
  clause.push_back(conclusion);
  Id formula = all_.disjunction(clause);
  if (formula == all_.truth() || !search.seen.insert(formula).second) return;
  if (formula == all_.falsity()) search.ready.contradiction = true;
  search.ready.instances.push_back(formula);
  if (search.ready.instances.size() > instance_limit) search.ready.too_many = true;
}

void Instances::instantiate(Ready &ready, const Known *known) {
  Arguments arguments = arguments_of(ready.hypotheses);
  std::unordered_set<Id> seen;
  for (const Rule &rule : rules_) {
    if (!relevant(rule, arguments)) continue;
    std::size_t count = rule.bound.size();
    Search search{rule, known, {}, Expressions::Substitution(all_), std::vector<std::vector<Id>>(count + 1),
                  seen, ready};
    search.chosen.only_open();
    for (const Bound &bound : rule.bound)
      search.candidates.push_back(candidates(bound, arguments));
    enumerate(search, 0);
  }
}

Ready Instances::prepare(std::vector<Id> hypotheses) {
  Ready ready;
  ready.hypotheses = std::move(hypotheses);
  use_equalities(ready);
  Known known;
  std::vector<Id> flat;
  for (Id formula : ready.hypotheses) {
    std::vector<Id> parts = all_[formula].op == Op::And ? all_[formula].children : std::vector<Id>{formula};
    for (Id part : parts) {
      if (part == all_.falsity() || known.decide(all_, part) < 0) ready.contradiction = true;
      if (contains(flat, part)) continue;
      flat.push_back(part);
      known.add(all_, part);
    }
  }
  ready.hypotheses.clear();
  for (Id formula : flat) {
    Id left = known.without_decided(all_, formula);
    if (left == all_.falsity()) ready.contradiction = true;
    if (left != all_.truth()) ready.hypotheses.push_back(left);
  }
  if (!ready.contradiction) instantiate(ready, &known);
  return ready;
}

std::vector<Id> Instances::unfolded(std::vector<Id> hypotheses) {
  Ready ready;
  ready.hypotheses = std::move(hypotheses);
  use_equalities(ready);
  if (!contains(ready.hypotheses, all_.falsity())) instantiate(ready, nullptr);
  return ready.instances;
}

} // namespace unravel::prove
