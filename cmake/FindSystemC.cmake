# SystemC as the target SystemC::systemc, for this build and, installed, for who uses the models: Accellera's own CMake files
# if they are there, else header and library where the compiler looks (Debian has no CMake files). SYSTEMC_HOME is searched first.
# SPDX-License-Identifier: Apache-2.0
find_package(SystemCLanguage QUIET)
if(NOT TARGET SystemC::systemc)
  find_path(SystemC_INCLUDE_DIR NAMES systemc.h HINTS ENV SYSTEMC_HOME PATH_SUFFIXES include)
  find_library(SystemC_LIBRARY NAMES systemc HINTS ENV SYSTEMC_HOME PATH_SUFFIXES lib lib-linux64)
  mark_as_advanced(SystemC_INCLUDE_DIR SystemC_LIBRARY)
  include(FindPackageHandleStandardArgs)
  find_package_handle_standard_args(SystemC REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR)
  if(SystemC_FOUND)
    add_library(SystemC::systemc UNKNOWN IMPORTED)
    set_target_properties(SystemC::systemc PROPERTIES
      IMPORTED_LOCATION "${SystemC_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${SystemC_INCLUDE_DIR}")
  endif()
else()
  set(SystemC_FOUND TRUE)
endif()
