# The one place that says what gradwire leans on inside Verilator, beyond its documented interface:
#
#   what                                  where                                  with a version that was not tried
#   text of the generated C++             testbenches/library/engine_source.cc    left as Verilator wrote it
#   start values in the generated C++     testbenches/library/start_text.cc       drawn by Verilator: others with waves, and a word about it
#   calls of fopen in the runtime         testbenches/engine/verilated_runtime.cc  files are looked for in the current folder alone
#   memory of the clock's last value      testbenches/engine/verilated_engine.h  the clock falls by an evaluation
#   regions of its schedule               testbenches/library/engine_source.cc    an edge is an evaluation
#   ports in the class's header           testbenches/library/engine_source.cc    a sentence that names the ports not found
#   tables of scopes and variables        testbenches/engine/verilated_inside.h  the compiler's words, if an engine's state is asked for
#   VL_TIME_ in the generated C++         testbenches/library/engine_source.cc    $time stands still; tests/engine/library_test.cc notices
#   names in the state's header            testbenches/library/engine_source.cc    --coverage toggle knows fewer signals, or none
#   XML of the declarations                testbenches/library/engine_source.cc    --coverage toggle names no absent signals
#   text of the coverage file             testbenches/engine/verilated_inside.h  no points; tests/engine/inside_test.cc notices
#   calls of mmap in the FST writer       testbenches/engine/fst_mmap.cc         a sentence, if the writer is not where it was
#   the FST reader beside the writer      testbenches/kit/wave.cc             a sentence, if the reader is not where it was
#
# The first three only make the simulation faster. tests/engine/library_test.cc compares them cycle by cycle with a build
# without them.
# SPDX-License-Identifier: Apache-2.0
set(GRADWIRE_VERILATOR_TRIED 5.006 5.032)

set(shortcuts OFF)
if(GRADWIRE_VERILATOR_VERSION IN_LIST GRADWIRE_VERILATOR_TRIED)
  set(shortcuts ON)
endif()
option(GRADWIRE_VERILATOR_SHORTCUTS
  "Save time by what is known of Verilator's generated code (on with the versions that this was tried with)" ${shortcuts})
list(JOIN GRADWIRE_VERILATOR_TRIED ", " tried)
if(GRADWIRE_VERILATOR_SHORTCUTS)
  message(STATUS "Verilator ${GRADWIRE_VERILATOR_VERSION}: generated code of our own RTL is trimmed (tried with ${tried})")
else()
  message(STATUS "Verilator ${GRADWIRE_VERILATOR_VERSION}: generated code is left as it is (trimming was tried with ${tried})")
endif()

# gw_check_fst_sources(DIR): the FST writer and reader lie where they lay in the versions tried.
function(gw_check_fst_sources dir)
  foreach(file verilated_fst_c.cpp gtkwave/fstapi.c gtkwave/fstapi.h)
    if(NOT EXISTS ${dir}/${file})
      list(JOIN GRADWIRE_VERILATOR_TRIED ", " tried)
      message(FATAL_ERROR "Verilator ${GRADWIRE_VERILATOR_VERSION} has no ${file}, on which gradwire's waveforms lean: "
        "it was tried with ${tried}.")
    endif()
  endforeach()
  file(STRINGS ${dir}/gtkwave/fstapi.c calls REGEX "mmap\\(" LIMIT_COUNT 1)
  file(STRINGS ${dir}/verilated_fst_c.cpp include REGEX "#.*include \"gtkwave/fstapi.c\"" LIMIT_COUNT 1)
  if(NOT calls OR NOT include)
    message(STATUS "Verilator ${GRADWIRE_VERILATOR_VERSION}: its FST writer is another; a full disk may end a run with a waveform")
  endif()
endfunction()
