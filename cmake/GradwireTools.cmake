# The tools of this build: what is too old is refused in one sentence, what there is goes into `gradwire --version` and
# into reports. What each release of Debian has, and when it was tried: docs/releases.md.
# SPDX-License-Identifier: Apache-2.0

# gw_require(NAME VERSION OLDEST): OLDEST is the oldest version that was tried.
function(gw_require name version oldest)
  if(version STREQUAL "")
    message(FATAL_ERROR "${name} was found, but not its version; gradwire needs ${oldest} or newer.")
  elseif(version VERSION_LESS oldest)
    message(FATAL_ERROR
      "${name} ${version} is too old: gradwire was tried with ${oldest} (Debian 12) and newer.")
  endif()
endfunction()

find_program(VERILATOR verilator)
if(NOT VERILATOR)
  message(FATAL_ERROR "Verilator is missing (tools/setup.sh installs what is needed).")
endif()
execute_process(COMMAND ${VERILATOR} --version OUTPUT_VARIABLE text ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX MATCH "Verilator ([0-9]+[.][0-9]+)" _ "${text}")
set(GRADWIRE_VERILATOR_VERSION "${CMAKE_MATCH_1}")
gw_require(Verilator "${GRADWIRE_VERILATOR_VERSION}" 5.006)

# SystemC says its version by macros of IEEE 1666.
file(WRITE ${CMAKE_BINARY_DIR}/systemc_version.cc
  "#include <systemc>\ngw_systemc = SC_VERSION_MAJOR . SC_VERSION_MINOR . SC_VERSION_PATCH ;\n")
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
execute_process(
  COMMAND ${CMAKE_CXX_COMPILER} ${flags} -std=c++20 -DSC_CPLUSPLUS=201703L -E -P ${CMAKE_BINARY_DIR}/systemc_version.cc
  OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "SystemC is missing (tools/setup.sh installs what is needed).")
endif()
string(REGEX MATCH "gw_systemc =([^;]*);" _ "${text}")
string(REGEX MATCHALL "[0-9]+" numbers "${CMAKE_MATCH_1}")
list(JOIN numbers "." GRADWIRE_SYSTEMC_VERSION)
gw_require(SystemC "${GRADWIRE_SYSTEMC_VERSION}" 2.3.4)

# gw_note_tools(): the list for `gradwire --version`, once all packages are found.
function(gw_note_tools)
  set(GRADWIRE_TOOLS "")
  foreach(pair
      "compiler=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" "cmake=${CMAKE_VERSION}"
      "verilator=${GRADWIRE_VERILATOR_VERSION}" "systemc=${GRADWIRE_SYSTEMC_VERSION}" "fmt=${fmt_VERSION}"
      "nlohmann_json=${nlohmann_json_VERSION}" "cli11=${CLI11_VERSION}")
    string(REPLACE "=" "\", \"" pair "${pair}")
    string(APPEND GRADWIRE_TOOLS "\n      {\"${pair}\"},")
  endforeach()
  set(GRADWIRE_TOOLS "${GRADWIRE_TOOLS}" PARENT_SCOPE)
endfunction()
