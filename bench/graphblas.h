#pragma once

extern "C" {
#include <GraphBLAS.h>
}

#include <cstdlib>
#include <fmt/format.h>
#include <stdexcept>

/// What all contestants that are GraphBLAS share.
namespace unravel::bench {

inline void require(GrB_Info info) {
  if (info != GrB_SUCCESS)
    throw std::runtime_error(fmt::format("GraphBLAS returned {}", static_cast<int>(info)));
}

/// GraphBLAS is set up once per process; it takes that many threads from now on.
inline void begin(int threads) {
  static const bool begun = [] {
    require(GrB_init(GrB_NONBLOCKING));
    std::atexit([] { GrB_finalize(); });
    return true;
  }();
  static_cast<void>(begun);
  require(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, threads));
}

} // namespace unravel::bench
