#!/bin/sh
# Installs what package.json names, once, and puts DevTools' own code together.
#
# usage: tests/acceptance/install.sh DIR
#
# node finds packages beside a script, so the scripts are copied to DIR and run
# from there. Needs node >= 18 and npm.
set -eu

if [ $# != 1 ]; then
  sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
here=$(realpath "$(dirname "$0")")
mkdir -p "$1"
cp -R "$here/." "$1"
cd "$1"
if ! cmp -s package-lock.json node_modules/.installed; then
  # --force: the Dart VM says it is for 32-bit machines only.
  # --ignore-scripts: nothing here needs one, and puppeteer's loads a browser.
  npm ci --force --ignore-scripts --no-audit --no-fund --loglevel=error
  cp package-lock.json node_modules/.installed
fi
node bundle_devtools.mjs build/devtools.mjs
