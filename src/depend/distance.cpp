#include "depend/distance.h"

#include "space/set.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace unravel::depend {

using term::Term;

namespace {

std::string kind_of(const Conflict &conflict) {
  const Reference &first = conflict.first, &second = conflict.second;
  if (first.inserts && second.inserts) return "insertion";
  if (commute(first, second)) return "update";
  if (first.writes && second.writes) return "output";
  return first.writes ? "flow" : "anti";
}

/// Questions about the instances of one conflict.
class Instances {
public:
  Instances(const Conflict &conflict, const std::string &about, prove::Prover &prover)
      : conflict_(conflict), about_(about), prover_(prover) {}

  Distance distance(const std::string &variable) {
    Term here = term::variable(variable), there = term::variable(variable + "'");
    Distance distance{possible(term::less(here, there)),
                      possible(term::equal(here, there)),
                      possible(term::less(there, here)),
                      {}};
    if (distance.less + distance.equal + distance.greater != 1) return distance;
    if (distance.equal) {
      distance.constant = 0;
      return distance;
    }
    Term difference = there - here;
    for (std::int64_t value : {some_value(difference).value_or(0), std::int64_t{distance.less ? 1 : -1}})
      if (!distance.constant && !possible(term::less(difference, Term(value))) &&
          !possible(term::conjunction({term::less(Term(value), difference), between(variable, value)})))
        distance.constant = value;
    return distance;
  }

private:
  /// False: no two instances that conflict are like that.
  bool possible(const Term &condition) {
    std::vector<Term> hypotheses = conflict_.instances;
    hypotheses.push_back(condition);
    if (space::Set(term::conjunction(hypotheses)).is_empty()) return false;
    return prover_.refute("distance", about_, hypotheses) != prove::Answer::Refuted;
  }

  /// True, and mentions what index arrays hold `distance` further on: what increases strictly can't go by
  /// larger steps than its keys do.
  Term between(const std::string &variable, std::int64_t distance) const {
    std::vector<Term> parts;
    for (const Term &instance : conflict_.instances)
      for (const Term &application : term::applications_of(instance))
        if (term::mentions(application, variable))
          parts.push_back(term::at_most(
              term::substitute(application, {{variable, term::variable(variable) + Term(distance)}}),
              term::variable(fmt::format("bound{}'", parts.size()))));
    return term::conjunction(parts);
  }

  /// A value that the difference may have: the only one, if there is only one.
  std::optional<std::int64_t> some_value(const Term &difference) {
    Term name = term::variable("distance'");
    std::vector<Term> hypotheses = conflict_.instances;
    hypotheses.push_back(term::equal(name, difference));
    if (prover_.refute("distance", about_, hypotheses) == prove::Answer::Possible)
      for (const auto &[atom, value] : prover_.model_of_last().values)
        if (atom == term::to_text(name)) return value;
    return std::nullopt;
  }

  const Conflict &conflict_;
  std::string about_;
  prove::Prover &prover_;
};

/// The value of a term where all that it mentions has a value in the example; else the term.
Term evaluated(const Term &term, const std::map<std::string, std::int64_t> &values) {
  term::Substitution by;
  for (const auto &[name, value] : values)
    by.emplace(name, Term(value));
  return term::substitute(term, by);
}

std::string later_name(std::size_t index, std::size_t loop, const std::vector<std::string> &order) {
  return order[index] + (index < loop ? "" : "'");
}

std::size_t loop_in(const LoopVerdict &verdict, const std::vector<std::string> &order) {
  return static_cast<std::size_t>(std::ranges::find(order, verdict.variable) - order.begin());
}

} // namespace

std::string direction_name(const Distance &distance) {
  if (distance.less && distance.greater) return distance.equal ? "*" : "!=";
  if (distance.equal) return distance.less ? "<=" : distance.greater ? ">=" : "=";
  return distance.less ? "<" : ">";
}

std::vector<Dependence> dependences_of(const LoopVerdict &verdict, const std::vector<std::string> &loops,
                                       prove::Prover &prover) {
  std::vector<Dependence> result;
  auto carrier = std::ranges::find(loops, verdict.variable);
  for (const Conflict &conflict : verdict.conflicts) {
    Instances instances(conflict, verdict.variable, prover);
    Dependence dependence{conflict.first.tensor, kind_of(conflict), {}};
    for (auto loop = loops.begin(); loop != loops.end(); ++loop)
      dependence.distances.push_back(loop < carrier ? Distance{false, true, false, 0}
                                                    : instances.distance(*loop));
    result.push_back(std::move(dependence));
  }
  return result;
}

std::string to_text(const Dependence &dependence) {
  std::vector<std::string> directions, constants;
  bool far = false;
  for (const Distance &distance : dependence.distances) {
    directions.push_back(direction_name(distance));
    constants.push_back(distance.constant ? fmt::format("{}", *distance.constant) : "*");
    far = far || (distance.constant && *distance.constant != 0);
  }
  std::string text =
      fmt::format("{} {} {}: direction ({})", dependence.kind, dependence.kind == "insertion" ? "into" : "of",
                  dependence.tensor, fmt::join(directions, ", "));
  if (far) text += fmt::format(", distance ({})", fmt::join(constants, ", "));
  return text;
}

std::string to_text(const std::vector<LoopVerdict> &verdicts, const std::vector<std::string> &order,
                    const std::vector<std::string> &loops, prove::Prover &prover) {
  std::string text = fmt::format("loops ({})\n", fmt::join(loops, ", "));
  for (const LoopVerdict &verdict : verdicts) {
    text += fmt::format("{}: {} ({})\n", verdict.variable, name_of(verdict.verdict), verdict.reason);
    for (const Dependence &dependence : dependences_of(verdict, loops, prover))
      text += fmt::format("  {}\n", to_text(dependence));
    if (verdict.verdict == Verdict::Parallel) continue;
    text += fmt::format("  relation {}\n", relation_text(verdict, order));
    if (!verdict.witness.empty()) text += fmt::format("  witness {}\n", verdict.witness);
  }
  return text;
}

std::string relation_text(const LoopVerdict &verdict, const std::vector<std::string> &all) {
  const std::vector<std::string> &order = verdict.shared.empty() ? all : verdict.shared;
  std::vector<std::string> later, others;
  for (std::size_t k = 0; k < order.size(); ++k)
    later.push_back(later_name(k, loop_in(verdict, order), order));
  for (const std::string &variable : term::variables_of(verdict.relation))
    if (verdict.others.contains(variable)) others.push_back(variable);
  std::string condition = term::to_text(verdict.relation);
  if (!others.empty()) condition = fmt::format("exists ({}: {})", fmt::join(others, ", "), condition);
  return fmt::format("{{ [{}] -> [{}] : {} }}", fmt::join(order, ", "), fmt::join(later, ", "), condition);
}

std::string witness_text(const LoopVerdict &verdict, const std::vector<std::string> &all) {
  const std::vector<std::string> &order = verdict.shared.empty() ? all : verdict.shared;
  if (verdict.example.empty()) return "";
  std::map<std::string, std::int64_t> values;
  for (const auto &[atom, value] : verdict.example)
    if (const auto *variable = atom.as<term::Variable>()) values[variable->name] = value;
  std::size_t loop = loop_in(verdict, order);
  std::vector<std::string> earlier, later, conditions;
  for (std::size_t k = 0; k < order.size(); ++k) {
    earlier.push_back(term::to_text(evaluated(term::variable(order[k]), values)));
    later.push_back(term::to_text(evaluated(term::variable(later_name(k, loop, order)), values)));
  }
  for (const auto &[atom, value] : verdict.example) {
    const auto *variable = atom.as<term::Variable>();
    auto is_instance = [&](const std::string &name) {
      return std::ranges::any_of(order, [&](auto &each) { return name == each || name == each + "'"; });
    };
    if (variable && is_instance(variable->name)) continue;
    std::string side = variable ? variable->name : term::to_text(evaluated(atom, values));
    std::string condition = fmt::format("{} = {}", side, value);
    if (!contains(conditions, condition)) conditions.push_back(condition);
  }
  return fmt::format("{{ [{}] -> [{}]{} }}", fmt::join(earlier, ", "), fmt::join(later, ", "),
                     conditions.empty() ? "" : fmt::format(" : {}", fmt::join(conditions, " and ")));
}

} // namespace unravel::depend
