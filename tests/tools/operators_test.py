#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults of operators, all in one build (tests/faults/operators.py): asleep they change nothing, awake each does what its text says,
what is noted of them is true, and draws of the real tree fit it."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/faults"))
import operators  # noqa: E402

PROGRAM = r"""
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
namespace {
struct Item { int size; };
bool starts(const Item* item, int limit) { return item != nullptr && item->size < limit && limit != 7; }
bool any(bool a, bool b, bool c) { return a || b && c; }
constexpr int kRoom = 4 + 3;
template <int N> int room() { return N - 1; }
uint32_t mix(uint32_t a, uint32_t b) { return (a << 3 | b >> 2) + (a & b) - b; }
std::string text(bool more) {
  std::string all = "a";
  if (more) all += "b";
  int sum = 5;
  sum += 2;
  sum -= 1;
  return all + std::to_string(sum);
}
bool never(const Item* item) { return item == nullptr; }
}  // namespace
int main(int count, char**) {
  const Item item{3};
  std::printf("%d%d%d ", starts(&item, 8), starts(nullptr, 8), starts(&item, 7));
  std::printf("%d%d%d ", any(false, true, false), any(true, false, false), any(false, true, true));
  std::printf("%d %u %s ", room<kRoom>() + count, mix(13, 7), text(true).c_str());
  if (count > 9) std::printf("%d", never(&item));
  for (int i = 0; i < 2; ++i) std::printf("%d", i);
  std::printf("\n");
  return 0;
}
"""


class Operators(unittest.TestCase):
    def faults(self):
        code = operators.code_only(PROGRAM)
        found = []
        for expression, results in operators.CHANGES:
            for match in re.finditer(expression, code):
                found += [{"at": match.span(), "new": new, "number": 0} for new in results]
        for number, fault in enumerate(found):
            fault["number"] = number
        return found

    def build(self, folder, name, text):
        source, program = folder / f"{name}.cc", folder / name
        source.write_text(text)
        made = subprocess.run(["c++", "-std=c++20", "-w", "-O0", "-o", program, source], capture_output=True, text=True)
        return program if made.returncode == 0 else None

    def says(self, program, **environment):
        try:
            return subprocess.run([program], capture_output=True, text=True, timeout=2, env={**os.environ, **environment}).stdout
        except subprocess.TimeoutExpired:
            return "endless"

    def test_each_does_what_its_text_says(self):
        faults = self.faults()
        self.assertGreater(len(faults), 25)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            right = self.says(self.build(folder, "right", PROGRAM))
            together = self.build(folder, "together", operators.written(PROGRAM, faults, ROOT / "tests/faults/fault.h"))
            self.assertIsNotNone(together)
            seen = folder / "seen"
            seen.write_bytes(bytes(len(faults)))
            self.assertEqual(self.says(together, GRADWIRE_FAULTS_SEEN=str(seen)), right)
            noted = seen.read_bytes()
            differing = 0
            for fault in faults:
                start, end = fault["at"]
                alone = self.build(folder, "alone", PROGRAM[:start] + fault["new"] + PROGRAM[end:])
                bits, what = noted[fault["number"]], PROGRAM[start - 12:end + 8] + " -> " + fault["new"]
                if alone is None:
                    # Or it is a place that only the compiler evaluates.
                    self.assertIn(bits, (0, 4), what)
                    continue
                changed = self.says(alone)
                awake = self.says(together, GRADWIRE_FAULT=str(fault["number"]))
                if bits & 1:
                    self.assertEqual(awake, changed, what)
                else:
                    # Never run, or never at run time: such a fault is planted as text.
                    self.assertEqual(awake, right, what)
                if changed != right and bits & 1:
                    self.assertTrue(bits & 2, what)
                    differing += 1
            self.assertGreater(differing, 20)

    def test_draws_fit_the_tree(self):
        faults = operators.drawn(ROOT, 400, 7)
        self.assertEqual(len(faults), 400)
        self.assertEqual([f["why"] for f in faults[:50]], [f["why"] for f in operators.drawn(ROOT, 50, 7)])
        for file in {f["file"] for f in faults}:
            text = (ROOT / file).read_text()
            here = [f for f in faults if f["file"] == file]
            whole = operators.written(text, here, "h").split("\n", 2)[2]
            self.assertEqual(whole.count("\n"), text.count("\n"))
            # Of what is left when the faults are taken out again, nothing is missing.
            bare = re.sub(r" (\S+) gw_fault::At<[^{]*>\{\} \S+ ", r" \1 ", whole)
            bare = re.sub(r"gw_fault::value<[^(]*>\(([^()]*)\)", r"\1", bare)
            if "gw_fault::both" not in bare and "gw_fault::either" not in bare:
                self.assertEqual(bare, text, file)


if __name__ == "__main__":
    unittest.main()
