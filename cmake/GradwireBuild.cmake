# How every target of the project is compiled, in one place.
# SPDX-License-Identifier: Apache-2.0

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(GRADWIRE_TESTS "Build the tests" ON)
option(GRADWIRE_NATIVE "Compile for this machine's CPU (faster; binaries are not portable)" ON)
option(GRADWIRE_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(GRADWIRE_FUZZ "Instrument for libFuzzer, which clang has (tools/fuzz.sh)" OFF)
option(GRADWIRE_PRECOMPILE "Read the heavy headers once, not in every file" ON)
option(GRADWIRE_UNITE "Compile several files at a time: a clean build is faster, one after a small change slower" ON)
set(GRADWIRE_OPTIMIZATION "-O2" CACHE STRING "How our code that works in every cycle is compiled")
option(GRADWIRE_WERROR "Treat warnings of our own code as errors (developers, CI)" OFF)

# What works in every cycle is fast at -O2, too, which GCC takes a sixth less for than for -O3 (generated code of RTL is not). Invariants
# stay checked: no -DNDEBUG. Sanitized code is compiled for finding faults soon, not for speed: what is optimised with all its checks takes
# three times as long to compile, and tests do not get that back. A fuzzer, which runs for minutes, does.
# What works once a run (reports, plans, the command line), and what a test itself does, is little: to compile it for speed costs
# more than to run it. -Og takes GCC no longer than -O0, whose code is twice as much, and a fifth less than -O1.
if(GRADWIRE_SANITIZE)
  set(CMAKE_CXX_FLAGS_RELEASE -O0)
  if(GRADWIRE_FUZZ)
    set(CMAKE_CXX_FLAGS_RELEASE -O1)
  endif()
  set(GW_COLD_OPTIMIZATION -O0)
else()
  set(CMAKE_CXX_FLAGS_RELEASE "${GRADWIRE_OPTIMIZATION}")
  set(GW_COLD_OPTIMIZATION -Og)
endif()
set(CMAKE_PCH_WARN_INVALID ${GRADWIRE_WERROR})  # a header that was precompiled in vain is a developer's mistake, not a user's

find_program(CCACHE ccache)
if(CCACHE)
  # The same result wherever the clone lies, precompiled headers included.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Flags that all code shares, ours and generated.
add_library(gw_flags INTERFACE)
if(GRADWIRE_NATIVE)
  target_compile_options(gw_flags INTERFACE -march=native)
endif()
if(GRADWIRE_SANITIZE)
  # Not alignment: Verilator's tracing stores words at odd addresses, which x86 allows. Not null, vptr, object-size: what
  # they find, AddressSanitizer finds when it happens, and they cost a third of the build.
  target_compile_options(gw_flags INTERFACE -fsanitize=address,undefined
                         -fno-sanitize=alignment,null,vptr,object-size
                         -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(gw_flags INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(gw_flags INTERFACE GW_SANITIZED)
endif()
# As fmt's own target says to its users; here to all: GCC does not use a precompiled header that was made with another definition.
target_compile_definitions(gw_flags INTERFACE $<BUILD_INTERFACE:FMT_SHARED>)
# No program of ours names the folder that it was built in, also where ccache does not see to that.
target_compile_options(gw_flags INTERFACE $<BUILD_INTERFACE:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
if(GRADWIRE_FUZZ)
  target_compile_options(gw_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
# Code that is generated is minutes to compile when sanitized: the sanitizers watch our own. A fuzzer is to see its branches.
set(GW_UNWATCHED $<$<BOOL:${GRADWIRE_SANITIZE}>:-fno-sanitize=$<IF:$<BOOL:${GRADWIRE_FUZZ}>,address$<COMMA>undefined,all>>)
target_include_directories(gw_flags INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_compile_features(gw_flags INTERFACE cxx_std_20)

# Our own code: warnings on top. -ffp-contract=off keeps the order of operations of the FP references.
add_library(gw_own INTERFACE)
target_link_libraries(gw_own INTERFACE gw_flags)
target_compile_options(gw_own INTERFACE -Wall -Wextra -ffp-contract=off
                       # Precompiled headers fill the heap that GCC would collect again and again: a tenth of its time for a seventh more memory.
                       $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>
                       $<$<BOOL:${GRADWIRE_WERROR}>:-Werror>
                       # g++ 12 warns falsely about std::string + literal (GCC bug 105651) and inside fmt's parser.
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-stringop-overflow>
                       # Instrumented, GCC 12 sees uninitialised values in std::regex and in its own intrinsics.
                       $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${GRADWIRE_SANITIZE}>>:-Wno-uninitialized -Wno-maybe-uninitialized>)

find_package(Boost 1.74 REQUIRED COMPONENTS filesystem iostreams)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(Threads REQUIRED)

# Debian's SystemC was built as C++17; without the define a C++20 translation unit does not link.
find_package(SystemC REQUIRED)
add_library(gw_systemc_kernel INTERFACE)
target_compile_definitions(gw_systemc_kernel INTERFACE SC_CPLUSPLUS=201703L)
target_link_libraries(gw_systemc_kernel INTERFACE SystemC::systemc Threads::Threads)

# The heavy headers are read once for each set of options, and not in every file. This would hide a header that a file forgot:
# slow_headers (tests/tools) compiles all without.
function(gw_precompile name like)
  if(GRADWIRE_PRECOMPILE AND NOT GRADWIRE_FUZZ)
    if(NOT TARGET ${like})
      file(WRITE ${PROJECT_BINARY_DIR}/${like}.cc "")
      add_library(${like} STATIC ${PROJECT_BINARY_DIR}/${like}.cc)
      target_link_libraries(${like} PRIVATE gw_own fmt::fmt nlohmann_json::nlohmann_json)
      target_precompile_headers(${like} PRIVATE <algorithm> <filesystem> <fstream> <functional> <map> <memory> <optional>
        <sstream> <string> <vector> <fmt/format.h> <nlohmann/json.hpp>)
      if(like MATCHES test)
        find_package(GTest REQUIRED)
        target_link_libraries(${like} PRIVATE GTest::gtest)
        target_precompile_headers(${like} PRIVATE <gtest/gtest.h>)
      endif()
      if(like MATCHES "test|cold")
        target_compile_options(${like} PRIVATE ${GW_COLD_OPTIMIZATION})
      endif()
    endif()
    target_precompile_headers(${name} REUSE_FROM ${like})
    # GCC 12 warns falsely of the library's strings, and no longer knows that they are the system's.
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>)
  endif()
endfunction()

# Several files are compiled at a time: what the headers hold costs more than what a file does. Not files that are large by themselves
# (ALONE), which would keep one core busy while the others wait.
function(gw_unite name)
  cmake_parse_arguments(A "" "" "ALONE" ${ARGN})
  if(GRADWIRE_UNITE AND NOT GRADWIRE_FUZZ)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    if(A_ALONE)
      set_source_files_properties(${A_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endif()
endfunction()

# gw_add_library(NAME SOURCES a.cc ... [ALONE b.cc ...] [ALIKE c.cc ...] [ONCE d.cc ...] [LIBS lib ...] [APART] [COLD]): a static
# library of our own. ALONE: more sources, never united with others. ALIKE: more sources, which make the same of templates and are
# compiled as one, so that it is made once. APART: a name means one thing in one of its files and another in the next, so none are.
# ONCE: more sources, that work once a run, not once a cycle or packet. COLD: all of it does.
function(gw_add_library name)
  cmake_parse_arguments(A "APART;COLD" "" "SOURCES;ALONE;ALIKE;ONCE;LIBS" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES} ${A_ALONE})
  target_link_libraries(${name} PUBLIC gw_flags ${A_LIBS} PRIVATE $<BUILD_INTERFACE:gw_own>)
  if(A_COLD)
    gw_cold(${name})
  else()
    gw_precompile(${name} gw_headers)
  endif()
  if(NOT A_APART)
    gw_unite(${name} ALONE ${A_ALONE})
  endif()
  foreach(part ALIKE ONCE)
    if(A_${part})
      string(TOLOWER ${name}_${part} of)
      add_library(${of} OBJECT ${A_${part}})
      target_link_libraries(${of} PUBLIC gw_flags ${A_LIBS} PRIVATE gw_own)
      if(part STREQUAL ONCE)
        gw_cold(${of})
      else()
        gw_precompile(${of} gw_headers)
      endif()
      gw_unite(${of})
      if(part STREQUAL ALIKE)
        set_target_properties(${of} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
      endif()
      target_sources(${name} PRIVATE $<TARGET_OBJECTS:${of}>)
    endif()
  endforeach()
endfunction()

# gw_cold(TARGET): to compile it for speed would cost more than to run it.
function(gw_cold target)
  target_compile_options(${target} PRIVATE ${GW_COLD_OPTIMIZATION})
  gw_precompile(${target} gw_cold_headers)
endfunction()

# gw_often_first(PROGRAM LIBRARY...): of an inline function that several files have made the linker takes the first that it meets. Let it be
# that of a library which works in every cycle or packet, and not of one that is COLD.
function(gw_often_first program)
  if(NOT GRADWIRE_SANITIZE)
    list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_FILE:\\1>")
    set_property(GLOBAL PROPERTY GW_OFTEN_FIRST $<TARGET_FILE:${program}> ${ARGN})  # what a test looks at
    list(JOIN ARGN "," files)
    target_link_options(${program} PRIVATE "LINKER:--whole-archive,${files},--no-whole-archive")
  endif()
endfunction()

# gw_unwatched(PROGRAM...): times something, or RTL that is built on demand. Nobody runs these for sanitizers, and much of the build
# would be theirs.
function(gw_unwatched)
  if(GRADWIRE_SANITIZE)
    set_target_properties(${ARGV} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# gw_add_test(NAME SOURCES a.cc ... [LIBS lib ...] [LABELS l ...] [TIMEOUT s] [EACH] [LOOPS]): a GoogleTest program. A helper's name may mean
# another thing in each file: it lies in a namespace that is called as the file.
# EACH runs every case in a process of its own (needed where a case elaborates SystemC). LOOPS: the test itself works in every cycle, with a
# contract of its own, so that compiling it for speed costs less than running it; without the headers that are precompiled for others.
function(gw_add_test name)
  cmake_parse_arguments(A "EACH;LOOPS" "TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE gw_own ${A_LIBS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE GRADWIRE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # GoogleTest's macros end in an else of their own.
  target_compile_options(${name} PRIVATE -Wno-dangling-else)
  # What a test itself does is little, unless it is timed: compiling it for speed costs more than running it.
  if(A_LOOPS)
    target_compile_options(${name} PRIVATE -O1)
  elseif(NOT "speed" IN_LIST A_LABELS)
    target_compile_options(${name} PRIVATE ${GW_COLD_OPTIMIZATION})
    gw_precompile(${name} gw_test_headers)
  endif()
  gw_unite(${name})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 900)
  endif()
  if(A_EACH)
    include(GoogleTest)
    gtest_discover_tests(${name} PROPERTIES TIMEOUT ${A_TIMEOUT} LABELS "${A_LABELS}"
                         DISCOVERY_TIMEOUT 60)
  else()
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${A_TIMEOUT} LABELS "${A_LABELS}")
    # In a fresh clone ctest does not know yet what takes long: what builds RTL begins first, or the last one runs alone.
    if("builds" IN_LIST A_LABELS)
      set_tests_properties(${name} PROPERTIES COST 100)
    endif()
    if(GRADWIRE_SANITIZE AND A_LABELS MATCHES "builds|speed")
      gw_unwatched(${name})
      set_tests_properties(${name} PROPERTIES DISABLED ON)
    endif()
  endif()
endfunction()
