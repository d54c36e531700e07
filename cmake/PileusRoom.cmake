# pileus_test_program(<target>): adds a test program. Most of the time to compile it goes into reading the
# headers of GoogleTest and the standard library. They are read once for all programs, unless ccache keeps
# what it has compiled.
function(pileus_test_program target)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  pileus_quick_to_compile(${target})
  if(PILEUS_CCACHE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  if(NOT TARGET test_headers)
    set(source ${PROJECT_BINARY_DIR}/CMakeFiles/test_headers.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
    add_executable(test_headers EXCLUDE_FROM_ALL ${source})
    target_link_libraries(test_headers PRIVATE GTest::gtest)
    pileus_quick_to_compile(test_headers)
    target_precompile_headers(test_headers PRIVATE <gtest/gtest.h> <algorithm> <array> <atomic> <chrono>
      <filesystem> <fstream> <functional> <map> <memory> <mutex> <optional> <random> <set> <span> <sstream>
      <stdexcept> <string> <thread> <variant> <vector>)
  endif()
  target_precompile_headers(${target} REUSE_FROM test_headers)
endfunction()

function(pileus_quick_to_compile target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Sanitize>:-O0>)
endfunction()

# pileus_unit_tests(<room> [<seconds>]): the tests of the program <room>_test, each with its own process and
# time limit. The target unit_tests builds all such programs.
function(pileus_unit_tests room)
  set(seconds ${ARGN})
  if(NOT seconds)
    set(seconds 300)
  endif()
  pileus_test_program(${room}_test)
  gtest_discover_tests(${room}_test TEST_PREFIX "${room}: " DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${seconds} LABELS unit)
  pileus_is_unit_test(${room}_test)
endfunction()

function(pileus_is_unit_test program)
  if(NOT TARGET unit_tests)
    add_custom_target(unit_tests)
  endif()
  add_dependencies(unit_tests ${program})
endfunction()

# pileus_room(<name> [SOURCES …] [ROOMS …] [LINK …] [TESTS …] [TEST_LINK …])
#
# Adds one room: a static library pileus_<name> from SOURCES, the other ROOMS that it may include, the outside
# libraries that it hides (LINK), and one test program <name>_test from TESTS. A room without sources has
# headers only.
function(pileus_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ROOMS;LINK;TESTS;TEST_LINK" ${ARGN})
  set(target pileus_${name})
  set_property(GLOBAL APPEND PROPERTY PILEUS_ROOMS ${target})
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE ${ARG_LINK})
    # Most of the time goes into reading the same headers: a room in one piece takes a fifth of it. A name
    # without linkage then stands for one thing in a room, which tools/check_rooms.py sees to.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${PILEUS_UNITY} UNITY_BUILD_BATCH_SIZE 0)
    if(PILEUS_UNITY)
      # GCC takes what one file hides for part of a header.
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  list(TRANSFORM ARG_ROOMS PREPEND pileus_)
  target_link_libraries(${target} ${scope} ${ARG_ROOMS} Threads::Threads)

  if(PILEUS_TESTS AND ARG_TESTS AND NOT PILEUS_ROOMS_FROM)
    add_executable(${name}_test ${ARG_TESTS})
    list(TRANSFORM ARG_TEST_LINK PREPEND pileus_)
    target_link_libraries(${name}_test PRIVATE ${target} ${ARG_TEST_LINK} ${ARG_LINK} GTest::gtest_main)
    pileus_unit_tests(${name})
  endif()
endfunction()
