#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of the ring taken away one at a time, in the RTL: each must be noticed in a small case of rtl_test.cc.

    tests/ring/mutants.py [NAME]...

All mutants are in one build of the RTL, each behind its number, which +mutant=NUMBER wakes; so two builds do for all of them.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import rtl_build

# Builds: slots, beats (log2), latency of the adders, first chunk.
BUILDS = {1: (0, 4, 1, 0xFFFFFFFF), 2: (1, 4, 5, 0)}

# What is taken away; the build; the case that shows it; file, what stands before the expression, the expression, and what stands
# there instead.
MUTANTS = [
    ("a bad frame counts", 1, "one_bad_frame", "gw_ring_receive.sv", "end_good    = ", "valid1_q & last1_q & ~bad1_q",
     "valid1_q & last1_q"),
    ("gradient slot freed before summed", 1, "late_host", "gw_ring_nic.sv", ".read_i   (", "read_chunk", "loaded"),
    ("gradient slot freed when sent (node 0)", 1, "short_timeouts", "gw_ring_nic.sv", ".right_i  (", "right_base",
     "begins_q ? right_next : right_base"),
    ("window 2W", 1, "plain", "gw_ring_credit.sv", "lowest     = ", "takes_right ? right_i : takes_left ? left_i : given_i",
     "window + (takes_right ? right_i : takes_left ? left_i : given_i)"),
    ("duplicate taken", 1, "short_timeouts", "gw_ring_receive.sv", "taken_o     = data_good & ", "expected_q & room_q",
     "expected_q & room_q | lower_q"),
    ("gap taken", 2, "one_lost", "gw_ring_receive.sv", "taken_o     = data_good & ", "expected_q & room_q",
     "expected_q & room_q | ~expected_q & ~lower_q"),
    ("duplicate not answered", 1, "lost_answer", "gw_ring_receive.sv", "answer_o = ", "wants_q | duplicate_q", "wants_q"),
    ("ack of a bad frame believed", 1, "one_bad_frame", "gw_ring_receive.sv", "ack_valid_o <= ", "end_good & is_whole",
     "valid1_q & last1_q & is_whole"),
    ("ack believed before tlast", 1, "one_bad_frame", "gw_ring_receive.sv", "ack_valid_o <= ", "end_good & is_whole",
     "header & ours"),
    ("AGG written without room", 2, "agg_without_room", "gw_ring_receive.sv", "take = data_q & expected_q & ", "room_q",
     "room_q | Type == 8'd1"),
    ("BCAST written without room", 2, "bcast_without_room", "gw_ring_receive.sv", "take = data_q & expected_q & ", "room_q",
     "room_q | Type == 8'd2"),
    ("frame in progress does not hold its slot", 1, "slow_links", "gw_ring_numbers.sv", "holds = ",
     "sending_i && gw_ring_pkg::near_below(sending_chunk_i, acked_q)", "1'b0"),
    ("sum does not wait for the host", 1, "late_host", "gw_ring_sum.sv", "", "!gw_ring_pkg::near_same(summing_o, loaded_i)", "1'b1"),
    ("sum does not wait for the left", 1, "late_host", "gw_ring_sum.sv", "", "!gw_ring_pkg::near_same(summing_o, arrived_i)", "1'b1"),
    ("sum without credit", 1, "late_sink", "gw_ring_sum.sv", "", "!gw_ring_pkg::near_same(summing_o, free_i)", "1'b1"),
    ("node 0 sends without credit", 1, "plain", "gw_ring_nic.sv", "", "begins_q && gw_ring_pkg::near_same(right_next, free)", "1'b0"),
    ("time-out does not go back", 1, "one_lost", "gw_ring_timer.sv", "back_o    = ", "expired_o & ~final_try & unacked_i",
     "1'b0"),
    ("no modulo", 1, "plain", "gw_ring_pkg.sv", "", "$signed(a - b) < 32'sd0", "a < b"),
    ("ack does not pull next forward", 1, "slow_links", "gw_ring_numbers.sv", "skips = ",
     "gw_ring_pkg::below(next_o, ack_i)", "1'b0"),
    ("any good frame resets tries", 1, "control_only", "gw_ring_numbers.sv", "progress_o = ",
     "advance | (ack_valid_i & ~unacked_o)", "ack_valid_i"),
    ("no session check", 1, "old_frame", "gw_ring_receive.sv", "", "session == session_i", "1'b1"),
    ("no time-out while waiting", 1, "reset_one_of_two", "gw_ring_port.sv", "unacked | ", "lacks", "1'b0"),
    ("no question", 1, "late_host", "gw_ring_sender.sv", "control = ", "answer_q | ask_q | owes", "answer_q | owes"),
    ("no control for a new ack", 1, "idle_ack", "gw_ring_sender.sv", "control = ", "answer_q | ask_q | owes",
     "answer_q | ask_q"),
    ("ack told after 15 idle cycles", 1, "idle_ack", "gw_ring_sender.sv", "untold_q && ",
     "idle_q == 5'(gw_ring_pkg::IdleCycles)", "idle_q >= 5'd15"),
    ("silence ends after 63 cycles", 1, "lost", "gw_ring_lost.sv", "", "(&silent_q)", "&silent_q[61:0]"),
    ("reset finds a frame", 1, "lost", "gw_ring_lost.sv", "", "(lost_o | ~rst_ni)", "1'b0"),
    ("addends not looked at", 1, "verdicts", "gw_ring_receive.sv", "", "addends == addends_i", "1'b1"),
    ("length not looked at", 1, "verdicts", "gw_ring_receive.sv", "right_size  = ",
     "{whole_beats, count1_q[5:0]} == {words_o, 2'd0}", "1'b1"),
    ("lengths of a sum not compared", 1, "wrong_chunks", "gw_ring_sum.sv", "", "own_words_i == other_words_i", "1'b1"),
    ("length of the result not compared", 1, "wrong_result", "gw_ring_nic.sv", "", "right_words != sent_words", "1'b0"),
    ("host's length not looked at", 1, "wrong_chunks", "gw_ring_host_in.sv", "|| ", "bytes[1:0] != 2'd0", "1'b0"),
    ("an error stops nothing", 1, "stops", "gw_ring_nic.sv", "stop = ", "error_o != 5'd0", "1'b0"),
]

NUMBER = "gw_ring_pkg::gw_mutant"


def planted(folder):
    """The sources with every mutant asleep."""
    texts = {path.name: path.read_text() for path in rtl_build.sources()}
    places = {}
    for number, (_, _, _, name, before, part, instead) in enumerate(MUTANTS, 1):
        if texts[name].count(before + part) != 1:
            sys.exit(f"mutants: '{before}{part}' is not once in {name}")
        places.setdefault((name, before, part), []).append((number, instead))
    for (name, before, part), wrongs in places.items():
        new = f"({part})"
        for number, instead in wrongs:
            new = f"({NUMBER} == 8'd{number} ? ({instead}) : {new})"
        texts[name] = texts[name].replace(before + part, before + new)
    declared = "package gw_ring_pkg;\n"
    texts["gw_ring_pkg.sv"] = texts["gw_ring_pkg.sv"].replace(declared, declared + "  logic [7:0] gw_mutant;\n")
    ports = "wire rst_ni = aresetn;\n"
    wake = f'  initial if (!$value$plusargs("mutant=%d", {NUMBER})) {NUMBER} = 8\'d0;\n'
    texts["gw_ring_nic.sv"] = texts["gw_ring_nic.sv"].replace(ports, ports + wake)
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [folder / name for name in texts]


def main():
    chosen = [(n, m) for n, m in enumerate(MUTANTS, 1) if not sys.argv[1:] or m[0] in sys.argv[1:]]
    if unknown := set(sys.argv[1:]) - {m[0] for m in MUTANTS}:
        sys.exit(f"mutants: there is no '{min(unknown)}'")
    missed = 0
    with tempfile.TemporaryDirectory() as work:
        for slots, parameters in BUILDS.items():
            mine = [(n, m) for n, m in chosen if m[1] == slots]
            if not mine:
                continue
            folder = pathlib.Path(work) / str(slots)
            folder.mkdir()
            program = rtl_build.build(folder / "build", planted(folder), *parameters)
            right = subprocess.run([program, *sorted({m[2] for _, m in mine})], capture_output=True, text=True, check=False)
            if right.returncode != 0:
                sys.exit(f"mutants: the RTL as it is does not pass\n{right.stdout}{right.stderr}")
            for number, (what, _, case, *_) in mine:
                wrong = subprocess.run([program, f"+mutant={number}", case], capture_output=True, text=True, check=False)
                why = re.search(r"^FAILED: (.*)$", wrong.stdout, re.MULTILINE)
                missed += why is None
                print(f"{'noticed' if why else 'NOT NOTICED'}: {what}: {why[1] if why else wrong.stdout[-100:]}", flush=True)
    print(f"mutants: {len(chosen)} tried, {missed} not noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
