# Lists what a build with another MPI takes from this one (PileusRoomsFrom.cmake): the servers' half, and all
# rooms that know no MPI, which are those that are added before this. The target pileus_rooms builds them.
get_property(rooms GLOBAL PROPERTY PILEUS_ROOMS)
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
