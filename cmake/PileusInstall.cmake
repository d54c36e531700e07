# Says what `cmake --install` puts where, and how others find it: find_package(Pileus) gives Pileus::pileus (C
# and C++) and Pileus::fortran; pkg-config gives pileus and pileus_fortran. tests/test_install.py builds the
# examples against it. The static rooms are not installed, as the shared libraries contain them.
# PileusShare.cmake installs everything else.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(module_directory ${CMAKE_INSTALL_INCLUDEDIR}/pileus/fortran)

install(TARGETS pileus pileus_fortran EXPORT PileusTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# libpileus looks for it beside itself.
if(PILEUS_ROOMS_FROM)
  install(PROGRAMS ${PILEUS_ROOMS_FROM}/lib/libpileus_serve.so.${PROJECT_VERSION}
    DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME libpileus_serve.so.0)
else()
  install(TARGETS pileus_serve_library LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS pileus-server pileus_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/pileus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/modules/pileus.mod DESTINATION ${module_directory})
# Operators in Fortran are compiled with it.
install(FILES bindings/fortran/pileus_operators.f90 DESTINATION ${module_directory})
target_include_directories(pileus PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(pileus_fortran PUBLIC $<INSTALL_INTERFACE:${module_directory}>)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/Pileus)
# The file is not in the build's root: with build/release/bin in PATH find_package looks there, and would take
# a package that is not installed.
set(package_files ${PROJECT_BINARY_DIR}/CMakeFiles/package)
file(REMOVE ${PROJECT_BINARY_DIR}/PileusConfig.cmake ${PROJECT_BINARY_DIR}/PileusConfigVersion.cmake)
install(EXPORT PileusTargets NAMESPACE Pileus:: DESTINATION ${package_directory})
configure_package_config_file(cmake/PileusConfig.cmake.in ${package_files}/PileusConfig.cmake
  INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${package_files}/PileusConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${package_files}/PileusConfig.cmake ${package_files}/PileusConfigVersion.cmake
  DESTINATION ${package_directory})

file(RELATIVE_PATH up_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(name pileus pileus_fortran)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
# With sanitizers their messages would stand in the manual.
if(PROJECT_IS_TOP_LEVEL AND NOT PILEUS_SANITIZE)
  include(PileusShare)
endif()
