#include "prove/search.h"

#include "text/contains.h"

#include <algorithm>

namespace unravel::prove {

namespace {

std::size_t at(int number) {
  return static_cast<std::size_t>(number);
}

/// not (x - y <= c): y - x <= -c - 1
Difference complement(const Difference &difference) {
  return {difference.y, difference.x, -difference.bound - 1};
}

} // namespace

Literal Search::add_variable() {
  variables_.emplace_back();
  watches_.resize(2 * variables_.size());
  return 2 * (static_cast<int>(variables_.size()) - 1);
}

Literal Search::add_variable(const Difference &difference) {
  Literal literal = add_variable();
  Variable &added = variables_.back();
  added.yes[0] = difference;
  added.yes_count = 1;
  added.exact = true;
  return literal;
}

Literal Search::add_variable(const Difference &first, const Difference &second) {
  Literal literal = add_variable();
  variables_.back().yes = {first, second};
  variables_.back().yes_count = 2;
  return literal;
}

bool Search::is_true(Literal literal) {
  if (int value = assigned(literal); value >= 0) return value == 1;
  const Variable &known = variable(literal);
  if (known.yes_count == 0) return false;
  bool holds = differences_.holds(known.yes[0]) && (known.yes_count < 2 || differences_.holds(known.yes[1]));
  return holds == ((literal & 1) == 0);
}

void Search::assign(Literal literal, int reason) {
  Variable &known = variable(literal);
  known.value = static_cast<signed char>((literal & 1) ^ 1);
  known.level = level();
  known.reason = reason;
  trail_.push_back(literal);
}

/// What the literal says of differences; a contradiction becomes the conflict.
bool Search::enforce(Literal literal) {
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

bool Search::visit_clauses(Literal falsified) {
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

bool Search::propagate() {
  while (next_ < trail_.size()) {
    Literal literal = trail_[next_++];
    ++spent_;
    if (!enforce(literal) || !visit_clauses(opposite(literal))) return false;
  }
  return true;
}

void Search::back_to(int level) {
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
int Search::learn(std::vector<Literal> &learnt) {
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

void Search::attach(std::vector<Literal> clause) {
  int number = static_cast<int>(clauses_.size());
  watches_[at(clause[0])].push_back(number);
  watches_[at(clause[1])].push_back(number);
  clauses_.push_back(std::move(clause));
}

void Search::add_clause(std::vector<Literal> clause) {
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

/// False: the conflict doesn't depend on a decision.
bool Search::resolve_conflict() {
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
Literal Search::choose() {
  for (int number : given_) {
    const std::vector<Literal> &clause = clauses_[at(number)];
    if (std::ranges::any_of(clause, [&](Literal each) { return is_true(each); })) continue;
    for (Literal literal : clause)
      if (assigned(literal) < 0) return literal;
  }
  return -1;
}

Search::Result Search::solve(std::size_t effort) {
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

} // namespace unravel::prove
