#pragma once

#include "depend/dependence.h"

#include <functional>

/// Dependences among the statements of a program, and orders that keep them (Feautrier 1992; Zhao et al.,
/// section 5.1: what the layouts drive must pass the test against the source's order).
namespace unravel::depend {

/// When a statement's instances are executed: compared lexicographically, numbers with numbers and variables
/// of loops, which both statements share, with each other.
using Schedule = std::vector<term::Term>;

/// A statement with its schedule in the source and the one to be tested.
struct Ordered {
  const combine::IterationSpace *space = nullptr;
  Schedule source;
  Schedule chosen;
};

/// In the source's order: place[0], loops[0], place[1], ...
Schedule source_schedule(const combine::IterationSpace &space);

/// Two instances that conflict and that the chosen order turns round.
struct Violation {
  std::size_t first = 0, second = 0; // statements: the first one's instance comes first in the source
  std::string tensor;
  term::Term relation; // over the variables of the first and, primed, of the second
  std::string witness; // an example from the prover, or empty
};

/// Nothing where each pair of conflicting instances is proved to be executed in the source's order. Updates
/// (+=) of one element don't conflict: sums are reassociated.
/// The witness is made only where `details` is set.
std::optional<Violation> find_violation(const std::vector<Ordered> &statements, prove::Prover &prover,
                                        bool details = true);

/// Is each instance of the statement in the source at one choice of stored entries at most: where it sets its
/// target of all operands, where it adds of those in which its value isn't affine? Sums over the entries of
/// the others are the value at their sums. `witness`, where not null: an example of two, if the prover has
/// one.
bool is_single_valued(const combine::IterationSpace &space, prove::Prover &prover,
                      std::string *witness = nullptr);

/// Is one entry of an operand at most stored at each of its coordinates?
bool is_stored_once(const combine::IterationSpace &space, const combine::Operand &operand,
                    prove::Prover &prover);

/// Do all instances that write one element of the target write it at one place of its layout? `witness` as
/// above.
bool has_single_places(const combine::IterationSpace &space, prove::Prover &prover,
                       std::string *witness = nullptr);

/// May an instance in the source be one of both spaces, of one statement through different pieces? `witness`
/// as above.
bool may_meet(const combine::IterationSpace &first, const combine::IterationSpace &second,
              prove::Prover &prover, std::string *witness = nullptr);

/// Executed in that order, do the statement's instances come so that these values, compared
/// lexicographically, never decrease? `witness`, where not null: as above. `same`: only instances that have
/// these values in common are compared.
bool increases(const combine::IterationSpace &space, const Schedule &executed,
               const std::vector<term::Term> &values, prove::Prover &prover, std::string *witness = nullptr,
               const std::vector<term::Term> &same = {});

/// Have no two instances, of which one is executed before the other, these values in common?
bool is_injective(const combine::IterationSpace &space, const Schedule &executed,
                  const std::vector<term::Term> &values, prove::Prover &prover);

/// May an instance of `first` come before a conflicting instance of `second` in the source, both in the same
/// iteration of their `shared` outermost loops?
bool may_precede(const combine::IterationSpace &first, const combine::IterationSpace &second,
                 std::size_t shared, prove::Prover &prover);

/// Calls `visit` with each pair of references that may touch one element in two iterations of loops[depth],
/// which the statements share: the first one's statement (its index) is executed in the earlier iteration.
void each_carried(
    const std::vector<const combine::IterationSpace *> &statements, std::size_t depth, prove::Prover &prover,
    const std::function<void(std::size_t first, std::size_t second, const Conflict &, prove::Answer)> &visit);

/// The verdict for a loop that statements share: loops[depth] of each.
LoopVerdict classify_shared(const std::vector<const combine::IterationSpace *> &statements, std::size_t depth,
                            prove::Prover &prover, bool details = true);

} // namespace unravel::depend
