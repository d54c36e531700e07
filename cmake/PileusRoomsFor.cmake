# Lists what a build with another MPI takes from this one (PileusRoomsFrom.cmake): the servers' half, and all
# rooms that know no MPI, which are all but transport/mpi and those over it. The target pileus_rooms builds
# them.
set(PILEUS_MPI_FREE_ROOMS
  core loops functions columns math exec xml config monc expression blocks sweeps weights plan rules
  terms layout transport messaging state time step analytics disk formats formats_netcdf files client
  description report watch hooks checkpoint spill points regrid streams publishing_chunks
  publishing_parts publishing_owner publishing joint server explain serve attached joint_run)
list(TRANSFORM PILEUS_MPI_FREE_ROOMS PREPEND pileus_ OUTPUT_VARIABLE rooms)
list(APPEND rooms pileus_serve_interface pileus_serve_library)
export(TARGETS ${rooms} FILE ${PROJECT_BINARY_DIR}/pileus-rooms.cmake)

set(files)
set(paths)
foreach(room ${rooms})
  get_target_property(type ${room} TYPE)
  if(NOT type STREQUAL INTERFACE_LIBRARY)
    list(APPEND files ${room})
    list(APPEND paths $<TARGET_FILE:${room}>)
  endif()
endforeach()
add_custom_target(pileus_rooms DEPENDS ${files})
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/pileus-rooms.txt CONTENT "$<JOIN:${paths},\n>\n")
