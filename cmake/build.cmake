# The room `build`, C text to machine code: what its sources are told.

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED) # used as a header only, Debian: libxxhash-dev
if(NOT XXHASH_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  set_source_files_properties(src/build/cache.cpp PROPERTIES INCLUDE_DIRECTORIES ${XXHASH_INCLUDE_DIR})
endif()

set(UNRAVEL_MODULE_FOLDER ${CMAKE_INSTALL_LIBDIR}/unravel)
if(UNRAVEL_JIT)
  include(cmake/clang.cmake)
endif()

# OpenBLAS is opened by the first kernel that calls it: nothing is linked with it.
if(UNRAVEL_BLAS)
  find_library(UNRAVEL_OPENBLAS openblas) # Debian: libopenblas-dev
  if(UNRAVEL_OPENBLAS)
    set_source_files_properties(src/build/blas.cpp PROPERTIES COMPILE_DEFINITIONS "UNRAVEL_OPENBLAS=\"${UNRAVEL_OPENBLAS}\"")
  else()
    message(STATUS "There is no OpenBLAS: kernels with the schedule `blas` can be compiled, but not run")
  endif()
endif()

# Both back ends are always compiled; UNRAVEL_JIT chooses the one that is used.
set_source_files_properties(src/build/kernel.cpp PROPERTIES COMPILE_DEFINITIONS
  "UNRAVEL_JIT=$<BOOL:${UNRAVEL_JIT}>;UNRAVEL_VERSION=\"${PROJECT_VERSION}\"")
set_source_files_properties(src/build/in_process.cpp PROPERTIES COMPILE_DEFINITIONS
  "UNRAVEL_MODULE_FOLDER=\"${UNRAVEL_MODULE_FOLDER}\";UNRAVEL_PROGRAM_FOLDER=\"${CMAKE_INSTALL_BINDIR}\";UNRAVEL_MODULE_INSTALL_FOLDER=\"${CMAKE_INSTALL_FULL_LIBDIR}/unravel\";UNRAVEL_CLANG_VERSION=\"${LLVM_PACKAGE_VERSION}\";UNRAVEL_CLANG_LIBRARY=\"${UNRAVEL_CLANG_LIBRARY}\"")
