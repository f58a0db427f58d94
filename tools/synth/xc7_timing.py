# SPDX-License-Identifier: Apache-2.0
"""Delays of Virtex-7 cells, ns, slow corner: facts from Project X-Ray's database (CC0), virtex7/timings of
openXC7/prjxray-db: slicel.sdf, slicem.sdf (the slower of the two), BRAM_L.sdf, DSP_L.sdf. Where Yosys names a pin for
several of a slice's (A1 to A6), the slowest counts.
"""

# From the clock edge to an output, of cells that start paths.
CLOCK_TO_Q = {"FD": 0.175, "RAM": 0.626, "SRL": 0.916}
MC31 = 0.735                     # a shift register's output to the next one
BRAM_CLOCK_TO_OUT = 1.800        # without its output register
BRAM_REGISTER_TO_OUT = 0.622     # with it

LUT = 0.043                      # any input to O6; also address to output of LUT RAM
OUT_OF_SLICE = 0.093             # of what leaves by the output multiplexer: carry, wide multiplexer
OUT_OF_CARRY3 = 0.137            # CO3 by that multiplexer
MUX = {"MUXF7": {"I0": 0.111, "I1": 0.111, "S": 0.163}, "MUXF8": {"I0": 0.045, "I1": 0.045, "S": 0.141}}

# CARRY4, by input and bit, then output and bit. DI by the O5 output of its LUT.
CARRY_S = {0: {"CO": (0.183, 0.220, 0.262, 0.248), "O": (0.113, 0.209, 0.255, 0.285)},
           1: {"CO": (None, 0.238, 0.281, 0.255), "O": (None, 0.103, 0.271, 0.301)},
           2: {"CO": (None, None, 0.137, 0.184), "O": (None, None, 0.108, 0.167)},
           3: {"CO": (None, None, None, 0.182), "O": (None, None, None, 0.108)}}
CARRY_DI = {0: {"CO": (0.124, 0.201, 0.241, 0.227), "O": (None, 0.152, 0.234, 0.266)},
            1: {"CO": (None, 0.181, 0.225, 0.204), "O": (None, None, 0.219, 0.248)},
            2: {"CO": (None, None, 0.138, 0.157), "O": (None, None, None, 0.176)},
            3: {"CO": (None, None, None, 0.154), "O": (None, None, None, None)}}
CARRY_CI = {"CO": (0.139, 0.077, 0.110, 0.054), "O": (0.111, 0.166, 0.112, 0.151)}
CARRY_CYINIT = {"CO": (0.293, 0.262, 0.302, 0.297), "O": (0.262, 0.326, 0.302, 0.337)}

# Before the clock edge.
FF_FROM_LUT = 0.053 - 0.040      # D from the same slice: its multiplexer, then the register
FF_FROM_NET = 0.121 - 0.040      # D by the bypass input
FF_CE = 0.148 + 0.099            # with the way from the slice's pin
FF_SR = 0.207 + 0.053
LUT_RAM = {"D": 0.271, "WE": 0.366, "WA": 0.430}
SRL = {"D": 0.114, "CE": 0.339}
BRAM = {"ADDR": 0.416, "DI": 0.543, "WE": 0.404, "EN": 0.387, "RST": 0.364, "REGCE": 0.243}
DSP_REGISTER = {"A": 0.261, "B": 0.317, "C": 0.164, "D": 0.261}   # of its own
DSP_CONTROL = 0.457              # enables, resets and modes: the slowest of them
# Inputs without a register of their own: to M (MREG = 1), to P with PREG = 1, to the output with none.
DSP_TO_M = {"A": 1.374, "B": 1.244}
DSP_TO_P = {"A": 2.655, "B": 2.525, "C": 1.208}
DSP_TO_OUT = {"A": 2.860, "B": 2.723, "C": 1.291}
DSP_PCIN_TO_P, DSP_PCIN_TO_OUT = 0.995, 1.219  # the cascade
# From the last register that counts to the output.
DSP_P_TO_OUT = 0.383
DSP_M_TO_OUT = 1.772
DSP_AB_TO_OUT = 3.001            # no register after A's and B's
DSP_C_TO_OUT = 1.776
