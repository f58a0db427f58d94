# Writes OUT, which includes every C++ file that Verilator left in DIR.
# Verilator clears the variable for a function's result in front of every cycle, although each function of ours writes its
# result: with hundreds of calls that is a tenth of the simulation's time, and taken out.
file(GLOB parts RELATIVE ${DIR} ${DIR}/${PREFIX}*.cpp)
list(FILTER parts EXCLUDE REGEX "__all[.]cpp$")
list(SORT parts)
set(text "// Generated: the verilated design as one translation unit.\n")
foreach(part IN LISTS parts)
  string(APPEND text "#include \"${part}\"\n")
  file(READ ${DIR}/${part} code)
  string(REGEX REPLACE "\n    __Vfunc_[a-z0-9_]+__Vfuncout = 0;" "" lean "${code}")
  if(NOT lean STREQUAL code)
    file(WRITE ${DIR}/${part} "${lean}")
  endif()
endforeach()
file(WRITE ${OUT} "${text}")
