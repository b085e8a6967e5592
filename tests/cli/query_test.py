#!/usr/bin/env python3
"""Black-box tests of `heapglot query`: query_test.py PATH_OF_HEAPGLOT."""

import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = ''
ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / 'corpus'
OK, USAGE, MALFORMED, LIMIT, INPUT = 0, 2, 3, 5, 9

DUMPS = [CORPUS / path for path in (
    'dartheap/good/quirks-graph.dartheap',
    'heapsnapshot/good/chromium156-scopes.heapsnapshot',
    'netcf/good/gen-10k.gclog.gz',
    'ndjson/good/draft-all.ndjson',
    'sqlite/good/draft-only.sqlite.gz',
)]


def queries():
    """The queries of the document, each with what stands before it."""
    text = (ROOT / 'docs' / 'queries.md').read_text()
    return re.findall(r'\n([^\n]+):\n\n```sql\n(.*?);\n```', text, re.S)


def run(*args, stdin=None, env=None):
    return subprocess.run([BINARY, 'query', *map(str, args)], input=stdin,
                          capture_output=True, check=False,
                          env={**os.environ, **(env or {})})


class QueryTest(unittest.TestCase):

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='heapglot-query.'))
        self.addCleanup(shutil.rmtree, self.dir)

    def query(self, *args, exit_code=OK, **more):
        done = run(*args, **more)
        self.assertEqual(done.returncode, exit_code,
                         done.stderr.decode(errors='replace'))
        return (done.stdout if exit_code == OK else done.stderr).decode()


class Document(QueryTest):

    def test_each_query_runs_everywhere_and_says_the_same(self):
        known = queries()
        self.assertGreaterEqual(len(known), 20)
        for dump in DUMPS:
            database = self.dir / 'dump.sqlite'
            subprocess.run([BINARY, 'convert', '-q', '-f', '--layout', 'usual',
                            '--embed', 'none', dump, '-o', database],
                           check=True)
            for title, sql in known:
                has_locations = 'hg_location' not in sql or 'scopes' in dump.name
                if not has_locations:
                    continue
                with self.subTest(dump=dump.name, query=title):
                    ours = self.query(dump, '-q', '--csv', sql)
                    theirs = subprocess.run(
                        ['sqlite3', '-batch', '-readonly', '-header', '-csv',
                         database, sql],
                        capture_output=True, check=True).stdout.decode()
                    self.assertEqual(
                        list(csv.reader(io.StringIO(ours)))[1:],
                        list(csv.reader(io.StringIO(theirs)))[1:])

    def test_it_finds_what_is_there(self):
        dump = DUMPS[0]
        info = json.loads(subprocess.run(
            [BINARY, 'info', '--json', '-q', dump], capture_output=True,
            check=True).stdout)
        rows = json.loads(self.query(
            dump, '-q', '--json',
            'SELECT (SELECT count(*) FROM nodes) AS nodes,'
            ' (SELECT sum(self_size) FROM nodes) AS bytes'))
        self.assertEqual(rows, [{'nodes': info['nodes'],
                                 'bytes': info['self_size_total']}])


class Forms(QueryTest):

    SQL = ("SELECT 1 AS n, 'a,\"b\"' AS t, 1.5 AS d, NULL AS none,"
           " x'00ff' AS b")

    def test_csv(self):
        self.assertEqual(self.query(DUMPS[0], '-q', '--csv', self.SQL),
                         'n,t,d,none,b\n1,"a,""b""",1.5,,00ff\n')

    def test_json(self):
        self.assertEqual(
            json.loads(self.query(DUMPS[0], '-q', '--json', self.SQL)),
            [{'n': 1, 't': 'a,"b"', 'd': 1.5, 'none': None, 'b': '00ff'}])
        self.assertEqual(json.loads(self.query(
            DUMPS[0], '-q', '--json', 'SELECT 1 WHERE 0')), [])

    def test_table_fits_the_terminal(self):
        wide = "SELECT node, kind, printf('%.*c', 300, 'x') AS wide FROM nodes"
        for columns in (80, 120):
            page = self.query(DUMPS[0], '-q', wide,
                              env={'COLUMNS': str(columns)})
            self.assertIn('kind', page)
            self.assertLessEqual(max(map(len, page.splitlines())), columns)

    def test_control_characters_do_not_reach_the_terminal(self):
        page = self.query(DUMPS[0], '-q', "SELECT char(27) || '[31m' AS c")
        self.assertNotIn('\x1b', page)


class Refusals(QueryTest):

    def test_only_reading_is_possible(self):
        for sql in ('DELETE FROM node', 'CREATE TABLE t (a)', 'DROP VIEW nodes',
                    "ATTACH 'x.db' AS x", 'PRAGMA page_size=512', 'BEGIN',
                    "SELECT load_extension('x')", 'SELECT', 'SELEC 1', '',
                    'SELECT 1; SELECT 2', 'SELECT * FROM nowhere',
                    "SELECT abs(-9223372036854775808)"):
            with self.subTest(sql=sql):
                self.query(DUMPS[0], '-q', sql, exit_code=USAGE)

    def test_flags(self):
        self.query(DUMPS[0], exit_code=USAGE)
        self.query(DUMPS[0], 'SELECT 1', '--csv', '--json', exit_code=USAGE)
        self.query(self.dir / 'none', 'SELECT 1', exit_code=INPUT)
        bad = CORPUS / 'sqlite/bad/no-node.sqlite.gz'
        self.query(bad, 'SELECT 1', exit_code=MALFORMED)

    def test_it_ends(self):
        endless = ('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1'
                   ' FROM n) SELECT max(i) FROM n')
        self.assertIn('--time-limit', self.query(
            DUMPS[0], '-q', '--time-limit', '0', endless, exit_code=LIMIT))

    def test_nothing_is_left(self):
        before = sorted(os.listdir(self.dir))
        self.query(DUMPS[2], '-q', 'SELECT count(*) FROM nodes',
                   env={'TMPDIR': str(self.dir)})
        self.assertEqual(sorted(os.listdir(self.dir)), before)


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
