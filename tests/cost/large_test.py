#!/usr/bin/env python3
"""Large dumps in little memory: large_test.py HEAPGLOT GENERATE
[--megabytes N] [unittest args].

Converts a heapsnapshot above the 512 MB at which JavaScript tools stop, a dartheap
of half that size, one of a sixth in the shape of a real heap, and smaller dumps of
unusual shapes. Compares the peak resident memory with a limit that does not depend
on the size. Before a release, run it by hand with --megabytes 5000: 5 GB, above
2^32 bytes."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'cli'))
import dartheap_builder as build

HEAPGLOT = GENERATE = ''
MEGABYTES = 600
MIB = 1 << 20
# Bytes that bench/generate writes for a node with three edges.
HEAPSNAPSHOT_NODE, DARTHEAP_NODE = 79, 18.4
# The same in the shape of a real heap, with its number of edges per node.
MIXED_NODE, MIXED_EDGES = 15.5, 7 / 3
# In bytes. Includes what the idle process has, such as 6 MiB of code.
LIMIT = 32 * MIB


def peak_of(*command, stdin=None):
    """Runs heapglot; returns its peak resident bytes, mapped file pages included."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, '-S', '-c', MEASURE, *map(str, command)],
            stdin=stdin, stdout=subprocess.PIPE, stderr=errors)
        out, _ = process.communicate(timeout=1200)
        errors.seek(0)
        assert process.returncode == 0, (command, errors.read())
    return int(out.split()[-1])


# A small process whose only child is measured.
MEASURE = '''
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss * 1024)
sys.exit(os.waitstatus_to_exitcode(status))
'''


class Large(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        # Beside the command, where there is room, also for temporary files.
        cls.folder = tempfile.TemporaryDirectory(dir=os.path.dirname(HEAPGLOT))
        cls.addClassCleanup(cls.folder.cleanup)
        cls.home = pathlib.Path(cls.folder.name)
        os.environ['TMPDIR'] = cls.folder.name

    def make(self, format_name, node_bytes, megabytes, node_edges=3):
        path = self.home / f'in.{format_name}'
        if not path.exists():
            nodes = int(megabytes * 1e6 / node_bytes)
            edges = int(node_edges * nodes)
            subprocess.run([GENERATE, format_name, str(nodes), str(edges), '1',
                            path], check=True)
            self.assertGreater(path.stat().st_size, megabytes * 0.97e6)
        return path

    def heapsnapshot(self):
        return self.make('heapsnapshot', HEAPSNAPSHOT_NODE, MEGABYTES)

    def dartheap(self):
        return self.make('dartheap', DARTHEAP_NODE, MEGABYTES / 2)

    # Lists, maps and closures, half of them garbage.
    def mixed(self):
        return self.make('dartheap-mixed', MIXED_NODE, MEGABYTES / 6,
                         MIXED_EDGES)

    # For runs that make roots for garbage: up to 10 million nodes, the bit for each
    # node fits into LIMIT.
    def mixed_limit(self):
        nodes = MEGABYTES / 6 * 1e6 / MIXED_NODE
        return LIMIT + 2 * max(0, nodes - 10e6)

    def convert(self, source, extension, limit, *flags):
        out = self.home / f'out.{extension}'
        peak = peak_of(HEAPGLOT, 'convert', '-q', source, '-o', out, '-f', *flags)
        print(f'{source.name} of {source.stat().st_size / 1e6:,.0f} MB to '
              f'{out.name} of {out.stat().st_size / 1e6:,.0f} MB '
              f'{" ".join(flags)}: {peak / MIB:.1f} MiB')
        self.assertLess(peak, limit)
        return out

    def test_heapsnapshot_to_itself(self):
        source = self.heapsnapshot()
        out = self.convert(source, 'heapsnapshot', LIMIT)
        subprocess.run(['cmp', source, out], check=True)
        out.unlink()

    def test_heapsnapshot_to_heapir(self):
        self.convert(self.heapsnapshot(), 'heapir', LIMIT).unlink()

    def test_heapsnapshot_to_dartheap(self):
        self.convert(self.heapsnapshot(), 'dartheap', LIMIT, '--embed',
                     'none').unlink()

    def test_heapsnapshot_through_a_pipe(self):
        out = self.home / 'piped.heapir'
        with open(self.heapsnapshot(), 'rb') as file:
            source = subprocess.Popen(['cat'], stdin=file,
                                      stdout=subprocess.PIPE)
            peak = peak_of(HEAPGLOT, 'convert', '-q', '-', '-o', out,
                           stdin=source.stdout)
            source.stdout.close()
            self.assertEqual(source.wait(), 0)
        print(f'the same through a pipe: {peak / MIB:.1f} MiB')
        self.assertLess(peak, LIMIT)
        out.unlink()

    def test_dartheap_to_heapsnapshot(self):
        self.convert(self.dartheap(), 'heapsnapshot', LIMIT, '--unreachable',
                     'keep').unlink()

    def test_dartheap_to_heapsnapshot_with_roots_for_garbage(self):
        # Plus 2 bytes per node (heapglot/convert.h).
        nodes = MEGABYTES / 2 * 1e6 / DARTHEAP_NODE
        self.convert(self.dartheap(), 'heapsnapshot',
                     LIMIT + 12 * MIB + 2 * nodes).unlink()

    def test_validate(self):
        # Seen ids take a bit for each number up to the last, and nodes that no root
        # reaches take three bits per node.
        for source, nodes in [
                (self.heapsnapshot(), MEGABYTES * 1e6 / HEAPSNAPSHOT_NODE),
                (self.dartheap(), MEGABYTES / 2 * 1e6 / DARTHEAP_NODE)]:
            limit = LIMIT + nodes / 2
            peak = peak_of(HEAPGLOT, 'validate', source)
            print(f'validate {source.name} : {peak / MIB:.1f} MiB')
            self.assertLess(peak, limit, source)

    def test_mixed_dartheap_to_heapsnapshot(self):
        self.convert(self.mixed(), 'heapsnapshot', LIMIT, '--unreachable',
                     'keep').unlink()

    def test_mixed_dartheap_to_heapsnapshot_with_roots_for_garbage(self):
        self.convert(self.mixed(), 'heapsnapshot', self.mixed_limit()).unlink()

    def test_dartheap_written_in_large_pieces(self):
        # The page cache keeps such a file in folios of up to 2 MiB, and touching a
        # page maps the whole folio.
        source = self.home / 'in-pieces.dartheap'
        with open(self.mixed(), 'rb') as file, \
                open(source, 'wb', buffering=0) as copy:
            while piece := file.read(8 * MIB):
                copy.write(piece)
        self.convert(source, 'heapsnapshot',
                     self.mixed_limit() + 8 * MIB).unlink()
        peak = peak_of(HEAPGLOT, 'info', source)
        print(f'info of {source.name} : {peak / MIB:.1f} MiB')
        self.assertLess(peak, LIMIT)

    def test_netcf_with_many_references(self):
        nodes = 300_000
        source = self.home / 'in-wide.gclog'
        with open(source, 'w') as file:
            file.write('a 2 App.exe 1\nt 1 System.Object\n')
            for node in range(1, nodes + 1):
                targets = ' '.join([f'{node * 4:x}', f'{node * 2:x}'] * 20)
                file.write(f'o {node * 4:x} 1 c8 {targets}\n')
            file.write('r 4 0 0\nc App.exe 2\n')
        self.convert(source, 'heapir', LIMIT).unlink()
        self.convert(source, 'heapsnapshot', LIMIT).unlink()

    def test_netcf_with_a_root_behind_each_object(self):
        # There are no references, for which objects would wait.
        nodes = 700_000
        source = self.home / 'in-roots.gclog'
        with open(source, 'w') as file:
            file.write('a 2 App.exe 1\nt 1 System.Object\n')
            for node in range(1, nodes + 1):
                file.write(f'o {node * 4:x} 1 c8\nr {node * 4:x} 1 0\n')
            file.write('c App.exe 2\n')
        self.convert(source, 'gclog', LIMIT, '--layout', 'usual').unlink()
        self.convert(source, 'heapir', LIMIT).unlink()
        self.convert(source, 'heapsnapshot', LIMIT, '--max-memory',
                     '64M').unlink()

    def test_dartheap_with_much_external_memory(self):
        count = 700_000
        source = self.home / 'in-external.dartheap'
        one = build.dart_object(1, references=[1])
        held = [(node * 7919 % count + 1, 64, 'ByteData')
                for node in range(count)]
        source.write_bytes(build.dartheap(build.CLASSES, [one] * count, count,
                                          externals=held))
        self.convert(source, 'heapsnapshot', LIMIT, '--max-memory',
                     '64M').unlink()
        self.convert(source, 'ndjson', LIMIT).unlink()

    def test_ndjson_with_each_node_before_its_edges(self):
        # As many classes as the reader looks up, all over the file.
        nodes = 500_000
        source = self.home / 'in.ndjson'
        with open(source, 'w') as file:
            file.write(NDJSON_HEAD)
            for node in range(nodes):
                own, other = 2 * node + 1, 2 * (node * 7919 % nodes) + 1
                file.write(f'[2,{own},1,1600,{other}]\n'
                           f'[3,1,{own},{other},{node % 1000}]\n'
                           f'[3,1,{own},1,{node % 900}]\n'
                           f'[3,1,{own},3,{node % 800}]\n')
        self.convert(source, 'heapir', LIMIT + 9 * nodes).unlink()

    def test_ndjson_as_python_writes_it(self):
        # Sorted keys, spaces, and all edges after all nodes.
        nodes = 400_000
        source = self.home / 'in-python.ndjson'
        with open(source, 'w') as file:
            file.write(NDJSON_TYPES)
            for string in range(1000):
                file.write(f'{{"data": "s{string}", "id": {string}, '
                           '"type": "string"}\n')
            for node in range(nodes):
                file.write(f'{{"identifier": {2 * node + 1}, '
                           '"subtype": "object", "type": "node"}\n')
            for node in range(3 * nodes):
                file.write(f'{{"dest": {2 * (node * 7919 % nodes) + 1}, '
                           f'"label": {node % 1000}, '
                           f'"source": {2 * (node // 3) + 1}, '
                           '"subtype": "object property", '
                           '"type": "edge"}\n')
        self.convert(source, 'heapir', LIMIT + 9 * nodes).unlink()
        self.convert(source, 'heapsnapshot', LIMIT + 9 * nodes).unlink()

    def test_ndjson_with_many_strings_in_a_row(self):
        # Before all nodes, as in a string table, and after all of them.
        nodes = 200_000
        source = self.home / 'in-strings.ndjson'
        with open(source, 'w') as file:
            file.write(NDJSON_TYPES)
            for string in range(nodes):
                file.write(f'[4,{string},"{string:>200}"]\n')
            for node in range(nodes):
                file.write(f'[2,{2 * node + 1},1,16,1]\n'
                           f'[3,1,{2 * node + 1},1,{node}]\n')
            for string in range(nodes, 2 * nodes):
                file.write(f'[4,{string},"{string:>200}"]\n')
        limit = LIMIT + 9 * nodes
        self.convert(source, 'heapsnapshot', limit).unlink()
        self.convert(source, 'dartheap', limit).unlink()
        database = self.convert(source, 'sqlite', limit + 16 * MIB)
        self.convert(database, 'heapsnapshot', limit + 16 * MIB).unlink()
        database.unlink()

    def test_ndjson_with_much_metadata_and_many_unknown_types(self):
        # Both took quadratic time.
        count = 150_000
        source = self.home / 'in-metadata.ndjson'
        with open(source, 'w') as file:
            file.write(NDJSON_TYPES)
            for i in range(count):
                file.write(f'{{"type":"metadata","key":"k{i}","value":"{i}"}}\n'
                           f'{{"type":"x.t{i}","a":{i}}}\n')
        for extension in ('heapir', 'heapsnapshot'):
            made = self.convert(source, extension, LIMIT)
            back = self.convert(made, 'ndjson', LIMIT)
            subprocess.run(['cmp', source, back], check=True)

    def test_dartheap_with_objects_without_references(self):
        # Writers of formats with references in the line of their object would wait
        # for them.
        count = 700_000
        source = self.home / 'in-leaves.dartheap'
        one = build.dart_object(1)
        source.write_bytes(build.dartheap(
            build.CLASSES,
            [build.dart_object(1, references=[1, 2])] + [one] * count, 2))
        self.convert(source, 'gclog', LIMIT - 8 * MIB).unlink()

    def test_dartheap_with_an_object_of_very_many_references(self):
        count = 50_000_000
        source = self.home / 'in-wide.dartheap'
        one = build.dart_object(1, reference_count=count) + b'\1' * count
        source.write_bytes(build.dartheap(build.CLASSES, [one], count))
        self.convert(source, 'dartheap', LIMIT).unlink()
        self.convert(source, 'heapir', LIMIT).unlink()

    def test_normalize_an_object_of_very_many_references(self):
        # Those of the graph's digest take 8 bytes each, or 16.
        count = 10_000_000
        source = self.home / 'in-wide.dartheap'
        one = build.dart_object(1, reference_count=count) + b'\1' * count
        source.write_bytes(build.dartheap(build.CLASSES, [one], count))
        peak = peak_of(HEAPGLOT, 'normalize', '-q', source, '-o',
                       self.home / 'archive')
        print(f'{source.name} normalized: {peak / MIB:.1f} MiB')
        self.assertLess(peak, LIMIT + 16 * count)

    def test_heapsnapshot_with_long_strings(self):
        # A pass over strings releases their pages by bytes, not by number of strings.
        count, length = 100, 3_000_000
        source = self.home / 'in-long.heapsnapshot'
        head, tail = (FLAT % {
            'nodes': 1, 'edges': 0, 'node_rows': '9,0,1,0,0', 'edge_rows': '',
            'text': '@'}).split('@')
        with open(source, 'w') as file:
            file.write(head + '","'.join(
                chr(97 + i % 26) * length for i in range(count)) + tail)
        for extension in ('heapir', 'heapsnapshot'):
            self.convert(source, extension, LIMIT, '--report',
                         str(self.home / 'report.json')).unlink()
        self.assertLess(peak_of(HEAPGLOT, 'validate', '-q', source), LIMIT)
        self.assertLess(peak_of(HEAPGLOT, 'normalize', '-q', '--exact', source,
                                '-o', self.home / 'archive'), 2 * LIMIT)

    def test_heapsnapshot_with_a_text_that_many_nodes_have(self):
        # A dartheap repeats the text in each node: 3 GB if it were not cut.
        nodes, length = 10_000, 300_000
        source = self.home / 'in-repeated.heapsnapshot'
        source.write_text(FLAT % {
            'nodes': nodes + 1, 'edges': nodes,
            'node_rows': f'9,0,1,0,{nodes},' + ','.join(
                f'2,1,{2 * i + 3},16,0' for i in range(nodes)),
            'edge_rows': ','.join(
                f'1,{i},{5 * (i + 1)}' for i in range(nodes)),
            'text': 'x' * length})
        made = self.convert(source, 'dartheap', LIMIT, '--embed', 'none')
        self.assertLess(made.stat().st_size, 270 * MIB)
        back = self.convert(made, 'ndjson', LIMIT, '--embed', 'none')
        self.assertEqual(back.read_text().count('"x'), nodes)
        back.unlink()
        made.unlink()

    def test_dartheap_whose_names_have_a_long_part_in_common(self):
        # A node's name has the names of its class and itself: 1.2 GB if not cut.
        nodes, length = 20_000, 60_000
        source = self.home / 'in-names.dartheap'
        source.write_bytes(build.dartheap(
            [build.dart_class('Root'), build.dart_class('N' * length)],
            [build.dart_object(1, references=[2])] +
            [build.dart_object(2, 16, b'\x08' + build.text(f'n{i}'))
             for i in range(nodes)], 1))
        made = self.convert(source, 'heapsnapshot', LIMIT, '--embed', 'none')
        self.assertGreater(made.stat().st_size, 250 * MIB)
        self.assertLess(made.stat().st_size, 280 * MIB)
        made.unlink()

    def test_heapsnapshot_with_a_wide_trace_tree(self):
        nodes = 3_000_000
        source = self.home / 'in-traced.heapsnapshot'
        tree = ','.join(f'{i},0,1,16,[]' for i in range(2, nodes + 1))
        source.write_text(TRACED % f'1,0,0,0,[{tree}]')
        limit = LIMIT + 4 * nodes
        self.convert(source, 'heapsnapshot', limit).unlink()
        self.convert(source, 'heapir', limit).unlink()


NDJSON_TYPES = ''.join(json.dumps(line, separators=(',', ':')) + '\n' for line in [
    {'type': 'metadata', 'key': 'version_major', 'value': '1'},
    {'type': 'type', 'code': 2, 'name': 'node',
     'fields': [['identifier', 'id'], ['subtype', 'u32'], ['x.size', 'u32']]},
    {'type': 'subtype', 'of': 'node', 'code': 1, 'name': 'object',
     'fields': [['constructor', 'value']]},
    {'type': 'type', 'code': 3, 'name': 'edge',
     'fields': [['subtype', 'u32'], ['source', 'value'], ['dest', 'value'],
                ['label', 'stringid']]},
    {'type': 'subtype', 'of': 'edge', 'code': 1, 'name': 'object property',
     'fields': []},
    {'type': 'type', 'code': 4, 'name': 'string',
     'fields': [['id', 'stringid'], ['data', 'utf8']]},
])
NDJSON_HEAD = NDJSON_TYPES + ''.join(f'[4,{i},"s{i}"]\n' for i in range(1000))

FLAT = json.dumps({
    'snapshot': {
        'meta': {
            'node_fields': ['type', 'name', 'id', 'self_size', 'edge_count'],
            'node_types': [['hidden', 'array', 'string', 'object', 'code',
                            'closure', 'regexp', 'number', 'native',
                            'synthetic'], 'string', 'number', 'number',
                           'number'],
            'edge_fields': ['type', 'name_or_index', 'to_node'],
            'edge_types': [['context', 'element'], 'string_or_number', 'node'],
        },
        'node_count': '%(nodes)d', 'edge_count': '%(edges)d'},
    'nodes': ['%(node_rows)s'], 'edges': ['%(edge_rows)s'],
    'strings': ['(root)', '%(text)s']}).replace('"%(nodes)d"', '%(nodes)d').replace(
        '"%(edges)d"', '%(edges)d').replace('"%(node_rows)s"', '%(node_rows)s').replace(
            '"%(edge_rows)s"', '%(edge_rows)s')

TRACED = json.dumps({
    'snapshot': {
        'meta': {
            'node_fields': ['type', 'name', 'id', 'self_size', 'edge_count'],
            'node_types': [['hidden', 'object'], 'string', 'number', 'number',
                           'number'],
            'edge_fields': ['type', 'name_or_index', 'to_node'],
            'edge_types': [['property'], 'string_or_number', 'node'],
            'trace_function_info_fields': [
                'function_id', 'name', 'script_name', 'script_id', 'line',
                'column'],
            'trace_node_fields': ['id', 'function_info_index', 'count', 'size',
                                  'children'],
        },
        'node_count': 1, 'edge_count': 0, 'trace_function_count': 1},
    'nodes': [1, 0, 1, 0, 0], 'edges': [],
    'trace_function_infos': [0, 0, 0, 0, 0, 0], 'trace_tree': ['%s'],
    'strings': ['root']}).replace('"%s"', '%s')


if __name__ == '__main__':
    HEAPGLOT = os.path.abspath(sys.argv.pop(1))
    GENERATE = os.path.abspath(sys.argv.pop(1))
    if '--megabytes' in sys.argv:
        at = sys.argv.index('--megabytes')
        MEGABYTES = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main()
