# The libraries that Tidemill stands on, all from Debian (scripts/dependencies installs them), each statically where
# Debian offers that. docs/architecture.md says why each was chosen.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
set(OPENSSL_USE_STATIC_LIBS ON)
find_package(OpenSSL 3 REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark QUIET)
find_package(Python3 REQUIRED COMPONENTS Interpreter)  # what makes sources

function(tidemill_static_library name)
  cmake_parse_arguments(ARG "" "" "FILES;DEPENDS" ${ARGN})
  add_library(${name} INTERFACE)
  foreach(file ${ARG_FILES})
    find_library(${name}_${file}_PATH NAMES ${file} REQUIRED)
    target_link_libraries(${name} INTERFACE ${${name}_${file}_PATH})
  endforeach()
  if(ARG_DEPENDS)
    target_link_libraries(${name} INTERFACE ${ARG_DEPENDS})
  endif()
endfunction()

tidemill_static_library(rocksdb FILES librocksdb.a libsnappy.a liblz4.a libzstd.a libbz2.a libz.a
                        DEPENDS Threads::Threads ${CMAKE_DL_LIBS})
tidemill_static_library(nghttp2 FILES libnghttp2.a)
tidemill_static_library(simdjson FILES libsimdjson.so)
# simdjson's on-demand reader picks its instructions when it is compiled; without these flags that is portable code, at
# a third of the speed. Every x86-64 since 2010 has them; arm64 needs none.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-msse4.2 -mpclmul)  # everywhere: a precompiled header serves one set of instructions
endif()
tidemill_static_library(re2 FILES libre2.a DEPENDS Threads::Threads)
tidemill_static_library(zlib FILES libz.a)
tidemill_static_library(zstd FILES libzstd.a)
tidemill_static_library(bzip2 FILES libbz2.a)
tidemill_static_library(pugixml FILES libpugixml.a)
tidemill_static_library(yaml FILES libyaml-cpp.a)
tidemill_static_library(minizip FILES libminizip.a libz.a)

# The heap: of what a request costs, the system's own took 5 to 14 percent more. The sanitizers bring theirs.
if(TIDEMILL_SANITIZE OR TIDEMILL_SANITIZE_THREADS OR TIDEMILL_FUZZ)
  add_library(heap INTERFACE)
else()
  tidemill_static_library(heap FILES libjemalloc_pic.a DEPENDS Threads::Threads ${CMAKE_DL_LIBS})
endif()

# Asio is header-only and stays inside src/net/*.cc.
add_library(boost_headers INTERFACE)
find_path(BOOST_INCLUDE boost/asio.hpp REQUIRED)
target_include_directories(boost_headers SYSTEM INTERFACE ${BOOST_INCLUDE})
