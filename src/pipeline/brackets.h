#pragma once

#include "pipeline.h"

/// Brackets with sparse terms (compute/brackets.h): how they are computed is chosen by what the layouts
/// allow.
namespace unravel::pipeline {

/// The request with its brackets settled. As they are written, where their operands are walked or looked up
/// in order; else a single bracket is multiplied out, and several of them are collected in local tensors
/// first. Nothing where there is nothing to choose.
std::optional<Compilation> compile_with_brackets(const Request &request, const Front &front);

} // namespace unravel::pipeline
