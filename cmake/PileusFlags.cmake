# Flags that every target of the project gets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# The bits of a result must not depend on which products the compiler fuses.
add_compile_options(-ffp-contract=off)
# GCC 12 warns of overlapping copies in "x" + std::string, where there are none (GCC bug 105329).
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
# At -O3 it also takes a vector for empty in the middle of an insertion that makes it grow.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overflow>)
add_compile_options($<$<COMPILE_LANGUAGE:CXX,C>:-Wall> $<$<COMPILE_LANGUAGE:CXX,C>:-Wextra>)

if(PILEUS_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX,C>:-fsanitize=${PILEUS_SANITIZE}> -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PILEUS_SANITIZE})
endif()

find_package(Threads REQUIRED)
if(PILEUS_TESTS)
  enable_testing()
  include(GoogleTest)
  find_package(GTest REQUIRED)
endif()
find_program(PILEUS_CCACHE ccache)
if(PILEUS_CCACHE)
  # Paths count from the checkout: another clone then finds what this one has compiled.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_CURRENT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    ${PILEUS_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
