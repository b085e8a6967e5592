#!/bin/sh
# Acceptance: code that shares nothing with heapglot opens what it writes.
#
# usage: tests/acceptance/run.sh HEAPGLOT OUT_DIR [DARTHEAP...]
#
# Converts every file of corpus/dartheap/good (and those named), and compares what
# DevTools, memlab and VS Code's parser see in the result with what must be there;
# opens the biggest in Chromium's Memory panel; does the same with a snapshot that
# a Dart VM takes on the spot. Then every file of corpus/ goes to every format, and
# readers that share nothing with heapglot read the results. Screenshots end in
# OUT_DIR.
# Needs node >= 18, npm, chromium, libc6-i386. The packages named in package.json
# are installed into build/acceptance (or HEAPGLOT_ACCEPTANCE_DIR), once.
set -eu

if [ $# -lt 2 ]; then
  sed -n '2,14s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
heapglot=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
shift 2

here=$(realpath "$(dirname "$0")")
repository=$(realpath "$here/../..")
work=${HEAPGLOT_ACCEPTANCE_DIR:-$repository/build/acceptance}

"$here/install.sh" "$work"
exec node "$work/run.mjs" "$heapglot" "$out" "$repository" "$@"
