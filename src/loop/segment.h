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

/// The segment whose positions the loop runs over. `named`: what names in its bounds stand for. None where
/// the bounds are no such pointers.
std::optional<Segment> segment_of(const For &loop, const term::Substitution &named = {});

/// How many positions there are on average where an upper bound is read from that array of pointers, if it is
/// known (passes.h).
std::optional<double> mean_length(const For &loop, const std::map<std::string, double> &counts);

} // namespace unravel::loop
