#pragma once

#include "combine/space.h"
#include "prove/prover.h"
#include "schedule/order.h"

/// Programs: which loops their statements share, and in which order each statement's own are.
namespace unravel::schedule {

/// Frees statements of loops that only the source binds them to. Where a statement has its loops alone, and
/// only adds products to a tensor that it doesn't read, any order of them will do. So it is where several
/// add to a tensor that was set to zero, and what sets all of it to zero in these loops may come before them:
/// that becomes one of the program's `clears`, as it does where it has its loops alone.
void free_loops(combine::Combination &program, prove::Prover &prover);

/// Takes loops apart whose statements may run one after the other, where some statement then has an order
/// that costs less (loop distribution; Allen and Kennedy 1984). The statements' order in the text stays.
void distribute(combine::Combination &program, const Counts &counts, prove::Prover &prover);

/// The number of outermost loops that the leaf shares with others, or that are rounds.
std::size_t shared_depth(const combine::Combination &program, std::size_t leaf);

/// The space without its sparse divisors: the instances that must have them.
combine::IterationSpace undivided(const combine::IterationSpace &space);

/// Throws not_supported where only sparse divisors have the variable: they are looked for at each instance.
void require_instances_have(const combine::IterationSpace &space, const parse::Name &name,
                            const std::string &hint);

/// The order of least cost that begins with the loops `first`; what is to be checked to be stored, comes
/// last. Throws not_supported where `first` has it before a variable of the instances.
Order plan_statement(const combine::IterationSpace &space, const Counts &counts, const Scans &scans,
                     const std::set<std::string> &found, std::vector<parse::Name> first);

} // namespace unravel::schedule
