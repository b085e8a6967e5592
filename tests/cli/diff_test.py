#!/usr/bin/env python3
"""Black-box tests of `heapglot diff`: diff_test.py PATH_OF_HEAPGLOT [args]."""

import gzip
import json
import os
import pathlib
import re
import sys
import unittest

import cli_test
from cli_test import CommandTest, MALFORMED, OK, USAGE
import dartheap_builder as build

DIFFERENT = 10
CORPUS = pathlib.Path(__file__).resolve().parents[2] / 'corpus'

# A .NET heap: two objects that refer to each other, and a third.
GCLOG = [
    'a 2 App',
    't 1 System.Object',
    't 2 App.Person',
    'r 100 0 0 0',
    'o 100 1 12 200',
    'o 200 2 24 100 300',
    'o 300 2 16',
    'c App',
]


class DiffTest(CommandTest):

    def diff(self, a, b, *more, exit_code=OK, **rest):
        done = self.run_it('diff', a, b, '--json', *more, exit_code=exit_code,
                           **rest)
        return json.loads(done.stdout)

    def page(self, a, b, *more, exit_code=OK, columns='80'):
        env = self.environment(COLUMNS=columns)
        done = self.run_it('diff', a, b, *more, exit_code=exit_code, env=env)
        return done.stdout.decode()

    def types(self, found):
        return {row['name']: row for row in found['types']}


class Verdict(DiffTest):

    def test_every_good_file_is_the_same_as_itself_in_other_clothes(self):
        files = sorted(file for file in CORPUS.glob('*/good/*')
                       if file.suffix not in ('.md', '.error')
                       and file.stat().st_size < 100_000)
        self.assertGreater(len(files), 100)
        for file in files:
            with self.subTest(file=file.name):
                plain = file.read_bytes()
                if file.suffix == '.gz':
                    plain = gzip.decompress(plain)
                found = self.diff(str(file), '-', stdin=gzip.compress(plain))
                self.assertTrue(found['same'])
                self.assertEqual(found['differs'], [])
                self.assertEqual(found['types'], [])
                self.run_it('convert', '-qf', str(file), '-o', 'x.heapir')
                found = self.diff(str(file), 'x.heapir')
                self.assertTrue(found['same'])
                self.assertIn(found['level'], ('bytes', 'order'))

    def test_the_same_bytes(self):
        self.write('same.gz', gzip.compress(self.read('in.dartheap')))
        found = self.diff('in.dartheap', 'same.gz')
        self.assertEqual((found['same'], found['level']), (True, 'bytes'))
        self.assertEqual(found['b']['compression'], 'gzip')
        self.assertEqual(found['totals']['nodes']['delta'], 0)
        page = self.page('in.dartheap', 'same.gz')
        self.assertIn('byte for byte', page)

    def test_objects_in_another_order(self):
        objects = GCLOG[4:7]
        mixed = GCLOG[:4] + objects[::-1] + GCLOG[7:]
        self.write('a.gclog', '\n'.join(GCLOG).encode())
        self.write('b.gclog', '\n'.join(mixed).encode())
        found = self.diff('a.gclog', 'b.gclog')
        self.assertEqual((found['same'], found['level']), (True, 'ids'))
        self.assertEqual(found['changes']['added'], 0)
        found = self.diff('a.gclog', 'b.gclog', '--match', 'structure')
        self.assertEqual((found['same'], found['level']), (True, 'structure'))
        self.assertEqual(found['depth'], 3)

    def test_other_ids(self):
        moved = re.sub(r'\b([123])00\b', r'\g<1>0c', '\n'.join(GCLOG))
        self.write('a.gclog', '\n'.join(GCLOG).encode())
        self.write('b.gclog', moved.encode())
        found = self.diff('a.gclog', 'b.gclog')
        self.assertEqual((found['same'], found['level']), (True, 'order'))
        self.assertEqual(found['ids'], 'different')

    def test_other_ids_in_another_order_are_matched_by_structure(self):
        moved = re.sub(r'\b([123])00\b', r'\g<1>0c', '\n'.join(GCLOG))
        lines = moved.splitlines()
        lines[4:7] = lines[6:3:-1]
        self.write('a.gclog', '\n'.join(GCLOG).encode())
        self.write('b.gclog', '\n'.join(lines).encode())
        found = self.diff('a.gclog', 'b.gclog')
        self.assertEqual((found['same'], found['level']), (True, 'structure'))
        # A reference moves to another target: no object looks different.
        lines = [line.replace('10c 30c', '10c 20c') for line in lines]
        self.write('c.gclog', '\n'.join(lines).encode())
        found = self.diff('a.gclog', 'c.gclog', exit_code=DIFFERENT)
        self.assertEqual(found['differs'], ['edges'])
        self.assertEqual(found['depth'], 1)
        self.diff('a.gclog', 'c.gclog', '--ignore', 'edges')

    def test_one_node_changed_added_removed(self):
        self.write('a.gclog', '\n'.join(GCLOG).encode())
        changes = {
            'grown': [GCLOG[6], 'o 300 2 20'],
            'shrunk': [GCLOG[6], 'o 300 2 10'],
            'changed': [GCLOG[6], 'o 300 2 16 100'],
            'added': [GCLOG[6], 'o 300 2 16\no 400 2 40'],
        }
        for change, (old, new) in changes.items():
            with self.subTest(change=change):
                text = '\n'.join(GCLOG).replace(old, new)
                self.write('b.gclog', text.encode())
                found = self.diff('a.gclog', 'b.gclog', exit_code=DIFFERENT)
                counts = dict.fromkeys(
                    ('added', 'removed', 'grown', 'shrunk', 'changed'), 0)
                self.assertEqual(found['changes'], {**counts, change: 1})
                self.assertEqual(self.types(found)['App.Person'][change], 1)
                self.assertEqual(found['nodes'][0]['change'], change)
                node = 0x400 if change == 'added' else 0x300
                self.assertEqual(found['nodes'][0]['id'], node)
                if change != 'added':
                    continue
                found = self.diff('b.gclog', 'a.gclog', exit_code=DIFFERENT)
                self.assertEqual(found['changes'], {**counts, 'removed': 1})
                self.assertEqual(found['nodes'][0]['size_delta'], -64)

    def test_values_of_edges_are_of_their_edges(self):
        head = b'''{"type":"metadata","key":"version_major","value":"1"}
{"type":"type","code":2,"name":"node","fields":[["identifier","id"],["subtype","u32"]]}
{"type":"subtype","of":"node","code":1,"name":"object","fields":[]}
{"type":"type","code":3,"name":"edge","fields":[["subtype","u32"],["source","value"],["dest","value"],["x.w","u32"]]}
{"type":"subtype","of":"edge","code":1,"name":"object property","fields":[]}
[2,3,1]
[2,5,1]
[2,7,1]
'''
        self.write('a.ndjson', head + b'[3,1,3,5,7]\n[3,1,3,7,8]\n')
        self.write('b.ndjson', head + b'[3,1,3,5,8]\n[3,1,3,7,7]\n')
        found = self.diff('a.ndjson', 'b.ndjson', exit_code=DIFFERENT)
        self.assertEqual(found['differs'], ['values'])
        self.diff('a.ndjson', 'b.ndjson', '--ignore', 'values')
        # The same edges in reverse order.
        self.write('b.ndjson', head + b'[3,1,3,7,8]\n[3,1,3,5,7]\n')
        self.diff('a.ndjson', 'b.ndjson')

    def test_an_address_that_now_is_of_another_class(self):
        lines = GCLOG[:6] + [f'o {i}00 1 8' for i in range(4, 20)]
        self.write('a.gclog', '\n'.join(lines + GCLOG[6:]).encode())
        self.write('b.gclog',
                   '\n'.join(lines + ['o 300 1 16', GCLOG[7]]).encode())
        found = self.diff('a.gclog', 'b.gclog', exit_code=DIFFERENT)
        self.assertEqual(found['level'], 'ids')
        self.assertEqual(found['changes']['added'], 1)
        self.assertEqual(found['changes']['removed'], 1)


class Snapshots(DiffTest):
    """Two snapshots of one process: corpus/heapsnapshot/pairs."""

    A = str(CORPUS / 'heapsnapshot/pairs/node20-before.heapsnapshot.zst')
    B = str(CORPUS / 'heapsnapshot/pairs/node20-after.heapsnapshot.zst')

    def test_by_class(self):
        found = self.diff(self.A, self.B, '--all', exit_code=DIFFERENT)
        self.assertEqual((found['level'], found['ids']), ('ids', 'different'))
        types = self.types(found)
        self.assertEqual((types['Come']['count_a'], types['Come']['count_b'],
                          types['Come']['added']), (0, 300, 300))
        self.assertEqual((types['Gone']['count_b'], types['Gone']['removed']),
                         (0, 200))
        self.assertNotIn('Stays', types)
        sizes = [abs(row['size_delta']) for row in found['types']]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertEqual(len(found['types']), found['types_that_differ'])
        for name, total in found['changes'].items():
            self.assertEqual(sum(row[name] for row in found['types']), total)
        delta = found['totals']['nodes']['delta']
        self.assertEqual(
            found['changes']['added'] - found['changes']['removed'], delta)

    def test_ids_of_later_heaps_are_those_of_the_file(self):
        # The log has two domains.
        log = (CORPUS / 'netcf/good/two-snapshots-concatenated.gclog')
        self.write('a.gclog', log.read_bytes())
        self.write('b.gclog', log.read_bytes().replace(b'o 10f 1 c',
                                                       b'o 10f 1 9c'))
        changed = self.diff('a.gclog', 'b.gclog', exit_code=DIFFERENT)['nodes']
        self.assertEqual([node['id'] for node in changed], [0x10f])

    def test_by_id(self):
        found = self.diff(self.A, self.B, '--nodes', '5', exit_code=DIFFERENT)
        sizes = [abs(node['size_delta']) for node in found['nodes']]
        self.assertEqual(len(sizes), 5)
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        every = self.diff(self.A, self.B, '--nodes', '100000',
                          exit_code=DIFFERENT)['nodes']
        self.assertEqual(every[:5], found['nodes'])
        self.assertEqual(len(every), sum(found['changes'].values()))

    def test_page(self):
        for columns in (60, 80, 140):
            page = self.page(self.A, self.B, exit_code=DIFFERENT,
                             columns=str(columns))
            for line in page.splitlines():
                self.assertLessEqual(len(line), columns)
                self.assertEqual(line, line.rstrip())
        self.assertRegex(page, r'B has [\d,]+ nodes? (more|fewer) than A \(')
        self.assertRegex(page, r'\+  Come +0 +300 +300')
        self.assertRegex(page, r'-  Gone +200 +0 +0 +200')
        self.assertNotIn('\033', page)
        color = self.page(self.A, self.B, '--color', 'always',
                          exit_code=DIFFERENT)
        self.assertIn('\033[31m', color)
        self.assertEqual(re.sub('\033\\[[0-9]*m', '', color),
                         self.page(self.A, self.B, exit_code=DIFFERENT))

    def test_top(self):
        page = self.page(self.A, self.B, '--top', '1', exit_code=DIFFERENT)
        self.assertIn('other classes', page)
        page = self.page(self.A, self.B, '--all', exit_code=DIFFERENT)
        self.assertNotIn('other classes', page)


class AcrossFormats(DiffTest):

    def test_dart_and_what_v8_makes_of_it(self):
        self.run_it('convert', '-q', 'in.dartheap', '-o', 'x.heapsnapshot')
        found = self.diff('in.dartheap', 'x.heapsnapshot',
                          exit_code=DIFFERENT)
        self.assertEqual((found['a']['format'], found['b']['format']),
                         ('dartheap', 'heapsnapshot'))
        self.assertEqual(found['ids'], 'not comparable')
        # V8 has a node for what Dart has as external memory.
        self.assertEqual(found['totals']['self_size_total']['delta'], 4096)
        self.assertEqual(found['totals']['external_size_total']['delta'],
                         -4096)
        # V8 has no libraries: of two classes with one name, one gets its library.
        types = self.types(found)
        self.assertEqual(types['Person']['count_a'], 3)
        self.assertEqual(types['Person']['library'], '')
        self.assertEqual(
            types['Person (package:app/person.dart)']['count_b'], 2)
        self.assertIn('kinds', found['differs'])

    def test_by_way_of_ndjson(self):
        self.run_it('convert', '-q', '--embed', 'none', 'in.dartheap', '-o',
                    'x.ndjson')
        self.run_it('convert', '-q', 'x.ndjson', '-o', 'y.heapir.zst')
        found = self.diff('x.ndjson', 'y.heapir.zst')
        self.assertEqual(found['level'], 'order')
        self.assertEqual(found['b']['source_format'], 'ndjson')

    def test_names_of_more_nodes_than_a_chunk_has(self):
        # Names come before the nodes that have them, one frame of heapir at a
        # time. What is a name must not depend on the reader or its purpose.
        def named(number):
            return dart_name('n%d' % number) if number % 3 == 0 else b'\x00'

        def dart_name(name):
            return b'\x08' + build.text(name)

        objects = [build.dart_object(1, references=[2])]
        for number in range(40_000):
            references = [1] * 4 if number % 4096 < 3000 else []
            objects.append(build.dart_object(2, 16, named(number), references))
        references = sum(4 for number in range(40_000)
                         if number % 4096 < 3000)
        self.write('named.dartheap', build.dartheap(
            build.CLASSES, objects, references=1 + references,
            sizes=16 * 40_000))
        self.run_it('convert', '-q', 'named.dartheap', '-o', 'named.heapir')
        for source in ('named.dartheap', 'named.heapir'):
            for to in ('ndjson', 'sqlite'):
                with self.subTest(source=source, to=to):
                    self.run_it('convert', '-qf', '--embed', 'none', source,
                                '-o', f'x.{to}')
                    self.run_it('convert', '-qf', f'x.{to}', '-o', 'y.heapir')
                    for file in (f'x.{to}', 'y.heapir'):
                        found = self.diff('named.dartheap', file)
                        self.assertEqual(found['level'], 'order')


class Mistakes(DiffTest):

    def test_of_the_user(self):
        for args, part in (
                ([], 'A is required'),
                (['in.dartheap'], 'B is required'),
                (['-', '-'], 'only one of A and B'),
                (['in.dartheap', 'in.dartheap', 'more'], "unexpected 'more'"),
                (['in.dartheap', 'in.dartheap', '--ignore', 'size'],
                 "did you mean 'sizes'?"),
                (['in.dartheap', 'in.dartheap', '--from-a', 'dart'],
                 "did you mean 'dartheap'?"),
                (['in.dartheap', 'in.dartheap', '--match', 'name'], 'known:'),
                (['in.dartheap', 'in.dartheap', '--depth', '-1'], '--depth'),
        ):
            with self.subTest(args=args):
                lines = self.errors('diff', *args, exit_code=USAGE)
                self.assertIn(part, lines[0])
                self.assertEqual(lines[1], "Try 'heapglot diff --help'.")

    def test_ids_that_cannot_be_compared(self):
        self.write('a.gclog', '\n'.join(GCLOG).encode())
        lines = self.errors('diff', 'a.gclog', 'in.dartheap', '--match', 'ids',
                            exit_code=USAGE)
        self.assertIn('cannot be told by their ids', lines[0])

    def test_the_file_that_is_broken_is_named(self):
        self.write('cut', self.read('in.dartheap')[:-3])
        for args in (['in.dartheap', 'cut'], ['cut', 'in.dartheap'],
                     ['cut', 'cut']):
            lines = self.errors('diff', *args, exit_code=cli_test.TRUNCATED)
            self.assert_one_message(lines, 'heapglot: cut: offset ')
        self.write('text', b'hello')
        lines = self.errors('diff', 'in.dartheap', 'text', exit_code=MALFORMED)
        self.assert_one_message(lines, 'heapglot: text: ')
        lines = self.errors('diff', 'in.dartheap', 'none',
                            exit_code=cli_test.INPUT)
        self.assert_one_message(lines, 'heapglot: none: ')

    def test_formats_may_be_given_for_each(self):
        self.run_it('convert', '-q', 'in.dartheap', '-o', 'x.heapir')
        self.diff('in.dartheap', 'x.heapir', '--from-a', 'dartheap',
                  '--from-b', 'heapir')
        lines = self.errors('diff', 'in.dartheap', 'x.heapir', '--from',
                            'dartheap', exit_code=MALFORMED)
        self.assert_one_message(lines, 'heapglot: x.heapir: ')


if __name__ == '__main__':
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
