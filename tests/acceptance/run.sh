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

# node finds packages beside a script, so the scripts run from a copy.
mkdir -p "$work"
cp -R "$here/." "$work"
if ! cmp -s "$work/package-lock.json" "$work/node_modules/.installed"; then
  # --force: the Dart VM says it is for 32-bit machines only.
  # --ignore-scripts: nothing here needs one, and puppeteer's loads a browser.
  (cd "$work" && npm ci --force --ignore-scripts --no-audit --no-fund --loglevel=error)
  cp "$work/package-lock.json" "$work/node_modules/.installed"
fi
node "$work/bundle_devtools.mjs" "$work/build/devtools.mjs"

exec node "$work/run.mjs" "$heapglot" "$out" "$repository" "$@"
