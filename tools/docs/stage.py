#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies the pages of the site, and the files that they link to, with their paths: stage.py FOLDER. Beside the folder it
writes mkdocs.yml, where an entry of the navigation with a * has become the pages that it stands for.

A link to a folder becomes one to its README, or plain words if it has none: a site has no folders to look into.
"""
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "docs"))
from check import pages  # noqa: E402

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def configuration():
    def entries(match):
        found = sorted(page.relative_to(ROOT).as_posix() for page in ROOT.glob(match[2]))
        return "".join(f"{match[1]}{page}\n" for page in found)

    text = (ROOT / "tools/docs/mkdocs.yml").read_text(encoding="utf-8")
    return re.sub(r"^( +- )(\S*\*\S*)\n", entries, text, flags=re.MULTILINE)


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder.parent / "mkdocs.yml").write_text(configuration(), encoding="utf-8")
    for page in pages():
        if page.relative_to(ROOT).parts[0] in ("tests", ".github"):
            continue

        def replaced(match):
            image, words, path, anchor = match.groups()
            if re.match(r"[a-z]+:", path):
                return match.group(0)
            target = (page.parent / path).resolve()
            if target.is_dir():
                return f"[{words}]({path.rstrip('/')}/README.md)" if (target / "README.md").exists() else words
            inside = target.relative_to(ROOT)
            if inside.parts[0] == "tests":
                return words
            if target.suffix != ".md" and target.exists():
                copy = folder / inside
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(target, copy)
            return f"{image}[{words}]({path}{anchor or ''})"

        copy = folder / page.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(LINK.sub(replaced, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
