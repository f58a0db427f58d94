#!/bin/sh
# RTL to a netlist with Yosys, and the one place that says how: areas and paths (synth.sh), tests/netlist and
# `gradwire run DEVICE --netlist`, which carries this file along, are all of netlists made here.
#   generic  Yosys' gates and flip-flops. Memories stay memories: as flip-flops they take many minutes.
#   xc7      what a Virtex-7 has. Sums of up to 12 bits go to LUTs, where they are faster; longer ones to carry chains.
#            `hierarchy` after the memories gives block RAM its ports' widths, which Yosys 0.23 leaves wrong, and abc9 then fails.
#   words    the RTL as Yosys reads it, flat: operators on whole words, registers, memories; each still knows its line. What
#            `gradwire mutate` plants faults in: of --mutants COUNT:SEED, all of which --list gets, the ones from FIRST to LAST of --wake are
#            there, each woken by its number at a new input, gw_mutant_i.
# In Verilog every bit inside is a net of its own, and none is assigned as part of a concatenation: a simulator otherwise
# sees combinational loops through whole vectors.
# SPDX-License-Identifier: Apache-2.0
set -eu

usage() {
  echo "usage: $0 --top TOP [--name NAME] [--cells generic|xc7|words] [--set Parameter=value]... [--verilog FILE] [--models FILE]" >&2
  echo "          [--json FILE] [--rtlil FILE] [--mutants COUNT:SEED --list FILE --wake FIRST:LAST] [--log FILE] [--read FILE] [-IDIR | -y DIR | +define+NAME[=value] | SOURCE]...    (NAME: of the netlist's module)" >&2
  exit 2
}

yosys=${YOSYS:-yosys}
top=""; name=""; cells=generic; verilog=""; models=""; json=""; rtlil=""; mutants=""; list=""; wake=""; log=""; read=""; parameters=""; words=""; folders=""
while [ $# -gt 0 ]; do
  case $1 in
    --*)
      [ $# -ge 2 ] || usage
      case $1 in
        --top) top=$2 ;;
        --name) name=$2 ;;
        --cells) cells=$2 ;;
        --verilog) verilog=$2 ;;
        --models) models=$2 ;;
        --json) json=$2 ;;
        --rtlil) rtlil=$2 ;;
        --mutants) mutants=$2 ;;
        --list) list=$2 ;;
        --wake) wake=$2 ;;
        --log) log=$2 ;;
        --read) read=$2 ;;
        --set)
          case $2 in *=*) ;; *) usage ;; esac
          parameters="$parameters -chparam ${2%%=*} ${2#*=}" ;;
        *) usage ;;
      esac
      shift ;;
    +define+*) words="$words -D${1#+define+}" ;;
    -I* | -D*) words="$words $1" ;;
    -y)
      [ $# -ge 2 ] || usage
      folders="$folders -libdir \"$2\""
      shift ;;
    -* | +*) usage ;;
    *) words="$words \"$1\"" ;;
  esac
  shift
done
[ -n "$top" ] && [ -n "$words" ] || usage
name=${name:-$top}
command -v "$yosys" >/dev/null || { echo "netlist: yosys is not installed; on Debian: apt-get install yosys" >&2; exit 1; }

xc7="synth_xilinx -family xc7 -top $name -flatten -abc9 -noiopad -noclkbuf -run"
# --models: a file list of the cells' simulation models, Yosys' own; others are Verilog that needs none.
if [ -n "$models" ]; then
  : > "$models"
  if [ "$cells" = xc7 ]; then
    "$yosys" -p "read_verilog -lib +/xilinx/cells_sim.v" | sed -n 's/^.*frontend: \(\/.*cells_sim.v\)$/\1/p' > "$models"
    [ -s "$models" ] || { echo "netlist: this Yosys does not say where its models of Xilinx cells are" >&2; exit 1; }
  fi
fi

case $cells in
  generic) map="
    synth -top $name -flatten -run :fine
    opt -fast -full; opt -undriven -fine; techmap; opt -fast; abc -fast; opt -fast" ;;
  xc7) map="
    $xc7 begin:map_memory
    maccmap; techmap t:\$alu r:Y_WIDTH<=12 %i
    $xc7 map_memory:map_ffram
    hierarchy -top $name
    $xc7 map_ffram:" ;;
  words) map="
    prep -top $name -flatten ${mutants:+-nordff}" ;;
  *) usage ;;
esac
# Bit by bit only where gates are bits anyway.
split=splitnets
[ "$cells" != words ] || split=""
place=$(mktemp -d)  # whose name may have no blanks, for `mutate`
trap 'rm -rf "$place"' EXIT
plant=""
if [ -n "$mutants" ]; then
  [ -n "$list" ] && [ -n "$wake" ] || usage
  echo '/^mutate/ && !/ -port RD_(CLK|EN|ARST|SRST) / && n < count { $5 = ++n; print }' > "$place/keep"
  # No register is part of a memory's read port (-nordff), so none has a clock, an enable or a reset; Yosys has these ports all the same,
  # plants faults in them, and then cannot write what it made. So more are drawn, and those left out.
  count=${mutants%%:*}
  plant="mutate -list $((count + count / 4 + 50)) -seed ${mutants#*:} -ctrl gw_mutant_i 16 1 -o $place/drawn
  exec -- awk -v count=$count -f $place/keep $place/drawn > $place/all
  exec -- sed -n ${wake%%:*},${wake#*:}p $place/all > $place/awake
  script $place/awake"
  # A mutant sits on one bit of a word and may look at another one, which a simulator takes for a loop, and Verilator 5.006 does not always
  # get right: so words fall apart where their drivers do, and outputs are not what is looked at.
  echo 'module gw_output (input in, output out); assign out = in; endmodule' > "$place/output.v"
  split="opt_clean; iopadmap -bits -outpad gw_output in:out; opt_clean; splitnets -driver; splitnets -driver; techmap -map $place/output.v"
fi
# A script and no -p, which Yosys 0.52 (Debian 13) cuts apart at commas.
cat > "$place/script.ys" << END
  read_verilog -sv $words
  hierarchy -top $top $folders $parameters; rename -top $name
  $map
  ${json:+write_json "$json"}
  ${rtlil:+write_rtlil "$rtlil"}
  $plant
  ${verilog:+$split; write_verilog -noattr -simple-lhs "$verilog"}
END
"$yosys" -q -e 'implicitly declared' -w 'Resizing cell port' -w 'Replacing memory' ${log:+-l "$log"} ${read:+-E "$place/read"} -s "$place/script.ys"
# --read: the files that Yosys read, a line each, sources, what they include and what `$readmemh` opens; not its own, and not this script's.
[ -z "$read" ] || awk -v place="$place/" '{
  sub(/^.*: /, ""); gsub(/\\ /, "\001"); n = split($0, files, " ")
  for (i = 1; i <= n; ++i) {
    gsub("\001", " ", files[i])
    if (index(files[i], place) != 1 && !index(files[i], "/share/yosys/")) print files[i]
  }
}' "$place/read" > "$read"
[ -z "$plant" ] || cp "$place/all" "$list"
