# heapglot_target(NAME): the settings that all our own targets share.
function(heapglot_target name)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                         -Wno-sign-conversion)
  if(HEAPGLOT_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
endfunction()

if(HEAPGLOT_SANITIZE)
  add_compile_options(-fsanitize=${HEAPGLOT_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(
      -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitize-ignore.txt)
  endif()
  add_link_options(-fsanitize=${HEAPGLOT_SANITIZE})
endif()
