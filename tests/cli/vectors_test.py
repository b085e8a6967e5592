#!/usr/bin/env python3
"""Black-box tests of what vectors do: vectors_test.py PATH_OF_HEAPGLOT [unittest
args]. Processors that have fewer of them do the same."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = ''
GENERATORS = pathlib.Path(__file__).resolve().parent.parent / 'generate'
# More than a chunk of rows.
NODES, EDGES = 12_000, 36_000
EXTENSIONS = {'dartheap': 'dartheap', 'heapsnapshot': 'heapsnapshot',
              'netcf': 'gclog', 'ndjson': 'ndjson'}


class VectorsTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.dir = pathlib.Path(tempfile.mkdtemp(prefix='heapglot-vectors.'))
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        for script, extension in EXTENSIONS.items():
            subprocess.run(
                [sys.executable, '-B', GENERATORS / f'{script}.py',
                 cls.dir / f'in.{extension}', '--nodes', str(NODES),
                 '--edges', str(EDGES), '--seed', '2'],
                check=True, timeout=60)

    def made(self, output, vectors, *args):
        """What the command has written to the file, and said."""
        path = self.dir / output
        path.unlink(missing_ok=True)
        done = subprocess.run(
            [BINARY, *args], capture_output=True, timeout=120, check=False,
            cwd=self.dir, env=os.environ | {'HEAPGLOT_VECTORS': vectors})
        self.assertEqual(done.returncode, 0, done.stderr)
        return path.read_bytes() if path.exists() else b'', done.stdout

    def check(self, output, *args):
        with self.subTest(args=args):
            expected = self.made(output, 'plain', *args)
            for vectors in ('avx2', 'avx512'):
                # The bytes would fill the terminal.
                self.assertTrue(self.made(output, vectors, *args) == expected,
                                vectors)

    def test_every_pair(self):
        for extension in EXTENSIONS.values():
            for target in (*EXTENSIONS.values(), 'heapir', 'sqlite'):
                self.check(f'o.{target}', 'convert', '-q', '-j', '1',
                           f'in.{extension}', '-o', f'o.{target}')

    def test_the_way_back(self):
        for extension in EXTENSIONS.values():
            self.made('a.heapir', 'avx2', 'convert', '-q', f'in.{extension}', '-o',
                      'a.heapir')
            self.check(f'o.{extension}', 'convert', '-q', 'a.heapir', '-o',
                       f'o.{extension}')

    def test_digests(self):
        trees = []
        for vectors in ('plain', 'avx2', 'avx512'):
            archive = self.dir / f'archive-{vectors}'
            self.made('none', vectors, 'normalize', '-q', '-j', '1', '-o', archive,
                      *(f'in.{name}' for name in EXTENSIONS.values()))
            trees.append({path.relative_to(archive): path.read_bytes()
                          for path in archive.rglob('*') if path.is_file()})
        self.assertEqual([len(tree) for tree in trees], 3 * [len(trees[0])])
        for tree in trees:
            self.assertTrue(tree == trees[0])


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
