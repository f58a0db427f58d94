# Writes OUT, which includes every C++ file that Verilator left in DIR; only if that changes it.
file(GLOB parts RELATIVE ${DIR} ${DIR}/${PREFIX}*.cpp)
list(FILTER parts EXCLUDE REGEX "__all[.]cpp$")
list(SORT parts)
set(text "// Generated: the verilated design as one translation unit.\n")
foreach(part IN LISTS parts)
  string(APPEND text "#include \"${part}\"\n")
endforeach()
file(WRITE ${OUT} "${text}")
