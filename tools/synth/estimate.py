# SPDX-License-Identifier: Apache-2.0
"""Area and longest path of a Yosys netlist (synth_xilinx, xc7). Python's standard library only.

The path is an estimate, no sign-off: Yosys does not place. Cells are as slow as xc7_timing.py says (its source is named
there). Nets are a model of ours, see net_delay: the figure is printed with the share of the path that they make up, and
with the band in which it lies if they are a quarter quicker or slower. It ranks paths. Equivalent ways to write a design
differ by some 0.4 ns, by the mapper's luck.

Paths begin at registers, memories and input ports, and end at registers, memories and output ports; an input port is
taken to change with the clock edge, after a net like any other.
"""
import argparse
import collections
import json
import math
import sys

import xc7_timing as t

DEVICE = "XC7VX690T-2"
CAPACITY = {"LUT": 433200, "FF": 866400, "DSP": 3600, "BRAM36": 1470}

# What an uncongested net of moderate distance costs, growing with the logarithm of its fan-out. A net that would cost
# more than the cap is assumed to be replicated by the tools. Of a net between two levels of logic the tools keep the one
# sink short that counts, so a register's net (level 0), which goes where the cells are, costs more.
NET_BASE, NET_PER_DOUBLING, NET_CAP, NET_LEVEL0 = 0.32, 0.05, 0.75, 0.05
BAND = 0.25


def net_delay(fanout, level0):
    return min(NET_CAP, NET_BASE + (NET_LEVEL0 if level0 else 0) + NET_PER_DOUBLING * math.log2(max(1, fanout)))


def family(kind):
    """Cells that start and end paths; None for plain logic."""
    return next((key for key in ("FD", "RAMB", "DSP", "SRL", "RAM") if kind.startswith(key)), None)


def parameter(cell, name):
    return int(str(cell["parameters"].get(name, "0")), 2)


def is_clock(pin):
    return pin in ("C", "CLK", "WCLK", "CLKARDCLK", "CLKBWRCLK", "REGCLKARDRCLK", "REGCLKB")


def inside_slice(source, target, pin):
    """No routing: carry to carry, LUT to wide multiplexer or carry, multiplexer to multiplexer, all of them to the register."""
    if target == "CARRY4":
        return pin == "CI" if source == "CARRY4" else pin in ("S", "DI") and source.startswith("LUT")
    if target.startswith("MUXF"):
        return pin != "S" and source.startswith(("LUT", "MUXF", "RAM", "SRL")) and not source.startswith("RAMB")
    return target.startswith("FD") and pin == "D" and source.startswith(("LUT", "INV", "MUXF", "CARRY4"))


def is_own_address(pin):
    """A, or A0, A1 ...: of dual-port LUT RAM the port that writes."""
    return pin == "A" or (pin[0] == "A" and pin[1:].isdigit())


def lut_ram_reads(cell, pin_out):
    """Address inputs that an output of LUT RAM, or of a shift register, depends on between clock edges."""
    pins = cell["connections"]
    if cell["type"].startswith("SRL"):
        return [] if pin_out == "Q31" else [p for p in pins if p.startswith("A")]
    names = [p for p in pins if p.startswith(("ADDR", "DPRA")) or is_own_address(p)]
    if pin_out == "SPO":
        return [p for p in names if not p.startswith("DPRA")]
    if pin_out == "DPO":
        return [p for p in names if p.startswith("DPRA")]
    return [n for n in names if n == "ADDR" + pin_out[-1]] or names  # RAM32M, RAM64M: DOx is addressed by ADDRx


def dsp_unregistered(cell):
    """Data inputs that reach the output without a clock edge."""
    if parameter(cell, "PREG"):
        return []
    return [pin for pin in "ABC" if not parameter(cell, pin + "REG") and (pin == "C" or not parameter(cell, "MREG"))]


def clock_to_out(cell, pin):
    """From the clock edge to an output of a cell that starts paths."""
    kind, group = cell["type"], family(cell["type"])
    if group == "RAMB":
        register = parameter(cell, "DOB_REG" if pin.startswith(("DOB", "DOPB")) else "DOA_REG")
        return t.BRAM_REGISTER_TO_OUT if register else t.BRAM_CLOCK_TO_OUT
    if group == "DSP":
        if parameter(cell, "PREG"):
            return t.DSP_P_TO_OUT
        if parameter(cell, "MREG"):
            return max(t.DSP_M_TO_OUT, t.DSP_C_TO_OUT if parameter(cell, "CREG") else 0)
        if parameter(cell, "AREG") or parameter(cell, "BREG"):
            return t.DSP_AB_TO_OUT
        return t.DSP_C_TO_OUT if parameter(cell, "CREG") else -math.inf
    return t.MC31 if pin == "Q31" and kind.startswith("SRL") else t.CLOCK_TO_Q[group]


def setup(cell, pin, from_slice):
    """Before the clock edge, at an input of a cell that ends paths; None: the pin ends none."""
    group = family(cell["type"])
    if group == "FD":
        if pin == "D":
            return t.FF_FROM_LUT if from_slice else t.FF_FROM_NET
        return t.FF_CE if pin == "CE" else t.FF_SR
    if group == "SRL":
        return t.SRL.get(pin)
    if group == "RAM":
        if pin == "WE":
            return t.LUT_RAM["WE"]
        if pin.startswith("D") and not pin.startswith("DPRA"):
            return t.LUT_RAM["D"]
        # The port that writes: ADDRD of RAM32M and RAM64M, A of the dual-port ones.
        return t.LUT_RAM["WA"] if pin == "ADDRD" or is_own_address(pin) else None
    if group == "RAMB":
        return next((value for key, value in t.BRAM.items() if pin.startswith(key)), None)
    if pin == "PCIN":
        return t.DSP_PCIN_TO_P if parameter(cell, "PREG") else None
    if pin in ("ACIN", "BCIN"):
        return t.DSP_REGISTER[pin[0]] if parameter(cell, pin[0] + "REG") else t.DSP_TO_P[pin[0]]
    if pin not in ("A", "B", "C", "D"):
        return t.DSP_CONTROL
    if pin == "D" or parameter(cell, pin + "REG"):
        return t.DSP_REGISTER[pin]
    if pin in "AB" and parameter(cell, "MREG"):
        return t.DSP_TO_M[pin]
    return t.DSP_TO_P[pin] if parameter(cell, "PREG") else None  # None: through to the output


def short(name):
    return name.replace("\\", "")


class Netlist:
    def __init__(self, module):
        self.cells = module["cells"]
        self.driver, self.fanout, self.name = {}, collections.Counter(), {}
        for label, net in module["netnames"].items():
            for i, bit in enumerate(net["bits"]):
                text = label if len(net["bits"]) == 1 else f"{label}[{i}]"
                old = self.name.get(bit)
                if old is None or (net.get("hide_name", 0), len(text)) < old[0]:
                    self.name[bit] = ((net.get("hide_name", 0), len(text)), text)
        for label, cell in self.cells.items():
            for pin, bits in cell["connections"].items():
                for index, bit in enumerate(bits):
                    if not isinstance(bit, int):
                        continue
                    if cell["port_directions"][pin] == "output":
                        self.driver[bit] = (label, pin, index)
                    elif not is_clock(pin):
                        self.fanout[bit] += 1
        self.inputs, self.outputs = set(), set()
        for port in module["ports"].values():
            bits = {bit for bit in port["bits"] if isinstance(bit, int)}
            if port["direction"] == "input":
                self.inputs |= bits
            else:
                self.outputs |= bits
        for bit in self.outputs:
            self.fanout[bit] += 1

    def arcs(self, cell, pin_out, index):
        """(pin, bit, delay) of what an output depends on between clock edges."""
        kind, pins = cell["type"], cell["connections"]
        if kind == "CARRY4":
            for pin, table in (("S", t.CARRY_S), ("DI", t.CARRY_DI)):
                for i, bit in enumerate(pins.get(pin, [])):
                    delay = table[i][pin_out][index] if i <= index else None
                    if delay is not None:
                        yield pin, bit, delay
            for pin, table in (("CI", t.CARRY_CI), ("CYINIT", t.CARRY_CYINIT)):
                for bit in pins.get(pin, []):
                    yield pin, bit, table[pin_out][index]
        elif kind.startswith("MUXF"):
            for pin in ("I0", "I1", "S"):
                yield pin, pins[pin][0], t.MUX[kind][pin]
        elif family(kind) in ("RAM", "SRL"):
            for pin in lut_ram_reads(cell, pin_out):
                for bit in pins[pin]:
                    yield pin, bit, t.LUT
        elif family(kind) == "DSP":
            for pin in dsp_unregistered(cell):
                for bit in pins[pin]:
                    yield pin, bit, t.DSP_TO_OUT[pin]
            for bit in pins.get("PCIN", []) if not parameter(cell, "PREG") else []:
                yield "PCIN", bit, t.DSP_PCIN_TO_OUT
        elif not family(kind):
            for pin, direction in cell["port_directions"].items():
                if direction == "input":
                    for bit in pins[pin]:
                        yield pin, bit, t.LUT

    def wire(self, bit, kind, pin):
        """(delay inside the slice, delay of the net) from what drives a bit to a pin."""
        source = self.driver.get(bit)
        if source is None:
            return 0.0, net_delay(self.fanout[bit], True)
        driver = self.cells[source[0]]["type"]
        if inside_slice(driver, kind, pin):
            return 0.0, 0.0
        if pin in ("PCIN", "ACIN", "BCIN"):
            return 0.0, 0.0  # the cascade
        leaves = 0.0
        if driver.startswith("MUXF"):
            leaves = t.OUT_OF_SLICE
        elif driver == "CARRY4":
            leaves = t.OUT_OF_CARRY3 if source[1] == "CO" and source[2] == 3 else t.OUT_OF_SLICE
        return leaves, net_delay(self.fanout[bit], family(driver) is not None)

    def arrivals(self):
        """Of each bit (latest time after the clock edge, nets in it), with the bit before."""
        time, cause = {}, {}
        for bit in self.inputs:
            time[bit], cause[bit] = (0.0, 0.0), None
        for root in list(self.driver):
            stack = [root]
            while stack:
                bit = stack[-1]
                if bit in time:
                    stack.pop()
                    continue
                label, pin_out, index = self.driver[bit]
                cell = self.cells[label]
                starts = family(cell["type"]) is not None
                best, via = ((clock_to_out(cell, pin_out), 0.0) if starts else (-math.inf, 0.0)), None
                waiting = False
                for pin, source, delay in self.arcs(cell, pin_out, index):
                    if not isinstance(source, int) or (source not in self.driver and source not in self.inputs):
                        continue
                    if source not in time:
                        stack.append(source)
                        waiting = True
                    elif not waiting:
                        inner, net = self.wire(source, cell["type"], pin)
                        at = time[source][0] + inner + net + delay
                        if at > best[0]:
                            best, via = (at, time[source][1] + net), source
                if not waiting:
                    time[bit], cause[bit] = best, via
                    stack.pop()
        return time, cause

    def ends(self):
        """(bit, cell's label or None for a port, pin, setup)."""
        for label, cell in self.cells.items():
            if not family(cell["type"]):
                continue
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] != "input" or is_clock(pin):
                    continue
                for bit in bits:
                    if not isinstance(bit, int):
                        continue
                    source = self.driver.get(bit)
                    near = source is not None and inside_slice(self.cells[source[0]]["type"], cell["type"], pin)
                    before = setup(cell, pin, near)
                    if before is not None:
                        yield bit, label, pin, before
        for bit in self.outputs:
            yield bit, None, "", 0.0

    def longest(self):
        """Of each kind of path the longest: {"register to register": (ns, ns of nets, steps)} and so on."""
        time, cause = self.arrivals()

        def start(bit):
            while cause.get(bit) is not None:
                bit = cause[bit]
            return "port" if bit in self.inputs else "register"

        worst = {}
        candidates = []
        for bit, label, pin, before in self.ends():
            if time.get(bit, (-math.inf, 0))[0] == -math.inf:
                continue
            inner, net = self.wire(bit, self.cells[label]["type"] if label else "port", pin)
            candidates.append((time[bit][0] + inner + net + before, time[bit][1] + net, bit, label, pin))
        candidates.sort(key=lambda c: -c[0])
        for at, nets, bit, label, pin in candidates:
            if len(worst) == 4:
                break
            kind = f"{start(bit)} to {'register' if label else 'port'}"
            if kind in worst:
                continue
            steps = [(at, self.cells[label]["type"] + "." + pin if label else "port", self.label(bit), "setup" if label else "")]
            at_bit = bit
            while at_bit is not None:
                source = self.driver.get(at_bit)
                steps.append((time[at_bit][0], self.cells[source[0]]["type"] + "." + source[1] if source else "port",
                              self.label(at_bit), f"fanout {self.fanout[at_bit]}"))
                at_bit = cause[at_bit]
            worst[kind] = (at, nets, steps[::-1])
        return worst

    def label(self, bit):
        return short(self.name.get(bit, (0, "?"))[1])


def area(cells):
    used = collections.Counter({key: 0 for key in CAPACITY})
    lut_memory = {"RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2,
                  "RAM256X1S": 4}
    for cell in cells.values():
        kind = cell["type"]
        if kind.startswith("LUT") or kind == "INV" or kind.startswith("SRL"):
            used["LUT"] += 1
        elif kind in lut_memory:
            used["LUT"] += lut_memory[kind]
        elif kind.startswith("FD"):
            used["FF"] += 1
        elif kind.startswith("DSP48"):
            used["DSP"] += 1
        elif kind.startswith("RAMB"):
            used["BRAM36"] += 1 if kind.startswith("RAMB36") else 0.5
        elif kind == "$scopeinfo":
            pass  # newer versions of Yosys note where a flattened instance was
        elif not kind.startswith(("CARRY4", "MUXF", "BUF", "IBUF", "OBUF")):
            sys.exit(f"synth: no area known for cell type {kind}")
    return used


def figures(worst):
    """The longest of all, and each kind's, as JSON."""
    def one(kind):
        at, nets, steps = worst[kind]
        return {"kind": kind, "ns": round(at, 3), "ns_nets": round(nets, 3),
                "band_ns": [round(at - BAND * nets, 3), round(at + BAND * nets, 3)],
                "path": [{"ns": round(s[0], 3), "pin": s[1], "signal": s[2]} for s in steps]}
    kinds = sorted(worst, key=lambda kind: -worst[kind][0])
    return [one(kind) for kind in kinds]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("netlist")
    parser.add_argument("top")
    parser.add_argument("--json", help="write the figures here, too")
    args = parser.parse_args()
    with open(args.netlist, encoding="utf-8") as file:
        netlist = json.load(file)
    module = netlist["modules"][args.top]
    # "Yosys 0.23 (git sha1 ...)": areas depend on it.
    tool = " ".join(netlist.get("creator", "Yosys").split()[:2])
    used = area(module["cells"])
    worst = Netlist(module).longest()
    paths = figures(worst)

    print(f"{args.top} on {DEVICE}, {tool} synth_xilinx, before placement")
    for key, total in CAPACITY.items():
        print(f"  {key:7} {used[key]:7g}  {100 * used[key] / total:6.2f} % of {total}")
    if not paths:
        print("  no path")
    for path in paths:
        low, high = path["band_ns"]
        print(f"  longest {path['kind']}, estimated: {path['ns']:.2f} ns ({low:.2f} .. {high:.2f}), "
              f"{100 * path['ns_nets'] / path['ns'] if path['ns'] else 0:.0f} % nets")
    for at, pin, name, note in worst[paths[0]["kind"]][2] if paths else []:
        print(f"    {at:6.2f} ns  {pin:12} {name}  ({note})")
    if args.json:
        longest = paths[0] if paths else {"ns": 0, "band_ns": [0, 0]}
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"top": args.top, "device": DEVICE, "tool": tool, "used": used, "capacity": CAPACITY,
                       "longest_path_ns": longest["ns"], "band_ns": longest["band_ns"], "paths": paths}, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main()
