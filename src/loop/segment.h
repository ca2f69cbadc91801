#pragma once

#include "loop/loop.h"

#include <map>
#include <optional>
#include <string>

/// What a loop runs over, where its bounds are read from an array of pointers.
namespace unravel::loop {

/// The positions that an array of pointers keeps together, as those of a row: from pointers(number) to
/// pointers(number + 1).
struct Segment {
  std::string pointers;
  term::Term number;
  bool whole = true; // else a part of it, which a maximum and a minimum cut
};

/// The segment whose positions lie between these bounds. None where they are no such pointers.
std::optional<Segment> segment_between(const term::Term &lower, const term::Term &upper);

/// The mean number of positions where the upper bound is read from an array of pointers, if the data tell it
/// (passes.h).
std::optional<double> mean_length(const For &loop, const std::map<std::string, double> &counts);

} // namespace unravel::loop
