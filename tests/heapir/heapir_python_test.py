#!/usr/bin/env python3
"""Reads heapir files without our code: heapir_python_test.py HEAPGLOT CORPUS.

The decoder is heapir.py beside this file, about 40 lines on top of the code that
protoc generates; the expectations come from the corpus."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parent.parent / 'proto'
HEAPGLOT, CORPUS = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))


def setUpModule():
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    subprocess.run(['protoc', '-I', PROTO, '--python_out', folder.name,
                    *PROTO.glob('heapglot/ir/v1/*.proto')], check=True)
    sys.path[:0] = [folder.name, str(HERE)]
    global heapir, frame_pb2
    import heapir
    from heapglot.ir.v1 import frame_pb2


class Corpus(unittest.TestCase):

    def read(self, name):
        return (CORPUS / 'heapir' / 'good' / name).read_bytes()

    def tables(self, data):
        tables = {}
        for body in heapir.chunks(data):
            tables.setdefault(body.DESCRIPTOR.name, []).append(body)
        return tables

    def test_every_column(self):
        for name in ('every-column.heapir', 'every-column-raw.heapir'):
            tables = self.tables(self.read(name))
            self.assertEqual(len(tables), 23)
            nodes, more = tables['Nodes']
            self.assertEqual(list(nodes.id), [140737488355328,
                                              140737488355360])
            self.assertEqual(list(nodes.self_size), [16, 4294967296])
            self.assertEqual(list(nodes.extra[0].ints), [-2, 3])
            self.assertEqual((more.first, more.count), (2, 1))
            edges, more = tables['Edges']
            self.assertEqual(list(edges.edges_per_node), [2])
            self.assertEqual(list(edges.to), [2, 3405691582])
            self.assertEqual(list(more.to), [18446744073709551614])
            locations = tables['Locations'][0]
            self.assertEqual(list(locations.script_id), [3, -3])
            self.assertEqual(list(tables['Types'][0].field_extra[0].ints),
                             [1, 0, -9223372036854775808])
            self.assertEqual(tables['Footer'][0].strings, 8)

    def test_predictions(self):
        edges, = self.tables(self.read('predicted-edges.heapir'))['Edges']
        self.assertEqual(list(edges.kind), [1, 0] * 3)
        self.assertEqual(list(edges.name), [0] * 6)
        self.assertEqual(list(edges.to), [1, 2, 2, 3, 3, 0])
        nodes, = self.tables(self.read('column-like-another.heapir'))['Nodes']
        self.assertEqual(list(nodes.self_size), [5, 16, 7])

    def test_numbers_of_32_bits_and_with_a_sign(self):
        """A difference that wraps, and a column like one with negative numbers.

        The command must read the same."""
        file = heapir.File()
        file.header(required_features=['prediction'])
        file.chunk(header={'format': 'test'})
        file.chunk(graph={'edges_grouped': True})
        file.chunk(heapir.planes([12], [4, 0], encoding=heapir.DELTA,
                                 base=(1 << 32) - 1), nodes={'count': 2})
        file.chunk(heapir.planes([5], [5, 4], encoding=heapir.ZIGZAG),
                   heapir.planes([6], [0, 8], like=5),
                   locations={'count': 2})
        file.chunk(graph_end={'nodes': 2, 'locations': 2})
        file.footer()
        tables = self.tables(file.data)
        self.assertEqual(list(tables['Nodes'][0].flags), [1, 1])
        self.assertEqual(list(tables['Locations'][0].line), [-3, 7])
        with tempfile.TemporaryDirectory() as folder:
            odd = pathlib.Path(folder) / 'odd.heapir'
            odd.write_bytes(file.data)
            out = pathlib.Path(folder) / 'out.heapir'
            subprocess.run([HEAPGLOT, 'convert', odd, '-o', out],
                           check=True, capture_output=True)
            again = self.tables(out.read_bytes())
        for table in ('Nodes', 'Locations'):
            self.assertEqual(again[table], tables[table])

    def test_what_the_command_predicts(self):
        """Expects the edges decoded from predictions to be those of the source."""
        import zstandard
        source = (CORPUS / 'heapsnapshot' / 'good' /
                  'known-node12.heapsnapshot.zst')
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / 'out.heapir'
            subprocess.run([HEAPGLOT, 'convert', source, '-o', out],
                           check=True, capture_output=True)
            data = out.read_bytes()
        contents = [frame_pb2.Content.FromString(heapir.content_of(frame))
                    for _, frame in heapir.frames(data) if frame.kind != 0]
        self.assertTrue(any(c.HasField('predicted') for c in contents))
        self.assertTrue(any(column.like != 0 for content in contents
                            for column in content.column))
        with zstandard.open(source) as stream:
            snapshot = json.load(stream)
        numbers = snapshot['edges']
        tables = self.tables(data)
        to = [to for edges in tables['Edges'] for to in edges.to]
        width = len(snapshot['snapshot']['meta']['node_fields'])
        self.assertEqual([width * node for node in to], numbers[2::3])
        kinds = [kind for edges in tables['Edges'] for kind in edges.kind]
        self.assertEqual(kinds, numbers[0::3])

    def test_what_the_command_writes(self):
        source = CORPUS / 'dartheap' / 'good' / 'quirks-graph.dartheap'
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / 'out.heapir'
            subprocess.run([HEAPGLOT, 'convert', source, '-o', out],
                           check=True, capture_output=True)
            tables = self.tables(out.read_bytes())
        end = tables['GraphEnd'][0]
        self.assertGreater(end.nodes, 0)
        self.assertEqual(sum(n.count for n in tables['Nodes']), end.nodes)
        self.assertEqual(sum(e.count for e in tables['Edges']), end.edges)
        self.assertEqual(sum(sum(n.self_size) for n in tables['Nodes']),
                         end.self_size_total)
        self.assertEqual(sum(sum(n.edge_count) for n in tables['Nodes']),
                         sum(sum(e.edges_per_node) for e in tables['Edges']))
        strings = sum(len(s.length) for s in tables['Strings'])
        self.assertEqual(strings + 1, tables['Footer'][0].strings)
        self.assertEqual(tables['Header'][0].format, 'dartheap')

    def test_another_version_may_have_made_an_archive(self):
        """normalize --verify checks the content of a dump, not its bytes."""
        source = CORPUS / 'dartheap' / 'good' / 'quirks-graph.dartheap'
        with tempfile.TemporaryDirectory() as folder:
            def normalize(*more):
                return subprocess.run(
                    [HEAPGLOT, 'normalize', source, '-o', folder, '--verify',
                     '--exact', *more], capture_output=True)
            self.assertEqual(normalize().returncode, 0)
            stored = [*pathlib.Path(folder).glob('*/*/*.heapir')]
            self.assertEqual(len(stored), 2)
            for path in stored:
                raw = heapir.File()
                for _, frame in heapir.frames(path.read_bytes()):
                    content = heapir.content_of(frame)
                    parsed = frame_pb2.Content()
                    if frame.kind != 0:
                        parsed.ParseFromString(content)
                    if parsed.HasField('trailer'):
                        parsed.trailer.CopyFrom(raw.trailer())
                        content = parsed.SerializeToString(deterministic=True)
                    raw.raw(frame.kind, content, names=frame.names)
                self.assertNotEqual(raw.data, path.read_bytes())
                path.chmod(0o600)
                path.write_bytes(raw.data)
            self.assertEqual(normalize().returncode, 0)
            # --from is the format of the source, not of the stored dump.
            self.assertEqual(normalize('--from', 'dartheap').returncode, 0)
            for path in stored:
                right = path.read_bytes()
                path.write_bytes(self.read('no-columns.heapir'))
                done = normalize()
                self.assertEqual(done.returncode, 8, path)
                self.assertIn(b'is damaged', done.stderr)
                path.write_bytes(right)

    def test_the_example(self):
        """docs/examples/totals.py"""
        def run(*command):
            return subprocess.run(
                command, env=dict(os.environ, PYTHONPATH=sys.path[0]),
                check=True, capture_output=True).stdout
        source = CORPUS / 'dartheap' / 'good' / 'quirks-graph.dartheap'
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / 'out.heapir'
            run(HEAPGLOT, 'convert', source, '-o', out)
            like = CORPUS / 'heapir' / 'good' / 'column-like-another.heapir'
            for path in (out, like):
                info = json.loads(run(HEAPGLOT, 'info', path, '--json'))
                totals = run(sys.executable,
                             PROTO.parent / 'docs/examples/totals.py', path)
                self.assertEqual(totals.decode(),
                                 f'{info["nodes"]} objects, '
                                 f'{info["self_size_total"]} bytes\n')

    def test_checksums(self):
        for path in (CORPUS / 'heapir' / 'good').iterdir():
            sums = heapir.File()
            for _, frame in heapir.frames(path.read_bytes()):
                body = frame.SerializeToString(deterministic=True)
                self.assertEqual(body[-9:-8], b'\x31')
                self.assertEqual(heapir.checksum_of(body[:-9]),
                                 frame.checksum)
                self.assertEqual(len(heapir.content_of(frame)), frame.raw_size)
                last = heapir.content_of(frame)
                trailer = sums.trailer()
                sums.checksums.append(frame.checksum)
            content = frame_pb2.Content.FromString(last)
            self.assertEqual(content.trailer, trailer, path)


if __name__ == '__main__':
    unittest.main()
