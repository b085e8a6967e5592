# What `cmake --install` installs beside the library: the command, completions and
# the manual; and packages (cpack -G DEB).
set(command_files ${PROJECT_BINARY_DIR}/command_files)
find_program(SCDOC scdoc)
add_custom_command(
  OUTPUT ${command_files}/stamp
  COMMAND ${CMAKE_COMMAND} "-DHEAPGLOT=${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:heapglot_tool>"
          -DSCDOC=${SCDOC} -DOUTPUT=${command_files} -P ${PROJECT_SOURCE_DIR}/cmake/CommandFiles.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${command_files}/stamp
  DEPENDS heapglot_tool ${PROJECT_SOURCE_DIR}/cmake/CommandFiles.cmake
  COMMENT "Making completions and the manual"
  VERBATIM)
add_custom_target(heapglot_command_files ALL DEPENDS ${command_files}/stamp)

install(TARGETS heapglot_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  COMPONENT command)
install(FILES ${command_files}/heapglot.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME heapglot COMPONENT command)
install(FILES ${command_files}/heapglot.zsh
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
  RENAME _heapglot COMPONENT command)
install(FILES ${command_files}/heapglot.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
  COMPONENT command)
# Empty without scdoc.
install(DIRECTORY ${command_files}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR}
  COMPONENT command)

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright
  COMPONENT command)
install(FILES CHANGELOG.md README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT command)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR heapglot)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Converts heap dumps between formats")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"It reads the heap snapshot of one virtual machine and writes that of another:
Dart, V8 (Chrome DevTools), .NET Compact Framework, records in JSON or SQLite. It
says what got lost on the way.")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the heapglot maintainers <heapglot@localhost>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The package contains only the command.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL command)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_STRIP_FILES ON)
include(CPack)
