#!/usr/bin/env python3
"""Black-box tests of `heapglot validate`: validate_test.py PATH_OF_HEAPGLOT.

tests/acceptance compares the verdicts with real readers."""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = ''
ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / 'corpus'
OK, USAGE, INPUT, DEFECT = 0, 2, 9, 10
FORMATS = ['dartheap', 'heapir', 'heapsnapshot', 'ndjson', 'netcf', 'sqlite']


def run(*args, stdin=b'', columns='80'):
    env = {'PATH': os.environ['PATH'], 'LC_ALL': 'C.UTF-8',
           'COLUMNS': columns}
    for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS', 'TMPDIR'):
        if name in os.environ:
            env[name] = os.environ[name]
    return subprocess.run([BINARY, 'validate', *map(str, args)], input=stdin,
                          capture_output=True, env=env, timeout=300,
                          check=False)


def snapshot(**changes):
    """A heap snapshot of three nodes and two edges, as an object."""
    value = {
        'snapshot': {
            'meta': {
                'node_fields': ['type', 'name', 'id', 'self_size',
                                'edge_count'],
                'node_types': [['synthetic', 'object'], 'string', 'number',
                               'number', 'number'],
                'edge_fields': ['type', 'name_or_index', 'to_node'],
                'edge_types': [['element', 'property'], 'string_or_number',
                               'node'],
                'trace_function_info_fields': ['function_id', 'name'],
                'trace_node_fields': ['id', 'function_info_index', 'count',
                                      'size', 'children'],
                'sample_fields': ['timestamp_us', 'last_assigned_id'],
            },
            'node_count': 3, 'edge_count': 2, 'trace_function_count': 0,
        },
        'nodes': [0, 0, 1, 0, 1, 1, 1, 3, 16, 1, 1, 1, 5, 16, 0],
        'edges': [0, 1, 5, 1, 2, 10],
        'trace_function_infos': [], 'trace_tree': [], 'samples': [],
        'locations': [], 'strings': ['', 'Town', 'twin'],
    }
    value.update(changes)
    return value


class ValidateTest(unittest.TestCase):

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='heapglot-validate.'))
        self.addCleanup(shutil.rmtree, self.dir)

    def write(self, value, name='in.heapsnapshot'):
        data = value if isinstance(value, bytes) else json.dumps(
            value, separators=(',', ':')).encode()
        path = self.dir / name
        path.write_bytes(data)
        return path

    def validate(self, *args, exit_code=OK, **more):
        done = run(*args, **more)
        self.assertEqual(done.returncode, exit_code,
                         (done.stderr + done.stdout)[:2000])
        return done.stdout.decode()

    def found(self, value, *args, exit_code=OK):
        """Returns what --json says about one file."""
        text = self.validate(self.write(value), '--json', *args,
                             exit_code=exit_code)
        [file] = json.loads(text)['files']
        return file

    def finding(self, value, rule, **more):
        file = self.found(value, **more)
        by_rule = {row['rule']: row for row in file['findings']}
        self.assertIn(rule, by_rule)
        return file, by_rule[rule]


class Corpus(ValidateTest):

    def test_counts_what_is_in_the_file(self):
        # As `info` does, without what readers add, such as the items of a list.
        counted = 0
        for path in sorted(CORPUS.glob('*/good/*')):
            done = subprocess.run(
                [BINARY, 'info', path, '--json', '--top', '0'],
                capture_output=True, check=False)
            if done.returncode != OK:
                continue
            known = json.loads(done.stdout)
            found = json.loads(run('--json', path).stdout)['files']
            self.assertEqual((found[0]['nodes'], found[0]['edges']),
                             (known['nodes'], known['edges']), path)
            counted += 1
        self.assertGreater(counted, 50)
        for path in CORPUS.glob('dartheap/good/*dart3*'):
            self.assertNotIn('heap.stated.edges', self.validate(path), path)

    def test_good_files_have_no_error(self):
        for name in FORMATS:
            files = sorted((CORPUS / name / 'good').iterdir())
            with self.subTest(name):
                text = self.validate('--json', *files)
                for file in json.loads(text)['files']:
                    self.assertEqual(file['format'], name)
                    self.assertTrue(file['whole'])
                    self.assertEqual(file['errors'], 0)

    def test_bad_files_are_defects_at_their_places(self):
        for name in FORMATS:
            files = [path for path in
                     sorted((CORPUS / name / 'bad').iterdir())
                     if path.suffix != '.error']
            text = self.validate('--json', '--from', name, *files,
                                 exit_code=DEFECT)
            for path, file in zip(files, json.loads(text)['files']):
                with self.subTest(str(path)):
                    error = pathlib.Path(f'{path}.error').read_text()
                    offset = int(error.split()[1])
                    self.assertEqual(file['file'], str(path))
                    self.assertGreater(file['errors'], 0)
                    places = [place for row in file['findings']
                              if row['severity'] == 'error'
                              for place in row['places']]
                    self.assertIn(offset, [place.get('offset')
                                           for place in places])


class Strict(ValidateTest):
    """--strict means the same here and in a conversion."""

    def refuses(self, path, name):
        done = subprocess.run(
            [BINARY, 'convert', '-q', '--strict', '--from', name, '--to',
             'heapir', '-f', '-o', self.dir / 'out.heapir', path],
            capture_output=True, timeout=300, check=False)
        return done.returncode != OK

    def compare(self, name, files):
        text = run('--json', '--from', name, *files).stdout
        for path, file in zip(files, json.loads(text)['files']):
            bad = [row for row in file['findings']
                   if row['severity'] != 'note']
            # Problems of other programs do not concern conversions.
            others = [row for row in bad if row['readers']]
            with self.subTest(path.name):
                if self.refuses(path, name):
                    self.assertTrue(bad)
                else:
                    self.assertEqual(bad, others)

    def small_files(self, name):
        return [path for path in sorted((CORPUS / name / 'good').iterdir())
                if path.stat().st_size < 20_000]

    def test_good_files(self):
        for name in FORMATS:
            self.compare(name, self.small_files(name))

    def test_good_files_with_something_changed(self):
        chance = random.Random(26)
        for name in FORMATS:
            changed = []
            for path in self.small_files(name):
                data = path.read_bytes()
                at = chance.randrange(len(data) or 1)
                end = at + chance.choice([0, 0, 1, 3])
                new = chance.choice([b'\n', b'\r', b' ', b'0', b'00',
                                     b'\x80\x00', b'\xff', b'\t', b''])
                changed.append(self.write(data[:at] + new + data[end:],
                                          path.name))
                changed.append(self.write(data[:at], 'cut-' + path.name))
            self.compare(name, changed)

    def test_what_is_odd_is_a_defect_only_then(self):
        line = b'{"type":"metadata","key":"version_major","value":"1"}\n'
        for data, rule in ((line[:-1] + b'\r\n', 'ndjson.line.crlf'),
                           (line[:-1], 'ndjson.line.unended'),
                           (b'\n' + line, 'ndjson.line.blank')):
            _, row = self.finding(data, rule)
            self.assertEqual(row['severity'], 'warning')
        path = CORPUS / 'dartheap/good/nonminimal-lebs.dartheap'
        self.validate(path)
        self.validate('--strict', path, exit_code=DEFECT)


class Findings(ValidateTest):

    def test_nothing_to_say(self):
        file = self.found(snapshot())
        self.assertEqual(file['findings'], [])
        self.assertEqual(file['readers'],
                         {'devtools': 'ok', 'memlab': 'ok', 'vscode': 'ok'})
        self.assertEqual((file['nodes'], file['edges']), (3, 2))

    def test_place_record_and_advice(self):
        value = snapshot(edges=[0, 1, 5, 1, 2, 11])
        file, row = self.finding(value, 'heapsnapshot.edge.target')
        [place] = row['places']
        text = (self.dir / 'in.heapsnapshot').read_bytes()
        self.assertTrue(text[place['offset']:].startswith(b'11]'))
        self.assertEqual(place['record'], 1)
        self.assertEqual(place['message'],
                         'edge 1: to_node 11 is not a multiple of 5 node '
                         'fields')
        self.assertIn('ordinal', row['advice'])
        self.assertEqual(file['readers']['devtools'], 'fails')

    def test_the_last_node(self):
        # VS Code's parser has no place for what it dominates.
        kinds = ['property', 'weak', 'shortcut']
        for rule, edges in (
                (None, [(0, 1), (0, 2)]),
                ('node.last_unreferenced', [(0, 1)]),
                ('node.last_unreferenced', [(0, 1), (2, 1)]),
                (None, [(0, 1), (1, 2, 1)]),
                (None, [(0, 1), (2, 2)]),
                ('node.last_dominates', [(0, 2), (2, 1)]),
                ('node.last_dominates', [(0, 2), (0, 1, 1), (2, 1)]),
                (None, [(0, 2), (2, 1, 1)]),
                (None, [(0, 1), (0, 2), (2, 1)]),
                # A shortcut holds something only as the root's.
                ('node.last_dominates', [(0, 2, 2), (2, 1)]),
                (None, [(0, 2), (2, 1, 2)]),
                # A window holds its page, whatever else refers to that.
                (None, [(0, 1), (0, 3), (1, 2), (3, 2)]),
                ('node.last_dominates', [(0, 1), (0, 3, 2), (1, 2), (3, 2)]),
                # What only weak references lead to is the root's.
                (None, [(0, 1), (1, 3, 1), (3, 1)]),
                ('node.last_dominates', [(0, 1), (1, 3, 1), (3, 2)])):
            edges = [(*edge, 0)[:3] for edge in edges]
            nodes = 1 + max(2, *(max(edge[:2]) for edge in edges))
            value = snapshot(
                nodes=sum(([1, 0, 2 * node + 1, 8,
                            sum(edge[0] == node for edge in edges)]
                           for node in range(nodes)), []),
                edges=sum(([kind, 1, 5 * to] for _, to, kind in edges), []))
            value['snapshot']['meta']['edge_types'][0] = kinds
            value['snapshot']['node_count'] = nodes
            value['snapshot']['edge_count'] = len(edges)
            with self.subTest(edges=edges):
                file = self.found(value)
                rules = [row['rule'] for row in file['findings']
                         if row['rule'].startswith('heapsnapshot.')]
                self.assertEqual(
                    rules, ['heapsnapshot.' + rule] if rule else [])
                self.assertEqual(file['readers'], {
                    'devtools': 'ok', 'memlab': 'ok',
                    'vscode': 'fails' if rule else 'ok'})

    def test_names_that_devtools_has_of_its_own(self):
        # DevTools appends four strings to those of the file.
        for name, rule in ((3, 'node.name_next'), (6, 'node.name_next'),
                           (7, 'node.name')):
            value = snapshot()
            value['nodes'][1] = name
            with self.subTest(name):
                file = self.found(value, exit_code=DEFECT)
                self.assertEqual([row['rule'] for row in file['findings']],
                                 ['heapsnapshot.' + rule])

    def test_goes_on_where_the_reader_stops(self):
        # The reader refuses the name of the first node; the edge is bad, too.
        value = snapshot(edges=[0, 1, 5, 1, 2, 11])
        value['nodes'][1] = 77
        file = self.found(value, exit_code=DEFECT)
        self.assertFalse(file['whole'])
        rules = [row['rule'] for row in file['findings']]
        self.assertEqual(rules, ['heapsnapshot.node.name',
                                 'heapsnapshot.edge.target'])
        self.assertNotIn('heap.file.malformed', rules)

    def test_many_of_a_kind_are_counted(self):
        value = snapshot(edges=[9, 1, 5] * 30)
        value['nodes'][4] = 29
        value['snapshot']['edge_count'] = 30
        for examples in (0, 1, 7, 100):
            file = self.found(value, '--examples', str(examples))
            [row] = [row for row in file['findings']
                     if row['rule'] == 'heapsnapshot.edge.type']
            self.assertEqual(row['count'], 30)
            self.assertEqual(len(row['places']), min(examples, 30))

    def test_a_count_that_is_none_is_shown(self):
        for count, message in (
                (2.0, 'edge_count is 2.0, not an unsigned integer'),
                ('2' * 99, f'edge_count is "{"2" * 39}, not an unsigned'
                           ' integer'),
                (-2, 'edge_count is -2, not an unsigned integer')):
            value = snapshot()
            value['snapshot']['edge_count'] = count
            _, row = self.finding(value, 'heapsnapshot.key.absent')
            [place] = row['places']
            self.assertEqual(place['message'], message)
            text = json.dumps(value, separators=(',', ':'))
            self.assertEqual(place['offset'],
                             text.index('"edge_count":') + 13)
        value = snapshot()
        del value['snapshot']['edge_count']
        _, row = self.finding(value, 'heapsnapshot.key.absent')
        self.assertEqual(row['places'][0]['message'], 'there is no edge_count')

    def test_a_root_that_is_no_node_is_found(self):
        for root in ('x', -5, 1.5, 7, 15, [5]):
            value = snapshot()
            value['snapshot']['root_index'] = root
            file, row = self.finding(value, 'heapsnapshot.root.none')
            text = json.dumps(value, separators=(',', ':'))
            [place] = row['places']
            self.assertEqual(place['message'],
                             'heapsnapshot: root_index is '
                             f'{json.dumps(root)}, where no node begins')
            self.assertEqual(place['offset'],
                             text.index('"root_index":') + 13)
            self.assertEqual(file['readers'], {
                'devtools': 'fails', 'memlab': 'ok', 'vscode': 'fails'})
        for root in (0, 5, 10, None):
            value = snapshot()
            value['snapshot']['root_index'] = root
            rules = {row['rule'] for row in self.found(value)['findings']}
            self.assertNotIn('heapsnapshot.root.none', rules)

    def test_the_readers_own_warnings_have_their_places(self):
        value = snapshot(locations=[5, 1, 1, 1, 4, 1, 1, 1, 3, 1, 1, 1])
        value['snapshot']['meta']['location_fields'] = [
            'object_index', 'script_id', 'line', 'column']
        _, row = self.finding(value, 'heapsnapshot.location.dangling')
        self.assertEqual(row['count'], 2)
        self.assertEqual(len({p['offset'] for p in row['places']}), 2)

    def test_other_ways_to_write_an_integer_are_no_errors(self):
        fields = ['object_index', 'script_id', 'line', 'column']
        plain = snapshot(locations=[5, 1, 2, 1, 10, 1, 1, 1])
        plain['snapshot']['meta']['location_fields'] = fields
        text = json.dumps(plain, separators=(',', ':'))
        for old, new in (('"nodes":[0,0,1,0', '"nodes":[0,0,1,0.00'),
                         ('"nodes":[0,0,1,0', '"nodes":[0,0,1,0e00'),
                         ('"nodes":[0,0,1,', '"nodes":[0,0,1e00,'),
                         ('[5,1,2,1,', '[5,1,2.0,1,'),
                         ('[5,1,2,1,', '[5,1,2,1.0e00,')):
            with self.subTest(new):
                self.assertIn(old, text)
                file, _ = self.finding(text.replace(old, new).encode(),
                                       'heapsnapshot.number.form')
                self.assertEqual((file['errors'], file['warnings']), (0, 1))
        for cut in ('[5,1,2,1,10,1,1]', '[5,1,2.0,1,10,1,1]'):
            text_cut = text.replace('[5,1,2,1,10,1,1,1]', cut)
            file = self.found(text_cut.encode(), exit_code=DEFECT)
            self.assertEqual(file['errors'], 1)

    def test_keys_are_where_a_parser_finds_them(self):
        # DevTools searches for the text of keys, which is not an error in the file.
        for name, rule, found in (
                ('strings-first-with-snapshot', 'key.shadowed_json',
                 b'"snapshot","'),
                ('keys-nested-snapshot', 'key.shadowed_json',
                 b'"snapshot":{"version"'),
                ('keys-escaped', 'key.escaped', b'"\\u0073napshot"'),
                ('trace-tree-last', 'trace.json', b'"trace_tree"')):
            good = (CORPUS / f'heapsnapshot/good/{name}.heapsnapshot'
                    ).read_bytes()
            # Other errors are reported as usual.
            for data, errors in ((good, 0), (good.replace(
                    b':[0,0,1,0,1,', b':[0,77,1,0,1,'), 1)):
                file, row = self.finding(
                    data, 'heapsnapshot.' + rule,
                    exit_code=DEFECT if errors else OK)
                self.assertEqual(row['severity'], 'warning')
                self.assertEqual(row['places'][0]['offset'],
                                 good.index(found) + errors * (
                                     good.index(found) >
                                     good.index(b':[0,0,1,0,1,')))
                self.assertEqual(file['errors'], errors)
                self.assertEqual(file['readers']['devtools'], 'fails')
                if not errors:
                    self.assertEqual(
                        file['readers']['memlab'],
                        'wrong' if name == 'keys-escaped' else 'ok')
                rules = {other['rule'] for other in file['findings']}
                self.assertEqual('heapsnapshot.node.name' in rules,
                                 errors == 1)

    def test_what_other_programs_make_of_such_keys(self):
        text = json.dumps(snapshot(), separators=(',', ':'))
        for old, new, devtools, memlab in (
                ('"snapshot"', '"snapsho\\u0074"', 'fails', 'ok'),
                ('"strings"', '"string\\u0073"', 'fails', 'ok'),
                ('"nodes"', '"node\\u0073"', 'fails', 'wrong'),
                ('"edges"', '"edge\\u0073"', 'fails', 'wrong'),
                ('"samples"', '"sample\\u0073"', 'fails', 'ok'),
                # No reader looks for a table whose fields meta does not name.
                ('"locations"', '"location\\u0073"', 'ok', 'ok'),
                # DevTools does not get past "snapshot", but memlab does.
                ('"snapshot"', '"x":["snapshot"],"snapsho\\u0074"', 'fails',
                 'ok'),
                ('"edges"', '"x":{"edges":[1]},"edges"', 'wrong', 'wrong'),
                ('"strings"', '"x":{"strings":["y"]},"strings"', 'fails',
                 'ok'),
                ('{', '{"x":["snapshot","y"],', 'fails', 'ok'),
                # DevTools searches the snapshot object for words, memlab the
                # whole file for keys.
                ('"object"]', '"object","nodes"]', 'wrong', 'ok'),
                ('"property"]', '"property","nodes"]', 'wrong', 'ok'),
                ('{"meta"', '{"title":"nodes","meta"', 'wrong', 'ok'),
                ('{"meta"', '{"title":"edges","meta"', 'ok', 'ok'),
                ('"node_count"', '"title":"nodes","node_count"', 'ok', 'ok'),
                ('"node_count"', '"nodes":[1],"node_count"', 'wrong', 'wrong'),
                ('"node_count"', '"edges":[1],"node_count"', 'ok', 'wrong'),
                ('"node_count"', '"edges":2,"node_count"', 'ok', 'fails'),
                ('{', '{"x":{"nodes":[1]},', 'ok', 'wrong'),
                ('{', '{"x":"nodes",', 'ok', 'ok'),
                ('{', '{"x":{"nodes":1},', 'ok', 'fails'),
                ('{', '{"x":{"locations":[]},', 'ok', 'ok'),
                ('{', '{"x":{"locations":[[]]},', 'ok', 'fails'),
                ('"strings"', '"x":{"nodes":[1]},"strings"', 'ok', 'ok'),
                ('"strings"', '"x":{"nodes":"]"},"strings"', 'ok', 'fails')):
            with self.subTest(new):
                file = self.found(text.replace(old, new, 1).encode())
                self.assertTrue(file['whole'])
                self.assertEqual(file['readers'],
                                 {'devtools': devtools, 'memlab': memlab,
                                  'vscode': 'ok'})

    def test_a_snapshot_object_that_is_no_json(self):
        text = json.dumps(snapshot(), separators=(',', ':')).encode()
        for old, new in ((b'"node_count":', b'}"node_count'),
                         (b'"timestamp_us"', b'"timestamp_us"}'),
                         (b'"sample_fields":', b'"sample_fields":}'),
                         (b'"trace_function_count":',
                          b'"trace_function_count"[:')):
            file = self.found(text.replace(old, new, 1), exit_code=DEFECT)
            self.assertEqual(set(file['readers'].values()), {'fails'}, new)

    def test_where_other_programs_find_a_key_first(self):
        text = json.dumps(snapshot(), separators=(',', ':'))
        for old, new, rule, place in (
                ('"object"]', '"object","nodes"]', 'shadowed_other', '"nodes"'),
                ('"node_count"', '"nodes":[1],"node_count"', 'shadowed',
                 '"nodes"'),
                ('{', '{"x":{"edges":[1]},', 'shadowed_text', '"edges"'),
                ('"strings"', '"x":{"nodes":1},"strings"', 'cut',
                 '"nodes":1}')):
            data = text.replace(old, new, 1)
            _, row = self.finding(data.encode(), 'heapsnapshot.key.' + rule)
            self.assertEqual([found['offset'] for found in row['places']],
                             [data.index(place)])

    def readers(self, rule, change, **more):
        """The readers that do not open such a file correctly."""
        value = snapshot()
        change(value)
        file = self.found(value, **more)
        if rule is not None:
            self.assertIn('heapsnapshot.' + rule,
                          [row['rule'] for row in file['findings']])
        return {name: what for name, what in file['readers'].items()
                if what != 'ok'}

    def test_a_dump_without_sizes_opens_and_has_no_classes(self):
        def weigh(size):
            def change(value):
                value['nodes'][3::5] = [size] * 3
            return change
        self.assertEqual(self.readers('nodes.sizes', weigh(0)), {})
        value = snapshot()
        weigh(1)(value)
        self.assertNotIn('heapsnapshot.nodes.sizes',
                         [row['rule'] for row in self.found(value)['findings']])

    def test_tables_beside_the_graph(self):
        def traced(tree, **meta):
            def change(value):
                value['snapshot']['trace_function_count'] = 2
                value['snapshot']['meta'].update(meta)
                value['trace_function_infos'] = [0, 0, 1, 1]
                value['trace_tree'] = tree
            return change
        fails = {'devtools': 'fails', 'vscode': 'fails'}
        for tree in ([1, 0, 0, 0], [1, 0, 0, 0, None],
                     [1, 0, 0, 0, [2, 1, 5]], [1, 0, 0, 0, [2, 1, 5, 64]],
                     [[1, 0, 0, 0, []]], [1, -1, 0, 0, []],
                     [1, 0.5, 0, 0, []], [1, 0, 0, 0, [2, None, 5, 64, []]]):
            with self.subTest(tree):
                self.assertEqual(
                    self.readers('trace.broken', traced(tree)), fails)
        self.assertEqual(self.readers('trace.broken', traced([])),
                         {'devtools': 'fails'})
        for key in ('trace_node_fields', 'trace_function_info_fields'):
            self.assertEqual(self.readers('trace.broken', traced(
                [1, 0, 0, 0, []], **{key: []}))['devtools'], 'fails')
        self.assertEqual(self.readers(None, traced(
            [1, 1.0, 0, 0, [2, 1, 5, 64, []], 7])), {'vscode': 'fails'})

        def samples(*numbers, fields=3):
            def change(value):
                value['snapshot']['meta']['sample_fields'] = ['t', 'id',
                                                              'z'][:fields]
                value['samples'] = numbers
            return change
        self.assertEqual(self.readers('samples.row', samples(1, 3, 0)),
                         {'devtools': 'fails'})
        self.assertEqual(self.readers(None, samples(1, 3, 0, 2, 5, 0)), {})

    def test_locations_without_fields(self):
        def located(value):
            value['locations'] = [5, 1, 2, 3]
        self.assertEqual(self.readers('location.undescribed', located),
                         {'memlab': 'fails'})

        def located_by_null(value):
            located(value)
            value['snapshot']['meta']['location_fields'] = None
        self.assertEqual(self.readers('location.undescribed', located_by_null),
                         {'memlab': 'fails'})

        def located_by_none(value):
            located(value)
            value['snapshot']['meta']['location_fields'] = []
        self.assertEqual(
            self.readers('location.no_fields', located_by_none),
            {'devtools': 'fails', 'memlab': 'fails'})

    def test_counts_as_javascript_reads_them(self):
        def stated(key, count):
            return lambda value: value['snapshot'].update({key: count})
        for count in (3.0, '3'):
            self.assertEqual(
                self.readers('key.absent', stated('node_count', count)),
                {'vscode': 'fails'})
        self.assertEqual(
            self.readers('key.absent', stated('edge_count', 2.0)),
            {'vscode': 'fails'})
        for count in (2.5, None, 'x', -3):
            self.assertEqual(
                self.readers('count.none', stated('node_count', count)),
                {'devtools': 'fails', 'vscode': 'fails'})
        for key in ('node_count', 'edge_count'):
            for count in (2 ** 32 - 1, 2 ** 60):
                self.assertEqual(
                    self.readers('count.huge', stated(key, count)),
                    {'devtools': 'fails'})
            self.assertEqual(
                self.readers('count.huge', stated(key, 1e300)),
                {'devtools': 'fails', 'vscode': 'fails'})
            for count in (-1, '-1'):
                self.assertEqual(
                    self.readers('count.negative', stated(key, count)),
                    {'devtools': 'fails', 'vscode': 'fails'})

    def test_any_count_of_functions_but_none_calls_for_a_tree(self):
        def traced(count, tree):
            def change(value):
                value['snapshot']['trace_function_count'] = count
                value['trace_function_infos'] = [0, 0, 1, 1]
                value['trace_tree'] = tree
            return change
        fails = {'devtools': 'fails', 'vscode': 'fails'}
        tree = [1, 1, 0, 0, []]
        for count in (-1, 1.5, '0', [], {}, 'x'):
            self.assertEqual(self.readers('trace.broken', traced(count, [])),
                             fails)
            self.assertEqual(
                self.readers('trace.function', traced(count, tree)), fails)
        self.assertEqual(self.readers('trace.function', traced(True, tree)),
                         fails)
        for count in (2.0, '2', None, False, '', -0.0):
            self.assertEqual(self.readers('key.absent', traced(count, tree)),
                             {'vscode': 'fails'})

    def test_keys_that_only_vscode_asks_for(self):
        for key in ('trace_function_info_fields', 'trace_node_fields',
                    'sample_fields'):
            self.assertEqual(
                self.readers('key.absent',
                             lambda value: value['snapshot']['meta'].pop(key)),
                {'vscode': 'fails'})
        good = json.dumps(snapshot(), separators=(',', ':'))
        for key, reads in (('node_count', {'vscode': 'fails'}),
                           ('node_types', {'vscode': 'fails'}),
                           ('location_fields', {})):
            data = good.replace('"edge_fields"', '"location_fields":[],'
                                '"edge_fields"')
            data = re.sub(rf'"{key}":(\d+|\[\]|\[.*?node"\]|\[.*?"number"\]),',
                          r'\g<0>\g<0>', data)
            file, _ = self.finding(data.encode(), 'heapsnapshot.key.twice')
            self.assertEqual({name: what for name, what
                              in file['readers'].items() if what != 'ok'},
                             reads)

    def test_what_only_a_parser_minds(self):
        text = json.dumps(snapshot(), separators=(',', ':')).encode()
        vscode = {'vscode': 'fails'}
        parsers = {'memlab': 'fails', **vscode}
        wrong = {'devtools': 'wrong', 'memlab': 'wrong'}
        for old, new, rule, place, reads in (
                (b'"samples":[', b'"samples":[4294967295,3', None, b'', {}),
                (b'"samples":[', b'"samples":[4294967296,3', 'samples.range',
                 b'4294967296', vscode),
                (b'"samples":[', b'"samples":[1,4294967296', 'samples.range',
                 b'4294967296', vscode),
                (b'"locations":[', b'"locations":[5,4294967296', 'number.range',
                 b'4294967296', parsers),
                (b'"samples":[', b'"samples":[-1,3', 'number.range', b'-1,3',
                 vscode),
                (b'"samples":[', b'"samples":[1,3,', 'number.syntax',
                 b'],"locations"', parsers),
                (b'"samples":[', b'"samples":[01,3', 'number.syntax', b'1,3]',
                 parsers),
                (b'"samples":[', b'"samples":["1",3', 'number.range', b'"1"',
                 vscode),
                (b'"locations":[', b'"locations":[1,', 'number.stray',
                 b'],"strings"', parsers),
                (b'],"edges":', b',],"edges":', 'number.stray', b'],"edges"',
                 vscode),
                (b',16,1,', b',18446744073709551615,1,', 'node.size_range',
                 b'18446744073709551615', wrong),
                (b',16,1,', b',18446744073709551616,1,', 'number.huge',
                 b'18446744073709551616', {**wrong, **vscode}),
                (b',16,1,', b',184467440737095516150,1,', 'number.huge',
                 b'184467440737095516150', {**wrong, **vscode}),
                (b'"string","number"', b'"string",3', 'meta.entry', b'3,"num',
                 vscode),
                (b'"string","number"', b'"string",[["x"]]', 'meta.entry',
                 b'["x"]', vscode),
                (b'"string","number"', b'"string",["x"]', None, b'', {}),
                (b'"object"]', b'"object","\xff"]', 'key.bytes', b'\xff',
                 vscode),
                (b'"object"]', b'"object","\\ud800"]', 'key.bytes',
                 b'\\ud800', vscode),
                (b'{', b'{"\xff":1,', 'key.bytes', b'\xff', vscode),
                (b'{', b'{"x":"\xff",', None, b'', {})):
            with self.subTest(new):
                data = text.replace(old, new, 1)
                file = json.loads(run(self.write(data), '--json').stdout
                                  )['files'][0]
                self.assertEqual({name: what for name, what
                                  in file['readers'].items() if what != 'ok'},
                                 reads)
                by_rule = {row['rule']: row for row in file['findings']}
                if rule is not None:
                    [found] = by_rule['heapsnapshot.' + rule]['places']
                    self.assertEqual(found['offset'], data.index(place))

    def test_lists_of_fields_that_no_reader_of_the_graph_needs(self):
        def fields(key, value):
            return lambda file: file['snapshot']['meta'].update({key: value})
        self.assertEqual(self.readers(None, fields('location_fields', None)),
                         {})
        self.assertEqual(
            self.readers('key.absent', fields('sample_fields', None)),
            {'vscode': 'fails'})
        self.assertEqual(
            self.readers('meta.table', fields('sample_fields', ['x', 'x']),
                         exit_code=DEFECT), {})

    def test_lists_of_fields_that_are_none(self):
        def fields(key, value, samples=()):
            def change(file):
                file['snapshot']['meta'][key] = value
                file['samples'] = samples
            return change
        for value in (3, True, {}):
            self.assertEqual(
                self.readers('location.no_list',
                             fields('location_fields', value),
                             exit_code=DEFECT),
                {'devtools': 'fails', 'memlab': 'fails'})
            self.assertEqual(
                self.readers('samples.no_list',
                             fields('sample_fields', value, [1, 3]),
                             exit_code=DEFECT),
                {'devtools': 'fails', 'vscode': 'fails'})
            self.assertEqual(
                self.readers('meta.table', fields('sample_fields', value),
                             exit_code=DEFECT), {'vscode': 'fails'})
        for value in ('x', 0, False):
            self.assertEqual(
                self.readers('meta.table', fields('location_fields', value),
                             exit_code=DEFECT), {})

    def test_strings_are_looked_at_wherever_they_stand(self):
        value = {'strings': [], **snapshot(strings=['', 'Town', '\ud800'])}
        self.finding(value, 'heapsnapshot.string.surrogate')

    def test_common_rules(self):
        value = snapshot(nodes=[0, 0, 1, 0, 0, 1, 1, 3, 16, 0, 1, 1, 5, 16, 0],
                         edges=[])
        value['snapshot']['edge_count'] = 0
        _, row = self.finding(value, 'heap.roots.unreachable')
        self.assertEqual(row['places'][0]['message'],
                         'no root reaches 2 of 3 nodes')

    def test_something_else_that_a_reader_knows(self):
        profile = {'head': {'callFrame': {}, 'children': []}, 'samples': []}
        file, finding = self.finding(profile, 'heap.file.unsupported',
                                     exit_code=DEFECT)
        self.assertIn('sampling profile', finding['places'][0]['message'])
        self.assertEqual(set(file['readers'].values()), {'fails'})

    def test_unknown_input(self):
        _, row = self.finding(b'hello', 'heap.file.unknown',
                              exit_code=DEFECT)
        self.assertEqual(row['places'][0]['offset'], 0)


class Run(ValidateTest):

    def test_exit_codes(self):
        good = self.write(snapshot(), 'good')
        odd = self.write(snapshot(edges=[0, 1, 5, 1, 2, 11]), 'odd')
        bad = self.write(b'{"snapshot":', 'bad')
        self.validate(good)
        self.validate(odd)
        self.validate(odd, '--strict', exit_code=DEFECT)
        self.validate(odd, '--for', 'devtools', exit_code=DEFECT)
        self.validate(good, '--for', 'devtools')
        self.validate(bad, exit_code=DEFECT)
        self.validate(good, bad, exit_code=DEFECT)
        self.validate(self.dir / 'none', exit_code=INPUT)
        self.validate(bad, self.dir / 'none', exit_code=INPUT)
        self.validate(exit_code=USAGE)
        self.validate(good, '--for', 'devtool', exit_code=USAGE)
        self.validate('-', good, '-', exit_code=USAGE)
        for more in ([good], ['--for', 'devtools'], ['--format', 'sarif']):
            self.validate('--rules', *more, exit_code=USAGE)

    def test_several_inputs_and_one_that_is_not_there(self):
        good = self.write(snapshot(), 'good')
        done = run(good, self.dir / 'none', good, '--json')
        self.assertEqual(done.returncode, INPUT)
        first, failed, last = json.loads(done.stdout)['files']
        self.assertEqual((first['errors'], last['errors']), (0, 0))
        self.assertEqual(failed, {
            'file': str(self.dir / 'none'),
            'error': {'exit_code': INPUT,
                      'message': 'No such file or directory'}})
        self.assertEqual(len(done.stderr.splitlines()), 1)
        done = run(self.dir / 'none', '--json')
        self.assertEqual(done.returncode, INPUT)
        self.assertEqual(json.loads(done.stdout)['files'], [failed])

    def test_sarif_of_what_cannot_be_read(self):
        good = self.write(snapshot())
        done = run(good, self.dir / 'no ne', '--format', 'sarif')
        self.assertEqual(done.returncode, INPUT)
        [found] = json.loads(done.stdout)['runs']
        [invocation] = found['invocations']
        self.assertFalse(invocation['executionSuccessful'])
        [notification] = invocation['toolExecutionNotifications']
        self.assertEqual(notification['level'], 'error')
        self.assertTrue(notification['message']['text'])
        [place] = notification['locations']
        self.assertTrue(place['physicalLocation']['artifactLocation']['uri']
                        .endswith('/no%20ne'))
        log = json.loads(self.validate(good, '--format', 'sarif'))
        self.assertEqual(log['runs'][0]['invocations'],
                         [{'executionSuccessful': True,
                           'toolExecutionNotifications': []}])

    def test_standard_input(self):
        data = json.dumps(snapshot()).encode()
        self.assertIn('heapsnapshot', self.validate('-', stdin=data))

    def test_draft_fields_of_other_types_are_told(self):
        good = (CORPUS / 'ndjson/good/draft-all.ndjson').read_bytes()
        good = re.sub(rb'(?m)^.*hg.trailer.*\n', b'', good)
        rule = 'ndjson.field.type'
        for field, types, what in (
                ('identifier', 'u64 i64 addr', 'read as'),
                ('source', 'id u64', 'read as'), ('dest', 'i64 u64', 'read as'),
                ('label', 'id u64', 'read as'), ('dest', 'json', 'kept'),
                ('label', 'json', 'kept'), ('data', 'inline_string', 'read as'),
                ('data', 'json base64', None), ('id', 'f64', None)):
            for other in types.split():
                # Nodes have fields called data and source, too.
                name = re.escape(f'["{field}",').encode()
                data, count = re.subn(
                    rb'("name":"(?:node|edge|string)".*' + name +
                    rb')"(?:id|value|stringid|utf8)"\]',
                    rf'\1"{other}"]'.encode(), good)
                self.assertGreater(count, 0, field)
                path = self.write(data, 'other.ndjson')
                code = DEFECT if what is None else OK
                text = self.validate(path, '--json', exit_code=code)
                rows = {row['rule']: row['places'][0]['message']
                        for row in json.loads(text)['files'][0]['findings']}
                with self.subTest(field=field, type=other):
                    wanted = rule if what else 'heap.file.unsupported'
                    self.assertIn(f'declared as {other}', rows[wanted])
                    self.assertIn(what or 'cannot hold', rows[wanted])

    def test_page(self):
        value = snapshot(edges=[9, 1, 5, 9, 2, 11])
        value['strings'][1] = '\x1b[31m' + 'long ' * 40
        path = self.write(value)
        for columns in (60, 80, 140):
            page = self.validate(path, columns=str(columns))
            for line in page.splitlines():
                # Paths are not wrapped.
                if not line.startswith('/'):
                    self.assertLessEqual(len(line), columns, line)
                self.assertEqual(line, line.rstrip())
        for text in ('warning heapsnapshot.edge.target', 'offset ',
                     'opens in  devtools fails', '0 errors, '):
            self.assertIn(text, page)

    def test_same_input_same_bytes(self):
        path = self.write(snapshot(edges=[9, 1, 5, 9, 2, 11]))
        for form in ('text', 'json', 'sarif'):
            self.assertEqual(self.validate(path, '--format', form),
                             self.validate(path, '--format', form))

    def test_sarif(self):
        odd = self.write(snapshot(edges=[0, 1, 5, 1, 2, 11]), 'o d%.x')
        blank = self.write(b'{"version":1}\n', 'b.ndjson')
        log = json.loads(self.validate(odd, blank, '--format', 'sarif',
                                       exit_code=DEFECT))
        # What the schema of SARIF 2.1.0 requires.
        self.assertEqual(log['version'], '2.1.0')
        [found] = log['runs']
        driver = found['tool']['driver']
        self.assertEqual(driver['name'], 'heapglot')
        known = {rule['id'] for rule in driver['rules']}
        self.assertEqual(len(known), len(driver['rules']))
        for rule in driver['rules']:
            self.assertTrue(rule['shortDescription']['text'])
            self.assertIn(rule['defaultConfiguration']['level'],
                          ('note', 'warning', 'error'))
        self.assertTrue(found['results'])
        for result in found['results']:
            self.assertIn(result['ruleId'], known)
            self.assertTrue(result['message']['text'])
            self.assertIn(result['level'], ('note', 'warning', 'error'))
            [place] = result['locations']
            region = place['physicalLocation'].get('region', {'byteOffset': 0})
            self.assertTrue(region.get('byteOffset', 0) >= 0 or
                            region.get('startLine', 1) >= 1)
        uris = [result['locations'][0]['physicalLocation']['artifactLocation']
                ['uri'] for result in found['results']]
        self.assertTrue(uris[0].endswith('/o%20d%25.x'), uris)
        self.assertTrue(uris[0].startswith('file:///'), uris)


class Rules(ValidateTest):

    def test_ids_are_unique_and_explained(self):
        rules = json.loads(self.validate('--rules', '--json'))['rules']
        ids = [rule['rule'] for rule in rules]
        self.assertEqual(len(set(ids)), len(ids))
        for rule in rules:
            first = rule['format'] or 'heap'
            self.assertRegex(rule['rule'], rf'^{first}(\.[a-z0-9_]+)+$')
            self.assertRegex(rule['advice'], r'^[A-Z0-9].*\.$')
            self.assertRegex(rule['summary'], r'^.*[^.]$')

    def test_all_codes_of_the_readers_have_a_rule(self):
        rules = json.loads(self.validate('--rules', '--json'))['rules']
        known = {rule['rule'] for rule in rules}
        # heapsnapshot_validate.cc tells these in more detail.
        known |= {'heapsnapshot.count', 'heapsnapshot.type.unknown'}
        codes = set()
        for name in FORMATS:
            for path in (ROOT / 'readers' / name).glob('*.cc'):
                codes |= set(re.findall(
                    r'(?:Warn|Note)\(\s*"([a-z]+\.[a-z_.]+)"',
                    path.read_text()))
        # Code that ndjson and sqlite share gets the name of the format.
        for path in (ROOT / 'readers' / 'draft').glob('*.cc'):
            codes |= {'ndjson.' + code for code in re.findall(
                r'Warn\(\s*index_?(?:->|\.)form\.Code\("([a-z._]+)"',
                path.read_text())}
        # The netcf reader has a table of warnings.
        findings = ROOT / 'readers' / 'netcf' / 'netcf_findings.cc'
        codes |= set(re.findall(r'k\w+,\s*"(netcf\.[a-z_.0-9]+)"',
                                findings.read_text()))
        self.assertGreater(len(codes), 80)
        self.assertEqual(codes - known, set())

    def test_the_document_has_them(self):
        document = (ROOT / 'docs' / 'validate.md').read_text()
        marker = '<!-- heapglot validate --rules -->\n'
        tables = document.partition(marker)[2]
        self.assertEqual(tables, self.validate('--rules'),
                         'docs/validate.md: replace all behind its marker by '
                         'the output of `heapglot validate --rules`')


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
