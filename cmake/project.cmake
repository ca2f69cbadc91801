# What is made of the rooms: the library, the tool, the tests, the install.

# ---- the library: all rooms in one archive

set_source_files_properties(src/library/border.cpp src/library/c.cpp PROPERTIES COMPILE_DEFINITIONS UNRAVEL_VERSION="${PROJECT_VERSION}")
set(room_objects ${UNRAVEL_ROOMS})
list(TRANSFORM room_objects REPLACE "(.+)" "$<TARGET_OBJECTS:unravel_\\1>")
add_library(unravel STATIC ${room_objects})
add_library(unravel::unravel ALIAS unravel)
set_target_properties(unravel PROPERTIES LINKER_LANGUAGE CXX)
target_compile_features(unravel INTERFACE cxx_std_20)
target_include_directories(unravel INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(unravel PRIVATE
  fmt::fmt PkgConfig::ISL PkgConfig::ZIP ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS}
  $<BUILD_INTERFACE:${Z3_LIBRARY}> $<INSTALL_INTERFACE:z3>)
if(TARGET unravel-clang) # opened when it runs: looked for where the program's libraries are
  add_dependencies(unravel unravel-clang)
  target_link_options(unravel INTERFACE $<INSTALL_INTERFACE:-Wl,-rpath,$<INSTALL_PREFIX>/${UNRAVEL_MODULE_FOLDER}>)
endif()

# ---- the same as a shared library, which exports the C interface alone

add_library(unravel_c SHARED ${room_objects})
add_library(unravel::c ALIAS unravel_c)
set(unravel_exports ${CMAKE_CURRENT_SOURCE_DIR}/cmake/unravel.map)
set_target_properties(unravel_c PROPERTIES OUTPUT_NAME unravel EXPORT_NAME c LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${unravel_exports})
target_link_options(unravel_c PRIVATE -Wl,--version-script=${unravel_exports})
target_include_directories(unravel_c INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(unravel_c PRIVATE fmt::fmt PkgConfig::ISL PkgConfig::ZIP ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS} ${Z3_LIBRARY})
if(TARGET unravel-clang)
  add_dependencies(unravel_c unravel-clang)
endif()

# ---- the tool

file(GLOB tool_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/tool/*.cpp)
if(tool_sources)
  add_executable(unravel_tool ${tool_sources})
  set_target_properties(unravel_tool PROPERTIES OUTPUT_NAME unravel RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
                                                UNITY_BUILD ${UNRAVEL_UNITY} UNITY_BUILD_BATCH_SIZE 16)
  target_link_libraries(unravel_tool PRIVATE unravel_flags unravel_show fmt::fmt CLI11::CLI11
                                             nlohmann_json::nlohmann_json PkgConfig::HTTPLIB)
  unravel_embed(tool page_files ${CMAKE_CURRENT_SOURCE_DIR}/src/tool/page/*)
  target_compile_definitions(unravel_tool PRIVATE UNRAVEL_VERSION="${PROJECT_VERSION}")
endif()

# ---- tests

if(UNRAVEL_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

function(unravel_compile_as_test name)
  # A quarter of the time to compile them, and what takes time is in the libraries.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF) # headers that are compiled once ask for one form
endfunction()

if(UNRAVEL_TESTS)
  add_library(unravel_test_places STATIC test/places.cpp)
  target_link_libraries(unravel_test_places PRIVATE unravel_flags)
  target_compile_definitions(unravel_test_places PRIVATE UNRAVEL_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}"
                             UNRAVEL_TOOL="$<$<TARGET_EXISTS:unravel_tool>:$<TARGET_FILE:unravel_tool>>")
  if(UNRAVEL_UNITY)
    add_library(unravel_test_headers OBJECT cmake/headers.cpp)
    unravel_compile_as_test(unravel_test_headers)
    target_link_libraries(unravel_test_headers PRIVATE unravel_flags fmt::fmt GTest::gtest)
    target_precompile_headers(unravel_test_headers PRIVATE ${UNRAVEL_HEADERS} <gtest/gtest.h>)
  endif()
endif()

# test/<name>/*.cpp makes the program test_<name>, which sees the libraries given. Its tests have the label <name>.
function(unravel_test name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test/${name}/*.cpp)
  if(NOT UNRAVEL_TESTS OR NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_link_libraries(test_${name} PRIVATE unravel_flags ${ARGN} unravel_test_places fmt::fmt GTest::gtest GTest::gtest_main)
  target_include_directories(test_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/test)
  unravel_compile_as_test(test_${name})
  if(UNRAVEL_UNITY)
    target_precompile_headers(test_${name} REUSE_FROM unravel_test_headers)
  endif()
  gtest_discover_tests(test_${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS ${name})
endfunction()

foreach(room ${UNRAVEL_ROOMS})
  unravel_test(${room} unravel_${room})
endforeach()
foreach(room tensor packing check) # their tests look at what packing makes, which a later room does
  if(TARGET test_${room})
    target_link_libraries(test_${room} PRIVATE unravel_convert)
  endif()
endforeach()
foreach(room lower choose) # their tests find, choose and lower
  if(TARGET test_${room})
    target_link_libraries(test_${room} PRIVATE unravel_choose unravel_lower)
  endif()
endforeach()
if(TARGET test_convert) # the same layouts as for plans
  target_sources(test_convert PRIVATE test/packing/pack_layouts.cpp)
endif()
unravel_test(structure) # of the source tree: no room
unravel_test(bench fmt::fmt nlohmann_json::nlohmann_json) # what benchmarks write: no room either
if(TARGET test_bench)
  target_sources(test_bench PRIVATE bench/contest.cpp bench/report.cpp)
  target_include_directories(test_bench PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
endif()
if(TARGET test_library) # the C interface, as C sees it
  add_executable(test_c_interface test/library/c_interface.c)
  set_target_properties(test_c_interface PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(test_c_interface PRIVATE -Wall -Wextra -Wpedantic -Werror)
  target_link_libraries(test_c_interface PRIVATE unravel_c)
  add_test(NAME Library.CInterface COMMAND test_c_interface)
  set_tests_properties(Library.CInterface PROPERTIES LABELS library)
  # The programs of docs/library.md.
  set(page ${CMAKE_CURRENT_SOURCE_DIR}/docs/library.md)
  set(page_programs ${CMAKE_CURRENT_BINARY_DIR}/page)
  add_custom_command(OUTPUT ${page_programs}/library.cpp ${page_programs}/library.c DEPENDS ${page} cmake/page.cmake VERBATIM
    COMMAND ${CMAKE_COMMAND} -DPAGE=${page} -DFOLDER=${page_programs} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/page.cmake)
  add_executable(test_page_in_cpp ${page_programs}/library.cpp)
  target_link_libraries(test_page_in_cpp PRIVATE unravel)
  add_test(NAME Library.PageInCpp COMMAND test_page_in_cpp)
  add_executable(test_page_in_c ${page_programs}/library.c)
  set_target_properties(test_page_in_c PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_link_libraries(test_page_in_c PRIVATE unravel_c)
  add_test(NAME Library.PageInC COMMAND test_page_in_c)
  set_tests_properties(Library.PageInCpp PROPERTIES LABELS library PASS_REGULAR_EXPRESSION
    "^csr with 3 entries\nerror: index `j` has extent 3 in `A.i, j.`, but 4 in `x.j.` .size-mismatch.")
  set_tests_properties(Library.PageInC PROPERTIES LABELS library PASS_REGULAR_EXPRESSION "^70 0 60\n$")
endif()
if(TARGET unravel_tool)
  unravel_test(tool unravel_run nlohmann_json::nlohmann_json PkgConfig::HTTPLIB)
  if(TARGET test_tool)
    add_dependencies(test_tool unravel_tool unravel unravel_c) # the tutorial's reader installs all
  endif()
endif()

if(UNRAVEL_TESTS AND UNRAVEL_FUZZ)
  include(cmake/fuzz.cmake)
endif()

# ---- benchmarks

# It reads a layout file from there.
set_source_files_properties(bench/sparse_results_cases.cpp PROPERTIES COMPILE_DEFINITIONS
                            UNRAVEL_BENCH_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/bench")
if(UNRAVEL_BENCH)
  include(cmake/bench.cmake)
endif()

# What of the benchmarks uses the rooms and nothing else: compiled by scripts/test, so that no change of an interface
# breaks it unseen. Nobody runs it, so nothing is optimised.
set(bench_sources build_latency coiteration coiteration_cases contest kernel latency layouts plans report schedules solves
                  sparse_results sparse_results_cases spmspv spmv templates tensors)
list(TRANSFORM bench_sources REPLACE "(.+)" "bench/\\1.cpp")
add_library(unravel_bench_compiles OBJECT EXCLUDE_FROM_ALL ${bench_sources})
target_compile_options(unravel_bench_compiles PRIVATE -O0)
target_link_libraries(unravel_bench_compiles PRIVATE unravel_flags unravel_run fmt::fmt
                                             nlohmann_json::nlohmann_json)

# ---- install

# All that is installed. (By its own name, Ninja takes the library `unravel` for the tool's file.)
add_custom_target(unravel_to_install)
add_dependencies(unravel_to_install unravel unravel_c)
if(TARGET unravel_tool)
  add_dependencies(unravel_to_install unravel_tool)
endif()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/unravel)
install(TARGETS unravel unravel_c EXPORT unravelTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT unravelTargets NAMESPACE unravel:: DESTINATION ${package_folder})
install(DIRECTORY include/unravel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY python/unravel DESTINATION lib/python3/dist-packages FILES_MATCHING PATTERN "*.py")
install(DIRECTORY layouts DESTINATION ${CMAKE_INSTALL_DATADIR}/unravel)
if(TARGET unravel_tool)
  install(TARGETS unravel_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
configure_package_config_file(cmake/unravelConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/unravelConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/unravelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/unravelConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/unravelConfigVersion.cmake
  DESTINATION ${package_folder})

include(cmake/debian.cmake)

# The Python package, where there is a Python with what it and its tests need.
set(UNRAVEL_PYTHON "")
foreach(candidate python3 /usr/bin/python3)
  execute_process(COMMAND ${candidate} -c "import numpy, scipy, pytest" RESULT_VARIABLE refused OUTPUT_QUIET ERROR_QUIET)
  if(refused EQUAL 0 AND NOT UNRAVEL_PYTHON)
    set(UNRAVEL_PYTHON ${candidate})
  endif()
endforeach()
if(UNRAVEL_TESTS AND TARGET unravel_tool AND UNRAVEL_JIT AND NOT UNRAVEL_SANITIZE)
  if(UNRAVEL_PYTHON)
    add_test(NAME Python.Package COMMAND ${UNRAVEL_PYTHON} -B -m pytest -q -p no:cacheprovider ${CMAKE_CURRENT_SOURCE_DIR}/test/python)
    set_tests_properties(Python.Package PROPERTIES LABELS "python;slow" ENVIRONMENT
      "PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/python;UNRAVEL_LIBRARY=$<TARGET_FILE:unravel_c>")
    # Random commands, always the same; `scripts/fuzz` tries others. And the tester itself.
    set(commands ${CMAKE_CURRENT_SOURCE_DIR}/test/fuzz/commands.py)
    add_test(NAME Fuzz.Commands COMMAND ${UNRAVEL_PYTHON} -B ${commands} --tool $<TARGET_FILE:unravel_tool> --commands 150 --jobs 1)
    add_test(NAME Fuzz.CommandsAsC COMMAND ${UNRAVEL_PYTHON} -B ${commands} --tool $<TARGET_FILE:unravel_tool> --commands 400 --jobs 1 --compile)
    # Random lines through the tool, C programs and the library.
    add_test(NAME Fuzz.Lines COMMAND ${UNRAVEL_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/test/fuzz/agreement.py
      --tool $<TARGET_FILE:unravel_tool> --lines 300 --jobs 2)
    set_tests_properties(Fuzz.Lines PROPERTIES LABELS "fuzz;slow" PROCESSORS 2 ENVIRONMENT
      "PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/python;UNRAVEL_LIBRARY=$<TARGET_FILE:unravel_c>")
    add_test(NAME Fuzz.CommandsTester COMMAND ${UNRAVEL_PYTHON} -B -m pytest -q -p no:cacheprovider ${CMAKE_CURRENT_SOURCE_DIR}/test/fuzz)
    set_tests_properties(Fuzz.Commands Fuzz.CommandsAsC Fuzz.CommandsTester PROPERTIES LABELS "fuzz;slow")
    if(UNRAVEL_BENCH)
      add_test(NAME Bench.EachRuns COMMAND ${UNRAVEL_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/bench/run.py --tiny
        --built ${CMAKE_BINARY_DIR} -o ${CMAKE_BINARY_DIR}/bench_results)
      set_tests_properties(Bench.EachRuns PROPERTIES LABELS "bench;slow" RUN_SERIAL ON)
    endif()
  else()
    message(STATUS "Python with NumPy, SciPy and pytest is not here: the Python package is not tested")
  endif()
endif()

if(UNRAVEL_TESTS AND TARGET unravel_tool AND NOT UNRAVEL_SANITIZE)
  add_test(NAME Install.ToolAndPackage COMMAND ${CMAKE_COMMAND}
    -DBUILD=${CMAKE_BINARY_DIR} -DCONSUMER=${CMAKE_CURRENT_SOURCE_DIR}/test/install
    -DGENERATOR=${CMAKE_GENERATOR} -DCOMPILER=${CMAKE_CXX_COMPILER} -DC_COMPILER=${CMAKE_C_COMPILER}
    -DBIN=${CMAKE_INSTALL_BINDIR} -DPYTHON=${UNRAVEL_PYTHON} -P ${CMAKE_CURRENT_SOURCE_DIR}/test/install/check.cmake)
  set_tests_properties(Install.ToolAndPackage PROPERTIES LABELS "install;slow")
  if(CMAKE_GENERATOR STREQUAL Ninja)
    add_test(NAME Install.DemoBuildsAll COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -DNINJA=${CMAKE_MAKE_PROGRAM}
      -DDEMO=${CMAKE_CURRENT_SOURCE_DIR}/scripts/demo -P ${CMAKE_CURRENT_SOURCE_DIR}/test/install/built.cmake)
    set_tests_properties(Install.DemoBuildsAll PROPERTIES LABELS install)
  endif()
  find_program(DPKG_DEB dpkg-deb)
  find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
  if(DPKG_DEB AND DPKG_SHLIBDEPS)
    add_test(NAME Install.DebianPackage COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -DPYTHON=${UNRAVEL_PYTHON}
      -DCPACK=${CMAKE_CPACK_COMMAND} -DDPKG_DEB=${DPKG_DEB} -DBIN=${CMAKE_INSTALL_BINDIR}
      -DCONSUMER=${CMAKE_CURRENT_SOURCE_DIR}/test/install
      -DGENERATOR=${CMAKE_GENERATOR} -DCOMPILER=${CMAKE_CXX_COMPILER} -DC_COMPILER=${CMAKE_C_COMPILER}
      -P ${CMAKE_CURRENT_SOURCE_DIR}/test/install/debian.cmake)
    set_tests_properties(Install.DebianPackage PROPERTIES LABELS "install;slow")
  endif()
endif()
