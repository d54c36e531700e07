# pileus_test_program(<target>): a test program among the others. Its own code is compiled in little time;
# what it tests comes from the rooms.
function(pileus_test_program target)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Sanitize>:-O0>)
endfunction()

# pileus_room(<name> [SOURCES …] [ROOMS …] [LINK …] [TESTS …] [TEST_LINK …])
#
# One room of the house: a static library pileus_<name> from SOURCES, the other ROOMS that it may include, the
# outside libraries that it hides (LINK), and one test program <name>_test from TESTS. A room without sources
# is headers only.
function(pileus_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ROOMS;LINK;TESTS;TEST_LINK" ${ARGN})
  set(target pileus_${name})
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE ${ARG_LINK})
    # Most of the time goes into reading the same headers: a room in one piece takes a fifth of it. A name
    # without linkage then stands for one thing in a room, which tools/check_rooms.py sees to.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${PILEUS_UNITY} UNITY_BUILD_BATCH_SIZE 0)
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
    pileus_test_program(${name}_test)
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}: " DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT 300 LABELS unit)
  endif()
endfunction()
