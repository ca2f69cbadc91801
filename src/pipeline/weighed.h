#pragma once

#include "pipeline/conversions.h"

#include <memory>

namespace unravel::pipeline {

/// The plans of a line that was compiled, for people who want to see what was chosen from.
struct Weighed {
  Plans plans;
  std::optional<std::size_t> taken;    // of plans.found; nothing: the line as it is written
  std::vector<std::string> kernels;    // what each one's kernel is, in words
  std::size_t bytes = 0;               // of an element of a buffer
  std::vector<Conversion> conversions; // with which a call would cost less than by the best of the plans
};

/// Null where there are none. `plans`: what was chosen from; nothing where nothing was: they are searched
/// then.
std::shared_ptr<const Weighed> weighed_plans(const Request &request, const Front &front,
                                             std::optional<Plans> plans, std::optional<std::size_t> taken);

/// In words: what is made of a line by its plan.
std::string kernel_text(const compute::PlannedLine &line);

} // namespace unravel::pipeline
