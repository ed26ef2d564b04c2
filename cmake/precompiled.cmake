# Most of a small file's compile time goes to the standard library's headers. They are compiled once for all sources
# (standard_library.h) and once with GoogleTest for all unit tests (test_library.h).
#
# Not by CMake's own target_precompile_headers: it names the header by its absolute path, so that ccache has nothing for
# another checkout. Here the compiler's working directory, the build directory, stands in for it.
set(TIDEMILL_PRECOMPILED ${CMAKE_BINARY_DIR}/precompiled)
get_directory_property(options COMPILE_OPTIONS)
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")

set(TIDEMILL_TEST_OPTIONS -O0)  # unit tests compile in half the time; what they test is optimized as ever
set(test_library_options -DGTEST_HAS_PTHREAD=1 ${TIDEMILL_TEST_OPTIONS})  # what linking with GTest::gtest defines
foreach(header standard_library test_library)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/${header}.h ${TIDEMILL_PRECOMPILED}/${header}.h COPYONLY)
  add_custom_command(
    OUTPUT ${TIDEMILL_PRECOMPILED}/${header}.pch
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER} ${flags} ${options} ${${header}_options} -std=c++2b
            -fpch-instantiate-templates -Xclang -fno-pch-timestamp -x c++-header
            -c /proc/self/cwd/precompiled/${header}.h -o precompiled/${header}.pch
    DEPENDS ${TIDEMILL_PRECOMPILED}/standard_library.h ${TIDEMILL_PRECOMPILED}/${header}.h
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
    VERBATIM)
  add_custom_target(tidemill_${header} DEPENDS ${TIDEMILL_PRECOMPILED}/${header}.pch)
endforeach()

# The sources of `target` begin with that header.
function(tidemill_precompiled target header)
  if(header STREQUAL test_library)
    target_compile_options(${target} PRIVATE ${TIDEMILL_TEST_OPTIONS})
  endif()
  add_dependencies(${target} tidemill_${header})
  target_compile_options(${target} PRIVATE -include-pch precompiled/${header}.pch)
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${TIDEMILL_PRECOMPILED}/${header}.pch)
endfunction()
