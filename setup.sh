#!/bin/bash
# From a bare Debian 12 to a running heapglot.
#
#   ./setup.sh             packages, build, demo
#   ./setup.sh test        all plain tests: unit, format, acceptance
#   ./setup.sh STEP...     single steps:
#     packages    installs the Debian packages that a build needs
#     build       builds build/release/heapglot
#     demo        makes build/demo.heapsnapshot, a real heap for Chrome DevTools
#     unit        builds what `build` does and its tests, runs ctest
#     format      checks the layout of the sources
#     acceptance  opens heapglot's output in DevTools and in other tools
#     sanitize    ctest with AddressSanitizer and UndefinedBehaviorSanitizer, and
#                 how much of the readers and writers it executes
#     threads     tests of code with threads, with ThreadSanitizer
#     slurm       makes an archive on a Slurm cluster of two nodes, one of which dies
#     fuzz        runs each fuzz target for 15 s (docs/fuzzing.md)
#     includes    checks that each source includes what it uses
#     tidy        clang-tidy over all sources
#     cost        measures the memory that large dumps take
#     instructions  compares instruction counts of small conversions with recorded
#                 ones, and finds functions that leave vector registers in use
#     docs        makes build/docs, the public headers as HTML
#     standalone  builds build/standalone/heapglot, which needs no library, and tests it
#     arm64       builds heapglot and nearly all unit tests for arm64, and runs them in
#                 qemu; adds arm64 as an architecture to dpkg
#     package     makes build/package/*.deb, twice, and tests it in a clean chroot
#
# Every step installs what it needs (as root, or with sudo) and can be repeated.
set -euo pipefail
cd "$(dirname "$0")"

BUILD_PACKAGES=(cmake g++ libcli11-dev libisal-dev libprotobuf-dev libsqlite3-dev libssl-dev
  libxxhash-dev libzstd-dev ninja-build pkg-config protobuf-compiler rapidjson-dev zlib1g-dev)
UNIT_PACKAGES=(fish libgtest-dev make parallel python3 python3-protobuf python3-xxhash
  python3-zstandard scdoc sqlite3 strace zsh)
CLANG_PACKAGES=(clang libclang-rt-14-dev llvm)

say() { printf '\n== %s\n' "$*"; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# is_there PACKAGE[:ARCHITECTURE]
is_there() {
  local architecture=${1#*:}
  [ "$architecture" != "$1" ] || architecture=$(dpkg --print-architecture)
  dpkg-query -W -f '${Architecture} ${db:Status-Status}\n' "$1" 2>/dev/null |
    grep -qxE "($architecture|all) installed"
}

# Installs the given packages that are missing.
need() {
  local package missing=()
  for package in "$@"; do
    is_there "$package" || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return
  say "Installing ${missing[*]}"
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qy --no-install-recommends "${missing[@]}"
}

# configure PRESET [OPTION...]
configure() {
  local preset=$1
  shift
  if command -v ccache >/dev/null; then
    # One cache for all checkouts, which also covers precompiled headers.
    export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
    export CCACHE_SLOPPINESS=pch_defines,time_macros
    set -- "$@" -DCMAKE_C_COMPILER_LAUNCHER=ccache \
      -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
  # Larger batches than in the presets take a fifth less time for a full build. The
  # presets have small ones, since changing a source rebuilds its whole batch.
  local batches=(-DCMAKE_UNITY_BUILD_BATCH_SIZE=16)
  # Headers of other projects take most of clang-tidy's time: the larger the better.
  [ "$preset" != tidy ] || batches=(-DCMAKE_UNITY_BUILD_BATCH_SIZE=64)
  cmake --preset "$preset" "${batches[@]}" "$@"
}

# configure_release [OPTION...]
configure_release() {
  # The same in all steps, or each would recompile everything. Another compiler may
  # have warnings that are still unknown.
  local werror=OFF
  [[ "$("${CXX:-c++}" -dumpversion)" != 12* ]] || werror=ON
  configure release -DHEAPGLOT_WERROR=$werror "$@"
}

sources() {
  find bench core include readers tests tools writers -name '*.cc' -o -name '*.h'
}

step_packages() {
  need "${BUILD_PACKAGES[@]}"
}

step_build() {
  step_packages
  say "Building build/release/heapglot"
  configure_release -DBUILD_TESTING=OFF
  cmake --build --preset release
}

step_demo() {
  step_build
  local dump
  dump=$(find corpus/dartheap/good -name '*.dartheap.gz' -printf '%s %p\n' |
    sort -n | tail -n 1 | cut -d ' ' -f 2-)
  say "Converting $dump"
  build/release/heapglot convert "$dump" -o build/demo.heapsnapshot --force
  cat <<EOF

The heap of a Dart program is now in
  $PWD/build/demo.heapsnapshot
To look at it: open Chrome or Chromium, press F12 for DevTools, choose the
Memory panel, press Load (in newer versions "Load profile...") and pick the file.

Your own: build/release/heapglot convert FILE -o OUT.heapsnapshot
EOF
}

step_unit() {
  need "${BUILD_PACKAGES[@]}" "${UNIT_PACKAGES[@]}"
  say "Building and running the unit tests"
  # Tests the binary that users run, so that it is compiled only once.
  # Starting a process takes longer than most tests do.
  configure_release -DBUILD_TESTING=ON -DHEAPGLOT_TEST_SHARDS=32
  cmake --build --preset release
  ctest --preset release -j "$(nproc)"
  # ctest counts processes, not tests.
  sed -nE 's/^\[  PASSED  \] ([0-9]+) tests\..*/\1/p' \
    build/release/Testing/Temporary/LastTest.log |
    awk '{ tests += $1 } END { print tests " passed, 0 failed" }'
}

# Prints includes that CONTRIBUTING.md forbids: of a writer in a reader, of another
# format (the draft's forms share a folder), and of higher layers in the core,
# including the list of all formats.
crossing_includes() {
  sources | xargs grep -HE '^#include "(readers|writers|tools)/' |
    awk '{ split($0, part, /:#include "/)
           split(part[1], from, "/"); split(part[2], to, "/")
           shared = to[2] == from[2] || to[2] == "draft"
           ok = from[1] ~ /^(tools|tests|bench)$/ || from[2] == "builtin.cc" ||
                (from[1] == "readers" && to[1] == "readers" && shared) ||
                (from[1] == "writers" && to[1] != "tools" && shared)
           if (!ok) print }'
}

step_format() {
  need clang-format
  say "Checking the layout of the sources"
  sources | xargs clang-format --dry-run -Werror
  local crossing
  crossing=$(crossing_includes || true)
  if [ -n "$crossing" ]; then
    say "Includes across layers or formats: see CONTRIBUTING.md"
    echo "$crossing"
    return 1
  fi
  local tables
  tables=$(sources |
    xargs grep -nE 'std::(hash|unordered_\w+)<(const )?std::string' |
    grep -v TextHash || true)
  [ -n "$tables" ] || return 0
  say "A file may choose texts that share a bucket: see core/text_table.h"
  echo "$tables"
  return 1
}

step_acceptance() {
  # Node.js may come from elsewhere, including npm.
  command -v npm >/dev/null || need nodejs npm
  need ca-certificates chromium libc6-i386
  step_build
  say "Opening what we write in other programs"
  tests/acceptance/run.sh "$PWD/build/release/heapglot" "$PWD/build/acceptance-out"
}

step_test() {
  step_unit
  step_format
  step_acceptance
}

step_sanitize() {
  need "${BUILD_PACKAGES[@]}" "${UNIT_PACKAGES[@]}" "${CLANG_PACKAGES[@]}"
  say "Running the unit tests with sanitizers"
  configure asan
  cmake --build --preset asan
  rm -rf build/asan/profiles
  ctest --preset asan -j "$(nproc)"
  say "Counting what the tests have executed"
  tests/coverage.py build/asan
}

step_threads() {
  need "${BUILD_PACKAGES[@]}" "${UNIT_PACKAGES[@]}" "${CLANG_PACKAGES[@]}"
  say "Running what has threads with ThreadSanitizer"
  configure tsan
  cmake --build --preset tsan
  ctest --preset tsan -j "$(nproc)"
}

step_slurm() {
  need slurm-wlm munge
  step_build
  say "Making an archive on a Slurm cluster"
  tests/slurm/run.sh "$PWD/build/release/heapglot"
}

step_fuzz() {
  need "${BUILD_PACKAGES[@]}" "${UNIT_PACKAGES[@]}" "${CLANG_PACKAGES[@]}" zstd
  say "Fuzzing"
  configure asan
  # The same runs each time: CI must not fail for reasons other than a change.
  # Searches for new findings are started by hand, and take hours.
  HEAPGLOT_FUZZ_PRESET=asan HEAPGLOT_FUZZ_SEED=1 tests/fuzz/run.sh 15
}

step_includes() {
  need "${BUILD_PACKAGES[@]}" "${CLANG_PACKAGES[@]}"
  say "Reading each source by itself"
  configure tidy
  cmake --build build/tidy --target heapglot_proto
  local headers=build/tidy/headers.h
  local flags=(-std=c++20 -Wall -Wextra -Werror -Iinclude -I. -isystem build/tidy/proto
    -DHEAPGLOT_HAS_ISAL -DHEAPGLOT_SANDBOX '-DHEAPGLOT_VERSION=""')
  # Headers of other projects, which take most of the time: parsed once for all.
  printf '#include <%s>\n' CLI/CLI.hpp heapglot/ir/v1/chunk.pb.h >"$headers"
  clang++ "${flags[@]}" -x c++-header -fpch-instantiate-templates "$headers" \
    -o "$headers.pch"
  find core readers tools writers -name '*.cc' -print0 |
    xargs -0 -n 8 -P "$(nproc)" \
      clang++ "${flags[@]}" -fsyntax-only -include-pch "$headers.pch"
}

step_tidy() {
  need "${BUILD_PACKAGES[@]}" "${UNIT_PACKAGES[@]}" "${CLANG_PACKAGES[@]}" \
    clang-tidy
  say "Running clang-tidy"
  configure tidy
  cmake --build build/tidy --target heapglot_proto
  # The batches, and sources outside of batches.
  run-clang-tidy -quiet -p build/tidy -j "$(nproc)" \
    "$PWD/(build/tidy/)?(core|readers|tools|writers)/"
}

step_cost() {
  need "${BUILD_PACKAGES[@]}" python3
  say "Measuring the memory that large dumps take"
  configure_release -DBUILD_TESTING=OFF -DHEAPGLOT_BENCH=ON
  cmake --build --preset release --target heapglot_tool heapglot_generate
  python3 tests/cost/large_test.py build/release/heapglot build/release/bench/generate
}

step_instructions() {
  need binutils python3 valgrind
  step_build
  say "Counting instructions"
  python3 tests/cost/instructions_test.py build/release/heapglot
  if [ "$(uname -m)" = x86_64 ]; then
    python3 tests/cost/vector_state_test.py build/release/heapglot
  fi
}

step_docs() {
  need doxygen
  say "Documenting the public headers"
  mkdir -p build
  doxygen docs/Doxyfile
}

step_standalone() {
  need "${BUILD_PACKAGES[@]}" binutils python3
  say "Building a command that needs no library"
  configure standalone
  cmake --build --preset standalone
  tests/package/standalone.sh build/standalone/heapglot
}

step_arm64() {
  if ! dpkg --print-foreign-architectures | grep -qx arm64; then
    as_root dpkg --add-architecture arm64
    as_root apt-get update -q
  fi
  # Without ISA-L: its packages for two architectures exclude each other.
  need "${BUILD_PACKAGES[@]}" "${UNIT_PACKAGES[@]}" g++-aarch64-linux-gnu qemu-user \
    lib{gtest,protobuf,sqlite3,ssl,xxhash,zstd}-dev:arm64 zlib1g-dev:arm64
  say "Building for arm64, and running the unit tests in an emulator"
  configure arm64
  cmake --build --preset arm64
  ctest --preset arm64 -j "$(nproc)"
}

step_package() {
  need "${BUILD_PACKAGES[@]}" debootstrap dpkg-dev fish scdoc zsh
  say "Making a Debian package and trying it"
  tests/package/run.sh build/package
}

for step in "${@:-demo}"; do
  if ! declare -F "step_$step" >/dev/null; then
    echo "setup.sh: no step '$step'; see the start of this file" >&2
    exit 2
  fi
done
for step in "${@:-demo}"; do
  "step_$step"
done
