#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random numbers are drawn in an order that the text gives, not the compiler: of two draws among the arguments of a call, or on both
sides of an operator, either may be first, and then a seed means other packets by another compiler.

Reads all C++ of the project but its tests. Sequenced, and so allowed: ?:, &&, ||, assignments, braces, a draw within a draw."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("models", "sim", "testbenches", "tools")
DRAW = re.compile(r"\brandom_?\.(below|next|unit|bits)$|(^|[^\w.>])(any|chance)$")
BY_REFERENCE = re.compile(r"\s*\*?random_?\s*")
ORDERED = re.compile(r"\?|:(?!:)|&&|\|\||(?<![=!<>])=(?!=)")  # compound assignments end in =, too
NO_CALL = re.compile(r"(^|\W)(if|for|while|switch|catch|return|case)\s*$")
CONDITION = re.compile(r"(^|\W)(if|for|while|switch|catch)\s*(constexpr\s*)?$")
TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'', re.S)


def closing(text, at):
    """Where the bracket that opens at `at` closes; the end where it does not."""
    depth = 0
    for i in range(at, len(text)):
        depth += text[i] in "([{"
        depth -= text[i] in ")]}"
        if depth == 0:
            return i
    return len(text)


def found(text, line, report):
    """Whether `text` draws at all; reports what is drawn in no order within it."""
    draws = 0  # of the operand between ordered operators that is at hand
    drew = False
    i = begin = 0

    def end_operand():
        nonlocal draws
        if draws > 1:
            report(line + text.count("\n", 0, begin))
        draws = 0

    while i < len(text):
        c = text[i]
        if c in "([{":
            close = closing(text, i)
            inner = text[i + 1:close]
            before = text[begin:i]
            at = line + text.count("\n", 0, i)
            if c == "{":
                end_operand()
                drew |= any(group(inner, at, report))
                end_operand()
            else:
                args = group(inner, at, report)
                called = c == "(" and re.search(r"[\w>\])]\s*$", before) and not NO_CALL.search(before)
                if called and sum(args) > 1:
                    report(at)
                own = c == "(" and (DRAW.search(before.rstrip()) or
                                    called and any(BY_REFERENCE.fullmatch(a) for a in split(inner)))
                if own or any(args):
                    draws += 1
                    drew = True
            if c == "(" and CONDITION.search(before):
                end_operand()
            i = close + 1
            begin = i if c == "{" else begin
            continue
        operator = ORDERED.match(text, i)
        if c in ",;" or operator:
            end_operand()
            i = operator.end() if operator else i + 1
            begin = i
            continue
        i += 1
    end_operand()
    return drew


def split(text):
    """At commas outside brackets."""
    pieces, i, begin = [], 0, 0
    while i < len(text):
        if text[i] in "([{":
            i = closing(text, i)
        elif text[i] == ",":
            pieces.append(text[begin:i])
            begin = i + 1
        i += 1
    return pieces + [text[begin:]]


def group(text, line, report):
    """Of each piece between commas, whether it draws."""
    result = []
    for piece in split(text):
        result.append(found(piece, line, report))
        line += piece.count("\n")
    return result


def unordered(source):
    blank = TEXT.sub(lambda m: '""' + "\n" * m.group(0).count("\n"), source)
    blank = re.sub(r"^\s*#.*$", "", blank, flags=re.M)
    lines = set()
    found(blank, 1, lines.add)
    return sorted(lines)


WRONG = ("f(random.below(3), random.next());", "x = 5 + random.below(2) * random.below(11);",
         "y = (edge + random.below(3)) | (random.below(2) << 31);", "f(a, {random.next()}, any(3));",
         "f(random_.below(2) == 0 ? 1 : 2, random_.below(3) == 0 ? 1 : 2);", "z = one(random) + two(random);",
         "t ^= 1u << random.below(8) | (random.below(4) == 0 ? 1 : 0);",
         "if (a) { g(1, [&] { return 0; }); resize(n + any(80), random.next()); }")
RIGHT = ("return {random.below(3), random.next()};", "x = random.below(2) == 0 ? random.below(3) : random.next();",
         "bytes[any(9)] ^= 1u << any(8);", "one(random, 80 + random.below(37));", "a = random.below(1 + random.below(4));",
         "if (random.below(2) == 0 && random.below(3) == 0) b = random.next();", "f(\"random.below(3), random.next()\");",
         "const int a = random.below(2), b = random.below(3);", "f(x, random.below(3)); g(random.next(), y);",
         "if (random.below(2) == 0) frame[at + random.below(9)] ^= static_cast<uint8_t>(1u << random.below(8));")

blind = [w for w in WRONG if not unordered(w)] + [r for r in RIGHT if unordered(r)]
for snippet in blind:
    print(f"draws: misread: {snippet}")
files = [f for folder in FOLDERS for pattern in ("*.cc", "*.h") for f in sorted((ROOT / folder).rglob(pattern))]
wrong = [f"{f.relative_to(ROOT)}:{line}: drawn in no order" for f in files for line in unordered(f.read_text())]
print("\n".join(wrong + [f"draws: {len(files)} files, {len(wrong)} places"]))
sys.exit(bool(blind or wrong or not files))
