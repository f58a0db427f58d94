#!/usr/bin/env bash
# The documentation as a site, in build-docs/site: `tools/docs.sh`. Installs mkdocs-material if it is missing; a link that leads
# nowhere, and a page that the navigation names and nobody wrote, is an error.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh docs
python3 tools/docs/check.py
mkdir -p build-docs
python3 tools/docs/stage.py build-docs/source
mkdocs --quiet build --clean --config-file build-docs/mkdocs.yml
echo "docs: build-docs/site/index.html"
