# Installs everything besides programs and libraries: pages, examples, the schema for editors, manual pages
# made from the output of --help, and a file for environment modules.
set(manual_pages)
function(pileus_manual name target word)
  set(page ${PROJECT_BINARY_DIR}/share/man/man1/${name}.1)
  add_custom_command(OUTPUT ${page} DEPENDS ${target} ${PROJECT_SOURCE_DIR}/cmake/WriteManual.cmake
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${target}> -D "WORD=${word}" -D NAME=${name}
      -D VERSION=${PROJECT_VERSION} -D PAGE=${page} -P ${PROJECT_SOURCE_DIR}/cmake/WriteManual.cmake
    COMMENT "" VERBATIM)
  set(manual_pages ${manual_pages} ${page} PARENT_SCOPE)
endfunction()

pileus_manual(pileus-server pileus-server "")
pileus_manual(pileus pileus_tool "")
foreach(command check clean convert explain help init join presets report schema state weights)
  pileus_manual(pileus-${command} pileus_tool ${command})
endforeach()
set(schema ${PROJECT_BINARY_DIR}/share/pileus/pileus.xsd)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/man/man1 ${PROJECT_BINARY_DIR}/share/pileus)
add_custom_command(OUTPUT ${schema} DEPENDS pileus_tool
  COMMAND pileus_tool schema > ${schema} COMMENT "" VERBATIM)
add_custom_target(pileus_share ALL DEPENDS ${manual_pages} ${schema})

install(FILES ${manual_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# pileus report looks for it beside bin, in a build too.
set(drawing ${PROJECT_BINARY_DIR}/share/pileus/draw_report.py)
configure_file(share/pileus/draw_report.py ${drawing} COPYONLY)
# Configurations that others include are looked for there too.
file(GLOB presets CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} share/pileus/presets/*.xml)
foreach(preset ${presets})
  configure_file(${preset} ${PROJECT_BINARY_DIR}/${preset} COPYONLY)
endforeach()
install(DIRECTORY share/pileus/presets DESTINATION ${CMAKE_INSTALL_DATADIR}/pileus)
install(FILES ${schema} ${drawing} DESTINATION ${CMAKE_INSTALL_DATADIR}/pileus)
set(documents ${CMAKE_INSTALL_DATADIR}/doc/pileus)
# The pages keep their places relative to each other, so that their links hold.
install(DIRECTORY docs DESTINATION ${documents})
foreach(page README.md CHANGELOG.md CONTRIBUTING.md LICENSE models/cumulus/README.md models/globe/README.md
    tests/fuzz/README.md)
  get_filename_component(folder ${page} DIRECTORY)
  install(FILES ${page} DESTINATION ${documents}/${folder})
endforeach()
install(DIRECTORY examples DESTINATION ${documents} USE_SOURCE_PERMISSIONS
  PATTERN "CMakeLists.txt" EXCLUDE PATTERN "__pycache__" EXCLUDE)
# Lmod takes the file in Lua, Environment Modules the other; both find the prefix from where they lie.
foreach(kind lua tcl)
  set(module ${PROJECT_BINARY_DIR}/share/pileus/pileus.${kind})
  configure_file(packaging/pileus.${kind}.in ${module} @ONLY)
  string(REPLACE .tcl "" ending .${kind})
  install(FILES ${module} DESTINATION ${CMAKE_INSTALL_DATADIR}/modulefiles/pileus
    RENAME ${PROJECT_VERSION}${ending})
endforeach()
