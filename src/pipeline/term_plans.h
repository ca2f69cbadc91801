#pragma once

#include "compute/result_local.h"
#include "pipeline.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// Plans of products that are terms of a line beside others, or whose entries are collected for a sparse
/// result: each becomes statements of the line's program.
namespace unravel::pipeline {

struct TermPlans {
  compute::PlannedTerms statements;
  std::map<std::string, std::string> layouts; // of the locals that list their entries
  std::string why;                            // which were taken: comments of the program
  std::vector<compute::NestedTerms> nested;   // as Front has them

  bool empty() const { return statements.terms.empty(); }
};

/// Of the line's terms those whose best plan is clearly cheaper than the term as it is written. With `local`
/// they add to it, in the loops around it. Of a product of sparse factors buffers list their entries then:
/// the result has entries where the product has terms. None where the schedule speaks of plans or loops.
TermPlans plans_of_terms(const Request &request, const Front &front, const compute::ResultLocal *local);

/// The same request with a program in which terms of the line are computed by plans; nothing where none is,
/// or the result isn't dense.
std::optional<Front> with_planned_terms(const Request &request, const Front &front);

} // namespace unravel::pipeline
