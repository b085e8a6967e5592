#!/usr/bin/env python3
"""Black-box tests of `heapglot query`: query_test.py PATH_OF_HEAPGLOT."""

import csv
import io
import json
import math
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

BINARY = ''
ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / 'corpus'
OK, USAGE, MALFORMED, TRUNCATED, LIMIT, UNSUPPORTED = 0, 2, 3, 4, 5, 6
INPUT = 9

DUMPS = [CORPUS / path for path in (
    'dartheap/good/quirks-graph.dartheap',
    'heapsnapshot/good/chromium156-scopes.heapsnapshot',
    'netcf/good/gen-10k.gclog.gz',
    'ndjson/good/draft-all.ndjson',
    'sqlite/good/draft-only.sqlite.gz',
)]


# Declarations for a dump of several graphs, in addition to those of its nodes.
DECLARATIONS = (
    '{"type":"type","code":3,"name":"edge","fields":'
    '[["subtype","u32"],["source","value"],["dest","value"]]}',
    '{"type":"subtype","of":"edge","code":0,"name":"object property",'
    '"fields":[]}',
    '{"type":"type","code":4,"name":"string","fields":'
    '[["id","stringid"],["data","utf8"]]}',
    '{"type":"type","code":10,"name":"hg.graph","fields":'
    '[["id_space","u64"],["edges_grouped","bool"]]}',
    '{"type":"type","code":12,"name":"hg.word","fields":'
    '[["space","u32"],["name","stringid"],["known","u64"]]}')


def queries():
    """The queries of the document, each with the line before it."""
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

    def convert(self, source, target):
        subprocess.run([BINARY, 'convert', '-q', '-f', '--layout', 'usual',
                        '--embed', 'none', source, '-o', target], check=True)

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
            source = dump
            if '.sqlite' in dump.suffixes:
                # The file itself has tables of its own.
                source = self.dir / 'dump.ndjson'
                self.convert(dump, source)
            self.convert(source, database)
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
                    self.assertEqual(self.query(database, '-q', '--csv', sql),
                                     ours)

    def test_what_the_roots_reach_is_what_conversions_take_for_alive(self):
        sql = dict(queries())['Everything that the roots reach']
        for dump in DUMPS[:3]:
            with self.subTest(dump=dump.name):
                alive = self.dir / 'alive.heapir'
                subprocess.run([BINARY, 'convert', '-q', '-f', '--unreachable',
                                'drop', '--embed', 'none', dump, '-o', alive],
                               check=True)
                info = json.loads(subprocess.run(
                    [BINARY, 'info', '--json', '-q', alive],
                    capture_output=True, check=True).stdout)
                self.assertGreater(info['nodes'], 0)
                self.assertEqual(
                    json.loads(self.query(dump, '-q', '--json', sql)),
                    [{'nodes': info['nodes']}])

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

    def test_a_database_of_somebody_else(self):
        """Views follow the meaning of its columns, not our layout."""
        plain = self.dir / 'plain.sqlite'
        with sqlite3.connect(plain) as database:
            database.executescript(
                'CREATE TABLE metadata (key TEXT, value TEXT);'
                "INSERT INTO metadata VALUES ('version_major', '1');"
                'CREATE TABLE node_types (nodetypeid INTEGER PRIMARY KEY, '
                'name TEXT, table_name TEXT);'
                "INSERT INTO node_types VALUES (1, 'object', NULL);"
                'CREATE TABLE edge_types (edgetypeid INTEGER PRIMARY KEY, '
                'name TEXT);'
                "INSERT INTO edge_types VALUES (1, 'object property');"
                'CREATE TABLE strings (stringid INTEGER PRIMARY KEY, '
                'data TEXT);'
                'CREATE TABLE node (identifier INTEGER PRIMARY KEY, '
                'nodetypeid INTEGER, "v8.self_size" INTEGER);'
                'INSERT INTO node VALUES (3, 1, 100), (5, 1, 200);'
                'CREATE TABLE edge (edgetypeid INTEGER, source INTEGER, '
                'dest INTEGER, label INTEGER);'
                'INSERT INTO edge VALUES (1, 3, 5, NULL), (1, 3, 777, NULL), '
                '(1, 3, 1, NULL), (1, 3, 8, NULL);')
        database.close()
        edges = json.loads(self.query(
            plain, '-q', '--json', 'SELECT count(*) AS edges FROM edges'))
        self.assertEqual(edges, [{'edges': 1}])
        sizes = json.loads(self.query(
            plain, '-q', '--json', 'SELECT sum(self_size) AS sum FROM nodes'))
        self.assertEqual(sizes, [{'sum': 300}])
        # The file keeps its columns, which our views would not find.
        usual = self.dir / 'usual.sqlite'
        self.convert(plain, usual)
        with sqlite3.connect(usual) as database:
            [[sizes]] = database.execute(
                'SELECT sum("v8.self_size") FROM node')
            views = list(database.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'view'"))
        database.close()
        self.assertEqual((sizes, views), (300, []))

    def test_each_graph_has_kinds_of_its_own(self):
        """A kind that is weak in one heap need not be in another."""
        lines = ['{"type":"metadata","key":"version_major","value":"1"}',
                 '{"type":"metadata","key":"hg.stream","value":"1"}',
                 '{"type":"metadata","key":"hg.strings","value":"2"}',
                 '{"type":"type","code":2,"name":"node","fields":'
                 '[["identifier","id"],["subtype","u32"]]}',
                 '{"type":"subtype","of":"node","code":0,"name":"object",'
                 '"fields":[]}',
                 *DECLARATIONS,
                 '{"type":"type","code":20,"name":"hg.root","fields":'
                 '[["to","value"],["kind","u64"]]}',
                 '[4,2,"w"]',
                 '[10,1,true]', '[12,2,2,13]', '[12,1,2,7]', '[2,3,0]',
                 '[3,0,3,3]', '[20,3,0]',
                 '[10,1,true]', '[12,2,2,1]', '[12,1,2,1]', '[2,5,0]',
                 '[3,0,5,5]', '[20,5,0]']
        dump = self.dir / 'two.ndjson'
        dump.write_text('\n'.join(lines) + '\n')
        rows = json.loads(self.query(
            dump, '-q', '--json', 'SELECT graph, weak FROM roots ORDER BY 1'))
        self.assertEqual(rows, [{'graph': 0, 'weak': 1},
                                {'graph': 1, 'weak': 0}])
        rows = json.loads(self.query(
            dump, '-q', '--json', 'SELECT source, weak FROM edges ORDER BY 1'))
        self.assertEqual(rows, [{'source': 3, 'weak': 1},
                                {'source': 5, 'weak': 0}])

    def test_each_graph_has_names_of_kinds_of_its_own(self):
        """node_types and edge_types have those of the first graph."""
        lines = ['{"type":"metadata","key":"version_major","value":"1"}',
                 '{"type":"metadata","key":"hg.stream","value":"1"}',
                 '{"type":"metadata","key":"hg.strings","value":"5"}',
                 '{"type":"type","code":2,"name":"node","fields":'
                 '[["identifier","id"],["subtype","u32"]]}',
                 '{"type":"subtype","of":"node","code":0,"name":"object",'
                 '"fields":[]}',
                 '{"type":"subtype","of":"node","code":1,"name":"hg.shape",'
                 '"fields":[]}',
                 '{"type":"subtype","of":"node","code":2,"name":"hg.2",'
                 '"fields":[]}',
                 '{"type":"subtype","of":"node","code":3,"name":"hg.3",'
                 '"fields":[]}',
                 *DECLARATIONS,
                 '[4,2,"thing"]', '[4,4,"shape"]', '[4,6,"the code"]',
                 '[4,8,"slot"]',
                 # thing: an object. shape: no meaning. slot: a property.
                 '[10,1,true]', '[12,0,2,4]', '[12,0,4]', '[12,1,8,3]',
                 '[2,3,0]', '[2,5,1]', '[3,0,3,5]',
                 # Here shape comes first. Of two arrays, the first has the word
                 # of the draft.
                 '[10,1,true]', '[12,0,4]', '[12,0,6,2]', '[12,0,2,4]',
                 '[12,0,6,2]', '[12,1,8,2]',
                 '[2,7,0]', '[2,9,1]', '[2,11,2]', '[2,13,3]',
                 '[3,0,7,9]']
        dump = self.dir / 'two.ndjson'
        dump.write_text('\n'.join(lines) + '\n')
        rows = json.loads(self.query(
            dump, '-q', '--json',
            'SELECT graph, kind FROM nodes ORDER BY node'))
        self.assertEqual(
            [(row['graph'], row['kind']) for row in rows],
            [(0, 'object'), (0, 'hg.shape'), (1, 'hg.shape'), (1, 'array'),
             (1, 'object'), (1, 'hg.the_code')])
        rows = json.loads(self.query(
            dump, '-q', '--json',
            'SELECT source, kind FROM edges ORDER BY source'))
        self.assertEqual(rows, [{'source': 3, 'kind': 'object property'},
                                {'source': 7, 'kind': 'array element'}])

    def test_unsigned_numbers(self):
        lines = ['{"type":"metadata","key":"version_major","value":"1"}',
                 '{"type":"metadata","key":"hg.stream","value":"1"}',
                 '{"type":"type","code":2,"name":"node","fields":'
                 '[["identifier","id"],["subtype","u32"]]}',
                 '{"type":"subtype","of":"node","code":0,"name":"object",'
                 '"fields":[["hg.form","u32"],["hg.value","u64"]]}',
                 '{"type":"type","code":10,"name":"hg.graph","fields":'
                 '[["id_space","u64"],["edges_grouped","bool"]]}',
                 '{"type":"type","code":12,"name":"hg.word","fields":'
                 '[["space","u32"],["name","stringid"],["known","u64"]]}',
                 '[10,1,true]', '[12,0,null,4]',
                 '[2,3,0,10,18446744073709551615]',
                 '[2,5,0,10,9223372036854775808]',
                 '[2,7,0,10,9223372036854775807]',
                 '[2,9,0,3,18446744073709551615]', '[2,11,0,10,0]',
                 '[2,13,0,10,null]', '[2,15,0]']
        dump = self.dir / 'unsigned.ndjson'
        dump.write_text('\n'.join(lines) + '\n')
        rows = json.loads(self.query(
            dump, '-q', '--json', 'SELECT number FROM nodes ORDER BY node'))
        self.assertEqual(
            [row['number'] for row in rows],
            [2.0 ** 64, 2.0 ** 63, 2 ** 63 - 1, -1, 0, 0, None])

    def test_snapshots_of_ours_have_the_texts_of_those_of_v8(self):
        v8 = CORPUS / 'heapsnapshot/good/known-node12.heapsnapshot.zst'
        sql = ("SELECT count(text), count(*) FROM nodes WHERE kind IN "
               "('concatenated string', 'sliced string')")
        [texts] = json.loads(self.query(v8, '-q', '--json', sql))
        self.assertLess(texts['count(text)'], texts['count(*)'])
        lines, ours = self.dir / 'a.ndjson', self.dir / 'b.heapsnapshot'
        self.convert(v8, lines)
        self.convert(lines, ours)
        self.assertEqual(json.loads(self.query(ours, '-q', '--json', sql)),
                         [texts])

    def test_numbers_that_v8_has_captured(self):
        texts = {'0': 0, '-4095': -4095, '0.1': 0.1, '1e+300': 1e300,
                 'Infinity': math.inf, '-Infinity': -math.inf, 'NaN': None,
                 '12 monkeys': None, 'e': None, '': None}
        strings = ['heap number', 'value', 'map', *texts]
        nodes, edges = [], []
        for i in range(len(texts)):
            # A number, and its string, which is not its first target.
            nodes += [1, 0, 4 * i + 1, 8, 2, 2, 3 + i, 4 * i + 3, 8, 0]
            edges += [0, 2, 10 * i + 5 - 10 * (i % 2), 0, 1, 10 * i + 5]
        dump = self.dir / 'captured.heapsnapshot'
        dump.write_text(json.dumps({
            'snapshot': {
                'meta': {
                    'node_fields':
                        ['type', 'name', 'id', 'self_size', 'edge_count'],
                    'node_types': [['object', 'number', 'string'], 'string',
                                   'number', 'number', 'number'],
                    'edge_fields': ['type', 'name_or_index', 'to_node'],
                    'edge_types': [['internal'], 'string_or_number', 'node']},
                'node_count': len(nodes) // 5, 'edge_count': len(edges) // 3},
            'nodes': nodes, 'edges': edges, 'strings': strings}))
        rows = self.query(dump, '-q', '--csv', "SELECT number FROM nodes WHERE "
                          "kind = 'heap number' ORDER BY node").split('\n')
        self.assertEqual([float(row) if row else None for row in rows[1:-1]],
                         list(texts.values()))

    def test_what_no_node_has_is_not_looked_for(self):
        dump = self.dir / 'plain.ndjson'
        dump.write_text(
            '{"type":"metadata","key":"version_major","value":"1"}\n'
            '{"type":"type","code":2,"name":"node","fields":'
            '[["identifier","id"],["subtype","u32"]]}\n'
            '{"type":"subtype","of":"node","code":0,"name":"object",'
            '"fields":[]}\n[2,3,0]\n')
        database = self.dir / 'plain.sqlite'
        self.convert(dump, database)
        with sqlite3.connect(database) as opened:
            views = [sql for [sql] in opened.execute(
                "SELECT sql FROM sqlite_schema WHERE type = 'view'")]
        opened.close()
        self.assertEqual(len(views), 6)
        for sql in views:
            self.assertNotIn('= NULL', sql)
            self.assertNotIn('THEN NULL', sql)
            self.assertNotIn('(NULL', sql)

    def test_what_has_no_field_in_the_draft_is_shown(self):
        dart = CORPUS / 'dartheap/good/known-dart3.7.3-ia32.dartheap.gz'
        for sql, rows in (
                ("count(name) FROM nodes WHERE kind = 'function metadata'",
                 '8193'),
                ('number FROM nodes WHERE number > 9e18 AND number < 1e19 '
                 'LIMIT 1', '9223372036854775807'),
                ("count(length) FROM nodes WHERE kind = 'object'", '24631')):
            self.assertEqual(
                self.query(dart, '-q', '--csv', f'SELECT {sql}').split('\n')[1],
                rows)
        v8 = CORPUS / 'heapsnapshot/good'
        self.assertIn('array element,-8\n', self.query(
            v8 / 'dart-aot-profile-negative-index.heapsnapshot', '-q', '--csv',
            'SELECT kind, name FROM edges'))
        self.assertEqual(self.query(
            v8 / 'known-bun1.heapsnapshot.gz', '-q', '--csv',
            "SELECT count(*), count(text) FROM nodes WHERE kind = 'sliced "
            "string'"), 'count(*),count(text)\n1,1\n')


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

    def test_infinite_numbers_are_no_nulls(self):
        sql = 'SELECT 9e999 AS most, -9e999 AS least'
        self.assertEqual(
            json.loads(self.query(DUMPS[0], '-q', '--json', sql)),
            [{'most': 'Infinity', 'least': '-Infinity'}])
        self.assertEqual(self.query(DUMPS[0], '-q', '--csv', sql),
                         'most,least\nInfinity,-Infinity\n')

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


class Database(QueryTest):
    """Queries over a dump that is already a database."""

    def setUp(self):
        super().setUp()
        self.path = self.dir / 'dump.sqlite'
        subprocess.run([BINARY, 'convert', '-q', '--layout', 'usual', DUMPS[0],
                        '-o', self.path], check=True)

    def change(self, sql):
        subprocess.run(['sqlite3', '-batch', self.path, sql], check=True,
                       stdout=subprocess.DEVNULL)

    def count(self, sql='SELECT count(*) FROM nodes', **more):
        return self.query(self.path, '-q', '--csv', sql, **more)

    def test_it_is_asked_as_it_is(self):
        self.change('CREATE TABLE mine AS SELECT 42 AS a')
        self.assertEqual(self.count('SELECT a FROM mine'), 'a\n42\n')
        # A change has invalidated the leftovers, which does not matter here.
        self.assertEqual(self.count(),
                         self.query(DUMPS[0], '-q', '--csv',
                                    'SELECT count(*) FROM nodes'))

    def test_it_may_be_compressed(self):
        before = self.count()
        subprocess.run(['gzip', self.path], check=True)
        self.path = self.path.with_suffix('.sqlite.gz')
        self.assertEqual(self.count(), before)

    def test_without_the_order_of_records_it_is_the_same_graph(self):
        self.change('DROP TABLE hg_runs')
        subprocess.run([BINARY, 'diff', '-q', self.path, DUMPS[0]], check=True)

    def test_its_views_are_not_trusted(self):
        before = self.count()
        self.change("DROP VIEW nodes; CREATE VIEW nodes AS WITH RECURSIVE n(i)"
                    " AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS"
                    " node FROM n")
        self.assertEqual(self.count(), before)
        self.change('DROP VIEW edges')
        self.count('SELECT count(*) FROM edges')

    def test_what_is_not_what_it_should_be_is_left_to_the_reader(self):
        for sql in ('CREATE TABLE old AS SELECT * FROM node; DROP TABLE node;'
                    ' CREATE VIEW node AS SELECT * FROM old',
                    'ALTER TABLE node ADD COLUMN computed AS (1)',
                    'PRAGMA journal_mode=wal'):
            with self.subTest(sql=sql):
                before = self.path.read_bytes()
                self.change(sql)
                self.count(exit_code=UNSUPPORTED)
                self.path.write_bytes(before)
        self.change("UPDATE metadata SET value = '2' WHERE key ="
                    " 'version_major'")
        self.count(exit_code=UNSUPPORTED)

    def test_without_the_tables_of_values_it_is_converted(self):
        self.change('DROP TABLE string_flat')
        self.count()

    def test_damage_is_the_fault_of_the_file(self):
        data = self.path.read_bytes()
        size = int.from_bytes(data[16:18], 'big')
        root = int(subprocess.run(
            ['sqlite3', '-batch', self.path, "SELECT rootpage FROM"
             " sqlite_schema WHERE name = 'edge'"],
            capture_output=True, check=True).stdout)
        start = (root - 1) * size
        self.path.write_bytes(data[:start] + b'\xff' * size +
                              data[start + size:])
        said = self.count('SELECT sum(source) FROM edge', exit_code=MALFORMED)
        self.assertIn('malformed', said)
        self.path.write_bytes(data[:len(data) // 2])
        self.count(exit_code=TRUNCATED)

    def test_pages_that_come_again_and_again_are_left_to_the_reader(self):
        # Six levels, each of which has the next one as all of its children:
        # far too many rows to read without an index.
        root = int(subprocess.run(
            ['sqlite3', '-batch', self.path,
             'DROP TABLE metadata;'
             'CREATE TABLE metadata (key TEXT, value ANY);'
             "INSERT INTO metadata VALUES ('a', 1);"
             "SELECT rootpage FROM sqlite_schema WHERE name = 'metadata'"],
            capture_output=True, check=True).stdout)
        data = bytearray(self.path.read_bytes())
        size = int.from_bytes(data[16:18], 'big')
        pages = int.from_bytes(data[28:32], 'big')
        del data[pages * size:]
        start = (root - 1) * size
        levels, cells = 6, 100
        data += data[start:start + size]  # the rows
        for level in range(levels):
            child = (pages + 1 + level).to_bytes(4, 'big')
            cell = child + b'\1'
            first = size - cells * len(cell)
            page = (b'\5\0\0' + cells.to_bytes(2, 'big') +
                    first.to_bytes(2, 'big') + b'\0' + child)
            page += b''.join((first + i * len(cell)).to_bytes(2, 'big')
                             for i in range(cells))
            data += page.ljust(first, b'\0') + cells * cell
        data[start:start + size] = data[-size:]
        data[28:32] = (len(data) // size).to_bytes(4, 'big')
        self.path.write_bytes(data)
        said = self.count(exit_code=MALFORMED)
        self.assertIn('again and again', said)

    def test_it_stays_as_it_is(self):
        before = self.path.read_bytes()
        for sql in ('DELETE FROM node', "UPDATE metadata SET value = '2'",
                    'DROP VIEW temp.nodes', 'CREATE TEMP TABLE t (a)'):
            self.count(sql, exit_code=USAGE)
        self.assertEqual(self.path.read_bytes(), before)
        self.assertEqual(os.listdir(self.dir), [self.path.name])


class Refusals(QueryTest):

    def test_only_reading_is_possible(self):
        for sql in ('DELETE FROM node', 'CREATE TABLE t (a)', 'DROP VIEW nodes',
                    "ATTACH 'x.db' AS x", 'PRAGMA page_size=512', 'BEGIN',
                    "SELECT load_extension('x')", 'SELECT', 'SELEC 1', '',
                    'SELECT 1; SELECT 2', 'SELECT * FROM nowhere',
                    "SELECT abs(-9223372036854775808)"):
            with self.subTest(sql=sql):
                self.query(DUMPS[0], '-q', sql, exit_code=USAGE)

    def test_comments_are_no_statement(self):
        for sql in ('SELECT 1 ;; -- one', '/* a */ SELECT 1; /* b */ -- c'):
            self.assertEqual(self.query(DUMPS[0], '-q', '--csv', sql),
                             '1\n1\n')

    def test_texts_may_be_longer_than_the_dump(self):
        sql = 'SELECT length(hex(zeroblob(3000000))) AS n'
        self.assertEqual(self.query(DUMPS[0], '-q', '--csv', sql),
                         'n\n6000000\n')

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
        # More than a clock in nanoseconds can count.
        self.query(DUMPS[0], '-q', '--time-limit', '10000000000', 'SELECT 1')

    def test_what_fails_is_no_whole_document(self):
        done = run(DUMPS[0], '-q', '--json', 'SELECT 1 AS a UNION ALL '
                   'SELECT abs(-9223372036854775808)')
        self.assertNotEqual(done.returncode, OK)
        with self.assertRaises(json.JSONDecodeError):
            json.loads(done.stdout)

    def test_nothing_is_left(self):
        before = sorted(os.listdir(self.dir))
        self.query(DUMPS[2], '-q', 'SELECT count(*) FROM nodes',
                   env={'TMPDIR': str(self.dir)})
        self.assertEqual(sorted(os.listdir(self.dir)), before)


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
