#!/usr/bin/env python3
"""Black-box tests of what vectors do: vectors_test.py PATH_OF_HEAPGLOT [unittest
args]. Processors with fewer of them must do the same."""

import os
import subprocess
import sys
import unittest

import generated_inputs
from generated_inputs import EXTENSIONS

BINARY = ''


class VectorsTest(generated_inputs.GeneratedInputs):

    def made(self, output, vectors, *args):
        """Returns what the command writes to the file, and what it prints."""
        path = self.inputs / output
        path.unlink(missing_ok=True)
        done = subprocess.run(
            [BINARY, *args], capture_output=True, timeout=120, check=False,
            cwd=self.inputs, env=os.environ | {'HEAPGLOT_VECTORS': vectors})
        self.assertEqual(done.returncode, 0, done.stderr)
        return path.read_bytes() if path.exists() else b'', done.stdout

    def check(self, output, *args):
        with self.subTest(args=args):
            expected = self.made(output, 'plain', *args)
            for vectors in ('avx2', 'avx512'):
                # assertEqual() would fill the terminal with bytes.
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
            archive = self.inputs / f'archive-{vectors}'
            self.made('none', vectors, 'normalize', '-q', '-j', '1', '-o', archive,
                      *(f'in.{name}' for name in EXTENSIONS.values()))
            trees.append({path.relative_to(archive): path.read_bytes()
                          for path in archive.rglob('*') if path.is_file()})
        self.assertTrue(trees[0])
        for tree in trees[1:]:
            self.assertTrue(tree == trees[0])


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
