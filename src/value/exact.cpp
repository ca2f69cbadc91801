#include "value/exact.h"

#include <cmath>
#include <limits>

namespace unravel::value {

namespace {

constexpr std::int64_t base = std::int64_t{1} << 32;

} // namespace

std::complex<double> halves_of(const Scalar &number) {
  if (number.type != Type::UInt64)
    return {static_cast<double>(number.integer % base), static_cast<double>(number.integer / base)};
  const auto bits = static_cast<std::uint64_t>(number.integer);
  return {static_cast<double>(bits % base), static_cast<double>(bits / base)};
}

std::optional<Scalar> whole_of(std::complex<double> halves, Type type) {
  const double low = halves.real(), high = halves.imag();
  if (std::isinf(low) && high == 0) return Scalar::of(low, type);
  // Within these any sum of the two fits 128 bits.
  constexpr double most = 0x1p80;
  if (!(std::fabs(low) < most && std::fabs(high) < most) || std::trunc(low) != low ||
      std::trunc(high) != high)
    return std::nullopt;
  __extension__ using Integer = __int128;
  const Integer whole = static_cast<Integer>(high) * base + static_cast<Integer>(low);
  const bool fits = type == Type::UInt64 ? whole >= 0 && whole <= std::numeric_limits<std::uint64_t>::max()
                                         : whole >= INT64_MIN && whole <= INT64_MAX;
  if (!fits) return std::nullopt;
  return Scalar{type, 0, static_cast<std::int64_t>(whole)};
}

} // namespace unravel::value
