#!/bin/bash
# Makes an archive on a Slurm cluster: submits a job array, waits, submits again
# the shards that are not complete, and makes the manifest.
#
#   normalize.sh -o ARCHIVE [-n SHARDS] [-t TRIES] [-s SBATCH_OPTION]... \
#     INPUT... [OPTION...]
#
# INPUT and OPTION are those of `heapglot normalize`. ARCHIVE and all inputs must be
# where all nodes see them, under the same path. $HEAPGLOT is the command (default:
# that in PATH). At least 100 dumps a shard, for a task takes a while to start.
# Exit code: 0, or that of `heapglot normalize --merge-manifests`: 4 if shards are
# still missing after TRIES (3).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }

shards=8 tries=3 archive='' options=()
while getopts o:n:t:s: flag; do
  case $flag in
    o) archive=$OPTARG ;;
    n) shards=$OPTARG ;;
    t) tries=$OPTARG ;;
    s) options+=("$OPTARG") ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ -n "$archive" ] && [ $# -gt 0 ] || usage

export HEAPGLOT=${HEAPGLOT:-heapglot} HEAPGLOT_ARCHIVE=$archive \
  HEAPGLOT_SHARDS=$shards
mkdir -p "$archive"

# The options that --merge-manifests gets, too.
merge_options=()
for option; do
  if [ "$option" = --delta ]; then merge_options=(--delta); fi
done
merge() {
  "$HEAPGLOT" normalize --merge-manifests "${merge_options[@]}" -o "$archive"
}

# Parts of earlier attempts, which may have had other inputs.
declare -A old
for part in "$archive/manifest.d/"*; do old[$part]=1; done

# The shards without a new part, or whose last part is not complete: "2,5,7".
missing() {
  local i part last list=''
  for ((i = 1; i <= shards; i++)); do
    last=''
    for part in "$archive/manifest.d/$i-of-$shards".*.ndjson; do
      [ -e "$part" ] && [ -z "${old[$part]:-}" ] || continue
      [ -n "$last" ] && [ "$part" -ot "$last" ] || last=$part
    done
    [ -n "$last" ] && [ "$(tail -n 1 "$last")" = '{"complete":true}' ] ||
      list+=${list:+,}$i
  done
  echo "$list"
}

for ((try = 1; try <= tries; try++)); do
  todo=$(missing)
  [ -n "$todo" ] || break
  echo "normalize.sh: try $try: shards $todo of $shards" >&2
  # sbatch exits with the code of some task; only the parts count.
  sbatch --quiet --wait --array="$todo" --output=/dev/null \
    "${options[@]}" "$here/shard.sbatch" "$@" || true
done
todo=$(missing)
merge
# A missing shard may have a complete part from an earlier attempt.
if [ -n "$todo" ]; then
  echo "normalize.sh: shards $todo of $shards are not complete" >&2
  exit 4
fi
