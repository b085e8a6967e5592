#!/usr/bin/env python3
"""Converts every file of the corpus to every format and back, and expects the
results of docs/round-trips.md: round_trips_test.py PATH_OF_HEAPGLOT REPOSITORY.
HEAPGLOT_ACCEPT=1 rewrites the page."""

import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import unittest

BINARY = ''
REPOSITORY = pathlib.Path()

FORMATS = ['dartheap', 'heapsnapshot', 'netcf', 'ndjson', 'sqlite', 'heapir']
PAGE = 'docs/round-trips.md'

HEAD = """# There and back: the corpus

Made by `HEAPGLOT_ACCEPT=1 ctest -R cli_round_trips`, which otherwise checks it: every file of `corpus/<format>/good` goes to every format and back
(`heapglot roundtrip FILE --via all`). *identical*: the same bytes; *equal*: other bytes of the same content; *changed*: other content.

"""
WITH = """## With leftovers, as `heapglot convert` does it

"""
WITHOUT = """
## Without (`--embed none`): what the format by itself brings back

"""
LOST = """
What has changed then, in any file of a pair: tables that have more or fewer rows, and columns whose values differ.

"""


def trips(path, embed):
    done = subprocess.run(
        [BINARY, 'roundtrip', path, '--via', 'all', '--json', '--embed', embed],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=300)
    if done.returncode not in (0, 10):
        raise AssertionError(f'{path}: {done.returncode}: {done.stderr!r}')
    return path, json.loads(done.stdout)['trips']


def corpus(name):
    folder = REPOSITORY / 'corpus' / name / 'good'
    return sorted(path for path in folder.iterdir()
                  if path.suffix != '.error')


class Results:
    """Round trips of all files, with or without leftovers."""

    def __init__(self, embed):
        self.verdicts = collections.defaultdict(collections.Counter)
        self.changes = collections.defaultdict(set)
        self.odd = []  # what is not identical
        jobs = [(name, path) for name in FORMATS for path in corpus(name)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            done = pool.map(lambda job: trips(job[1], embed), jobs)
            for (name, _), (path, result) in zip(jobs, done):
                self.add(name, path, result)

    def add(self, name, path, result):
        for trip in result:
            pair = name, trip['via']
            self.verdicts[pair][trip['verdict']] += 1
            if trip['verdict'] != 'identical':
                self.odd.append((path.name, *pair, trip['verdict']))
            self.changes[pair].update(
                [table['name'] for table in trip['tables']] +
                [column['name'] for column in trip['columns']])

    def table(self):
        lines = ['| from | ' + ' | '.join(f'via {via}' for via in FORMATS) + ' |',
                 '|---' * (len(FORMATS) + 1) + '|']
        for name in FORMATS:
            cells = [self.cell((name, via)) for via in FORMATS]
            lines.append(f'| {name} | ' + ' | '.join(cells) + ' |')
        return '\n'.join(lines) + '\n'

    def cell(self, pair):
        return ', '.join(f'{self.verdicts[pair][verdict]} {verdict}'
                         for verdict in ('identical', 'equal', 'changed', 'failed')
                         if self.verdicts[pair][verdict])

    def lost(self):
        lines = ['| from | via | |', '|---|---|---|']
        for name in FORMATS:
            for via in FORMATS:
                tables = collections.defaultdict(list)
                for change in sorted(self.changes[name, via]):
                    table, _, column = change.partition('.')
                    tables[table] += [column] if column else []
                if not tables:
                    continue
                words = [f'**{table}**' + (' ' if columns else '') +
                         ', '.join(columns) for table, columns in tables.items()]
                lines.append(f'| {name} | {via} | ' + '; '.join(words) + ' |')
        return '\n'.join(lines) + '\n'


class RoundTrips(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.embedded = Results('auto')
        cls.native = Results('none')

    def test_with_leftovers_every_dump_is_restored(self):
        # The layout that another program gave an IR file is not kept.
        odd = [it for it in self.embedded.odd
               if not (it[1] == 'heapir' and it[3] == 'equal')]
        self.assertEqual(odd, [])

    def test_the_page_says_what_happens(self):
        page = (HEAD + WITH + self.embedded.table() + WITHOUT +
                self.native.table() + LOST + self.native.lost())
        path = REPOSITORY / PAGE
        if 'HEAPGLOT_ACCEPT' in os.environ:
            path.write_text(page, encoding='utf-8')
        self.maxDiff = None
        self.assertEqual(path.read_text(encoding='utf-8'), page)


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    REPOSITORY = pathlib.Path(sys.argv.pop(1))
    unittest.main(verbosity=1)
