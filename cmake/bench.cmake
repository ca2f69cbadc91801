# The benchmarks: bench/README.md says how they are run. Not built unless UNRAVEL_BENCH is set, never installed.

add_library(unravel_contest STATIC bench/contest.cpp bench/kernel.cpp)
target_link_libraries(unravel_contest PUBLIC unravel_flags unravel_pipeline unravel_build unravel_tensor fmt::fmt)

# What is compared with Unravel's kernels is compiled as well as the compiler can.
set(bench_flags -O3 -march=native)

add_executable(bench_latency bench/latency.cpp)
target_link_libraries(bench_latency PRIVATE unravel_contest)

add_library(unravel_merge STATIC bench/merge.cpp)
target_compile_options(unravel_merge PRIVATE ${bench_flags})
add_executable(bench_spmspv bench/spmspv.cpp)
target_link_libraries(bench_spmspv PRIVATE unravel_contest unravel_merge)

find_package(Eigen3 QUIET NO_MODULE) # Debian: libeigen3-dev
if(TARGET Eigen3::Eigen)
  add_executable(bench_spmv bench/spmv.cpp)
  # gcc 12 warns of its own AVX-512 intrinsics.
  target_compile_options(bench_spmv PRIVATE ${bench_flags} -Wno-maybe-uninitialized)
  target_link_libraries(bench_spmv PRIVATE unravel_contest Eigen3::Eigen)
else()
  message(STATUS "Eigen is not here: the benchmark bench_spmv is left out")
endif()
