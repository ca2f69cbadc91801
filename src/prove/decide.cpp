#include "prove/decide.h"

#include "prove/differences.h"

#include "text/contains.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace unravel::prove {

namespace {

std::size_t at(int number) {
  return static_cast<std::size_t>(number);
}

/// not (x - y <= c): y - x <= -c - 1
Difference complement(const Difference &difference) {
  return {difference.y, difference.x, -difference.bound - 1};
}

/// 2 * variable, plus 1 for the negation.
using Literal = int;

Literal opposite(Literal literal) {
  return literal ^ 1;
}

/// A small solver for clauses over differences: decisions, unit propagation, learnt clauses. The questions of
/// find synthesis have some dozen unknowns; Z3 spends most of its time on setting up such a question.
class ClauseSearch {
public:
  enum class Result { Impossible, Possible, GivenUp };

  /// A variable that says nothing of differences.
  Literal add_variable() {
    variables_.emplace_back();
    watches_.resize(2 * variables_.size());
    return 2 * (static_cast<int>(variables_.size()) - 1);
  }

  /// A variable that is true exactly if the difference holds.
  Literal add_variable(const Difference &difference) {
    Literal literal = add_variable();
    Variable &added = variables_.back();
    added.yes[0] = difference;
    added.yes_count = 1;
    added.exact = true;
    return literal;
  }

  /// One whose truth means both differences, and whose falsity says nothing of them.
  Literal add_variable(const Difference &first, const Difference &second) {
    Literal literal = add_variable();
    variables_.back().yes = {first, second};
    variables_.back().yes_count = 2;
    return literal;
  }

  /// Takes back all decisions.
  void add_clause(std::vector<Literal> clause) {
    back_to(0);
    std::ranges::sort(clause);
    clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
    for (std::size_t k = 0; k < clause.size(); ++k)
      if (assigned(clause[k]) == 1 || (k > 0 && clause[k] == opposite(clause[k - 1]))) return;
    std::erase_if(clause, [&](Literal literal) { return assigned(literal) == 0; });
    if (clause.empty()) {
      contradiction_ = true;
    } else if (clause.size() == 1) {
      assign(clause[0], -1);
    } else {
      given_.push_back(static_cast<int>(clauses_.size()));
      attach(std::move(clause));
    }
  }

  Differences &differences() { return differences_; }
  std::size_t variables() const { return variables_.size(); }
  /// More than so many must not be added (see Differences).
  static constexpr std::size_t most_variables = 1 << 10;

  /// Impossible: the clauses contradict each other. Possible: under the values of the unknowns every clause
  /// has a literal that holds or is assumed; variables without differences mean nothing to the values.
  /// GivenUp: more than `effort` literals were propagated, in all calls so far.
  Result solve(std::size_t effort) {
    while (!contradiction_) {
      bool agrees = propagate();
      if (spent_ > effort) return Result::GivenUp;
      if (!agrees) {
        contradiction_ = !resolve_conflict();
        continue;
      }
      Literal literal = choose();
      if (literal < 0) return Result::Possible;
      limits_.push_back({trail_.size(), differences_.size()});
      assign(literal, -1);
    }
    return Result::Impossible;
  }

  /// The greatest effort (see Differences).
  static constexpr std::size_t most_effort = std::size_t{1} << 20;

private:
  struct Variable {
    std::array<Difference, 2> yes;
    int yes_count = 0;
    bool exact = false; // false means not yes[0]
    signed char value = -1;
    int level = 0;
    int reason = -1; // the clause that forced it
    bool seen = false;
  };

  Variable &variable(Literal literal) { return variables_[static_cast<std::size_t>(literal >> 1)]; }
  /// 1, 0, or -1 where it isn't assigned.
  int assigned(Literal literal) {
    signed char value = variable(literal).value;
    return value < 0 ? -1 : value ^ (literal & 1);
  }

  bool is_true(Literal literal) {
    if (int value = assigned(literal); value >= 0) return value == 1;
    const Variable &known = variable(literal);
    if (known.yes_count == 0) return false;
    bool holds =
        differences_.holds(known.yes[0]) && (known.yes_count < 2 || differences_.holds(known.yes[1]));
    return holds == ((literal & 1) == 0);
  }

  int level() const { return static_cast<int>(limits_.size()); }

  void assign(Literal literal, int reason) {
    Variable &known = variable(literal);
    known.value = static_cast<signed char>((literal & 1) ^ 1);
    known.level = level();
    known.reason = reason;
    trail_.push_back(literal);
  }

  /// What the literal says of differences; a contradiction becomes the conflict.
  bool enforce(Literal literal) {
    const Variable &known = variable(literal);
    bool possible = true;
    if ((literal & 1) == 0)
      for (int k = 0; k < known.yes_count && possible; ++k)
        possible = differences_.add(known.yes[at(k)], literal);
    else if (known.exact)
      possible = differences_.add(complement(known.yes[0]), literal);
    if (possible) return true;
    conflict_.clear();
    for (int tag : differences_.conflict())
      if (!contains(conflict_, opposite(tag))) conflict_.push_back(opposite(tag));
    return false;
  }

  bool propagate() {
    while (next_ < trail_.size()) {
      Literal literal = trail_[next_++];
      ++spent_;
      if (!enforce(literal) || !visit_clauses(opposite(literal))) return false;
    }
    return true;
  }

  bool visit_clauses(Literal falsified) {
    std::vector<int> &watching = watches_[at(falsified)];
    std::size_t kept = 0;
    for (std::size_t k = 0; k < watching.size(); ++k) {
      int number = watching[k];
      std::vector<Literal> &clause = clauses_[at(number)];
      if (clause[0] == falsified) std::swap(clause[0], clause[1]);
      auto other = assigned(clause[0]) == 1 ? clause.end()
                                            : std::find_if(clause.begin() + 2, clause.end(),
                                                           [&](Literal each) { return assigned(each) != 0; });
      if (other != clause.end()) {
        std::swap(clause[1], *other);
        watches_[at(clause[1])].push_back(number);
        continue;
      }
      watching[kept++] = number;
      if (assigned(clause[0]) == 1) continue;
      if (assigned(clause[0]) == 0) {
        conflict_ = clause;
        while (++k < watching.size())
          watching[kept++] = watching[k];
        watching.resize(kept);
        return false;
      }
      assign(clause[0], number);
    }
    watching.resize(kept);
    return true;
  }

  void back_to(int level) {
    if (this->level() <= level) return;
    const Limit &limit = limits_[at(level)];
    while (trail_.size() > limit.trail) {
      variable(trail_.back()).value = -1;
      trail_.pop_back();
    }
    differences_.shrink(limit.differences);
    next_ = trail_.size();
    limits_.resize(at(level));
  }

  /// Resolves the conflict until one literal of the current level is left: the first of `learnt`. Returns the
  /// level to go back to, where that literal is forced.
  int learn(std::vector<Literal> &learnt) {
    learnt.assign(1, 0);
    std::vector<Literal> marked;
    int open = 0;
    auto mark = [&](Literal literal) {
      Variable &known = variable(literal);
      if (known.seen || known.level == 0) return;
      known.seen = true;
      marked.push_back(literal);
      if (known.level == level())
        ++open;
      else
        learnt.push_back(literal);
    };
    for (Literal literal : conflict_)
      mark(literal);
    std::size_t place = trail_.size();
    while (true) {
      do
        --place;
      while (!variable(trail_[place]).seen || variable(trail_[place]).level != level());
      Literal literal = trail_[place];
      if (--open == 0) {
        learnt[0] = opposite(literal);
        break;
      }
      for (Literal cause : clauses_[at(variable(literal).reason)])
        if (cause != literal) mark(cause);
    }
    for (Literal literal : marked)
      variable(literal).seen = false;
    auto highest = std::max_element(learnt.begin() + 1, learnt.end(), [&](Literal a, Literal b) {
      return variable(a).level < variable(b).level;
    });
    if (highest == learnt.end()) return 0;
    std::swap(learnt[1], *highest);
    return variable(learnt[1]).level;
  }

  void attach(std::vector<Literal> clause) {
    int number = static_cast<int>(clauses_.size());
    watches_[at(clause[0])].push_back(number);
    watches_[at(clause[1])].push_back(number);
    clauses_.push_back(std::move(clause));
  }

  /// False: the conflict doesn't depend on a decision.
  bool resolve_conflict() {
    if (level() == 0) return false;
    std::vector<Literal> learnt;
    back_to(learn(learnt));
    if (learnt.size() == 1) {
      assign(learnt[0], -1);
    } else {
      int number = static_cast<int>(clauses_.size());
      Literal forced = learnt[0];
      attach(std::move(learnt));
      assign(forced, number);
    }
    return true;
  }

  /// A literal of a clause that doesn't hold under the values, or -1.
  Literal choose() {
    for (int number : given_) {
      const std::vector<Literal> &clause = clauses_[at(number)];
      if (std::ranges::any_of(clause, [&](Literal each) { return is_true(each); })) continue;
      for (Literal literal : clause)
        if (assigned(literal) < 0) return literal;
    }
    return -1;
  }

  struct Limit {
    std::size_t trail = 0;
    std::size_t differences = 0;
  };

  Differences differences_;
  std::vector<Variable> variables_;
  std::vector<std::vector<Literal>> clauses_; // the first two literals are watched
  std::vector<std::vector<int>> watches_;     // per literal the clauses that watch it
  std::vector<int> given_;                    // clauses that were not learnt
  std::vector<Literal> trail_;
  std::vector<Limit> limits_;
  std::size_t next_ = 0;          // of the trail, not propagated yet
  std::vector<Literal> conflict_; // all false
  bool contradiction_ = false;
  std::size_t spent_ = 0;
};

/// Thrown where the question is no longer ours.
struct TooHard {};

class Decision {
public:
  Decision(Expressions &all, std::size_t effort)
      : all_(all), effort_(std::min(effort, ClauseSearch::most_effort)), zero_(unknown()) {}

  bool operator()(const std::vector<Id> &formulas) {
    for (Id formula : formulas) {
      require(formula, true, -1);
      note_terms(formula);
    }
    // Each round makes the results of one more pair of applications equal where their arguments are.
    for (std::size_t round = 0;; ++round) {
      switch (search_.solve(effort_)) {
      case ClauseSearch::Result::Impossible: return false;
      case ClauseSearch::Result::GivenUp: throw TooHard{};
      case ClauseSearch::Result::Possible: break;
      }
      if (!only_sums_ || round > applications_.size() * applications_.size()) throw TooHard{};
      if (are_functions()) break;
    }
    for (Id formula : formulas)
      if (!holds(formula)) throw TooHard{};
    return true;
  }

private:
  // ---- formulas as clauses

  int unknown() {
    if (search_.differences().unknowns() >= Differences::most_unknowns) throw TooHard{};
    return search_.differences().add_unknown();
  }

  int unknown_of(Id atom) {
    auto [known, fresh] = unknowns_.emplace(atom, 0);
    if (fresh) known->second = unknown();
    return known->second;
  }

  /// sum >= 0 as a difference, where it is one.
  std::optional<Difference> at_least_zero(Id sum) {
    const Expression &node = all_[sum];
    if (node.op != Op::Linear) return Difference{zero_, unknown_of(sum), 0};
    if (node.number > Differences::greatest_bound || node.number < -Differences::greatest_bound)
      throw TooHard{};
    if (node.children.empty() || node.children.size() > 2) return std::nullopt;
    int plus = zero_;
    int minus = zero_;
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      int &side = node.coefficients[k] > 0 ? plus : minus;
      if ((node.coefficients[k] != 1 && node.coefficients[k] != -1) || side != zero_) return std::nullopt;
      side = unknown_of(node.children[k]);
    }
    return Difference{minus, plus, node.number};
  }

  /// A comparison, or the negation of an equation.
  Literal literal_of(Id comparison, bool positive) {
    if (auto known = literals_.find(comparison); known != literals_.end()) {
      if (!positive) split(comparison);
      return known->second ^ (positive ? 0 : 1);
    }
    if (search_.variables() + 4 > ClauseSearch::most_variables) throw TooHard{};
    Id sum = all_[comparison].children[0];
    std::optional<Difference> one = at_least_zero(sum);
    Literal literal = 0;
    if (!one)
      literal = search_.add_variable();
    else if (all_[comparison].op == Op::AtLeast)
      literal = search_.add_variable(*one);
    else
      literal = search_.add_variable(*one, {one->y, one->x, -one->bound});
    literals_.emplace(comparison, literal);
    if (all_[comparison].op == Op::AtLeast) literals_.emplace(all_.negation(comparison), opposite(literal));
    if (!positive) split(comparison);
    return positive ? literal : opposite(literal);
  }

  /// Where an equation may be false: it is less or greater.
  void split(Id comparison) {
    if (all_[comparison].op != Op::Equal || !split_.insert(comparison).second) return;
    Id sum = all_[comparison].children[0];
    Id less = all_.at_least_zero(all_.plus(all_.add(all_.constant(0), -1, sum), -1));
    Id greater = all_.at_least_zero(all_.plus(sum, -1));
    std::vector<Literal> clause{literal_of(comparison, true)};
    for (Id side : {less, greater})
      add_parts(side, true, clause);
    search_.add_clause(std::move(clause));
  }

  /// The literals whose disjunction the formula is, or with `positive` false its negation.
  void add_parts(Id formula, bool positive, std::vector<Literal> &clause) {
    const Expression &node = all_[formula];
    switch (node.op) {
    case Op::Not: return add_parts(node.children[0], !positive, clause);
    case Op::And:
    case Op::Or:
      if ((node.op == Op::Or) != positive) {
        clause.push_back(name_of(formula, positive));
        return;
      }
      for (Id child : node.children)
        add_parts(child, positive, clause);
      return;
    default: clause.push_back(literal_of(formula, positive));
    }
  }

  /// A literal that implies the conjunction.
  Literal name_of(Id formula, bool positive) {
    auto known = names_.find({formula, positive});
    if (known != names_.end()) return known->second;
    if (search_.variables() + 4 > ClauseSearch::most_variables) throw TooHard{};
    Literal name = search_.add_variable();
    names_.emplace(std::pair(formula, positive), name);
    require(formula, positive, opposite(name));
    return name;
  }

  /// The formula (its negation) holds, or the literal does, if it isn't -1.
  void require(Id formula, bool positive, Literal unless) {
    const Expression &node = all_[formula];
    if (node.op == Op::Not) return require(node.children[0], !positive, unless);
    if ((node.op == Op::And || node.op == Op::Or) && (node.op == Op::And) == positive) {
      for (Id child : node.children)
        require(child, positive, unless);
      return;
    }
    std::vector<Literal> clause;
    if (unless >= 0) clause.push_back(unless);
    add_parts(formula, positive, clause);
    search_.add_clause(std::move(clause));
  }

  // ---- values

  void note_terms(Id id) {
    if (!noted_.insert(id).second) return;
    const Expression &node = all_[id];
    switch (node.op) {
    case Op::FloorDivide:
    case Op::Modulo:
    case Op::Product:
    case Op::Minimum:
    case Op::Maximum: only_sums_ = false; break;
    case Op::Apply: applications_.push_back(id); break;
    default: break;
    }
    for (Id child : node.children)
      note_terms(child);
  }

  /// Of a variable, an application or a sum of such.
  std::int64_t value_of(Id term) {
    const Expression &node = all_[term];
    if (node.op != Op::Linear)
      return search_.differences().value(unknown_of(term)) - search_.differences().value(zero_);
    std::int64_t sum = node.number;
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      std::int64_t part = 0;
      if (__builtin_mul_overflow(node.coefficients[k], value_of(node.children[k]), &part) ||
          __builtin_add_overflow(sum, part, &sum))
        throw TooHard{};
    }
    return sum;
  }

  bool holds(Id formula) {
    const Expression &node = all_[formula];
    auto each = [&](Id child) { return holds(child); };
    switch (node.op) {
    case Op::Equal: return value_of(node.children[0]) == 0;
    case Op::AtLeast: return value_of(node.children[0]) >= 0;
    case Op::And: return std::ranges::all_of(node.children, each);
    case Op::Or: return std::ranges::any_of(node.children, each);
    case Op::Not: return !holds(node.children[0]);
    default: throw TooHard{};
    }
  }

  /// Whether equal arguments have equal results. If not, that is required of the pairs for which it is false.
  bool are_functions() {
    std::map<std::pair<int, std::vector<std::int64_t>>, Id> results;
    std::vector<std::pair<Id, Id>> differ;
    for (Id application : applications_) {
      std::vector<std::int64_t> arguments;
      for (Id argument : all_[application].children)
        arguments.push_back(value_of(argument));
      auto [known, fresh] =
          results.emplace(std::pair(all_[application].symbol, std::move(arguments)), application);
      if (!fresh && value_of(known->second) != value_of(application))
        differ.emplace_back(known->second, application);
    }
    for (const auto &[first, second] : differ)
      require_same(first, second);
    return differ.empty();
  }

  void require_same(Id first, Id second) {
    std::vector<Literal> clause;
    add_parts(all_.equal_zero(all_.add(first, -1, second)), true, clause);
    for (std::size_t k = 0; k < all_[first].children.size(); ++k) {
      Id difference = all_.add(all_[first].children[k], -1, all_[second].children[k]);
      add_parts(all_.at_least_zero(all_.plus(difference, -1)), true, clause);
      add_parts(all_.at_least_zero(all_.plus(all_.add(all_.constant(0), -1, difference), -1)), true, clause);
    }
    search_.add_clause(std::move(clause));
  }

  Expressions &all_;
  std::size_t effort_;
  ClauseSearch search_;
  int zero_;
  std::unordered_map<Id, int> unknowns_;
  std::unordered_map<Id, Literal> literals_;
  std::map<std::pair<Id, bool>, Literal> names_;
  std::unordered_set<Id> split_; // equations
  std::unordered_set<Id> noted_;
  std::vector<Id> applications_;
  bool only_sums_ = true;
};

} // namespace

std::optional<bool> decide(Expressions &expressions, const std::vector<Id> &formulas, std::size_t effort) {
  try {
    return Decision(expressions, effort)(formulas);
  } catch (const TooHard &) {
    return std::nullopt;
  } catch (const Overflow &) {
    return std::nullopt;
  }
}

} // namespace unravel::prove
