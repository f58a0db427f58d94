# RTL that is linked into the program, as engines of testbenches/engine/engine_abi.h.
# SPDX-License-Identifier: Apache-2.0

# gw_build_engine(NAME ...): its library, as gw_add_linked_engine says.
function(gw_build_engine name)
  cmake_parse_arguments(A "TRACED" "TOP;FILES;BEAT_BITS" "INPUTS;OUTPUTS;PARAMETERS" ${ARGN})
  if(NOT A_BEAT_BITS)
    set(A_BEAT_BITS 256)
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${A_FILES})
  file(STRINGS ${PROJECT_SOURCE_DIR}/${A_FILES} sources REGEX "[.]sv$")
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rtl/common/*.svh)
  set(files ${sources})
  list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/)
  set(ins ${A_INPUTS})
  set(outs ${A_OUTPUTS})
  set(parameters ${A_PARAMETERS})
  list(TRANSFORM ins PREPEND "--in;")
  list(TRANSFORM outs PREPEND "--out;")
  list(TRANSFORM parameters PREPEND "--parameter;")
  set(traced "")
  if(A_TRACED)
    set(traced --traced)
  endif()

  set(dir ${CMAKE_CURRENT_BINARY_DIR}/engine_${name})
  set(cold ${dir}/${name}_cold.cc)
  if(A_TRACED)
    list(APPEND cold ${dir}/${name}_harness.cc)
  endif()
  set(units ${dir}/${name}_engine.cc ${cold})
  add_custom_command(
    OUTPUT ${units}
    COMMAND gw_engine_source --verilator ${VERILATOR} --version ${GRADWIRE_VERILATOR_VERSION} --folder .
            --output ${dir} --name ${name} --top ${A_TOP} --beat-bits ${A_BEAT_BITS} ${ins} ${outs} ${parameters} ${traced}
            -- -Irtl/common ${sources}
    DEPENDS gw_engine_source ${files} ${headers}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMENT "Verilating ${A_TOP} as engine ${name}"
    VERBATIM)
  set_source_files_properties(${dir}/${name}_engine.cc PROPERTIES COMPILE_OPTIONS ${GW_UNWATCHED})
  # They know nothing of the glue, and the library's headers of C++17 are read sooner.
  set_source_files_properties(${cold} PROPERTIES COMPILE_OPTIONS "-O0;-std=c++17;${GW_UNWATCHED}")
  add_library(gw_engine_${name} STATIC ${units})
  target_include_directories(gw_engine_${name} SYSTEM PRIVATE ${dir})
  target_link_libraries(gw_engine_${name} PUBLIC gw_verilated_runtime)
  target_compile_options(gw_engine_${name} PRIVATE -w
    ${GW_VERILATED_LEVEL} $<IF:$<BOOL:${A_TRACED}>,${GW_VERILATED_TRACED},${GW_VERILATED_FAST}>)
endfunction()

# gw_add_linked_engine(NAME TOP module FILES list.f INPUTS bundle[:slots[:tuser bits]] ... OUTPUTS ... [PARAMETERS
# Name=value ...] [BEAT_BITS 256] [TRACED]): part of the library gw_engines, found by linked_engine() (testbenches/library/linked.h).
# PARAMETERS names all that the top has, at its defaults.
function(gw_add_linked_engine name)
  cmake_parse_arguments(A "TRACED" "TOP;FILES;BEAT_BITS" "INPUTS;OUTPUTS;PARAMETERS" ${ARGN})
  if(GRADWIRE_RTL_OF)
    gw_take_rtl(gw_engine_${name})
  else()
    gw_build_engine(${name} ${ARGN})
  endif()
  target_link_libraries(gw_engines PRIVATE gw_engine_${name})

  set(is_traced false)
  if(A_TRACED)
    set(is_traced true)
  endif()
  list(JOIN A_PARAMETERS "\", \"" list)
  if(A_PARAMETERS)
    set(list "\"${list}\"")
  endif()
  set_property(GLOBAL APPEND_STRING PROPERTY GW_LINKED_ENGINES
    "  X(gw_engine_${name}, \"${A_TOP}\", ${is_traced}, std::vector<std::string>({${list}}))\n")
endfunction()

# gw_write_linked_engines(): the registry, once all are added.
function(gw_write_linked_engines)
  get_property(GW_LINKED_ENGINES GLOBAL PROPERTY GW_LINKED_ENGINES)
  string(REPLACE "\n" " \\\n" GW_LINKED_ENGINES "${GW_LINKED_ENGINES}")
  file(CONFIGURE OUTPUT testbenches/library/linked_engines.h
    CONTENT "// Generated: the engines in this program.\n#define GW_LINKED_ENGINES(X) \\\n${GW_LINKED_ENGINES}\n" @ONLY)
endfunction()
