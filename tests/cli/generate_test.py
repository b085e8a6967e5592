#!/usr/bin/env python3
"""Tests of tests/generate: generate_test.py PATH_OF_HEAPGLOT [unittest args].

Every generator must make a dump that its reader accepts without findings, the
same one every time, and that comes back through a heapir file."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = ''
GENERATORS = pathlib.Path(__file__).resolve().parent.parent / 'generate'
NODES, EDGES = 3000, 8000


class GenerateTest(unittest.TestCase):

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='heapglot-generate.'))
        self.addCleanup(shutil.rmtree, self.dir)

    def generate(self, script, name, *args, nodes=NODES, edges=EDGES, seed=1):
        path = self.dir / name
        subprocess.run(
            [sys.executable, '-B', GENERATORS / script, path, '--nodes',
             str(nodes), '--edges', str(edges), '--seed', str(seed), *args],
            check=True, timeout=60)
        return path

    def run_it(self, *args):
        done = subprocess.run([BINARY, *args], capture_output=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def check_file(self, path, graphs=1):
        """Expects a valid file of the requested size that returns as the same bytes."""
        done = self.run_it('info', '--json', '--strict', path)
        info = json.loads(done.stdout)
        self.assertEqual(info['format'], path.suffix[1:].replace('gclog',
                                                                 'netcf'))
        self.assertEqual(info['nodes'], NODES)
        self.assertEqual(info['edges'], EDGES)
        self.assertEqual(len(info['graphs']), graphs)
        middle = path.with_suffix('.heapir')
        back = path.with_stem('back')
        self.run_it('convert', '-qf', path, '-o', middle)
        self.run_it('convert', '-qf', middle, '-o', back)
        self.assertEqual(back.read_bytes(), path.read_bytes())

    def check(self, script, extension, *args, **more):
        one = self.generate(script, 'one.' + extension, *args)
        again = self.generate(script, 'again.' + extension, *args)
        self.assertEqual(one.read_bytes(), again.read_bytes())
        other = self.generate(script, 'other.' + extension, *args, seed=2)
        self.assertNotEqual(one.read_bytes(), other.read_bytes())
        self.check_file(one, **more)
        # A single node is a heap, too.
        least = self.generate(script, 'least.' + extension, *args, nodes=1,
                              edges=0)
        self.run_it('info', '--strict', least)

    def test_heapsnapshot(self):
        self.check('heapsnapshot.py', 'heapsnapshot')
        self.check('heapsnapshot.py', 'heapsnapshot', '--compact')

    def test_dartheap(self):
        self.check('dartheap.py', 'dartheap')

    def test_netcf(self):
        self.check('netcf.py', 'gclog')
        self.check('netcf.py', 'gclog', '--domains', graphs=3)

    def test_ndjson(self):
        self.check('ndjson.py', 'ndjson')
        self.check('ndjson.py', 'ndjson', '--objects')
        self.check('ndjson.py', 'ndjson', '--scattered')


if __name__ == '__main__':
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
