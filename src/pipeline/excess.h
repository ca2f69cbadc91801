#pragma once

#include "pipeline.h"

namespace unravel::pipeline {

/// A warning for each leaf that does far more steps than its operands and dense results have slots and its
/// operands have pairs of entries that meet: for large data it is slow whatever the machine. It names the
/// level at which that begins. Numbers that `counts` lack are guessed (cost/finds.h).
std::vector<report::Diagnostic> excesses_of(const Compilation &made, const schedule::Counts &counts);

} // namespace unravel::pipeline
