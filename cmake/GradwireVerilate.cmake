# RTL to C++: each device's top becomes two libraries, `fast` for runs and `traced` for waveforms.
# SPDX-License-Identifier: Apache-2.0

include(VerilatorInternals)
get_filename_component(_verilator_bin ${VERILATOR} DIRECTORY)
set(VERILATOR_ROOT ${_verilator_bin}/../share/verilator CACHE PATH "Where Verilator's runtime lies")

gw_check_fst_sources(${VERILATOR_ROOT}/include)

# How RTL becomes C++ and C++ becomes code, here and where RTL is built on demand (testbenches/library/verilator_flags.h.in).
# One file, for the compiler to inline across; but no function of 85,000 lines: 32 processing elements of Adam take GCC 12
# 115 s at -O3 in one function, 19 s in parts, and are no slower then. The NIC's engines, which are smaller, are 1.13 to 1.26 times as fast
# in one function as in four.
set(GW_VERILATOR_FLAGS --cc -O3 --no-skip-identical --output-split 0 --output-split-cfuncs 15000 -Wno-lint)
if(GRADWIRE_VERILATOR_VERSION VERSION_GREATER_EQUAL 5.032)
  list(APPEND GW_VERILATOR_FLAGS --quiet-stats)  # how long it took is not for the build's output
endif()
set(GW_VERILATOR_FAST --noassert --x-assign fast --x-initial fast)
# Assertions on; what nothing sets starts by seed and name (testbenches/engine/start_values.h). Without -fno-dedup a build with waves
# would give registers that always hold the same another of their names.
set(GW_VERILATOR_CHECKED --assert --x-assign unique --x-initial unique -fno-dedup)
set(GW_VERILATOR_WAVES --trace-fst --trace-structs)
# GCC: words are copied in place, not by calls of memcpy, and the operators' steps are compiled for the constants that they
# are called with (the behaviour with subnormals). A function of thousands of lines has no registers to spare for what is
# worked out early to be had later: without that, optimizers are 1.2 times as fast. And what GCC 12 knows of Zen
# processors makes vectors of them that are dear to fill: tuned for another, a compressor is 1.4 times as fast, a decompressor 1.1.
set(GW_VERILATED_FAST "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(GW_VERILATED_FAST -fno-tree-loop-distribute-patterns --param=ipa-cp-eval-threshold=100 -fno-tree-pre)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    list(APPEND GW_VERILATED_FAST -mtune=skylake-avx512)
  endif()
endif()
set(GW_VERILATED_LEVEL "")
if(NOT GRADWIRE_SANITIZE)
  set(GW_VERILATED_LEVEL -O3)
endif()
# Tracing spends its time in the writer: its generated code need not be optimised to the last.
set(GW_VERILATED_TRACED -O1)

# Sanitizers watch our own code, not what is generated: their build takes it, and what its tests build on demand, from another build.
set(GRADWIRE_RTL_OF "" CACHE PATH
    "A build of the same sources, whose compiled RTL is linked: what is generated is not compiled once more")
set(GW_RTL_COMPILER ${CMAKE_CXX_COMPILER})
if(GRADWIRE_RTL_OF)
  get_filename_component(GRADWIRE_RTL_OF ${GRADWIRE_RTL_OF} ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
  if(NOT EXISTS ${GRADWIRE_RTL_OF}/CMakeCache.txt)
    message(FATAL_ERROR "GRADWIRE_RTL_OF: '${GRADWIRE_RTL_OF}' is no build folder.")
  endif()
  load_cache(${GRADWIRE_RTL_OF} READ_WITH_PREFIX of_ CMAKE_CXX_COMPILER GW_RTL_FAST)
  set(GW_RTL_COMPILER ${of_CMAKE_CXX_COMPILER})
  set(GW_VERILATED_FAST ${of_GW_RTL_FAST})
endif()
set(GW_RTL_FAST "${GW_VERILATED_FAST}" CACHE INTERNAL "How RTL was compiled for speed, for builds that take it from here")

# gw_take_rtl(TARGET [HEADERS]): the library of that name, as the other build has it; in which folder of it its headers lie.
function(gw_take_rtl target)
  file(RELATIVE_PATH place ${PROJECT_BINARY_DIR} ${CMAKE_CURRENT_BINARY_DIR})
  set(archive ${GRADWIRE_RTL_OF}/${place}/lib${target}.a)
  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${archive})
  if(ARGN)
    target_include_directories(${target} SYSTEM INTERFACE ${GRADWIRE_RTL_OF}/${place}/${ARGN})
  endif()
  target_link_libraries(${target} INTERFACE gw_verilated_runtime)
  add_dependencies(${target} gw_taken_rtl)
  set_property(GLOBAL APPEND PROPERTY GW_TAKEN_TARGETS ${target})
  set_property(GLOBAL APPEND PROPERTY GW_TAKEN_ARCHIVES ${archive})
endfunction()

# gw_refresh_taken_rtl(): once all are known. The other build looks first whether its sources have changed.
function(gw_refresh_taken_rtl)
  get_property(targets GLOBAL PROPERTY GW_TAKEN_TARGETS)
  get_property(archives GLOBAL PROPERTY GW_TAKEN_ARCHIVES)
  if(targets)
    add_custom_target(gw_taken_rtl
      COMMAND ${CMAKE_COMMAND} --build ${GRADWIRE_RTL_OF} --target ${targets}
      BYPRODUCTS ${archives}
      COMMENT "Compiled RTL of ${GRADWIRE_RTL_OF}"
      VERBATIM)
  endif()
endfunction()

# The runtime, compiled once for all devices. Generated code and runtime are not ours: no warnings, SYSTEM headers.
add_library(gw_verilated_runtime STATIC
  ${PROJECT_SOURCE_DIR}/testbenches/engine/verilated_runtime.cc
  ${PROJECT_SOURCE_DIR}/testbenches/engine/verilated_trace_runtime.cc
  ${PROJECT_SOURCE_DIR}/testbenches/engine/fst_mmap.cc)  # a full disk must not crash the FST writer
target_include_directories(gw_verilated_runtime SYSTEM PUBLIC
  ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
target_compile_options(gw_verilated_runtime PRIVATE -w $<$<NOT:$<BOOL:${GRADWIRE_SANITIZE}>>:-O2>)
# Its LZ4 steps in front of a buffer without looking there, which clang's sanitizer minds.
set_source_files_properties(${PROJECT_SOURCE_DIR}/testbenches/engine/verilated_trace_runtime.cc PROPERTIES
  COMPILE_OPTIONS $<$<BOOL:${GRADWIRE_SANITIZE}>:-fno-sanitize=pointer-overflow>)
find_package(ZLIB REQUIRED)
# clang asks a library whether an atomic is one, where GCC knows.
target_link_libraries(gw_verilated_runtime PUBLIC gw_flags ZLIB::ZLIB Threads::Threads $<$<CXX_COMPILER_ID:Clang>:atomic>)

# gw_verilate(TARGET TOP module PREFIX class SOURCES a.sv ... [PARAMETERS Name=value ...] [TRACED] [BRIEF] [UNEDITED]): a
# library with class PREFIX, the top's parameters set as given. BRIEF: much code that runs for a moment, not worth optimising.
# UNEDITED leaves the generated text as Verilator wrote it, as RTL that is not in our tree always is.
# Paths are relative to the source tree and the command runs there, so that the generated C++ is the same wherever the
# clone lies and ccache finds it again. One translation unit per library lets the compiler inline across the design.
function(gw_verilate target)
  cmake_parse_arguments(A "TRACED;BRIEF;UNEDITED" "TOP;PREFIX" "SOURCES;PARAMETERS" ${ARGN})
  if(GRADWIRE_RTL_OF)
    gw_take_rtl(${target} ${target}.verilated)
    return()
  endif()
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${target}.verilated)
  set(all ${dir}/${A_PREFIX}__all.cpp)
  set(flags ${GW_VERILATOR_FAST})
  if(A_TRACED)
    set(flags ${GW_VERILATOR_WAVES} ${GW_VERILATOR_CHECKED})
  endif()
  list(TRANSFORM A_PARAMETERS PREPEND -G)
  set(sources ${A_SOURCES})
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/)
  set(trim as-it-is)
  set(foreign ${A_SOURCES})
  list(FILTER foreign EXCLUDE REGEX "^(rtl|testbenches)/")
  if(GRADWIRE_VERILATOR_SHORTCUTS AND NOT A_UNEDITED AND NOT foreign)
    set(trim lean)
  endif()
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rtl/common/*.svh)
  file(MAKE_DIRECTORY ${dir})
  add_custom_command(
    OUTPUT ${all}
    BYPRODUCTS ${dir}/${A_PREFIX}.h  # what includes it must be compiled anew in the same run
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${dir}  # of RTL as it was before, other files may be left
    COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}
    COMMAND ${VERILATOR} ${GW_VERILATOR_FLAGS} ${flags} --top-module ${A_TOP} --prefix ${A_PREFIX} -Mdir ${dir}
            -Irtl/common ${A_PARAMETERS} ${A_SOURCES}
    COMMAND gw_engine_source --one-unit ${dir} ${A_PREFIX} ${all} ${trim}
    DEPENDS ${sources} ${headers} gw_engine_source
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMENT "Verilating ${A_TOP} as ${A_PREFIX}"
    VERBATIM)
  # Generated, and minutes to compile when instrumented: the sanitizers watch our own code.
  set_source_files_properties(${all} PROPERTIES
    COMPILE_OPTIONS ${GW_UNWATCHED})
  add_library(${target} STATIC ${all})
  target_include_directories(${target} SYSTEM PUBLIC ${dir})
  target_link_libraries(${target} PUBLIC gw_verilated_runtime)
  target_compile_options(${target} PRIVATE -w ${GW_VERILATED_LEVEL} $<IF:$<BOOL:${A_TRACED}>,${GW_VERILATED_TRACED},${GW_VERILATED_FAST}>
    $<$<BOOL:${A_BRIEF}>:-O0>)
endfunction()
