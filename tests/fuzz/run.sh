#!/bin/bash
# Runs the fuzz targets and fails on any finding.
#
# usage: tests/fuzz/run.sh [SECONDS [TARGET...]]
#
# Builds with the preset `fuzz` (or HEAPGLOT_FUZZ_PRESET), makes seeds from the
# corpus, runs each target (or those named) for SECONDS, 60 if not given, and prints
# a line for each:
#
#   ok   netcf         412098 runs, cov 1630, ft 9127, corpus 1402
#
# All that a target has found of interest stays in build/fuzz-work/TARGET/corpus
# and is where the next run goes on; an input that breaks something is in
# build/fuzz-work/TARGET/findings. docs/fuzzing.md says what to do with it.
#
# HEAPGLOT_FUZZ_JOBS: targets at once, 2 if not given. HEAPGLOT_FUZZ_SEED: so that
# a run takes the way of the one before.
set -euo pipefail

case ${1:-60} in
  *[!0-9]* | 0*)
    sed -n '2,19s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
seconds=${1:-60}
shift || true

cd "$(dirname "$0")/../.."
formats=$(cd readers && printf '%s\n' */*_reader.cc | sed 's,/.*,,' | tr '\n' ' ')
# SQLite has fuzzers of its own: sqlite runs by name only.
# shellcheck disable=SC2206 # one word each
targets=(${formats/sqlite /} round_trip differential lines numbers archive)
[ $# = 0 ] || targets=("$@")
jobs=${HEAPGLOT_FUZZ_JOBS:-2}
preset=${HEAPGLOT_FUZZ_PRESET:-fuzz}
work=build/fuzz-work
# In bytes. Larger files are no seeds, and inputs do not grow beyond this.
max_len=65536

# The formats that a target reads.
formats_of() {
  case $1 in
    round_trip) echo "$formats" ;;
    differential | numbers) echo heapsnapshot ;;
    lines) echo ndjson ;;
    archive) echo heapir ;;
    *) echo "$1" ;;
  esac
}

dictionaries_of() {
  local format
  for format in $(formats_of "$1"); do
    case $format in
      heapsnapshot | ndjson) echo tests/fuzz/dict/json.dict ;;
    esac
    if [ -f "tests/fuzz/dict/$format.dict" ]; then
      echo "tests/fuzz/dict/$format.dict"
    fi
  done | sort -u
}

# make_seeds FORMAT: its corpus, decompressed, without files that are too large.
make_seeds() {
  local seeds=$work/seeds/$1 file name
  rm -rf "$seeds"
  mkdir -p "$seeds"
  for file in corpus/"$1"/good/* corpus/"$1"/bad/*; do
    name=$(basename "$(dirname "$file")")-$(basename "$file")
    case $file in
      *.error) continue ;;
      *.gz) gzip -dc "$file" >"$seeds/${name%.gz}" ;;
      *.zst) zstd -qdc "$file" >"$seeds/${name%.zst}" ;;
      *) cp "$file" "$seeds/$name" ;;
    esac
  done
  find "$seeds" -size +"$max_len"c -delete
  if [ "$1" = ndjson ]; then
    # Seeds without a trailer, whose checksum no change survives.
    for file in "$seeds"/*; do
      grep -av '"hg.trailer"' "$file" >"$file.no-trailer" || true
    done
  fi
}

# run TARGET: writes libFuzzer's output to a file. Fails if there is a finding.
run() {
  local target=$1 home=$work/$1 format seeds=()
  mkdir -p "$home/corpus" "$home/findings"
  for format in $(formats_of "$target"); do seeds+=("$work/seeds/$format"); done
  if [ -d "tests/fuzz/seeds/$target" ]; then
    seeds+=("tests/fuzz/seeds/$target")
  fi
  # libFuzzer does not accept an empty dictionary.
  # shellcheck disable=SC2046 # there may be none
  { echo "# $target" && cat /dev/null $(dictionaries_of "$target"); } >"$home/dict"
  UBSAN_OPTIONS=print_stacktrace=1 \
    "build/$preset/tests/fuzz/${target}_fuzzer" "$home/corpus" "${seeds[@]}" \
    -dict="$home/dict" -artifact_prefix="$home/findings/" \
    ${HEAPGLOT_FUZZ_SEED:+-seed="$HEAPGLOT_FUZZ_SEED"} -max_total_time="$seconds" -max_len="$max_len" -timeout=10 \
    -rss_limit_mb=1536 -malloc_limit_mb=256 -print_final_stats=1 \
    >"$home/log" 2>&1
}

# report TARGET ok|FAIL
report() {
  local log=$work/$1/log runs line
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  line=$(sed -nE 's/.*cov: ([0-9]+) ft: ([0-9]+) corp: ([0-9]+).*/cov \1, ft \2, corpus \3/p' \
    "$log" | tail -n 1)
  printf '%-4s %-14s %s runs, %s\n' "$2" "$1" "${runs:-no}" "${line:-cov 0}"
  if [ "$2" = FAIL ]; then
    grep -aE '^FINDING: |ERROR: |runtime error: |Test unit written to' "$log" ||
      tail -n 5 "$log"
  fi
}

run_and_report() {
  local outcome=ok
  run "$1" || outcome=FAIL
  report "$1" "$outcome" | tee "$work/$1/report"
  [ "$outcome" = ok ]
}

mkdir -p "$work"
cmake --preset "$preset" >"$work/configure.log"
cmake --build --preset "$preset" --target fuzzers
for format in $(for target in "${targets[@]}"; do formats_of "$target"; done |
  tr ' ' '\n' | sort -u); do
  make_seeds "$format"
done

passed=0
failed=0
running=0
count() { if wait -n; then passed=$((passed + 1)); else failed=$((failed + 1)); fi; }
for target in "${targets[@]}"; do
  if [ "$running" = "$jobs" ]; then
    count
  else
    running=$((running + 1))
  fi
  run_and_report "$target" &
done
while [ "$running" -gt 0 ]; do
  count
  running=$((running - 1))
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
