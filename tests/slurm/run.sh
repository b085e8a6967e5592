#!/bin/bash
# tests/slurm/run.sh HEAPGLOT: checks that an archive made on two Slurm nodes, one of
# which is killed halfway, has the same files as one made by a single run.
set -euo pipefail
cd "$(dirname "$0")/../.."
HEAPGLOT=$(realpath "$1")
export HEAPGLOT
DIR=$(mktemp -d "${TMPDIR:-/tmp}/heapglot-slurm.XXXXXX")
CLUSTER=$DIR/cluster
SHARDS=6

cleanup() {
  tests/slurm/cluster.sh down "$CLUSTER" || true
  rm -rf "$DIR"
}
trap cleanup EXIT

# Dumps of the corpus, good and bad, under several names; some are truncated.
mkdir "$DIR/in"
copy=0
for round in 1 2 3; do
  for file in corpus/*/good/* corpus/*/bad/*; do
    case $file in *.error | *.md) continue ;; esac
    copy=$((copy + 1))
    target=$DIR/in/$(printf %04d $copy)
    if [ $((copy % 7)) = 0 ]; then
      head -c "$(($(stat -c %s "$file") * round / 4))" "$file" >"$target"
    else
      cp "$file" "$target"
    fi
  done
done
chmod -R u+w "$DIR/in"

code=0
"$HEAPGLOT" normalize -q --delta "$DIR/in" -o "$DIR/alone" 2>"$DIR/errors" || code=$?
[ $code = 3 ] || { cat "$DIR/errors"; exit 1; }

tests/slurm/cluster.sh up "$CLUSTER"
export SLURM_CONF=$CLUSTER/slurm.conf
tools/slurm/normalize.sh -n $SHARDS -o "$DIR/spread" "$DIR/in" --delta &
run=$!

# A node dies while it has a task.
for _ in $(seq 600); do
  [ -n "$(squeue -h -t running -w n2 -o %i 2>/dev/null)" ] &&
    compgen -G "$DIR/spread/manifest.d/*" >/dev/null && break
  sleep 0.1
done
victim=$(squeue -h -t running -w n2 -o %i)
tests/slurm/cluster.sh kill "$CLUSTER" n2
echo "node n2 was killed, with task ${victim:-(none)}"
# Slurm would wait two minutes before it restarts a task.
while kill -0 $run 2>/dev/null; do
  for job in $(squeue -h -t pending -r -o %i 2>/dev/null); do
    scontrol update JobId="$job" StartTime=now 2>/dev/null || true
  done
  sleep 1
done
wait $run

diff -r "$DIR/alone" "$DIR/spread"
echo "$copy dumps, $SHARDS shards, a node lost: the same archive as from one run"
echo "1 passed, 0 failed"
