#!/bin/sh
# A device's netlist in lockstep with its model and its reference:
#   device.sh GRADWIRE FOLDER CELLS MUTANT run DEVICE OPTION...
# The run must pass. MUTANT, "FILE SED" or empty, changes a file of the RTL on its way into Yosys, nowhere else: the same run
# must then fail, where the harness says what differs.
# SPDX-License-Identifier: Apache-2.0
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
gradwire=$1
folder=$2
cells=$3
mutant=$4
shift 4
rm -rf "$folder"
mkdir -p "$folder/bin"
cache=${GW_TEST_CACHE:-$folder/cache}

# What is timed below, or runs in plans/smoke.toml too, is built for speed, all else to be there soon.
quick=--quick-build
case "$cells $*" in
  *" --host "*) ;;
  "generic run parser "* | "generic run compressor "*) quick="" ;;
esac

begin=$(date +%s)
# shellcheck disable=SC2086 # an option or none
"$gradwire" "$@" --netlist "$cells" $quick --cache "$cache" --quiet --json "$folder/report.json" ||
  { echo "netlist: $* fails"; exit 1; }
python3 - "$folder/report.json" "$cells" <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
checks = report["checks"]
assert report["netlist"] == sys.argv[2] and report["engines"] == ["rtl", "model", "reference"], report["engines"]
assert checks["lockstep_cycles"] > 100 and checks["reference_packets"] > 10, checks
print(f"netlist: 0 differences in {checks['lockstep_cycles']} cycles, {checks['reference_packets']} packets, "
      f"made in {report['sim']['build_s']:.0f} s")
END
echo "netlist: $(($(date +%s) - begin)) s in all"

# Its speed beside the RTL's; what is built is in the cache by now.
if [ -z "$quick" ]; then
  "$gradwire" bench "$2" --netlist "$cells" --cache "$cache" --seconds 0.01 --quiet --json "$folder/bench.json"
  python3 - "$folder/bench.json" <<'END'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    bench = json.load(file)
assert 0 < bench["netlist_mcps"] < bench["rtl_mcps"], bench
print(f"netlist: {bench['ratios']['netlist_to_rtl']:.3f} of the RTL's speed")
END
fi

[ -n "$mutant" ] || exit 0

# A Yosys that is given another RTL.
cat > "$folder/bin/yosys" <<END
#!/bin/sh
[ "\$1" = -V ] && exec $(command -v yosys) -V
mkdir -p "$folder/tree"
cp -r rtl "$folder/tree"
cd "$folder/tree"
sed -i -e "${mutant#* }" rtl/*/${mutant%% *}
cmp -s rtl/*/${mutant%% *} "$root"/rtl/*/${mutant%% *} && { echo "the mutant changes nothing"; exit 1; }
exec $(command -v yosys) "\$@"
END
chmod +x "$folder/bin/yosys"
mkdir -m 700 "$folder/wrong"  # by its key it is the same netlist: a cache of its own, but for the runtime
cp -rp "$cache"/verilated_runtime-* "$folder/wrong"
status=0
PATH=$folder/bin:$PATH "$gradwire" "$@" --netlist "$cells" --quick-build --cache "$folder/wrong" --quiet --json "$folder/wrong.json" || status=$?
[ $status -eq 1 ] && grep -q '"headline"' "$folder/wrong.json" ||
  { echo "netlist: a wrong netlist is not noticed (exit code $status)"; exit 1; }
echo "netlist: the wrong one is noticed: $(sed -n 's/.*"headline": "\(.*\)".*/\1/p' "$folder/wrong.json")"
rm -rf "$folder/wrong" "$folder/tree"
