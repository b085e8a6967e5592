# cmake -DHEAPGLOT=COMMAND -DSCDOC=COMMAND -DOUTPUT=DIR -P CommandFiles.cmake
#
# Writes the files that the command generates about itself: heapglot.bash, .zsh and
# .fish, and, with scdoc, man1/*.1.gz.
file(MAKE_DIRECTORY ${OUTPUT}/man1)

function(run output)
  execute_process(COMMAND ${ARGN} OUTPUT_FILE ${output} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(shell bash zsh fish)
  run(${OUTPUT}/heapglot.${shell} ${HEAPGLOT} completions ${shell})
endforeach()

if(NOT SCDOC)
  return()
endif()
execute_process(COMMAND ${HEAPGLOT} manual OUTPUT_VARIABLE pages
  COMMAND_ERROR_IS_FATAL ANY)
string(STRIP "${pages}" pages)
string(REPLACE "\n" ";" pages "${pages}")
# scdoc dates pages, but the same version must give the same bytes.
set(ENV{SOURCE_DATE_EPOCH} 0)
foreach(page ${pages})
  run(${OUTPUT}/page.scd ${HEAPGLOT} manual ${page})
  execute_process(COMMAND ${SCDOC} INPUT_FILE ${OUTPUT}/page.scd
    OUTPUT_FILE ${OUTPUT}/man1/${page}.1 COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND gzip -9nf ${OUTPUT}/man1/${page}.1
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
