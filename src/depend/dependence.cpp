#include "depend/dependence.h"

#include "prove/example.h"
#include "text/contains.h"

#include <algorithm>
#include <fmt/format.h>

namespace unravel::depend {

using term::Term;

std::string name_of(Verdict verdict) {
  switch (verdict) {
  case Verdict::Parallel: return "parallel";
  case Verdict::Reduction: return "reduction";
  case Verdict::Carried: return "carried";
  }
  return "carried";
}

std::vector<Reference> references(const combine::IterationSpace &space) {
  // Of an operand's structure several positions may stand for one coordinate: each has a slot of its own.
  bool shares = !space.target.structure.empty();
  std::vector<Reference> result{{space.target.tensor, shares ? space.target.slots : space.target.coordinates,
                                 true, space.sets ? std::nullopt : std::optional(space.by)}};
  for (const combine::Operand &operand : space.operands)
    result.push_back({operand.tensor, operand.coordinates, false, std::nullopt});
  for (const combine::Lookup &lookup : space.lookups)
    if (!lookup.places.empty()) // else nothing is read
      result.push_back({lookup.tensor, lookup.places.front().operand.coordinates, false, std::nullopt});
  if (space.target.appends) {
    std::vector<Term> first; // others' nodes may be appended by other threads
    if (space.target.first_node) first.push_back(space.target.first_node->value);
    result.push_back({space.target.tensor, std::move(first), true, std::nullopt, true});
  }
  if (space.target.inserts) {
    const auto own = space.target.coordinates.begin() + static_cast<std::ptrdiff_t>(space.target.around);
    result.push_back({space.target.tensor, {space.target.coordinates.begin(), own}, true, space.by, true});
  }
  return result;
}

bool commute(const Reference &one, const Reference &other) {
  return one.updates && one.updates == other.updates && value::laws_of(*one.updates).is_commutative;
}

bool may_conflict(const Reference &one, const Reference &other) {
  if (one.tensor != other.tensor || !(one.writes || other.writes)) return false;
  return one.inserts == other.inserts || !(one.writes && other.writes);
}

namespace {

/// Does it append to a node of its own? Threads that append to others do so in arrays of their own. (An
/// insertion into a local reduces an element, too.)
bool is_apart(const Reference &reference) {
  return reference.inserts && !reference.updates && !reference.coordinates.empty();
}

} // namespace

bool share_insertions(const Reference &one, const Reference &other, const std::string &loop) {
  if (is_apart(one)) return false;
  return one.inserts && other.inserts &&
         std::ranges::none_of(one.coordinates, [&](const Term &each) { return term::mentions(each, loop); });
}

void add_conflict(LoopVerdict &verdict, const Conflict &conflict, prove::Answer answer) {
  verdict.reason = answer == prove::Answer::Possible ? "possible" : "budget exhausted";
  if (!commute(conflict.first, conflict.second))
    verdict.verdict = Verdict::Carried;
  else if (verdict.verdict == Verdict::Parallel)
    verdict.verdict = Verdict::Reduction;
}

void add_details(LoopVerdict &verdict, const Conflict &conflict, const space::Set &pairs,
                 prove::Answer answer, prove::Prover &prover) {
  verdict.relation = term::disjunction({verdict.relation, pairs.formula()});
  verdict.conflicts.push_back(conflict);
  if (verdict.witness.empty() && answer == prove::Answer::Possible)
    verdict.witness = prove::small_example(prover, conflict.instances, &verdict.example);
}

namespace {

/// One conflicting pair of references, across iterations of one loop.
class Question {
public:
  /// The outer variables are the same in both instances, the variable differs, the inner ones are free.
  Question(const Term &relation, const std::vector<std::string> &order, std::size_t loop,
           prove::Prover &prover, bool details)
      : prover_(prover), variable_(order[loop]), details_(details) {
    for (std::size_t k = loop; k < order.size(); ++k)
      primed_.emplace(order[k], term::variable(order[k] + "'"));
    hypotheses_ = term::conjuncts(relation);
    for (const Term &part : term::conjuncts(relation))
      hypotheses_.push_back(term::substitute(part, primed_));
    hypotheses_.push_back(term::less(term::variable(variable_), term::variable(variable_ + "'")));
  }

  /// Empty when `first` here and `second` in a later iteration never touch the same element.
  void ask(const Reference &first, const Reference &second, LoopVerdict &verdict) {
    std::vector<Term> hypotheses = hypotheses_;
    for (std::size_t k = 0; k < std::min(first.coordinates.size(), second.coordinates.size()); ++k)
      hypotheses.push_back(
          term::equal(first.coordinates[k], term::substitute(second.coordinates[k], primed_)));
    std::optional<space::Set> pairs;
    auto is_affine = [&] {
      pairs.emplace(term::conjunction(hypotheses));
      return pairs->is_empty();
    };
    const auto apart = [&] {
      if (share_insertions(first, second, variable_))
        add_conflict(verdict, {first, second, hypotheses}, prove::Answer::Possible);
    };
    const bool may_ask = prover_.may_ask(); // isl, too: it may take long where conditions are alternatives
    if (details_ && may_ask && is_affine()) return apart();
    prove::Answer answer = prover_.refute(fmt::format("dependence({})", variable_), first.tensor, hypotheses);
    // What the prover has values for is no empty set, and what it refutes needs no second opinion.
    if (!details_ && may_ask && answer == prove::Answer::Unknown && is_affine()) return apart();
    if (verdict.reason == "affine") verdict.reason = "properties";
    if (answer == prove::Answer::Refuted) return apart();
    Conflict conflict{first, second, std::move(hypotheses)};
    if (details_) add_details(verdict, conflict, pairs ? *pairs : space::Set(), answer, prover_);
    add_conflict(verdict, conflict, answer);
    // Nobody has asked: then not even sums may be shared, as each iteration may well have elements of its
    // own.
    if (answer == prove::Answer::Unknown && !prover_.may_ask()) verdict.verdict = Verdict::Carried;
  }

private:
  prove::Prover &prover_;
  std::string variable_;
  bool details_;
  term::Substitution primed_;
  std::vector<Term> hypotheses_;
};

} // namespace

std::vector<LoopVerdict> classify(const Term &relation, const std::vector<std::string> &order,
                                  const std::vector<std::string> &loops,
                                  const std::vector<Reference> &references, prove::Prover &prover,
                                  bool details) {
  std::vector<LoopVerdict> result;
  for (std::size_t loop = 0; loop < order.size(); ++loop) {
    if (!contains(loops, order[loop])) continue;
    LoopVerdict verdict{order[loop], Verdict::Parallel, term::falsity(), "", "affine"};
    Question question(relation, order, loop, prover, details);
    for (const Reference &first : references)
      for (const Reference &second : references)
        if (may_conflict(first, second)) question.ask(first, second, verdict);
    result.push_back(std::move(verdict));
  }
  return result;
}

std::string to_text(const std::vector<LoopVerdict> &verdicts) {
  std::string text;
  for (const LoopVerdict &verdict : verdicts) {
    text += fmt::format("{}: {} ({})\n", verdict.variable, name_of(verdict.verdict), verdict.reason);
    if (verdict.verdict == Verdict::Parallel) continue;
    text += fmt::format("  relation {{ {} }}\n", term::to_text(verdict.relation));
    if (!verdict.witness.empty()) text += fmt::format("  witness {}\n", verdict.witness);
  }
  return text;
}

bool strictly_increases(const term::Term &value, const std::string &variable, const term::Term &lower,
                        const term::Term &upper, prove::Prover &prover) {
  const term::Term earlier = term::variable(variable);
  const term::Term later = term::variable(variable + "'");
  const term::Term of_later = term::substitute(value, {{variable, later}});
  return prover.refute("not increasing", variable,
                       {term::at_most(lower, earlier), term::less(earlier, later), term::less(later, upper),
                        term::at_most(of_later, value)}) == prove::Answer::Refuted;
}

} // namespace unravel::depend
