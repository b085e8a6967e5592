# libheapglot, for programs that convert by themselves: everything except the
# command in one library, and the files for find_package() and pkg-config.
include(CMakePackageConfigHelpers)

add_library(libheapglot
  $<TARGET_OBJECTS:heapglot_proto>
  $<TARGET_OBJECTS:heapglot_core>
  $<TARGET_OBJECTS:heapglot_readers>
  $<TARGET_OBJECTS:heapglot_writers>
  $<TARGET_OBJECTS:heapglot_registry>)
add_library(heapglot::heapglot ALIAS libheapglot)
# Before 1.0, the ABI changes with the minor version.
set_target_properties(libheapglot PROPERTIES
  OUTPUT_NAME heapglot
  EXPORT_NAME heapglot
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_compile_features(libheapglot PUBLIC cxx_std_20)
target_include_directories(libheapglot PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/proto>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(libheapglot
  PUBLIC protobuf::libprotobuf
  PRIVATE OpenSSL::Crypto ${isal} PkgConfig::SQLITE PkgConfig::XXHASH PkgConfig::ZSTD
          Threads::Threads ZLIB::ZLIB)

# The command as a function. It needs symbols that a shared library does not export.
if(NOT BUILD_SHARED_LIBS)
  add_library(libheapglot_command STATIC
    $<TARGET_OBJECTS:heapglot_guard>
    $<TARGET_OBJECTS:heapglot_command>)
  add_library(heapglot::command ALIAS libheapglot_command)
  set_target_properties(libheapglot_command PROPERTIES
    OUTPUT_NAME heapglot_command
    EXPORT_NAME command
    LINKER_LANGUAGE CXX)
  target_link_libraries(libheapglot_command PUBLIC libheapglot)
  install(TARGETS libheapglot_command EXPORT heapglot
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/heapglot)
install(TARGETS libheapglot EXPORT heapglot
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
          NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY include/heapglot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/proto/heapglot/ir/v1/chunk.pb.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heapglot/ir/v1 COMPONENT development)
install(DIRECTORY proto/heapglot DESTINATION ${CMAKE_INSTALL_DATADIR}/heapglot/proto
  COMPONENT development)
install(EXPORT heapglot NAMESPACE heapglot:: DESTINATION ${package_dir}
  FILE heapglotTargets.cmake COMPONENT development)

configure_package_config_file(cmake/heapglotConfig.cmake.in heapglotConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(heapglotConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/heapglotConfig.cmake
              ${PROJECT_BINARY_DIR}/heapglotConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

file(RELATIVE_PATH up_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/heapglot.pc.in heapglot.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/heapglot.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
