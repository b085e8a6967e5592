#!/usr/bin/env python3
"""Hostile inputs, row by row: hostile_test.py HEAPGLOT GROUP... [ID...]

A group is a letter of docs/hostile.md: D, V, N, J, R or S; `docs` compares
the ids and the expectations of the page with those of the tests. Prints a line
per row; rows run in parallel."""

import concurrent.futures
import importlib
import os
import pathlib
import re
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'cli'),
                str(HERE.parent / 'heapir')]

import harness  # noqa: E402
from starter import Starter  # noqa: E402

GROUPS = {'D': ('dartheap_rows', 'dartheap'),
          'V': ('heapsnapshot_rows', 'heapsnapshot'),
          'N': ('netcf_rows', 'netcf'),
          'J': ('ndjson_rows', 'ndjson'),
          'R': ('heapir_rows', 'heapir'),
          'S': ('process_rows', 'dartheap')}


def number(name):
    """The number in an id, for sorting."""
    return int(name[1:])


def load(groups):
    """The rows of some groups, by id."""
    for group in groups:
        module, format_name = GROUPS[group]
        importlib.import_module(module)
        harness.rows_of(module, format_name)
    return {name: harness.ROWS[name] for group in groups
            for name in sorted((name for name in harness.ROWS
                                if name[0] == group), key=number)}


def run_row(binary, name, function):
    """The result of a row: a word, the text to print, the letters seen, and the
    seconds it took."""
    began = time.monotonic()
    check = harness.Check(binary, name, function.format)
    try:
        function(check)
        word, text = 'ok', ''
    except harness.Skipped as skipped:
        word, text = 'skip', str(skipped)
    except harness.Failed as failed:
        word, text = 'FAIL', str(failed)
    except Exception:  # a broken row must not end the others
        word, text = 'FAIL', traceback.format_exc()
    check.close()
    return word, text, check.letters, time.monotonic() - began


def documented():
    """Maps the ids of docs/hostile.md to the letters of the column "expected"."""
    rows = {}
    for line in (ROOT / 'docs/hostile.md').read_text().splitlines():
        cells = re.split(r'(?<!\\)\|', line)
        if len(cells) == 6 and re.fullmatch(r' [DVNJRS]\d+ ', cells[1]):
            rows[cells[1].strip()] = set(re.findall(r'\b[A-Z]\b', cells[3]))
    return rows


def check_documentation():
    """The differences between the page and the tests, ids first."""
    tested = set(load(GROUPS))
    pages = set(documented())
    return [f'{name}: only in {where}' for where, names in
            (('docs/hostile.md', pages - tested), ('the tests', tested - pages))
            for name in sorted(names)]


def check_letters(name, letters):
    """Compares the letters that a row has shown with those of the page."""
    expected = documented().get(name, set())
    if letters == expected:
        return ''
    return f'seen {sorted(letters)}, documented {sorted(expected)}'


def run_all(binary, rows):
    """Runs rows in parallel, prints results in order; returns the failures."""
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        began = time.monotonic()
        results = {name: pool.submit(run_row, binary, name, function)
                   for name, function in rows.items()}
        for name, future in results.items():
            word, text, letters, seconds = future.result()
            if word == 'ok' and (text := check_letters(name, letters)):
                word = 'FAIL'
            print(f'{word:4}  {name:4}{seconds:6.1f} s' +
                  (f'  {text}' if text else ''), flush=True)
            failures += word == 'FAIL'
        print(f'{len(rows)} rows, {failures} failed, '
              f'{time.monotonic() - began:.1f} s')
    return failures


def main():
    arguments = sys.argv[2:]
    if arguments == ['docs']:
        problems = check_documentation()
        print('\n'.join(problems) or 'the same ids')
        return bool(problems)
    starter = Starter()  # before this process becomes large
    wanted = {name for name in arguments if name not in GROUPS}
    groups = {name[0] for name in arguments}
    rows = {name: function for name, function in load(groups).items()
            if not wanted or name in wanted or name[0] in arguments}
    try:
        return bool(run_all(harness.Binary(sys.argv[1], starter), rows))
    finally:
        starter.close()


if __name__ == '__main__':
    sys.exit(main())
