#pragma once

#include "term/term.h"
#include "text/source.h"

/// How large the numbers of a written term may be.
namespace unravel::term {

/// Kernels compute terms in 64 bits: a factor times a coordinate, and sums of a few of these, must fit.
inline constexpr std::int64_t largest_factor = std::int64_t{1} << 32;
inline constexpr std::int64_t largest_constant = std::int64_t{1} << 60;

/// The term, which is written at `span`. Throws number_too_large where a factor or the constant of it is
/// larger; terms in applications and quotients are not looked at.
Term with_small_numbers(Term term, const text::Span &span);

} // namespace unravel::term
