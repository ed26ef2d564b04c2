# Sources of a folder compiled together (batches.py): what everybody includes is read once for several files, which
# takes nearly half of a clean build away. scripts/build and scripts/test do so. Off by default: without, a changed file
# is compiled alone, and the editor finds each in compile_commands.json.
option(TIDEMILL_BATCHES "Compile the sources of a folder in batches" OFF)

# About how many lines make a batch. The headers alone take two to four seconds of each.
set(TIDEMILL_BATCH_LINES 2500)
set(TIDEMILL_TEST_BATCH_LINES 2000)

# tidemill_batches(OUT TARGET FOLDER LINES sources...): sets OUT to what the compiler shall be given for these sources
# of TARGET, which lie in src/FOLDER.
function(tidemill_batches out target folder lines)
  if(NOT TIDEMILL_BATCHES)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.h)
  set(directory ${CMAKE_BINARY_DIR}/batches/${target})
  set(list ${directory}/sources)
  list(JOIN ARGN "\n" names)
  file(CONFIGURE OUTPUT ${list} CONTENT "${names}\n" @ONLY)
  set(script ${CMAKE_SOURCE_DIR}/cmake/batches.py)
  set(command ${Python3_EXECUTABLE} ${script} --root ${CMAKE_SOURCE_DIR} --directory ${directory} --sources ${list}
              --lines ${lines})
  execute_process(COMMAND ${command} OUTPUT_VARIABLE count OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

  math(EXPR last "${count} - 1")
  set(batches)
  foreach(index RANGE ${last})
    if(index LESS 10)
      set(index 0${index})
    endif()
    list(APPEND batches ${directory}/batch_${index}.cc)
  endforeach()
  add_custom_command(
    OUTPUT ${batches}
    COMMAND ${command} --slots ${count}
    DEPENDS ${ARGN} ${headers} ${list} ${script} ${CMAKE_SOURCE_DIR}/cmake/source_names.py
    COMMENT "Batches of ${target}"
    VERBATIM)
  set(${out} ${batches} PARENT_SCOPE)
endfunction()
