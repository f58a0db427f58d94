#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""FuseSoC's cores, read on their own and followed as FuseSoC follows them: cores_test.py ROOT. Each folder of RTL has a core of all
its files, each behind the packages that it names; each top with a list has one that leads to all files of its list, with its
parameters, and passes the lint that it offers (without FuseSoC, which Debian does not have); wrong ones are noticed."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    yaml = None


class Core:
    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        assert text.startswith("CAPI=2:\n"), f"{path.name} does not begin with CAPI=2"
        self.name = re.search(r'^name: "([^"]+)"$', text, re.M)[1]
        self.needs = re.findall(r'^      - "=([^"]+)"$', text, re.M)
        self.files, self.headers = [], []
        for line in re.findall(r"^      - (\w\S*.*)$", text, re.M):
            file, _, attributes = line.partition(": ")
            (self.headers if "is_include_file: true" in attributes else self.files).append(file)
        self.tops = re.findall(r"^    toplevel: (\w+)$", text, re.M)
        self.parameters = re.findall(r"^  (\w+): \{datatype", text, re.M)
        if yaml:
            document = yaml.safe_load(text)
            files = document["filesets"]["rtl"].get("files", [])
            assert document["name"] == self.name
            assert document["filesets"]["rtl"].get("depend", []) == [f"={need}" for need in self.needs]
            assert [f for f in files if isinstance(f, str)] == self.files, f"{path.name} as YAML has other files"
            assert [next(iter(f)) for f in files if isinstance(f, dict)] == self.headers
            assert [t["toplevel"] for t in document["targets"].values() if "toplevel" in t] == self.tops
            for target in document["targets"].values():
                assert target.get("parameters", []) == self.parameters, f"{path.name}: a target has other parameters"


def reached(cores, name, done=None):
    """Cores that one leads to, each behind those that it needs, and it."""
    done = {} if done is None else done
    for need in cores[name].needs:
        assert need in cores, f"{name} needs {need}, which is not there"
        reached(cores, need, done)
    done[name] = cores[name]
    return done


def check(root):
    """What is wrong, and the files that each top leads to."""
    wrong, files_of = [], {}
    rtl = root / "rtl"
    by_file = {path.stem: Core(path) for path in rtl.glob("*.core")}
    cores = {core.name: core for core in by_file.values()}
    for stem, core in sorted(by_file.items()):
        if not re.fullmatch(rf"gradwire:rtl:{stem}:[0-9.]+", core.name):
            wrong.append(f"{stem}: its core is called {core.name}")

    folders = {path.parent.name for path in rtl.glob("*/*.sv")}
    lists = {path.stem: path for path in rtl.glob("*/*.f")}
    wrong += [f"{name} has a core and neither folder nor list, or the other way round" for name in sorted((folders | set(lists)) ^ set(by_file))]
    for folder in sorted(folders & set(by_file)):
        core = by_file[folder]
        if sorted(core.files) != sorted(f"{folder}/{path.name}" for path in rtl.glob(f"{folder}/*.sv")):
            wrong.append(f"{folder}: the core's files are not those of the folder")
        if sorted(core.headers) != sorted(f"{folder}/{path.name}" for path in rtl.glob(f"{folder}/*.svh")):
            wrong.append(f"{folder}: the core's headers are not those of the folder")
        if core.tops or core.parameters:
            wrong.append(f"{folder}: a folder has no top")
        before = {pathlib.Path(file).stem for other in reached(cores, core.name).values() if other is not core for file in other.files}
        headers = {pathlib.Path(file).name for other in reached(cores, core.name).values() for file in other.headers}
        for file in core.files:
            text = (rtl / file).read_text(encoding="utf-8")
            missing = set(re.findall(r"\b(gw_\w+_pkg)::", text)) - before - {pathlib.Path(file).stem}
            wrong += [f"{folder}: {package} is not there before {file}" for package in sorted(missing)]
            if not set(re.findall(r'`include "([^"]+)"', text)) <= headers:
                wrong.append(f"{folder}: {file} includes a header that no core has")
            before.add(pathlib.Path(file).stem)

    for top in sorted(set(lists) & set(by_file)):
        core = by_file[top]
        way = reached(cores, core.name).values()
        files = [file for other in way for file in other.files]
        missing = set(lists[top].read_text(encoding="utf-8").split()) - {f"rtl/{file}" for file in files}
        wrong += [f"{top}: its core does not lead to {file}" for file in sorted(missing)]
        if core.files or core.headers or set(core.tops) != {top}:
            wrong.append(f"{top}: its core has files, which belong to the folder's, or another top")
        head = lists[top].with_suffix(".sv").read_text(encoding="utf-8").split(f"module {top} ", 1)[1].split(");", 1)[0]
        if core.parameters != re.findall(r"\bparameter \w+ (\w+)", head):
            wrong.append(f"{top}: the core's parameters are not those of its module")
        files_of[top] = files
    flat, ports = ((rtl / f"switch/{top}.f").read_text(encoding="utf-8") for top in ("gw_switch", "gw_switch_ports"))
    if ports != flat + "rtl/switch/gw_switch_ports.sv\n":
        wrong.append("gw_switch_ports.f is not gw_switch.f with the wrapper behind it")
    return wrong, files_of


def lint(root, top, files):
    """What Verilator says of a top in the middle of its folders, which other tops share."""
    done = subprocess.run(["verilator", "--lint-only", "-Wall", "--top-module", top, "-Icommon", *files], cwd=root / "rtl", text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return [] if done.returncode == 0 else [f"{top}: {done.stdout.splitlines()[0] if done.stdout else 'lint failed'}"]


def notices(root, what, path, old, new):
    """A copy in which `old` is `new` is found to be wrong."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        shutil.copytree(root / "rtl", copy / "rtl")
        text = (copy / path).read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {path}"
        (copy / path).write_text(text.replace(old, new, 1), encoding="utf-8")
        try:
            noticed = bool(check(copy)[0])
        except AssertionError:
            noticed = True
        assert noticed, f"{what} is not noticed"


root = pathlib.Path(sys.argv[1])
wrong, files_of = check(root)
if not wrong:
    for top, files in files_of.items():
        wrong += lint(root, top, files)
for line in wrong:
    print(f"cores: {line}")
if not wrong:
    core, listed = "rtl/codec.core", "rtl/codec/gw_compressor.f"
    notices(root, "a file too few", core, "      - codec/gw_tag_decoder.sv\n", "")
    notices(root, "a file that nobody leads to", listed, "rtl/common/gw_fifo_2w.sv\n", "rtl/common/gw_fifo_2w.sv\nrtl/fp/gw_fp_pkg.sv\n")
    notices(root, "a package behind those that name it", core, "    files:\n      - codec/gw_codec_pkg.sv\n      - codec/gw_alignment_unit.sv\n",
            "    files:\n      - codec/gw_alignment_unit.sv\n      - codec/gw_codec_pkg.sv\n")
    notices(root, "a folder that is needed", "rtl/quant.core", '      - "=gradwire:rtl:fp:', '      - "=gradwire:rtl:nic:')
    notices(root, "a missing header", "rtl/common.core", "      - common/gw_assert.svh: {is_include_file: true, include_path: common}\n", "")
    notices(root, "another top", "rtl/gw_compressor.core", "toplevel: gw_compressor", "toplevel: gw_decompressor")
    notices(root, "a missing parameter", "rtl/gw_switch.core", "  Pes: {datatype: int, default: 32, paramtype: vlogparam}\n", "")
    notices(root, "the switch's new file", "rtl/switch/gw_switch.f", "rtl/common/", "rtl/common/gw_skid.sv\nrtl/common/")
print(f"cores: {len(wrong)} faults in {len(list(root.glob('rtl/*.core')))} cores{'' if yaml else ' (no PyYAML: read as lines only)'}")
sys.exit(1 if wrong else 0)
