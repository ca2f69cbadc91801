#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNRAVEL_IS_SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define UNRAVEL_IS_SANITIZED 1
#endif
#ifndef UNRAVEL_IS_SANITIZED
#define UNRAVEL_IS_SANITIZED 0
#endif

namespace unravel::test {

/// The sanitizers' build, without optimisation: what takes a second elsewhere takes a minute. Long tests take
/// fewer samples there.
inline constexpr bool is_sanitized = UNRAVEL_IS_SANITIZED != 0;

} // namespace unravel::test
