#!/usr/bin/env bash
# Makes the Debian package, for any CPU of this machine's architecture: build-package/packages/gradwire_*.deb
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."
export BUILD=build-package CMAKE_ARGS="-DGRADWIRE_NATIVE=OFF -DGRADWIRE_TESTS=OFF"
rm -rf "$BUILD/packages"
tools/build.sh package
echo "package: $(ls "$BUILD"/packages/*.deb)"
