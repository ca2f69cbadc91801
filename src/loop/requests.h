#pragma once

#include "loop/passes.h"
#include "text/source.h"

#include <set>
#include <string>
#include <vector>

/// What a user asks for of loops, by their variables: done before the passes of `improve`, which then find
/// the loops as they were asked for.
namespace unravel::loop {

struct Request {
  enum class Kind {
    Unroll,    // `factor` iterations follow each other in the body
    Vectorise, // a simd loop
    Jam,       // `factor` iterations share the loops inside
  };
  Kind kind = Kind::Unroll;
  std::string variable;
  std::int64_t factor = 0; // of Unroll: 0 stands for all iterations
  /// Vectorise, Jam: what the loop carries by the dependence test. Nothing, or (true) updates of elements.
  bool updates = false;
  text::Span span; // for messages
};

struct Requested {
  Program program;
  /// Loads that are in bounds wherever their variables have values: those of iterations other than the first.
  std::set<term::Term> in_bounds;
};

/// Grants the requests: first which loops are simd loops, then which are jammed, then which are unrolled.
/// Each is for all loops of that variable; where there is none, nothing happens. Throws where a loop hasn't
/// the form for it.
Requested grant(Program program, const std::vector<Request> &requests, const Safe &safe);

} // namespace unravel::loop
