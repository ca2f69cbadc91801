# The module libunravel-clang.so: the in-process compiler and the reader of C, opened by the room `build` when it is
# first needed. It alone is linked with Clang, LLVM and lld.

find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19)
find_package(Clang REQUIRED CONFIG HINTS ${LLVM_INSTALL_PREFIX})
find_package(LLD REQUIRED CONFIG HINTS ${LLVM_INSTALL_PREFIX}) # static, but on the shared LLVM; Debian: liblld-19-dev
find_library(UNRAVEL_LIBOMP NAMES libomp.so.5 HINTS ${LLVM_LIBRARY_DIRS} REQUIRED)

get_target_property(UNRAVEL_CLANG_LIBRARY clang-cpp LOCATION)
separate_arguments(UNRAVEL_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_library(unravel-clang MODULE src/build/clang/module.cpp src/build/clang/compiler.cpp src/cfront/clang/syntax.cpp
  src/cfront/clang/nesting.cpp)
# Clang's own headers, <stddef.h> and the like, for C that a user hands in.
find_path(UNRAVEL_CLANG_HEADERS stddef.h NO_DEFAULT_PATH
  HINTS ${LLVM_INSTALL_PREFIX}/lib/clang/${LLVM_VERSION_MAJOR}/include ${LLVM_LIBRARY_DIRS}/clang/${LLVM_VERSION_MAJOR}/include)
cmake_path(GET UNRAVEL_CLANG_HEADERS PARENT_PATH UNRAVEL_CLANG_RESOURCES)
target_include_directories(unravel-clang PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
# LLVM's headers are not ours to warn about, and it is built without run-time type information.
target_include_directories(unravel-clang SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS} ${LLD_INCLUDE_DIRS})
target_compile_options(unravel-clang PRIVATE -fno-rtti -Wall -Wextra -Wshadow -Werror)
target_compile_definitions(unravel-clang PRIVATE ${UNRAVEL_LLVM_DEFINITIONS} UNRAVEL_LIBOMP="${UNRAVEL_LIBOMP}"
  UNRAVEL_CLANG_RESOURCES="${UNRAVEL_CLANG_RESOURCES}")
# Never a static component of LLVM beside the shared one: its options would be registered twice, which aborts.
target_link_libraries(unravel-clang PRIVATE lldELF lldCommon clang-cpp LLVM ${CMAKE_DL_LIBS})
target_link_options(unravel-clang PRIVATE -Wl,--as-needed -Wl,--exclude-libs,ALL)
set_target_properties(unravel-clang PROPERTIES
  UNITY_BUILD ${UNRAVEL_UNITY} CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  INSTALL_RPATH "${LLVM_LIBRARY_DIRS}"
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${UNRAVEL_MODULE_FOLDER})
install(TARGETS unravel-clang LIBRARY DESTINATION ${UNRAVEL_MODULE_FOLDER})
# Whoever links with the room needs the module when it runs. (The room is added after this file is read.)
cmake_language(DEFER CALL add_dependencies unravel_build unravel-clang)
