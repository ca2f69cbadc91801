#pragma once

#include "combine/space.h"
#include "prove/prover.h"
#include "schedule/order.h"

/// Programs: which loops their statements share, and in which order each statement's own are.
namespace unravel::schedule {

/// A program that sets all elements of the result to zero and then does nothing but add products that don't
/// read it, is an assignment: its first statement goes, the others' loops are free. Nothing changes
/// otherwise.
void as_assignment(combine::Combination &program, prove::Prover &prover);

/// Takes loops apart whose statements may run one after the other, where some statement then has an order
/// that costs less (loop distribution; Allen and Kennedy 1984). The statements' order in the text stays.
void distribute(combine::Combination &program, const Counts &counts, prove::Prover &prover);

/// The number of outermost loops that the leaf shares with others.
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
