# The rooms that know no MPI, as the build in PILEUS_ROOMS_FROM has compiled them: one object code, whichever
# MPI. That build is brought up to date whenever this one is.
load_cache(${PILEUS_ROOMS_FROM} READ_WITH_PREFIX other_
  CMAKE_HOME_DIRECTORY CMAKE_BUILD_TYPE CMAKE_CXX_COMPILER CMAKE_CXX_FLAGS PILEUS_SANITIZE PILEUS_ROOMS_FROM)
if(NOT other_CMAKE_HOME_DIRECTORY STREQUAL PROJECT_SOURCE_DIR OR other_PILEUS_ROOMS_FROM)
  message(FATAL_ERROR "PILEUS_ROOMS_FROM: ${PILEUS_ROOMS_FROM} is no complete build of "
    "${PROJECT_SOURCE_DIR}; ./dev build makes build/release")
endif()
if(NOT other_CMAKE_CXX_COMPILER STREQUAL CMAKE_CXX_COMPILER)
  message(FATAL_ERROR "PILEUS_ROOMS_FROM: ${PILEUS_ROOMS_FROM} was built by ${other_CMAKE_CXX_COMPILER}, "
    "this build uses ${CMAKE_CXX_COMPILER}")
endif()
# Both builds must compile the shared parts alike.
set(CMAKE_BUILD_TYPE ${other_CMAKE_BUILD_TYPE} CACHE STRING "" FORCE)
set(CMAKE_CXX_FLAGS "${other_CMAKE_CXX_FLAGS}" CACHE STRING "" FORCE)
set(PILEUS_SANITIZE "${other_PILEUS_SANITIZE}" CACHE STRING "" FORCE)

# The libraries that the rooms link: packages by the names of their targets, and those of pkg-config.
find_package(PkgConfig REQUIRED)
pkg_check_modules(NETCDF REQUIRED IMPORTED_TARGET netcdf)
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(BLOSC REQUIRED IMPORTED_TARGET blosc)
file(READ ${PILEUS_ROOMS_FROM}/pileus-rooms.cmake rooms)
string(REGEX MATCHALL "[A-Za-z0-9_]+::[A-Za-z0-9_]+" outside "${rooms}")
list(REMOVE_DUPLICATES outside)
foreach(target ${outside})
  if(NOT TARGET ${target})
    string(REGEX REPLACE "::.*" "" package ${target})
    find_package(${package} REQUIRED)
  endif()
endforeach()

include(${PILEUS_ROOMS_FROM}/pileus-rooms.cmake)
file(STRINGS ${PILEUS_ROOMS_FROM}/pileus-rooms.txt paths)
add_custom_target(pileus_built_rooms BYPRODUCTS ${paths}
  COMMAND ${CMAKE_COMMAND} --build ${PILEUS_ROOMS_FROM} --target pileus_rooms)
get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target ${imported})
  if(target MATCHES "^pileus_")
    add_dependencies(${target} pileus_built_rooms)
  endif()
endforeach()

# libpileus looks for the servers' half beside itself.
file(MAKE_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
foreach(name libpileus_serve.so libpileus_serve.so.0)
  file(CREATE_LINK ${PILEUS_ROOMS_FROM}/lib/${name} ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${name} SYMBOLIC)
endforeach()
