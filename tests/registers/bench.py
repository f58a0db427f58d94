#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Testbench that tries every address of a top's registers as its description says: bench.py NAME [PARAMETER=VALUE...] > bench.sv

Reads and writes, legal and not, with and without idle, with every order of address and data; and that each is answered in the cycle of
docs/registers/README.md.
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "registers"))
import generate  # noqa: E402

OKAY, SLVERR = 0, 2
JOB_RESET = 0x1C
STATES = (0, 1, 2, 3)  # of SGD, Adagrad, Adam, SMORMS3


class Bench:
    """What is known of the registers, step by step, and the steps."""

    def __init__(self, top, settings):
        self.top, self.settings = top, settings
        self.depth_log2 = settings.get("DepthLog2", 10)
        self.algorithm = settings.get("Algorithm", 0)
        self.random = random.Random(1)
        self.steps = []
        self.registers = [r for r in top.registers if not r.only or self.algorithm in r.only]
        self.values = {}  # of an address, as far as it is known
        for register in self.registers:
            if register.store == "here":
                self.values[register.at] = sum((1 << self.depth_log2 if f.of_depth else f.reset) << f.low for f in register.fields)
        for base in (generate.COUNTERS, generate.SNAPSHOTS):
            for i in range(len(top.counters)):
                self.values[base + 4 * i] = 0
        self.values[0x000] = 0x47570000 | top.number
        self.values[0x004] = generate.MAJOR << 16 | generate.MINOR
        capability = {"ports": top.ports}
        for name, parameter in top.parameters.items():
            capability[parameter["capability"]] = settings.get(name, int(parameter["default"].split("'b")[-1]))
        self.values[0x008] = sum(capability.get(f.name, 0) << f.low for f in top.register("capability").fields)
        initial = {"iterating": 0, "power1": 0x3F800000, "power2": 0x3F800000}  # after reset, and after the job's
        self.fresh = {r.at: initial[r.name] for r in self.registers if r.name in initial}
        self.values.update(self.fresh)
        self.readable = {r.at for r in self.registers if r.reads}
        self.readable |= set(self.cells())
        self.readable |= {at for at in self.values if at >= generate.COUNTERS}

    def cells(self):
        """Addresses of a few, in every block: first, last, and neighbours."""
        if not self.top.cells:
            return []
        last = (32 << self.depth_log2) - 1
        block = 1 << self.top.cells["block_log2"]
        return [self.top.cells["at"] + b * block + 4 * i for b in range(STATES[self.algorithm] + 1) for i in (0, 1, 2, 31, 32, last)]

    def read(self, at, answer):
        known = answer == SLVERR or at in self.values
        value = 0 if answer == SLVERR else self.values.get(at, 0)
        self.steps.append(f"read(28'h{at:X}, {answer}, {int(known)}, 32'h{value:08X});")

    def write(self, at, value, answer, strobe=15):
        order = self.random.randrange(3)  # address first, data first, together
        self.steps.append(f"write(28'h{at:X}, 32'h{value:08X}, 4'd{strobe}, {answer}, {order});")
        if answer == OKAY and at in self.readable:
            self.values[at] = value
        if answer == OKAY and at == JOB_RESET:
            self.values.update(self.fresh)

    def every_address(self):
        for at in range(0, 0x400 if self.top.address_bits > 10 else 1 << self.top.address_bits):
            if at % 4 == 0 or at < 0x20:
                self.read(at, OKAY if at in self.readable else SLVERR)
        for bit in range(10, self.top.address_bits - (1 if self.top.cells else 0)):
            self.read(1 << bit, SLVERR)
            self.write(1 << bit | 0x10, 1, SLVERR)
        for at in self.cells():
            self.read(at ^ 2, SLVERR)

    def legal(self, register):
        field_values = []
        for field in register.fields:
            greatest = 1 << self.depth_log2 if field.of_depth else field.greatest
            field_values.append((field, field.least, greatest))
        return field_values

    def writes(self):
        writable = {r.at for r in self.registers if r.writes}
        for at in [*range(0, 0x100, 4), 0x100, 0x200]:
            if at not in writable:
                self.write(at, 1, SLVERR)
        for register in self.registers:
            if not register.writes or register.name == "control":
                continue
            fields = self.legal(register)
            base = sum(least << field.low for field, least, _ in fields)
            for field, least, greatest in fields:
                rest = base & ~field.mask
                inside = {least, greatest, self.random.randint(least, greatest)}
                for value in sorted(inside):
                    self.write(register.at, rest | value << field.low, OKAY)
                    if register.reads:
                        self.read(register.at, OKAY)
                for value in {least - 1, greatest + 1}:
                    if 0 <= value <= field.most:
                        self.write(register.at, rest | value << field.low, SLVERR)
            unused = ~sum(field.mask for field in register.fields) & 0xFFFFFFFF
            for bit in range(32):
                if unused >> bit & 1:
                    self.write(register.at, base | 1 << bit, SLVERR)
            for strobe in (0, 1, 8, 14):
                self.write(register.at, base, SLVERR, strobe)
            self.read(register.at, OKAY if register.reads else SLVERR)
        cells = self.cells()
        self.random.shuffle(cells)
        for at in cells:
            self.write(at, self.random.getrandbits(32), OKAY)
        self.random.shuffle(cells)
        for at in cells:
            self.read(at, OKAY)
            self.write(at, 0, SLVERR, 7)
        for at in self.values:
            self.read(at, OKAY)
        if self.top.cells:
            at, block = self.top.cells["at"], 1 << self.top.cells["block_log2"]
            for wrong in (at + (128 << self.depth_log2), at + block - 4, *([at + (STATES[self.algorithm] + 1) * block] if STATES[self.algorithm] < 3 else [])):
                self.read(wrong, SLVERR)
                self.write(wrong, 0, SLVERR)

    def busy(self):
        """With a packet within: what needs idle is refused and stays, what does not is answered."""
        self.steps.append("begin_packet();")
        for register in self.registers:
            if register.reads and register.name != "status":
                self.read(register.at, SLVERR if register.idle == "always" else OKAY)
            if register.writes and register.idle:
                value = sum(greatest << field.low for field, _, greatest in self.legal(register))
                self.write(register.at, value, SLVERR)
        for at in self.cells()[:3]:
            self.read(at, SLVERR)
            self.write(at, 0xFFFFFFFF, SLVERR)
        self.write(0x10, 1, OKAY)
        self.steps.append("end_packet();")
        self.steps.append("drained();")
        for at in self.values:
            if at < generate.COUNTERS or at >= 1 << 12:
                self.read(at, OKAY)
        self.write(0x10, 0, OKAY)
        self.steps.append("repeat (4096) step;")  # for what waited in the queues of the switch
        self.write(0x18, 1, OKAY)
        for i in range(len(self.top.counters)):
            self.steps.append(f"same(28'h{generate.COUNTERS + 4 * i:X}, 28'h{generate.SNAPSHOTS + 4 * i:X});")

    def together(self):
        """A write and a read whose address and data are accepted in the same cycle: the write goes first."""
        self.steps.append("both(28'h10, 32'd1, 28'h10, 32'd1);")
        self.steps.append("both(28'h10, 32'd0, 28'h10, 32'd0);")


TEXT = """\
// {name}: every register as its description says.
`default_nettype none
`timescale 1ns / 1ps

module bench;
  bit clk, rst_n;
  always #1 clk = !clk;
  int cycle, failed, accesses;
  always @(posedge clk) cycle <= cycle + 1;

  reg  [{high}:0] awaddr = 0, araddr = 0;
  reg  [31:0] wdata = 0;
  reg  [3:0]  wstrb = 0;
  reg         awvalid = 0, wvalid = 0, bready = 0, arvalid = 0, rready = 0;
  wire        awready, wready, bvalid, arready, rvalid;
  wire [1:0]  bresp, rresp;
  wire [31:0] rdata;
  reg  [{data}:0] tdata = 0;
  reg  [{keep}:0] tkeep = 0;
  reg  [{lanes}:0] tvalid = 0, tlast = 0;
  wire [{lanes}:0] tready, out_valid, out_last;
  gw_{name}_axil #({settings}) u_dut (
    .aclk(clk), .aresetn(rst_n),
    .s_axil_awaddr(awaddr), .s_axil_awprot(3'd0), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
    .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
    .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready),
    .s_axil_araddr(araddr), .s_axil_arprot(3'd0), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
    .s_axis_tdata(tdata), .s_axis_tkeep(tkeep), .s_axis_tvalid(tvalid), .s_axis_tready(tready), .s_axis_tlast(tlast), .s_axis_tuser({user}),
    .m_axis_tvalid(out_valid), .m_axis_tready({{{ports}{{1'b1}}}}), .m_axis_tlast(out_last)
  );

  task check(input bit holds, input [8*40-1:0] what, input [27:0] address);
    if (!holds) begin
      $display("{name}: %0s at %h in cycle %0d: bresp %b rresp %b rdata %h", what, address, cycle, bresp, rresp, rdata);
      failed = failed + 1;
    end
  endtask

  // What is driven changes behind a falling edge; handshakes are those of the rising edge in the middle.
  bit flood;
  task step;
    @(negedge clk);
    if (flood) begin
      tvalid = ~{lanes_bits}'d0;
      tlast  = ~tlast;
      tkeep  = tlast[0] ? {{{ports}{{32'h0FFF_FFFF}}}} : ~{keep_bits}'d0;
    end
  endtask

  task write(input [27:0] at, input [31:0] value, input [3:0] strobe, input [1:0] answer, input int order);
    int x;
    accesses = accesses + 1;
    wdata = value;
    wstrb = strobe;
    awaddr = at;
    awvalid = order != 1;
    wvalid = order != 0;
    while (!(order != 1 ? awready : wready)) step;
    step;
    if (order != 2) begin
      awvalid = order == 1;
      wvalid = order == 0;
      step;
    end
    x = cycle;
    awvalid = 0;
    wvalid = 0;
    while (!bvalid) step;
    check(cycle == x + 2, "write not answered in its cycle", at);
    check(bresp == answer, "wrong answer to a write", at);
    bready = accesses % 3 == 0;
    step;
    check(bready || (bvalid && bresp == answer), "answer to a write does not wait", at);
    if (!bready) begin
      bready = 1;
      step;
    end
    bready = 0;
    check(awready && wready && !bvalid, "not ready after a write", at);
  endtask

  task read(input [27:0] at, input [1:0] answer, input bit known, input [31:0] value);
    int a;
    accesses = accesses + 1;
    araddr = at;
    arvalid = 1;
    while (!arready) step;
    step;
    a = cycle;
    arvalid = 0;
    while (!rvalid) step;
    check(cycle == a + 5, "read not answered in its cycle", at);
    check(rresp == answer, "wrong answer to a read", at);
    check(!known || rdata === value, "wrong value", at);
    rready = accesses % 3 == 0;
    step;
    check(rready || (rvalid && rresp == answer && (!known || rdata === value)), "answer to a read does not wait", at);
    if (!rready) begin
      rready = 1;
      step;
    end
    rready = 0;
    check(arready && !rvalid, "not ready after a read", at);
  endtask

  // In the same cycle: the read looks one cycle later than alone, and finds what was written.
  task both(input [27:0] at, input [31:0] value, input [27:0] from, input [31:0] expected);
    int x;
    {{awaddr, wdata, wstrb, araddr}} = {{at[{high}:0], value, 4'hF, from[{high}:0]}};
    {{awvalid, wvalid, arvalid}} = 3'b111;
    step;
    x = cycle;
    {{awvalid, wvalid, arvalid}} = 3'b000;
    {{bready, rready}} = 2'b11;
    while (!rvalid) step;
    check(cycle == x + 6 && rdata === expected && rresp == 0, "a read beside a write", from);
    step;
    {{bready, rready}} = 2'b00;
  endtask

  task same(input [27:0] live, input [27:0] kept);
    reg [31:0] value;
    araddr = live;
    arvalid = 1;
    step;
    arvalid = 0;
    while (!rvalid) step;
    value = rdata;
    rready = 1;
    step;
    rready = 0;
    read(kept, 0, 1, value);
  endtask

  // A packet whose first beat is in and whose last is not; in the switch, frames of 60 bytes without end at every port.
  task begin_packet;
{begin}
  endtask
  task end_packet;
{end}
  endtask

  // While it drains no packet begins, and it becomes idle.
  task drained;
    int wait_q;
    {drain_check}
    wait_q = 0;
    tvalid = 0;
    repeat (600) step;
    araddr = 'h14;
    arvalid = 1;
    step;
    arvalid = 0;
    while (!rvalid) step;
    check(rdata[0] == 1'b1, "not idle", 28'h14);
    rready = 1;
    step;
    rready = 0;
  endtask

  initial begin
    repeat (3) step;
    rst_n = 1;
    step;
    while (!awready) step;
    repeat ({clear}) step;
{steps}
    $display("{name}: %0d accesses, %0d failed", accesses, failed);
    if (failed != 0 || accesses < 100) $fatal(1, "{name}: registers are not as described");
    $finish;
  end
endmodule
"""


def main(name, *settings):
    top = generate.Map(name)
    chosen = {key: int(value) for key, value in (setting.split("=") for setting in settings)}
    bench = Bench(top, chosen)
    bench.every_address()
    bench.writes()
    bench.together()
    bench.busy()
    ports = top.ports
    offers = ("    tdata = 0;\n    tkeep = {%d{1'b1}};\n    tlast = 0;\n    tvalid = 1;\n" % (32 * ports))
    if ports == 1:
        begin = offers + "    while (!tready) step;\n    step;\n    tvalid = 0;"
        end = "    tlast = 1;\n    tvalid = 1;\n    while (!tready) step;\n    step;\n    tvalid = 0;"
        drain_check = "tvalid = 1;\n    repeat (3) begin\n      check(!tready, \"a packet begins while it drains\", 28'h10);\n      step;\n    end"
    else:
        begin = "    flood = 1;\n    repeat (40) step;"
        end = "    flood = 0;"
        drain_check = "tvalid = 0;"
    print(TEXT.format(name=name, high=top.address_bits - 1, data=256 * ports - 1, keep=32 * ports - 1, lanes=ports - 1, ports=ports, lanes_bits=ports, keep_bits=32 * ports,
                      settings=", ".join(f".{key}({value})" for key, value in chosen.items()), user="4'd0" if ports > 1 else "1'd0" if not top.parameters and len(top.counters) == 1 else "2'd0",
                      begin=begin, end=end, drain_check=drain_check, clear=(1 << chosen.get("DepthLog2", 4)) + 4,
                      steps="\n".join("    " + step for step in bench.steps)))


if __name__ == "__main__":
    main(*sys.argv[1:])
