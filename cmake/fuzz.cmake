# The fuzzers: programs of libFuzzer's, with UNRAVEL_FUZZ. test/fuzz/<name>.cpp makes fuzz_<name>.

if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "UNRAVEL_FUZZ needs Clang: -DCMAKE_CXX_COMPILER=clang++-19")
endif()
set(UNRAVEL_FUZZ_SECONDS 20 CACHE STRING "how long a test runs one fuzzer")

# unravel_fuzzer(name library corpus...): a test begins with the texts of these folders. What it makes of them stays in
# the build folder: so the next run begins where this one ended.
function(unravel_fuzzer name library)
  add_executable(fuzz_${name} test/fuzz/${name}.cpp)
  target_include_directories(fuzz_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/test)
  target_link_libraries(fuzz_${name} PRIVATE unravel_flags ${library})
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers fuzz_${name})
  set(found ${CMAKE_CURRENT_BINARY_DIR}/fuzz/${name})
  file(MAKE_DIRECTORY ${found})
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_test(NAME Fuzz.${name} COMMAND fuzz_${name} -max_total_time=${UNRAVEL_FUZZ_SECONDS} -timeout=20 -rss_limit_mb=3000
    -max_len=4096 -seed=1 -print_final_stats=1 -dict=${CMAKE_CURRENT_SOURCE_DIR}/test/fuzz/words.dict
    -artifact_prefix=${found}- ${found} ${ARGN})
  set_tests_properties(Fuzz.${name} PROPERTIES LABELS fuzz)
endfunction()

add_custom_target(fuzzers)
unravel_fuzzer(layout unravel_layout layouts)
unravel_fuzzer(expression unravel_pipeline test/fuzz/corpus/expressions examples)
unravel_fuzzer(schedule unravel_pipeline test/fuzz/corpus/schedules)
unravel_fuzzer(matrix_market unravel_data test/fuzz/corpus/matrix_market)
unravel_fuzzer(frostt unravel_data test/fuzz/corpus/frostt)
unravel_fuzzer(npy unravel_data test/fuzz/corpus/npy)
unravel_fuzzer(npz unravel_data test/fuzz/corpus/npz)
unravel_fuzzer(folder unravel_tensor test/fuzz/corpus/folders)
if(UNRAVEL_JIT) # C is read by Clang, in the module
  unravel_fuzzer(c unravel_cfront test/fuzz/corpus/c)
endif()
