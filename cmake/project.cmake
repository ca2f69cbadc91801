# What is built from the rooms: the in-process compiler's module, the library, the tool, tests, benchmarks, install.

if(UNRAVEL_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  # test/<room>/*.cpp makes the program test_<room>, which sees that room and what the room uses.
  foreach(room ${UNRAVEL_ROOMS})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/test/${room}/*.cpp)
    if(sources)
      add_executable(test_${room} ${sources})
      target_link_libraries(test_${room} PRIVATE unravel_flags unravel_${room} GTest::gtest GTest::gtest_main)
      target_include_directories(test_${room} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/test)
      target_compile_definitions(test_${room} PRIVATE UNRAVEL_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
      gtest_discover_tests(test_${room} DISCOVERY_TIMEOUT 60)
    endif()
  endforeach()
endif()
