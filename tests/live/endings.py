#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How live NICs end: endings.py CHECK GRADWIRE FLOATS LIVE.SH, in an empty folder.

terminal: Ctrl-C in a terminal, twelve times, in one NIC and in live.sh. What all sides captured and counted is whole.
killed: a process of a NIC is killed.
"""
import atexit
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

check, gradwire, floats, live_sh = sys.argv[1:]
HERE = Path.cwd()
TIMES, PATIENCE = 12, 40
started = []  # processes, by number


@atexit.register
def clean():
    """What a check that failed left running. With live.sh all ends that it began."""
    for pid in started:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def until(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.02)


def in_terminal(command, ready):
    """Its output and exit code, after Ctrl-C once `ready`: to the whole group of the terminal, as the terminal does it."""
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(command[0], command)
    started.append(process)
    said = b""
    end, pressed = time.monotonic() + PATIENCE, False
    while True:
        assert time.monotonic() < end, said
        if not pressed and ready(said):
            os.write(terminal, b"\x03")
            pressed = True
        if select.select([terminal], [], [], 0.02)[0]:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # nobody has the terminal any more
                part = b""
            if not part:
                break
            said += part
    status = os.waitpid(process, 0)[1]
    started.remove(process)
    os.close(terminal)
    return said.decode(), os.waitstatus_to_exitcode(status)


def packets_of(capture):
    """How many packets a pcapng file has, which must end with a block that is whole; capinfos and tshark must agree."""
    data = capture.read_bytes()
    at = packets = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert at + length <= len(data) and struct.unpack_from("<I", data, at + length - 4)[0] == length, f"{capture} is cut"
        packets += kind == 6
        at += length
    assert data, f"{capture} is empty"
    if shutil.which("capinfos"):
        said = subprocess.run(["capinfos", "-Mc", capture], capture_output=True, text=True, check=True)
        assert int(re.search(r"Number of packets: +(\d+)", said.stdout)[1]) == packets and not said.stderr, said
    return packets


def whole(folder, nic):
    """The captures and figures of a NIC fit together."""
    live = json.loads((folder / f"{nic}.json").read_text(encoding="utf-8"))["live"]
    for direction in "tx", "rx":
        left = live[direction]["frames_out"] + live[direction]["refused"]
        assert packets_of(folder / f"{nic}-{direction}.pcapng") == left, (nic, direction, live)
    return live


def one_nic(number):
    folder = HERE / f"one{number}"
    folder.mkdir()
    nic = [gradwire, "live", "--host", "gwh", "--wire", "gww", "--engine", "model", "--json", str(folder / "nic.json"),
           "--pcap", str(folder / "nic")]
    # The kernel itself says something as soon as the interfaces are up.
    up = "until ip link set gwh up && ip link set gww up; do sleep 0.02; done 2> /dev/null"
    said, code = in_terminal(["unshare", "-Urn", "bash", "-c", f'({up}) & exec "$@"', "bash", *nic],
                             lambda said: re.search(rb"tx +[1-9]", said))
    live = whole(folder, "nic")
    assert code == 0 and re.search(r"tx \d+ frames in.*rx \d+ frames in", said, re.S), (code, said)
    assert live["tx"]["frames_in"] > 0, live


def hosts(number):
    folder = HERE / f"hosts{number}"
    serve = f"'{floats}' receive > '{folder}/received'"
    send = [floats, "send", "--to", "10.77.0.2", "--count", "1000000000"]
    command = [live_sh, "--program", gradwire, "--live", "--engine model", "--logs", str(folder), "--pcap", str(folder),
               "--serve", serve, "--", *send]
    captured = folder / "nic2-rx.pcapng"
    said, code = in_terminal(command, lambda _: captured.exists() and captured.stat().st_size > 100000)
    assert code == 130, (code, said)
    one, two = whole(folder, "nic1"), whole(folder, "nic2")
    assert one["tx"]["packed_frames"] > 10 and two["rx"]["packed_frames"] > 10, (one, two)
    assert "the sender's end did not arrive" in (folder / "received").read_text(encoding="utf-8")
    for nic in "nic1", "nic2":
        assert re.search(r"^rx \d+ frames in", (folder / f"{nic}.log").read_text(encoding="utf-8"), re.M)


def begun_by(pid):
    """Processes by who began them."""
    all_of = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text(encoding="utf-8")
        except OSError:
            continue
        all_of.setdefault(int(text.rsplit(") ", 1)[1].split()[1]), []).append(int(text.split()[0]))
    return all_of.get(pid, [])


def killed(which):
    """Of a NIC's two processes one: the other one ends."""
    folder = HERE / f"killed-{which}"
    folder.mkdir()
    with open(folder / "said", "w", encoding="utf-8") as said:
        nic = subprocess.Popen(["unshare", "-Urn", gradwire, "live", "--host", "gwh", "--wire", "gww", "--engine", "model", "--json",
                                str(folder / "nic.json"), "--pcap", str(folder / "nic")], stdout=said, stderr=said)
    started.append(nic.pid)
    text = lambda: (folder / "said").read_text(encoding="utf-8")  # noqa: E731
    until("the NIC", lambda: "live: " in text())
    child, = begun_by(nic.pid)
    os.kill(nic.pid if which == "nic_tx" else child, signal.SIGKILL)
    begin = time.monotonic()
    code = nic.wait(PATIENCE)
    started.remove(nic.pid)
    until("the other one's end", lambda: not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text())
    took = time.monotonic() - begin
    assert took < 1, f"noticed after {took} s"
    assert f"gradwire: the process of {which} was killed" in text(), text()
    packets_of(folder / ("nic-rx.pcapng" if which == "nic_tx" else "nic-tx.pcapng"))
    if which == "nic_tx":
        assert code == -signal.SIGKILL, code
    else:
        assert code == 4 and json.loads((folder / "nic.json").read_text(encoding="utf-8"))["live"]["rx"], code


def killed_in_hosts():
    """live.sh notices it while its command runs, ends that, and says which NIC it was."""
    logs = HERE / "killed"
    run = subprocess.Popen([live_sh, "--program", gradwire, "--live", "--engine model", "--logs", str(logs), "--", "bash", "-c",
                            "echo begun; exec sleep 30"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    started.append(run.pid)
    assert run.stdout.readline() == "begun\n"
    nics = [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(logs / "nic2.json").encode() in path.read_bytes().split(b"\0")]
    assert len(nics) == 2, nics
    os.kill(min(int(path.parent.name) for path in nics), signal.SIGKILL)
    begin = time.monotonic()
    line = ""
    while "NIC 2" not in line:
        line = run.stdout.readline()
        assert line, "nothing was said"
    took = time.monotonic() - begin
    said = line + run.stdout.read()
    code = run.wait(PATIENCE)
    started.remove(run.pid)
    assert took < 1 and code == 137 and "live: NIC 2 ended with exit code 137" in said, (took, code, said)
    whole_one = json.loads((logs / "nic1.json").read_text(encoding="utf-8"))["live"]
    assert "tx" in whole_one, whole_one


if check == "terminal":
    with ThreadPoolExecutor(4) as pool:
        done = [*pool.map(hosts, range(TIMES)), *pool.map(one_nic, range(TIMES))]
    print(f"floats: Ctrl-C {len(done)} times, all captures and figures whole")
else:
    killed("nic_rx")
    killed("nic_tx")
    killed_in_hosts()
    print("floats: noticed within a second")
