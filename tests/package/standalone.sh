#!/bin/sh
# Tests the standalone command: it loads no library, and does what the usual one does.
#
# usage: tests/package/standalone.sh HEAPGLOT
set -eu

heapglot=$(realpath "$1")
repository=$(realpath "$(dirname "$0")/../..")
export PYTHONDONTWRITEBYTECODE=1

if readelf -l "$heapglot" | grep -q INTERP; then
  echo "$heapglot: loads libraries" >&2
  exit 1
fi
for name in cli leftovers sandbox query; do
  python3 "$repository/tests/cli/${name}_test.py" "$heapglot"
done
python3 "$repository/tests/cli/normalize_test.py" "$heapglot" "$repository/corpus"
python3 "$repository/tests/cli/roundtrip_test.py" "$heapglot" "$repository/corpus"
