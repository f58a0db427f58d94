"""Area and longest register-to-register path of a Yosys netlist (synth_xilinx, xc7). Python's standard library only.

The path is an estimate: Yosys does not place. Cell delays are meant to be those of DS183 (Virtex-7, speed grade -2, CLB
switching characteristics); they were entered from memory, rounded up, and NOT yet compared with the data sheet. The nets
are a model of ours, see NET_BASE. Cells that one slice holds have no net between them. Equivalent ways to write a design
differ by some 0.4 ns, by the mapper's luck: read the figure with that margin.
"""
import argparse
import collections
import json
import math
import sys

DEVICE = "XC7VX690T-2"
CAPACITY = {"LUT": 433200, "FF": 866400, "DSP": 3600, "BRAM36": 1470}

# ns. After DS183, Virtex-7 -2; from memory, to be checked against the data sheet.
CLOCK_TO_Q = {"FD": 0.27, "RAMB": 1.80, "DSP": 0.40, "SRL": 1.20, "RAM": 0.95}  # by prefix; RAM, SRL: LUTs as memory
SETUP = {"FD": 0.05, "RAMB": 0.45, "DSP": 0.30, "SRL": 0.20, "RAM": 0.40}
DSP_MULTIPLY = 2.60  # DSP input without a register of its own, to the multiplier's
DSP_ADD = 1.40       # multiplier's register, or input C, through the adder to the output, or its register
LUT = 0.05          # T_ILO
LUT_MEMORY = 0.10   # address to output of LUT RAM
WIDE_MUX = 0.20     # through MUXF7 or MUXF8
CARRY_ENTRY = 0.35  # S, DI or CYINIT to O or CO
CARRY_BYPASS = 0.07 # CI to CO, four bits
CARRY_SUM = 0.22    # CI to O

# ns. Ours: what an uncongested 7-series net of moderate distance costs, growing with the logarithm of its fanout. A
# net that would cost more than the cap is assumed to be replicated by the tools.
NET_BASE, NET_PER_DOUBLING, NET_CAP = 0.32, 0.05, 0.75


def net_delay(fanout):
    return min(NET_CAP, NET_BASE + NET_PER_DOUBLING * math.log2(max(1, fanout)))


def family(kind):
    """Cells that start and end paths, by their key in CLOCK_TO_Q; None for plain logic."""
    return next((key for key in CLOCK_TO_Q if kind.startswith(key)), None)


def is_lut_memory(kind):
    return family(kind) in ("RAM", "SRL")


def inside_slice(source, target, port):
    """No routing: carry to carry, LUT to wide multiplexer or carry, multiplexer to multiplexer, LUT to its register."""
    if target == "CARRY4":
        return port in ("CI", "S", "DI") and (source == "CARRY4" or source.startswith("LUT"))
    if target.startswith("MUXF"):
        return port != "S" and (source.startswith(("LUT", "MUXF")) or is_lut_memory(source))
    return target.startswith("FD") and port == "D" and source.startswith(("LUT", "MUXF", "CARRY4"))


def arc(kind, pin_in, pin_out):
    """Delay through a combinational cell, ns."""
    if kind == "CARRY4":
        if pin_in == "CI":
            return CARRY_BYPASS if pin_out == "CO" else CARRY_SUM
        return CARRY_ENTRY
    return WIDE_MUX if kind.startswith("MUXF") else LUT_MEMORY if is_lut_memory(kind) else LUT


def address_pins(kind, ports):
    """Address inputs of LUT RAM: a read is combinational from them."""
    if family(kind) == "SRL":
        return [p for p in ports if p.startswith("A")]
    return [p for p in ports if p.startswith(("ADDR", "A", "DPRA")) and not p.startswith("ADDRD")]


def parameter(cell, name):
    return int(str(cell["parameters"].get(name, "0")), 2)


def clock_to_q(cell):
    """From the clock edge to the outputs of a cell that starts paths."""
    group = family(cell["type"])
    if group == "DSP" and not parameter(cell, "PREG"):
        if not parameter(cell, "MREG"):
            sys.exit("synth: a DSP slice without registers: no model of its delay")
        return CLOCK_TO_Q[group] + DSP_ADD
    return CLOCK_TO_Q[group]


def setup(cell, pin):
    """Before the clock edge, at an input of a cell that ends paths."""
    group = family(cell["type"])
    if group != "DSP" or pin[0] not in "ABC" or len(pin) > 1 or parameter(cell, pin + "REG"):
        return SETUP[group]
    if pin == "C":
        return SETUP[group] + DSP_ADD
    return SETUP[group] + DSP_MULTIPLY + (0 if parameter(cell, "MREG") else DSP_ADD)


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
                    elif pin not in ("C", "CLK", "WCLK"):
                        self.fanout[bit] += 1

    def inputs(self, cell, pin_out, index):
        """(pin, bit) pairs that an output depends on combinationally."""
        kind, pins = cell["type"], cell["connections"]
        if kind == "CARRY4":
            for pin in ("CI", "CYINIT", "S", "DI"):
                upto = index + 1 if pin in ("S", "DI") else len(pins.get(pin, []))
                if pin == "DI" and pin_out == "O":
                    upto = index
                yield from ((pin, bit) for bit in pins.get(pin, [])[:upto])
            return
        if is_lut_memory(kind):
            names = address_pins(kind, pins)
            letter = pin_out[-1]  # RAM32M and RAM64M: output DOx is addressed by ADDRx
            names = [n for n in names if n == "ADDR" + letter] or names
        else:
            names = [p for p, d in cell["port_directions"].items() if d == "input"]
        for pin in names:
            yield from ((pin, bit) for bit in pins[pin])

    def wire(self, bit, kind, pin):
        source = self.driver.get(bit)
        if source and inside_slice(self.cells[source[0]]["type"], kind, pin):
            return 0.0
        return net_delay(self.fanout[bit])

    def arrivals(self):
        """Latest time of each bit after the clock edge, with its predecessor. Input ports are no start."""
        time, cause = {}, {}
        for root in list(self.driver):
            stack = [root]
            while stack:
                bit = stack[-1]
                if bit in time:
                    stack.pop()
                    continue
                label, pin_out, index = self.driver[bit]
                cell = self.cells[label]
                kind, group = cell["type"], family(cell["type"])
                best, via = (clock_to_q(cell), None) if group else (-math.inf, None)
                waiting = False
                if not group or is_lut_memory(kind):
                    for pin, source in self.inputs(cell, pin_out, index):
                        if not isinstance(source, int) or source not in self.driver:
                            continue
                        if source not in time:
                            stack.append(source)
                            waiting = True
                        elif not waiting:
                            at = time[source] + self.wire(source, kind, pin) + arc(kind, pin, pin_out)
                            if at > best:
                                best, via = at, (source, pin)
                if not waiting:
                    time[bit], cause[bit] = best, via
                    stack.pop()
        return time, cause

    def longest(self):
        time, cause = self.arrivals()
        worst = (-math.inf, None)
        for label, cell in self.cells.items():
            group = family(cell["type"])
            if not group:
                continue
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] != "input" or pin in ("C", "CLK", "WCLK"):
                    continue
                if is_lut_memory(cell["type"]) and pin in address_pins(cell["type"], cell["connections"]):
                    continue  # reads pass through
                for bit in bits:
                    if time.get(bit, -math.inf) > -math.inf:
                        at = time[bit] + self.wire(bit, cell["type"], pin) + setup(cell, pin)
                        if at > worst[0]:
                            worst = (at, (label, pin, bit))
        if worst[1] is None:
            return 0.0, []
        label, pin, bit = worst[1]
        steps = [(worst[0], self.cells[label]["type"], pin, self.name.get(bit, (0, "?"))[1], "setup")]
        while bit is not None:
            source = self.driver[bit]
            steps.append((time[bit], self.cells[source[0]]["type"], source[1], self.name.get(bit, (0, "?"))[1],
                          f"fanout {self.fanout[bit]}"))
            bit = cause[bit][0] if cause[bit] else None
        return worst[0], steps[::-1]


def area(cells):
    used = collections.Counter({key: 0 for key in CAPACITY})
    lut_memory = {"RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4}
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
    delay, steps = Netlist(module).longest()

    print(f"{args.top} on {DEVICE}, {tool} synth_xilinx")
    for key, total in CAPACITY.items():
        print(f"  {key:7} {used[key]:7g}  {100 * used[key] / total:6.2f} % of {total}")
    print(f"  longest register-to-register path, estimated: {delay:.2f} ns ({1000 / delay:.0f} MHz)" if steps else
          "  no register-to-register path")
    for at, kind, pin, name, note in steps:
        print(f"    {at:6.2f} ns  {kind + '.' + pin:12} {short(name)}  ({note})")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"top": args.top, "device": DEVICE, "tool": tool, "used": used, "capacity": CAPACITY,
                       "longest_path_ns": round(delay, 3),
                       "path": [{"ns": round(s[0], 3), "cell": s[1], "pin": s[2], "signal": short(s[3])} for s in steps]},
                      file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main()
