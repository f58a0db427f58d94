# The Debian package: `cmake --build build --target package`, or tools/package.sh, whose package runs on any CPU of the architecture.
# Shared libraries are found by dpkg-shlibdeps; other packages are those of tools/packages.txt, by their part.
# SPDX-License-Identifier: Apache-2.0

# gw_packages(OUT PART): the packages of a part, as a control field has them.
function(gw_packages out part)
  set(list ${PROJECT_SOURCE_DIR}/tools/packages.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} lines REGEX "^[a-z0-9.+-]+ +${part} ")
  list(TRANSFORM lines REPLACE " .*" "")
  if(NOT lines)
    message(FATAL_ERROR "tools/packages.txt has no package of part '${part}'.")
  endif()
  list(JOIN lines ", " lines)
  set(${out} ${lines} PARENT_SCOPE)
endfunction()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gradwire)
set(CPACK_PACKAGE_VENDOR "gradwire maintainers")
set(CPACK_PACKAGE_CONTACT "gradwire maintainers <maintainers@gradwire.example>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_MONOLITHIC_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION electronics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
gw_packages(CPACK_DEBIAN_PACKAGE_DEPENDS run)
gw_packages(CPACK_DEBIAN_PACKAGE_RECOMMENDS models)
gw_packages(CPACK_DEBIAN_PACKAGE_SUGGESTS look)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Simulates blocks that compress, sum and apply gradients inside the network:
RTL, SystemC model and reference in lockstep, driven with captured packets.
With it come the RTL, captures, synthesis scripts, and the models for
SystemC platforms.")
if(GRADWIRE_NATIVE)
  string(APPEND CPACK_DEBIAN_PACKAGE_DESCRIPTION "

This build runs on the kind of CPU that made it, and perhaps on no other.")
  set(CPACK_DEBIAN_PACKAGE_RELEASE native)
endif()
include(CPack)
