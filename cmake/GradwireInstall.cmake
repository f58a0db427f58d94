# What `cmake --install` puts where. Components: models (find_package(gradwire)), program (gradwire and what it reads).
# SPDX-License-Identifier: Apache-2.0

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The models. A header has one name, that of this tree: #include "models/systemc/compressor_module.h".
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/gradwire)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/gradwire)
set_target_properties(gw_axis PROPERTIES EXPORT_NAME axis)
set_target_properties(gw_systemc_cores PROPERTIES EXPORT_NAME cores)
set_target_properties(gw_systemc_modules PROPERTIES EXPORT_NAME modules)
set_target_properties(gw_systemc_kernel PROPERTIES EXPORT_NAME kernel)
set_target_properties(gw_flags PROPERTIES EXPORT_NAME flags)
install(TARGETS gw_axis gw_systemc_cores gw_systemc_modules gw_systemc_kernel gw_flags EXPORT gradwire
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT models
  INCLUDES DESTINATION ${headers})
# fp_value.h is of the cores' sources alone: it is compiled without contraction.
install(DIRECTORY models/axis models/registers models/systemc DESTINATION ${headers}/models COMPONENT models
  FILES_MATCHING PATTERN "*.h" PATTERN "fp_value.h" EXCLUDE)
install(EXPORT gradwire FILE gradwire-targets.cmake NAMESPACE gradwire:: DESTINATION ${package} COMPONENT models)
configure_package_config_file(cmake/gradwire-config.cmake.in gradwire-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(gradwire-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gradwire-config.cmake ${PROJECT_BINARY_DIR}/gradwire-config-version.cmake
  cmake/FindSystemC.cmake DESTINATION ${package} COMPONENT models)

# The program, and in share/gradwire what it reads (sim/run/data_folder.h): the same paths as in this tree.
install(TARGETS gradwire RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/gradwire.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/gradwire.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME gradwire
  COMPONENT program)
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
set(data ${CMAKE_INSTALL_DATADIR}/gradwire)
install(DIRECTORY rtl DESTINATION ${data} COMPONENT program
  FILES_MATCHING PATTERN "*.sv" PATTERN "*.svh" PATTERN "*.f" PATTERN "*.core")
install(DIRECTORY traces DESTINATION ${data} COMPONENT program
  FILES_MATCHING PATTERN "*.pcap" PATTERN "*.pcapng" PATTERN "manifest.json" PATTERN "README.md")
install(DIRECTORY examples DESTINATION ${data} COMPONENT program
  FILES_MATCHING PATTERN "*.sv" PATTERN "*.f" PATTERN "*.toml")
install(DIRECTORY plans baselines DESTINATION ${data} COMPONENT program
  FILES_MATCHING PATTERN "*.toml" PATTERN "*.json")
install(DIRECTORY tools/synth tools/wireshark DESTINATION ${data}/tools COMPONENT program USE_SOURCE_PERMISSIONS
  FILES_MATCHING PATTERN "*.sh" PATTERN "*.py" PATTERN "*.lua")
# For who builds engines by other means.
install(FILES testbenches/engine/engine_abi.h DESTINATION ${headers}/testbenches/engine COMPONENT program)

include(GradwirePackage)
