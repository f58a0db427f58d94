#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/synth/estimate.py on netlists of a few cells, whose longest path is worked out by hand from xc7_timing.py's table."""
import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "synth"))
import estimate  # noqa: E402

INPUTS = {"FDRE": ["C", "D", "CE", "R"], "LUT2": ["I0", "I1"], "CARRY4": ["CI", "CYINIT", "S", "DI"], "MUXF7": ["I0", "I1", "S"],
          "RAMB36E1": ["CLKARDCLK", "ADDRARDADDR"], "DSP48E1": ["CLK", "A", "B", "C", "PCIN"],
          "RAM64M": ["WCLK", "ADDRA", "ADDRD", "DIA", "WE"], "RAM256X1S": ["WCLK", "A", "D", "WE"]}
NET = 0.37   # of a register or port, one sink: 0.32 + 0.05
INNER = 0.32  # between two levels of logic, one sink


class Path(unittest.TestCase):
    def setUp(self):
        self.cells, self.ports, self.bits = {}, {}, {}

    def bit(self, name):
        return name if name in ("0", "1", "x") else self.bits.setdefault(name, len(self.bits) + 2)

    def cell(self, kind, parameters=None, **pins):
        self.cells[f"c{len(self.cells)}"] = {
            "type": kind, "parameters": {k: str(v) for k, v in (parameters or {}).items()},
            "port_directions": {pin: "input" if pin in INPUTS[kind] else "output" for pin in pins},
            "connections": {pin: [self.bit(n) for n in nets.split()] for pin, nets in pins.items()}}

    def ff(self, q, **pins):
        self.cell("FDRE", C="clk", Q=q, **pins)

    def port(self, direction, name):
        self.ports[name] = {"direction": direction, "bits": [self.bit(name)]}

    def longest(self):
        names = {name: {"bits": [bit]} for name, bit in self.bits.items()}
        return estimate.Netlist({"cells": self.cells, "ports": self.ports, "netnames": names}).longest()

    def expect(self, kind, ns, nets=None):
        worst = self.longest()
        self.assertAlmostEqual(worst[kind][0], ns, places=6)
        if nets is not None:
            self.assertAlmostEqual(worst[kind][1], nets, places=6)
        return worst

    def test_a_lut_beside_its_register(self):
        self.ff("a", D="0")
        self.cell("LUT2", I0="a", I1="1", O="b")
        self.ff("c", D="b")
        self.expect("register to register", 0.175 + NET + 0.043 + 0.013, NET)

    def test_ports_start_and_end_paths_and_clocks_do_not(self):
        self.port("input", "in")
        self.port("input", "clk")
        self.port("output", "out")
        self.ff("out", D="in")
        worst = self.expect("port to register", NET + 0.081)
        self.assertAlmostEqual(worst["register to port"][0], 0.175 + NET)
        self.assertEqual(set(worst), {"port to register", "register to port"})

    def test_a_carry_chain_is_in_its_column(self):
        self.ff("a", D="0")
        self.cell("LUT2", I0="a", I1="1", O="s")
        self.cell("CARRY4", CI="0", S="s 0 0 0", DI="0 0 0 0", CO="x x x k", O="x x x x")
        self.cell("CARRY4", CI="k", S="0 0 0 0", DI="0 0 0 0", CO="x x x x", O="o x x x")
        self.ff("q", D="o")
        self.expect("register to register", 0.175 + NET + 0.043 + 0.248 + 0.111 + 0.013, NET)

    def test_what_leaves_a_carry_goes_by_the_output_multiplexer(self):
        self.ff("a", D="0")
        self.cell("CARRY4", CI="0", CYINIT="a", S="0 0 0 0", DI="0 0 0 0", CO="x x x k", O="x x x x")
        self.cell("LUT2", I0="k", I1="1", O="b")
        self.ff("q", D="b")
        self.expect("register to register", 0.175 + NET + 0.297 + 0.137 + INNER + 0.043 + 0.013)

    def test_a_wide_multiplexers_select_comes_by_a_net(self):
        self.ff("a", D="0")
        self.cell("MUXF7", I0="0", I1="0", S="a", O="b")
        self.ff("q", D="b")
        self.expect("register to register", 0.175 + NET + 0.163 + 0.013)

    def test_block_ram_with_and_without_its_register(self):
        for register, out in ((0, 1.800), (1, 0.622)):
            self.setUp()
            self.cell("RAMB36E1", {"DOA_REG": register}, CLKARDCLK="clk", ADDRARDADDR="0", DOADO="d")
            self.ff("q", CE="d")
            self.expect("register to register", out + NET + 0.148 + 0.099)

    def test_lut_ram_is_read_through_and_written_at_the_edge(self):
        self.ff("a", D="0")
        self.cell("RAM64M", WCLK="clk", ADDRA="a", ADDRD="0", DIA="0", WE="0", DOA="d")
        self.ff("q", D="d")
        # Longer than through the address: the clock to what was written.
        self.expect("register to register", 0.626 + NET + 0.081)
        self.setUp()
        self.ff("a", D="0")
        self.cell("RAM64M", WCLK="clk", ADDRA="0", ADDRD="a", DIA="0", WE="0", DOA="d")
        self.expect("register to register", 0.175 + NET + 0.430)
        self.setUp()
        self.ff("a", D="0")
        self.cell("RAM256X1S", WCLK="clk", A="a", D="0", WE="0", O="d")
        self.expect("register to register", 0.175 + NET + 0.430)
        self.assertEqual(estimate.area(self.cells)["LUT"], 4)

    def test_dsp_registers_decide(self):
        self.ff("a", D="0")
        self.cell("DSP48E1", {"MREG": 1}, CLK="clk", A="a", B="0", C="0", PCIN="0", P="p")
        self.expect("register to register", 0.175 + NET + 1.374)
        self.ff("q", D="p")
        self.expect("register to register", 1.772 + NET + 0.081)
        self.setUp()
        self.ff("a", D="0")
        self.cell("DSP48E1", {"PREG": 1}, CLK="clk", A="a", B="0", C="0", PCIN="0", P="p")
        self.expect("register to register", 0.175 + NET + 2.655)
        self.setUp()
        self.cell("DSP48E1", {"MREG": 1}, CLK="clk", A="0", B="0", C="0", PCIN="0", PCOUT="p")
        self.cell("DSP48E1", {"PREG": 1}, CLK="clk", A="0", B="0", C="0", PCIN="p", P="x")
        self.expect("register to register", 1.772 + 0.995, 0)

    def test_fan_out_costs_up_to_the_cap(self):
        for sinks, net in ((4, NET + 2 * 0.05), (1024, 0.75)):
            self.setUp()
            self.ff("a", D="0")
            for i in range(sinks):
                self.ff(f"q{i}", D="a")
            self.expect("register to register", 0.175 + net + 0.081, net)

    def test_the_band_is_of_the_nets(self):
        self.ff("a", D="0")
        self.ff("q", D="a")
        (path,) = estimate.figures(self.longest())
        self.assertEqual(path["ns"], 0.626)
        for end, expected in zip(path["band_ns"], (0.626 - NET / 4, 0.626 + NET / 4), strict=True):
            self.assertAlmostEqual(end, expected, delta=0.001)
        self.assertEqual([step["signal"] for step in path["path"]], ["a", "a"])


if __name__ == "__main__":
    unittest.main()
