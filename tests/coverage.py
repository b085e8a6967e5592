#!/usr/bin/env python3
"""How much of readers/ and writers/ the tests execute: coverage.py BUILD.

BUILD must have been built with HEAPGLOT_COVERAGE, and its tests must have run.
Prints a line for each format, and fails if the total is too low."""

import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEAST = {'lines': 95.0, 'branches': 85.0}


def measure(build):
    """Returns the counts of llvm-cov for each file."""
    profiles = sorted((build / 'profiles').glob('*.profraw'))
    if not profiles:
        sys.exit(f'coverage.py: no profiles in {build}/profiles')
    data = build / 'coverage.profdata'
    subprocess.run(['llvm-profdata', 'merge', '-sparse', '-o', data, *profiles],
                   check=True)
    done = subprocess.run(
        ['llvm-cov', 'export', '-summary-only', f'-instr-profile={data}',
         build / 'tests/heapglot_tests', ROOT / 'readers', ROOT / 'writers'],
        check=True, capture_output=True)
    return json.loads(done.stdout)['data'][0]['files']


def main(build):
    counts = collections.defaultdict(lambda: [0, 0])
    for file in measure(build):
        path = pathlib.Path(file['filename']).relative_to(ROOT)
        for kind in LEAST:
            summary = file['summary'][kind]
            for place in ('all', str(path.parent), str(path)):
                counts[place, kind][0] += summary['covered']
                counts[place, kind][1] += summary['count']

    def percent(place, kind):
        covered, count = counts[place, kind]
        return 100 * covered / count if count else 100.0

    places = sorted({place for place, _ in counts if place != 'all'})
    files = [place for place in places if place.endswith(('.cc', '.h'))]
    for place in [*(place for place in places if place not in files), 'all']:
        print(f'{place:24}', *(f'{percent(place, kind):6.2f} % of {kind}'
                               for kind in LEAST))
    short = {kind: least for kind, least in LEAST.items()
             if percent('all', kind) < least}
    for kind, least in short.items():
        print(f'less than {least} % of {kind}; the most is missing in')
        missing = {place: counts[place, kind][1] - counts[place, kind][0]
                   for place in files}
        for place in sorted(files, key=missing.get, reverse=True)[:10]:
            print(f'  {missing[place]:4} {place}')
    print(f'{len(LEAST) - len(short)} passed, {len(short)} failed')
    return 1 if short else 0


if __name__ == '__main__':
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
