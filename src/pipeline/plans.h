#pragma once

#include "compute/contraction.h"
#include "contract/search.h"
#include "pipeline.h"

#include <optional>
#include <string>
#include <vector>

/// Plans of a product of several factors: which part of it is computed first, in which loops.
namespace unravel::pipeline {

/// So many may be listed, and asked for.
inline constexpr std::size_t most_plans = 1000;

struct Plans {
  contract::Network network;
  contract::Found found;  // the best ones, the cheapest first
  contract::Plan written; // all factors multiplied in the innermost loop
  compute::Contraction contraction;
  std::vector<contract::Set> walked; // as compute::with_plan wants it
};

/// By the counts that the request has; guesses stand for the others. `plans`: so many of the best. Nothing
/// where the line can't be taken apart, and then `why`.
std::optional<Plans> plans_of(const Request &request, const Front &front, std::size_t plans,
                              std::string &why);

/// The plan as a program; nothing where all of it is one product, whose loops are as they are without it.
std::optional<parse::ProgramTree> program_of(const Front &front, const Plans &plans,
                                             const contract::Plan &plan);

/// The number, from 0 on, of the plan that is taken where the schedule asks for none: the best one, if it is
/// a program and clearly cheaper than what the line's own loops may be.
std::optional<std::size_t> choice_of(const Front &front, const Plans &plans);

/// The front with the program of the plan that the schedule asks for or, where it says nothing of loops, of
/// choice_of. Else nothing. Throws mistakes and limits of what is asked for.
std::optional<Front> with_plan(const Request &request, const Front &front);

} // namespace unravel::pipeline
