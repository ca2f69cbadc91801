#pragma once

#include "combine/space.h"
#include "prove/prover.h"
#include "space/set.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

/// Dependence relations, and what they say of loops.
///
/// Two instances of a statement conflict when they touch the same element and at least one writes. A loop
/// carries a dependence when two conflicting instances agree on all loops outside it and differ in it. The
/// affine part of the question is decided by isl; where that leaves a possibility, by the prover with the
/// properties of the index arrays. "Possible" and "unknown" both count as a dependence.
namespace unravel::depend {

enum class Verdict {
  Parallel,  // carries nothing
  Reduction, // every dependence that it carries is between updates of one += target
  Carried,   // carries some other dependence
};
std::string name_of(Verdict verdict);

/// One access of a statement to a tensor in memory.
struct Reference {
  std::string tensor;
  std::vector<term::Term> coordinates; // over the variables of the iteration space
  bool writes = false;
  std::optional<value::Operator> updates = {}; // += and the like: what reduces the element
  /// To the structure of a local that entries may be inserted into, in any order, but one after the other;
  /// the coordinates are those of the loops around the local.
  bool inserts = false;
};

/// May they change places? Two reductions of an element by the same operator, in any order.
bool commute(const Reference &one, const Reference &other);

/// May both touch one element, one of them writing? To one tensor; who writes an element where entries are
/// inserted inserts, too, which says it all.
bool may_conflict(const Reference &one, const Reference &other);

/// Two references that may touch the same element across iterations of a loop.
struct Conflict {
  Reference first, second;           // in an earlier iteration, in a later one
  std::vector<term::Term> instances; // what holds of the two instances, the later one's variables primed
  /// Of a loop that statements share: whose references they are, by number among these.
  std::size_t first_statement = 0, second_statement = 0;
};

struct LoopVerdict {
  std::string variable;
  Verdict verdict = Verdict::Carried;
  /// The instances (unprimed, primed) that conflict across iterations of this loop; false where there are
  /// none.
  term::Term relation;
  /// Where a dependence remains: an example from the prover, "i = 0, A.p = 0, A.p' = 1".
  std::string witness;
  std::string reason; // which argument decided: "affine", "properties", "possible"
  // With details: each pair of references that conflicts, and the witness's values.
  std::vector<Conflict> conflicts = {};
  std::vector<std::pair<term::Term, std::int64_t>> example = {};
  /// Of a loop that statements share: it and those outside, which are all that their instances have in
  /// common; the others' variables.
  std::vector<std::string> shared = {};
  std::set<std::string> others = {};
};

/// The references of a statement: the target is updated, or set, the operands are read. An insertion is one
/// more, and so is appending: by coordinates of the node that it belongs to.
std::vector<Reference> references(const combine::IterationSpace &space);

/// Verdicts for the variables `loops`, in the order of `order` (all variables, outermost first). The relation
/// and the witness are made only where `details` is set.
std::vector<LoopVerdict> classify(const term::Term &relation, const std::vector<std::string> &order,
                                  const std::vector<std::string> &loops,
                                  const std::vector<Reference> &references, prove::Prover &prover,
                                  bool details = true);

std::string to_text(const std::vector<LoopVerdict> &verdicts);

/// Whether the value, over the variable, is larger for each later value of it in [lower, upper).
bool strictly_increases(const term::Term &value, const std::string &variable, const term::Term &lower,
                        const term::Term &upper, prove::Prover &prover);

// ---- How a verdict comes about, conflict by conflict: for loops of one statement and those that several
// share.

/// References that may conflict across iterations of the loop. `answer`: not Refuted.
void add_conflict(LoopVerdict &verdict, const Conflict &conflict, prove::Answer answer);

/// Do two iterations of the loop insert into one local, if both insert? They change its counts then, also
/// where no two of them ever do.
bool share_insertions(const Reference &one, const Reference &other, const std::string &loop);

/// What people want to know of it: the pairs of instances, an example.
void add_details(LoopVerdict &verdict, const Conflict &conflict, const space::Set &pairs,
                 prove::Answer answer, prove::Prover &prover);

} // namespace unravel::depend
