#include "depend/statements.h"

#include "prove/example.h"
#include "space/set.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::depend {

using combine::IterationSpace;
using term::Term;

namespace {

/// The variables of a space, primed.
term::Substitution primed(const IterationSpace &space) {
  term::Substitution result;
  for (const std::string &variable : space.variables())
    result.emplace(variable, term::variable(variable + "'"));
  return result;
}

/// The cases in which one schedule comes before the other, each a conjunction.
std::vector<std::vector<Term>> before(const Schedule &first, const Schedule &second) {
  std::vector<std::vector<Term>> cases;
  std::vector<Term> equal;
  for (std::size_t k = 0; k < std::min(first.size(), second.size()); ++k) {
    std::vector<Term> here = equal;
    here.push_back(term::less(first[k], second[k]));
    if (!term::is_false(here.back())) cases.push_back(std::move(here));
    equal.push_back(term::equal(first[k], second[k]));
    if (term::is_false(equal.back())) break;
  }
  return cases;
}

/// Pairs of references that conflict. Where only the order matters, not two updates, and none that inserts.
template <class Visit>
void each_conflict(const IterationSpace &first, const IterationSpace &second, bool in_parallel,
                   const Visit &visit) {
  const std::vector<Reference> ours = references(first), theirs = references(second);
  for (const Reference &one : ours)
    for (const Reference &other : theirs)
      if (may_conflict(one, other) && (in_parallel || !(commute(one, other) || one.inserts || other.inserts)))
        visit(one, other);
}

std::vector<Term> joined(std::vector<Term> one, const std::vector<Term> &other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

std::vector<Term> equal(const std::vector<Term> &ours, const std::vector<Term> &theirs) {
  std::vector<Term> equalities;
  for (std::size_t k = 0; k < std::min(ours.size(), theirs.size()); ++k)
    equalities.push_back(term::equal(ours[k], theirs[k]));
  return equalities;
}

/// Both instances exist. The second one's variables are primed.
std::vector<Term> both_exist(const IterationSpace &first, const IterationSpace &second) {
  return joined(term::conjuncts(first.relation),
                term::substitute(term::conjuncts(second.relation), primed(second)));
}

/// And touch one element.
std::vector<Term> touching(const IterationSpace &first, const Reference &one, const IterationSpace &second,
                           const Reference &other) {
  return joined(both_exist(first, second),
                equal(one.coordinates, term::substitute(other.coordinates, primed(second))));
}

prove::Answer ask(const std::string &name, const std::string &tensor, const std::vector<Term> &hypotheses,
                  prove::Prover &prover) {
  if (std::ranges::any_of(hypotheses, [](const Term &each) { return term::is_false(each); }))
    return prove::Answer::Refuted;
  prove::Answer answer = prover.refute(name, tensor, hypotheses);
  if (answer == prove::Answer::Unknown && space::Set(term::conjunction(hypotheses)).is_empty())
    return prove::Answer::Refuted;
  return answer;
}

/// Does none of the cases hold of two instances, the second of which is executed later?
bool never(const IterationSpace &space, const Schedule &executed, const std::vector<std::vector<Term>> &cases,
           prove::Prover &prover, std::string *witness) {
  const term::Substitution prime = primed(space);
  const std::vector<Term> both = both_exist(space, space);
  for (const auto &in_order : before(executed, term::substitute(executed, prime)))
    for (const auto &each : cases) {
      const std::vector<Term> hypotheses = joined(joined(both, in_order), each);
      const prove::Answer answer = ask("entries in order", space.target.tensor, hypotheses, prover);
      if (answer == prove::Answer::Refuted) continue;
      if (witness && answer == prove::Answer::Possible) *witness = prove::small_example(prover, hypotheses);
      return false;
    }
  return true;
}

/// Are the positions the same in two instances that have these values in common? By induction from the first
/// one on: the others before it are equal.
bool are_told_by(const std::vector<Term> &values, const std::vector<std::string> &positions,
                 const IterationSpace &space, prove::Prover &prover, std::string *witness) {
  if (positions.empty()) return true;
  const term::Substitution prime = primed(space);
  std::vector<Term> both = joined(both_exist(space, space), equal(values, term::substitute(values, prime)));
  for (const std::string &position : positions) {
    const Term here = term::variable(position);
    const std::vector<Term> differ = joined(both, {term::less(here, prime.at(position))});
    const prove::Answer answer = ask("single", position, differ, prover);
    if (answer != prove::Answer::Refuted) {
      if (witness && answer == prove::Answer::Possible) *witness = prove::small_example(prover, differ);
      return false;
    }
    both.push_back(term::equal(here, prime.at(position)));
  }
  return true;
}

} // namespace

Schedule source_schedule(const IterationSpace &space) {
  Schedule schedule;
  for (std::size_t k = 0; k < space.place.size(); ++k) {
    schedule.push_back(Term(space.place[k]));
    if (k < space.loops.size()) schedule.push_back(term::variable(space.loops[k]));
  }
  return schedule;
}

std::optional<Violation> find_violation(const std::vector<Ordered> &statements, prove::Prover &prover,
                                        bool details) {
  std::optional<Violation> found;
  for (std::size_t a = 0; a < statements.size(); ++a)
    for (std::size_t b = 0; b < statements.size(); ++b) {
      const Ordered &first = statements[a], &second = statements[b];
      const term::Substitution prime = primed(*second.space);
      const auto in_source = before(first.source, term::substitute(second.source, prime));
      const auto turned = before(term::substitute(second.chosen, prime), first.chosen);
      each_conflict(*first.space, *second.space, false, [&](const Reference &one, const Reference &other) {
        const std::vector<Term> touch = touching(*first.space, one, *second.space, other);
        for (const auto &source_case : in_source)
          for (const auto &turned_case : turned) {
            if (found) return;
            std::vector<Term> hypotheses = joined(joined(touch, source_case), turned_case);
            prove::Answer answer = ask("order", one.tensor, hypotheses, prover);
            if (answer == prove::Answer::Refuted) continue;
            found = Violation{a, b, one.tensor, term::conjunction(hypotheses), ""};
            if (details && answer == prove::Answer::Possible)
              found->witness = prove::small_example(prover, hypotheses);
          }
      });
      if (found) return found;
    }
  return found;
}

bool may_meet(const IterationSpace &first, const IterationSpace &second, prove::Prover &prover,
              std::string *witness) {
  std::vector<Term> both = both_exist(first, second);
  for (const std::string &variable : first.loops.empty() ? first.coordinates : first.loops)
    both.push_back(term::equal(term::variable(variable), term::variable(variable + "'")));
  const prove::Answer answer = ask("pieces apart", first.target.tensor, both, prover);
  if (witness && answer == prove::Answer::Possible) *witness = prove::small_example(prover, both);
  return answer != prove::Answer::Refuted;
}

bool is_single_valued(const IterationSpace &space, prove::Prover &prover, std::string *witness) {
  std::vector<std::string> positions = space.positions;
  if (!space.sets) {
    positions.clear();
    for (const combine::Operand &operand : space.operands)
      if (!operand.is_linear)
        positions.insert(positions.end(), operand.positions.begin(), operand.positions.end());
  }
  std::vector<Term> same;
  for (const std::string &variable : space.loops.empty() ? space.coordinates : space.loops)
    same.push_back(term::variable(variable));
  return are_told_by(same, positions, space, prover, witness);
}

bool is_stored_once(const IterationSpace &space, const combine::Operand &operand, prove::Prover &prover) {
  return are_told_by(operand.coordinates, operand.positions, space, prover, nullptr);
}

bool has_single_places(const IterationSpace &space, prove::Prover &prover, std::string *witness) {
  return are_told_by(space.target.coordinates, space.target.positions, space, prover, witness);
}

bool increases(const IterationSpace &space, const Schedule &executed, const std::vector<Term> &values,
               prove::Prover &prover, std::string *witness, const std::vector<Term> &same) {
  const term::Substitution prime = primed(space);
  std::vector<std::vector<Term>> cases = before(term::substitute(values, prime), values);
  for (std::vector<Term> &each : cases)
    each = joined(std::move(each), equal(same, term::substitute(same, prime)));
  return never(space, executed, cases, prover, witness);
}

bool is_injective(const IterationSpace &space, const Schedule &executed, const std::vector<Term> &values,
                  prove::Prover &prover) {
  return never(space, executed, {equal(values, term::substitute(values, primed(space)))}, prover, nullptr);
}

bool may_precede(const IterationSpace &first, const IterationSpace &second, std::size_t shared,
                 prove::Prover &prover) {
  const term::Substitution prime = primed(second);
  std::vector<Term> same;
  for (std::size_t k = 0; k < shared; ++k)
    same.push_back(term::equal(term::variable(first.loops[k]),
                               term::substitute(term::variable(second.loops[k]), prime)));
  bool may = false;
  each_conflict(first, second, false, [&](const Reference &one, const Reference &other) {
    for (const auto &order : before(source_schedule(first), term::substitute(source_schedule(second), prime)))
      may =
          may || ask("precedes", one.tensor, joined(joined(touching(first, one, second, other), same), order),
                     prover) != prove::Answer::Refuted;
  });
  return may;
}

void each_carried(
    const std::vector<const IterationSpace *> &statements, std::size_t depth, prove::Prover &prover,
    const std::function<void(std::size_t, std::size_t, const Conflict &, prove::Answer)> &visit) {
  for (std::size_t a = 0; a < statements.size(); ++a)
    for (std::size_t b = 0; b < statements.size(); ++b) {
      const IterationSpace &first = *statements[a], &second = *statements[b];
      const term::Substitution prime = primed(second);
      std::vector<Term> carried;
      for (std::size_t k = 0; k <= depth; ++k) {
        Term here = term::variable(first.loops[k]);
        Term there = term::substitute(term::variable(second.loops[k]), prime);
        carried.push_back(k < depth ? term::equal(here, there) : term::less(here, there));
      }
      each_conflict(first, second, true, [&](const Reference &one, const Reference &other) {
        std::vector<Term> hypotheses = joined(touching(first, one, second, other), carried);
        prove::Answer answer =
            ask(fmt::format("dependence({})", first.loops[depth]), one.tensor, hypotheses, prover);
        if (answer == prove::Answer::Refuted) {
          if (!share_insertions(one, other, first.loops[depth])) return;
          answer = prove::Answer::Possible;
        }
        visit(a, b, {one, other, std::move(hypotheses), a, b}, answer);
      });
    }
}

LoopVerdict classify_shared(const std::vector<const IterationSpace *> &statements, std::size_t depth,
                            prove::Prover &prover, bool details) {
  const std::string &loop = statements.front()->loops[depth];
  LoopVerdict verdict{loop, Verdict::Parallel, term::falsity(), "", "affine"};
  const std::vector<std::string> &loops = statements.front()->loops;
  verdict.shared.assign(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(depth) + 1);
  for (const IterationSpace *statement : statements)
    for (const std::string &variable : statement->variables())
      if (!contains(verdict.shared, variable)) verdict.others.insert({variable, variable + "'"});
  each_carried(statements, depth, prover,
               [&](std::size_t, std::size_t, const Conflict &conflict, prove::Answer answer) {
                 if (details)
                   add_details(verdict, conflict, space::Set(term::conjunction(conflict.instances)), answer,
                               prover);
                 add_conflict(verdict, conflict, answer);
               });
  return verdict;
}

} // namespace unravel::depend
