#!/bin/bash
# Makes the Debian package and tests it.
#
# usage: tests/package/run.sh OUT_DIR      (as root, for the chroot)
#
# Builds it in two directories, and expects the same bytes. Then installs it in a
# chroot with nothing but Debian's minbase, converts a dump and removes it.
set -euo pipefail
cd "$(dirname "$0")/../.."

out=$(realpath -m "$1")
mkdir -p "$out"
export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)

# build DIR: makes a package from a copy of the sources in DIR/source.
build() {
  rm -rf "$1"
  mkdir -p "$1/source"
  git archive HEAD | tar -x -C "$1/source"
  cmake -S "$1/source" -B "$1/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_UNITY_BUILD=ON -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX=/usr >/dev/null
  cmake --build "$1/build" >/dev/null
  (cd "$1/build" && cpack -B "$1/package" >/dev/null)
}

work=$(mktemp -d)
trap 'umount -q "$work/chroot/proc" || true; rm -rf "$work"' EXIT
build "$work/first"
build "$work/a-longer-path/second"
deb=$(basename "$work"/first/package/*.deb)
cp "$work/first/package/$deb" "$out/$deb"
cmp "$out/$deb" "$work/a-longer-path/second/package/$deb"
echo "ok: two builds, the same package: $deb, $(stat -c %s "$out/$deb") bytes"

root=$work/chroot
debootstrap --variant=minbase bookworm "$root" >"$work/debootstrap.log" 2>&1 ||
  { tail -n 20 "$work/debootstrap.log" >&2; exit 1; }
mount -t proc proc "$root/proc"
cp "$out/$deb" corpus/dartheap/good/quirks-graph.dartheap "$root/tmp"
in_chroot() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
before=$(in_chroot find /usr /etc -xdev | sort | sha256sum)
dependencies=$(in_chroot apt-get install -qqy --no-install-recommends -s "/tmp/$deb" |
  awk '/^Inst/ && $2 != "heapglot" { print $2 }')
in_chroot apt-get install -qqy --no-install-recommends "/tmp/$deb" >/dev/null 2>&1
in_chroot heapglot convert -q /tmp/quirks-graph.dartheap -o /tmp/out.heapsnapshot
in_chroot heapglot convert -q /tmp/out.heapsnapshot -o /tmp/back.dartheap
cmp "$root/tmp/back.dartheap" "$root/tmp/quirks-graph.dartheap"
missing=$(in_chroot ldd /usr/bin/heapglot | grep 'not found' || true)
[ -z "$missing" ] || { echo "missing: $missing" >&2; exit 1; }
echo "ok: installs in a bare chroot (with ${dependencies//$'\n'/, }), and converts"
# shellcheck disable=SC2086
in_chroot apt-get purge -qqy heapglot $dependencies >/dev/null 2>&1
after=$(in_chroot find /usr /etc -xdev | sort | sha256sum)
[ "$before" = "$after" ] || { echo "something is left behind" >&2; exit 1; }
echo "ok: removed, nothing left"
