#!/bin/sh
# `gradwire mutate` on a small block: a plan that sees, one that does not, proofs, waivers, a run that goes on: mutate.sh GRADWIRE FOLDER
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../examples/begin.sh"
mutate="$gradwire mutate compressor --rtl $example/serial_compressor_fixed.f --top serial_compressor --count 30 --cycles 20000"
cat > plan.toml <<'PLAN'
name = "serial"
[[group]]
name = "values"
device = "compressor"
random = ["hostile", "edges"]
packets = 60
seeds = 1
PLAN

# expect CODE WORDS COMMAND...
expect() {
  code=$1
  words=$2
  shift 2
  status=0
  "$@" > said 2>&1 || status=$?
  [ $status -eq "$code" ] || { echo "mutate: $* ends with $status, not $code"; cat said; exit 1; }
  grep -q -e "$words" said || { echo "mutate: '$words' is not said"; cat said; exit 1; }
}
# figures FILE EXPRESSION...: which must be true of the report r.
figures() {
  python3 - "$@" <<'PY'
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    r = json.load(file)
for expression in sys.argv[2:]:
    assert eval(expression), (expression, {key: r[key] for key in r if key != "all"})
PY
}

# shellcheck disable=SC2086 # options
{
  # Reference and rules see most of them. What is left is named by its line.
  status=0
  $mutate --plan plan.toml --check reference,protocol --out half --prove 2 --json seen.json --quiet || status=$?
  figures seen.json 'r["mutants"] == 30 == len(r["all"])' \
    'r["killed"] + r["equivalent"] + r["waived"] + r["survived"] == 30' 'r["killed_percent"] > 80' \
    'r["killed_within_10000_percent"] <= r["killed_percent"]' "$status == (0 if r['survived'] == 0 else 1)" \
    'all(m["by"] and m["cycles"] > 0 for m in r["all"] if m["fate"] == "killed")' \
    'all("serial_compressor.sv:" in m["where"] or "(no line" in m["where"] for m in r["all"])' \
    'sum("serial_compressor.sv:" in m["where"] for m in r["all"]) > 24'

  # The same again runs nothing: half of it was cut off, and only that is run.
  head -n 16 half/mutants.jsonl > half/cut && mv half/cut half/mutants.jsonl
  $mutate --plan plan.toml --check reference,protocol --out half --prove 0 --json again.json --quiet || true
  python3 - <<'PY'
import json
with open("seen.json", encoding="utf-8") as a, open("again.json", encoding="utf-8") as b:
    a, b = json.load(a), json.load(b)
def fates(report):
    return [(m["number"], m["fate"] == "killed", m["cycles"], m.get("by")) for m in report["all"]]
assert fates(a) == fates(b)
PY
  # What --out is no good for is told before anything is built.
  expect 2 "holds the mutants of another run" $mutate --plan plan.toml --check protocol --cache none --out half
  echo '{"asked":5}' > half/mutants.jsonl
  expect 2 "holds the mutants of another run" $mutate --plan plan.toml --check protocol --cache none --out half
  expect 3 "cannot write 'plan.toml/mutants.jsonl'" $mutate --plan plan.toml --cache none --out plan.toml
  [ ! -e none ] || { echo "mutate: built for an --out that is of no use"; exit 1; }

  # The rules alone do not see wrong bytes.
  expect 1 "^  .*serial_compressor.sv:[0-9]*: .* cycles$" $mutate --plan plan.toml --check protocol --prove 0 --json blind.json
  figures blind.json 'r["survived"] > 10' 'not r["pass"]'
  # Each survivor's command shows it: it passes with that check, and most do not with the reference.
  command=$(python3 -c 'import json; print(next(m["command"] for m in json.load(open("blind.json"))["all"] if m["fate"] == "survived"))')
  expect 0 "mutant" $command

  # Waivers: with a reason all is well; past their day nothing is.
  printf '[[waiver]]\npoint = "*"\nreason = "the rules are all that is asked for"\nwho = "test"\nuntil = 2099-01-01\n' > waivers.toml
  expect 0 "the rules are all that is asked for" $mutate --plan plan.toml --check protocol --prove 0 --waivers waivers.toml
  sed -i 's/2099/2020/' waivers.toml
  expect 1 "ended on 2020-01-01" $mutate --plan plan.toml --check protocol --prove 0 --waivers waivers.toml

  # Of a memory's words one bit is looked at: what is wrong with the others reaches no output, is proven, and does not run.
  {
    sed -n '/^module/,/^);/p' "$example/serial_compressor.sv" | sed 's/serial_compressor/spare_compressor/'
    cat <<'SV'
  logic         user;
  logic [255:0] words [0:3];
  logic [1:0]   place;
  always_ff @(posedge aclk) begin
    place <= place + 2'd1;
    if (s_axis_tvalid) words[place] <= s_axis_tdata;
  end
  wire [255:0] word = words[place];
  serial_compressor u_serial (.m_axis_tuser(user), .*);
  assign m_axis_tuser = user | (word[0] & ~m_axis_tvalid);
endmodule
SV
  } > spare.sv
  printf '+define+SERIAL_FIXED\n%s\nspare.sv\n' "$example/serial_compressor.sv" > spare.f
  "$gradwire" mutate compressor --rtl spare.f --top spare_compressor --count 60 --cycles 3000 --plan plan.toml --check reference,protocol \
    --prove 1 --json spare.json --quiet || true
  figures spare.json 'all(m["fate"] == "equivalent" and m["cycles"] == 0 for m in r["all"]
    if m["cell"] == "words" and m["port"].startswith(("WR_EN", "WR_DATA")) and not m["port"].endswith("[0]"))' \
    '0 < r["reach_no_output"] <= r["equivalent"]' 'r["killed"] > 20'

  # Yosys keeps assertions that have no else: one that fails is a failure, with no mutant awake, unless they are left out.
  sed '/^module/,/^);/!d; s/serial_compressor/strict_compressor/' "$example/serial_compressor.sv" > strict.sv
  cat >> strict.sv <<'SV'
  serial_compressor u_serial (.*);
  always_ff @(posedge aclk) if (aresetn) assert (!(s_axis_tvalid && s_axis_tlast));
endmodule
SV
  printf '+define+SERIAL_FIXED\n%s\nstrict.sv\n' "$example/serial_compressor.sv" > strict.f
  strict="$gradwire mutate compressor --rtl strict.f --top strict_compressor --count 2 --cycles 1000 --plan plan.toml --prove 0 --quiet"
  expect 3 "does not pass the plan without a mutant: .*stopped" $strict --check reference,protocol
  status=0
  $strict --check reference,protocol --no-assert --json loose.json || status=$?
  figures loose.json 'r["unmutated_cycles"] > 0' "$status < 2"

  # RTL that does not pass without a mutant is not worth one.
  expect 3 "does not pass the plan without a mutant" "$gradwire" mutate compressor --rtl "$example/serial_compressor_fixed.f" \
    --top serial_compressor --count 30 --plan plan.toml
  expect 2 "no case of the plan" "$gradwire" mutate parser --plan plan.toml
  expect 3 "there is no plan" "$gradwire" mutate parser --plan no.toml
  # Mutants are those of one RTL: number 2 of other parameters is another fault.
  printf 'name = "rows"\n[[group]]\nname = "g"\ndevice = "onebit"\nsynth = "single"\npackets = 5\nrows = [8, 16]\n' > rows.toml
  expect 2 "has RTL of other parameters" timeout 10 "$gradwire" mutate onebit --plan rows.toml --count 2 --prove 0

  # What is proven equivalent is so for who sees. A proof from reset on looks at what a memory is told: of these eight it proves nobody
  # whom a run kills, the one that does not write a bit among them. And it sees that a bit of a register is held for nobody, which no proof of one cycle does.
  # Nor does a proof see that a clock stands still, since it ticks in each of its steps: such a mutant is not tried.
  # What is asked for by name is among the eight that Yosys 0.23 draws; Debian 13's draws others.
  for seed in 16 23; do
    headers="mutate parser --count 8 --seed $seed --cycles 20000 --quiet"
    "$gradwire" $headers --prove 0 --check reference,protocol --json seen.json || true
    "$gradwire" $headers --prove 10 --check protocol --json blind.json || true
    python3 - <<'PY'
import json
with open("seen.json", encoding="utf-8") as a, open("blind.json", encoding="utf-8") as b:
    a, b = json.load(a), json.load(b)
killed = {m["number"] for m in a["all"] if m["fate"] == "killed"}
assert len(killed) >= 4
assert not killed & {m["number"] for m in b["all"] if m["fate"] == "equivalent"}
PY
    case $(yosys -V) in
      "Yosys 0.23 "*)
        if [ $seed = 16 ]; then
          figures seen.json 'any(m["port"].startswith("WR_EN") and m["fate"] == "killed" for m in r["all"])'
        else
          figures seen.json 'any(m["port"].startswith("CLK") and m["fate"] == "killed" for m in r["all"])'
          figures blind.json 'any(m["port"].startswith("Q[") and m["fate"] == "equivalent" for m in r["all"])'
        fi ;;
      *) echo "mutate: $(yosys -V) draws other mutants: a write enable, a clock and a bit that is held for nobody are not asked for" ;;
    esac
  done

  # Faults in ports that a memory without read registers does not have are none, and Yosys could not write them.
  cat > memory.sv <<'SV'
module memory (input wire clk, input wire [3:0] w, input wire [3:0] r, input wire [1:0] d, output wire [1:0] q);
  reg [1:0] words [0:15];
  always @(posedge clk) words[w] <= d;
  assign q = words[r];
endmodule
SV
  sh "$(dirname "$0")/../../tools/synth/netlist.sh" --top memory --cells words --verilog memory.v --mutants 60:1 --list memory.list --wake 1:60 memory.sv
  grep -q "port RD_DATA" memory.list || { echo "mutate: no fault in a memory"; exit 1; }
  if grep -E "port RD_(CLK|EN|ARST|SRST) " memory.list; then exit 1; fi
  [ "$(cut -d' ' -f5 memory.list | paste -sd' ')" = "$(seq -s' ' "$(wc -l < memory.list)")" ] || { echo "mutate: numbers are left out"; exit 1; }
  sed -i 's/"compressor"/"codec_loop"/' plan.toml
  expect 2 "made of several tops" "$gradwire" mutate codec_loop --plan plan.toml
}
python3 -c 'import json; r = json.load(open("seen.json")); print("mutate:", {k: v for k, v in r.items() if k != "all"})'
