# What functions need at run time: the bootstraps and the supervisor of runtimes/, embedded into the binary, and a minimal handler
# in C++ for the tests and the benchmarks.

# A changed bootstrap configures anew: configure_file watches its input, CMAKE_CONFIGURE_DEPENDS the rest.
file(GLOB_RECURSE java_bootstrap RELATIVE ${CMAKE_SOURCE_DIR}/runtimes CONFIGURE_DEPENDS
     ${CMAKE_SOURCE_DIR}/runtimes/java/*.java)
set(BOOTSTRAPS "")
foreach(bootstrap python3/bootstrap.py nodejs/bootstrap.mjs nodejs/trust.cjs nodejs/answers.cjs ruby/bootstrap.rb
        java/start.sh ${java_bootstrap})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/runtimes/${bootstrap})
  file(READ ${CMAKE_SOURCE_DIR}/runtimes/${bootstrap} text)
  string(APPEND BOOTSTRAPS "    {\"${bootstrap}\", R\"~~bootstrap~~(${text})~~bootstrap~~\"},\n")
endforeach()
configure_file(${CMAKE_SOURCE_DIR}/runtimes/embedded.h.in ${CMAKE_BINARY_DIR}/generated/engine/embedded_runtimes.h @ONLY)

# The parent of each function's processes, a static program that the binary carries (src/engine/workers/supervisor_program.cc).
add_executable(supervisor runtimes/supervisor/supervisor.cc)
target_compile_options(supervisor PRIVATE -fno-sanitize=all -Os)  # sanitizers cannot be linked into a static program
target_link_options(supervisor PRIVATE -fno-sanitize=all -static -s)
# Its bytes are assembled into one of the engine's sources, whichever batch that is in.
get_target_property(engine_sources tidemill_engine SOURCES)
set_property(SOURCE ${engine_sources} TARGET_DIRECTORY tidemill_engine APPEND PROPERTY
             OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/supervisor)

# A whole custom runtime in one static program: runtime "provided.al2023", handler "echo".
add_executable(minimal_handler bench/minimal_handler.cc)
target_compile_options(minimal_handler PRIVATE -fno-sanitize=all)  # sanitizers cannot be linked into a static program
target_link_options(minimal_handler PRIVATE -fno-sanitize=all -static -s)

if(TARGET engine_test)
  add_dependencies(engine_test minimal_handler)
  target_compile_definitions(engine_test PRIVATE TIDEMILL_MINIMAL_HANDLER="$<TARGET_FILE:minimal_handler>")
endif()

# A call of every operation, for src/main/calls_by_name_test.cc.
if(TARGET main_test)
  target_compile_definitions(main_test PRIVATE
                             TIDEMILL_CALLS_BY_NAME="${CMAKE_SOURCE_DIR}/src/main/testdata/calls_by_name.txt")
endif()

# Tables for tests: the reference's suite for src/lang/jsonata/jsonata_suite_test.cc, and evaluations of policies.
if(TARGET lang_test)
  target_compile_definitions(lang_test PRIVATE
      TIDEMILL_JSONATA_SUITE="${CMAKE_SOURCE_DIR}/src/lang/jsonata/testdata"
      TIDEMILL_POLICY_EVALUATIONS="${CMAKE_SOURCE_DIR}/src/lang/policies/testdata/evaluations.txt")
endif()

# Test data of other projects, which lies beside the repository where it is there: for src/wire/signature_test.cc.
if(TARGET wire_test)
  target_compile_definitions(wire_test PRIVATE TIDEMILL_PUBLIC_VECTORS="${CMAKE_SOURCE_DIR}/../shared/vectors")
endif()
