# The benchmarks: bench/README.md says how they are run. Not built unless UNRAVEL_BENCH is set, never installed.

add_library(unravel_contest STATIC bench/contest.cpp bench/kernel.cpp bench/report.cpp)
target_link_libraries(unravel_contest PUBLIC unravel_flags unravel_pipeline unravel_build unravel_convert unravel_run
                      fmt::fmt nlohmann_json::nlohmann_json)

add_executable(build_latency bench/build_latency.cpp)
target_link_libraries(build_latency PRIVATE unravel_contest)

add_executable(bench_layouts bench/layouts.cpp)
target_link_libraries(bench_layouts PRIVATE unravel_contest)

add_executable(bench_schedules bench/schedules.cpp)
target_link_libraries(bench_schedules PRIVATE unravel_contest)

add_executable(bench_solves bench/solves.cpp)
set_source_files_properties(bench/solves.cpp PROPERTIES COMPILE_OPTIONS "-O3;-march=native;-ffast-math")
target_link_libraries(bench_solves PRIVATE unravel_contest)

# What is compared with Unravel's kernels is compiled as well as the compiler can.
set(bench_flags -O3 -march=native)

add_executable(bench_latency bench/latency.cpp)
target_link_libraries(bench_latency PRIVATE unravel_contest)

find_package(OpenMP QUIET) # merges on one thread only, without
add_library(unravel_merge STATIC bench/merge.cpp)
target_compile_options(unravel_merge PRIVATE ${bench_flags})
if(OpenMP_CXX_FOUND)
  target_link_libraries(unravel_merge PRIVATE OpenMP::OpenMP_CXX)
endif()
add_executable(bench_spmspv bench/spmspv.cpp)
target_link_libraries(bench_spmspv PRIVATE unravel_contest unravel_merge)

add_executable(bench_tensors bench/tensors.cpp bench/tensors_hand.cpp)
set_source_files_properties(bench/tensors_hand.cpp PROPERTIES COMPILE_OPTIONS "-O3;-march=native;-ffast-math")
target_link_libraries(bench_tensors PRIVATE unravel_contest)

add_executable(bench_operators bench/operators.cpp bench/operators_hand.cpp)
# Reductions in any order, as ours are; infinities are numbers.
set_source_files_properties(bench/operators_hand.cpp PROPERTIES COMPILE_OPTIONS
  "-O3;-march=native;-fno-math-errno;-fno-trapping-math;-fno-signed-zeros;-fassociative-math")
target_link_libraries(bench_operators PRIVATE unravel_contest)

add_executable(bench_plans bench/plans.cpp bench/plans_contest.cpp bench/plans_goals.cpp bench/plans_hand.cpp
               bench/tensors_hand.cpp)
set_source_files_properties(bench/plans_hand.cpp PROPERTIES COMPILE_OPTIONS "-O3;-march=native;-ffast-math")
target_link_libraries(bench_plans PRIVATE unravel_contest)

find_package(Eigen3 QUIET NO_MODULE) # Debian: libeigen3-dev
if(TARGET Eigen3::Eigen)
  add_executable(bench_packing bench/packing.cpp)
  # gcc 12 warns of its own AVX-512 intrinsics.
  target_compile_options(bench_packing PRIVATE ${bench_flags} -Wno-maybe-uninitialized)
  target_link_libraries(bench_packing PRIVATE unravel_contest Eigen3::Eigen)
else()
  message(STATUS "Eigen is not here: bench_packing is left out")
endif()

# Where they are here: GraphBLAS (Debian: libgraphblas-dev), librsb (librsb-dev).
find_path(GRAPHBLAS_INCLUDE GraphBLAS.h PATH_SUFFIXES suitesparse)
find_library(GRAPHBLAS_LIBRARY graphblas)
if(GRAPHBLAS_INCLUDE AND GRAPHBLAS_LIBRARY)
  set(has_graphblas ON)
else()
  message(STATUS "GraphBLAS is not here: bench_coiteration, bench_graphs, bench_sparse_results and bench_spmv are built without it")
endif()
find_path(LIBRSB_INCLUDE rsb.h)
find_library(LIBRSB_LIBRARY rsb)
if(LIBRSB_INCLUDE AND LIBRSB_LIBRARY)
  set(has_librsb ON)
else()
  message(STATUS "librsb is not here: bench_spmv is built without it")
endif()

# Makes the peer (eigen, graphblas or librsb) one of the benchmark's contestants, where it is here:
# bench/<benchmark>_<peer>.cpp, which alone sees the peer's headers.
function(add_contestant benchmark peer)
  string(TOUPPER ${peer} name)
  set(contestant unravel_${benchmark}_${peer})
  set(source bench/${benchmark}_${peer}.cpp)
  if(peer STREQUAL eigen AND TARGET Eigen3::Eigen)
    add_library(${contestant} STATIC ${source})
    target_compile_options(${contestant} PRIVATE ${bench_flags} -Wno-maybe-uninitialized)
    target_link_libraries(${contestant} PUBLIC Eigen3::Eigen)
    if(OpenMP_CXX_FOUND)
      target_link_libraries(${contestant} PRIVATE OpenMP::OpenMP_CXX)
    endif()
  elseif(NOT peer STREQUAL eigen AND has_${peer})
    add_library(${contestant} STATIC ${source})
    target_include_directories(${contestant} SYSTEM PRIVATE ${${name}_INCLUDE})
    target_link_libraries(${contestant} PUBLIC unravel_contest ${${name}_LIBRARY})
  else()
    return()
  endif()
  target_link_libraries(bench_${benchmark} PRIVATE ${contestant})
  target_compile_definitions(bench_${benchmark} PRIVATE UNRAVEL_BENCH_${name})
endfunction()

add_executable(bench_spmv bench/spmv.cpp)
target_link_libraries(bench_spmv PRIVATE unravel_contest)
foreach(peer eigen graphblas librsb)
  add_contestant(spmv ${peer})
endforeach()

# The choice among templates, on the same cases.
add_executable(bench_templates bench/templates.cpp bench/coiteration_cases.cpp)
target_link_libraries(bench_templates PRIVATE unravel_contest)

# Co-iteration kernels against merges, too.
add_executable(bench_coiteration bench/coiteration.cpp bench/coiteration_cases.cpp bench/coiteration_merge.cpp)
target_link_libraries(bench_coiteration PRIVATE unravel_contest unravel_merge)
foreach(peer eigen graphblas)
  add_contestant(coiteration ${peer})
endforeach()

# Sparse results, some of them on the vectors of bench_coiteration.
add_executable(bench_sparse_results bench/sparse_results.cpp bench/sparse_results_cases.cpp
                                    bench/coiteration_cases.cpp)
target_link_libraries(bench_sparse_results PRIVATE unravel_contest)
foreach(peer eigen graphblas)
  add_contestant(sparse_results ${peer})
endforeach()

# Graph algorithms; GraphBLAS alone has them.
add_executable(bench_graphs bench/graphs.cpp bench/graphs_cases.cpp)
target_link_libraries(bench_graphs PRIVATE unravel_contest)
add_contestant(graphs graphblas)

# What scripts/bench builds.
add_custom_target(unravel_benchmarks)
add_dependencies(unravel_benchmarks unravel_tool build_latency bench_latency bench_spmv bench_spmspv
                 bench_coiteration bench_templates bench_sparse_results bench_graphs bench_layouts bench_tensors
                 bench_schedules bench_solves bench_plans bench_operators)
if(TARGET bench_packing)
  add_dependencies(unravel_benchmarks bench_packing)
endif()
