#!/usr/bin/env python3
"""FuseSoC's cores against the lists of files, read on their own: cores_test.py ROOT. Each top has a core of the same files in the
same order, with all headers that they include; wrong ones are noticed."""
import pathlib
import re
import shutil
import sys
import tempfile

try:
    import yaml
except ImportError:
    yaml = None


def read(path):
    """Name, sources, headers, tops and parameters of a core."""
    text = path.read_text(encoding="utf-8")
    assert text.startswith("CAPI=2:\n"), f"{path.name} does not begin with CAPI=2"
    sources, include = [], []
    for line in re.findall(r"^      - (\S.*)$", text, re.M):
        name, _, attributes = line.partition(": ")
        (include if "is_include_file: true" in attributes else sources).append(name)
    core = (re.search(r'^name: "([^"]+)"$', text, re.M)[1], sources, include, re.findall(r"^    toplevel: (\w+)$", text, re.M),
            re.findall(r"^  (\w+): \{datatype", text, re.M))
    if yaml:
        document = yaml.safe_load(text)
        files = document["filesets"]["rtl"]["files"]
        assert document["name"] == core[0]
        assert [f for f in files if isinstance(f, str)] == sources, f"{path.name} as YAML has other sources"
        assert [next(iter(f)) for f in files if isinstance(f, dict)] == include
        assert {t["toplevel"] for t in document["targets"].values()} == set(core[3])
        for target in document["targets"].values():
            assert target.get("parameters", []) == core[4], f"{path.name}: a target has other parameters"
    return core


def check(root):
    """What is wrong."""
    wrong = []
    lists = {path.stem: path for path in root.glob("rtl/*/*.f")}
    cores = {path.stem: path for path in root.glob("rtl/*.core")}
    wrong += [f"{top} has a list or a core, but not both" for top in sorted(set(lists) ^ set(cores))]
    for top in sorted(set(lists) & set(cores)):
        name, sources, include, tops, parameters = read(cores[top])
        if [f"rtl/{source}" for source in sources] != lists[top].read_text(encoding="utf-8").split():
            wrong.append(f"{top}: the core's files are not those of {lists[top].name}")
        if not re.fullmatch(rf"gradwire:rtl:{top}:[0-9.]+", name) or set(tops) != {top}:
            wrong.append(f"{top}: the core is called {name}, its top {', '.join(set(tops))}")
        texts = [(root / "rtl" / file).read_text(encoding="utf-8") for file in sources + include]
        used = {header for text in texts for header in re.findall(r'`include "([^"]+)"', text)}
        if used != {pathlib.Path(file).name for file in include}:
            wrong.append(f"{top}: the core's headers are not those that its files include")
        head = lists[top].with_suffix(".sv").read_text(encoding="utf-8").split(f"module {top} ", 1)[1].split(");", 1)[0]
        if parameters != re.findall(r"\bparameter \w+ (\w+)", head):
            wrong.append(f"{top}: the core's parameters are not those of its module")
    flat, ports = ((root / f"rtl/switch/{top}.f").read_text(encoding="utf-8") for top in ("gw_switch", "gw_switch_ports"))
    if ports != flat + "rtl/switch/gw_switch_ports.sv\n":
        wrong.append("gw_switch_ports.f is not gw_switch.f with the wrapper behind it")
    return wrong


def notices(root, what, path, old, new):
    """A copy in which `old` is `new` is found to be wrong."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        shutil.copytree(root / "rtl", copy / "rtl")
        text = (copy / path).read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {path}"
        (copy / path).write_text(text.replace(old, new, 1), encoding="utf-8")
        try:
            noticed = bool(check(copy))
        except AssertionError:
            noticed = True
        assert noticed, f"{what} is not noticed"


root = pathlib.Path(sys.argv[1])
wrong = check(root)
for line in wrong:
    print(f"cores: {line}")
if not wrong:
    core, listed = "rtl/gw_compressor.core", "rtl/codec/gw_compressor.f"
    notices(root, "a file too few", core, "      - common/gw_fifo_2w.sv\n", "")
    notices(root, "a file too many", listed, "rtl/common/gw_fifo_2w.sv\n", "rtl/common/gw_fifo_2w.sv\nrtl/common/gw_fifo.sv\n")
    notices(root, "a missing header", core, "      - common/gw_assert.svh: {is_include_file: true, include_path: common}\n", "")
    notices(root, "another top", core, "toplevel: gw_compressor", "toplevel: gw_decompressor")
    notices(root, "a missing parameter", "rtl/gw_switch.core", "  Pes: {datatype: int, default: 32, paramtype: vlogparam}\n", "")
    notices(root, "the switch's new file", "rtl/switch/gw_switch.f", "rtl/common/", "rtl/common/gw_skid.sv\nrtl/common/")
print(f"cores: {len(wrong)} faults in {len(list(root.glob('rtl/*.core')))} cores{'' if yaml else ' (no PyYAML: read as lines only)'}")
sys.exit(1 if wrong else 0)
