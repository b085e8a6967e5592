# heapglot_target(NAME): the settings that all our own targets share.
function(heapglot_target name)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                         -Wno-sign-conversion)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False positives in std::string (GCC bug 105651).
    target_compile_options(${name} PRIVATE -Wno-array-bounds -Wno-restrict
                                           -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With -fipa-ra, GCC omits vzeroupper before and after calls of functions that use
    # few registers: code compiled for SSE that follows waits 50 ns at each memcpy()
    # (Intel since Ice Lake).
    target_compile_options(${name} PRIVATE -fno-ipa-ra)
  endif()
  if(HEAPGLOT_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
endfunction()

# heapglot_covered(NAME): with HEAPGLOT_COVERAGE the target counts executed code. Only
# targets with heapglot_writes_coverage() write the counts: the command's tests check
# every file that is left behind.
function(heapglot_covered name)
  if(HEAPGLOT_COVERAGE)
    target_compile_options(${name} PRIVATE
      -fprofile-instr-generate=${PROJECT_BINARY_DIR}/profiles/%4m.profraw
      -fcoverage-mapping)
  endif()
endfunction()

function(heapglot_writes_coverage name)
  if(HEAPGLOT_COVERAGE)
    target_link_options(${name} PRIVATE -fprofile-instr-generate)
  endif()
endfunction()

if(HEAPGLOT_SANITIZE)
  add_compile_options(-fsanitize=${HEAPGLOT_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  # Finds what no sanitizer does: an index past the size, but within the capacity.
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options(
      -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitize-ignore.txt)
  endif()
  # At a fixed address the command starts in two thirds of the time.
  add_link_options(-fsanitize=${HEAPGLOT_SANITIZE} -no-pie)
endif()

# heapglot_lightly_sanitized(NAME): for code that is not the product (generated code,
# tests), halves the time to compile. Checks addresses by calls, and does not check
# for undefined behavior.
function(heapglot_lightly_sanitized name)
  if(HEAPGLOT_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${name} PRIVATE
      -fno-sanitize=undefined
      -fno-sanitize-coverage=inline-8bit-counters,pc-table
      "SHELL:-mllvm -asan-instrumentation-with-call-threshold=0")
  endif()
endfunction()
