#!/usr/bin/env python3
"""Black-box tests of work in two threads: threads_test.py PATH_OF_HEAPGLOT
[unittest args]. Whatever is done in two is what one would have done."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = ''
GENERATORS = pathlib.Path(__file__).resolve().parent.parent / 'generate'
# More chunks than are sent before there is a second thread.
NODES, EDGES = 30_000, 90_000
EXTENSIONS = {'dartheap': 'dartheap', 'heapsnapshot': 'heapsnapshot',
              'netcf': 'gclog', 'ndjson': 'ndjson'}


class ThreadsTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.inputs = pathlib.Path(tempfile.mkdtemp(prefix='heapglot-threads.'))
        cls.addClassCleanup(shutil.rmtree, cls.inputs)
        for script, extension in EXTENSIONS.items():
            subprocess.run(
                [sys.executable, '-B', GENERATORS / f'{script}.py',
                 cls.inputs / f'in.{extension}', '--nodes', str(NODES),
                 '--edges', str(EDGES), '--seed', '1'],
                check=True, timeout=60)

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='heapglot-threads.'))
        self.addCleanup(shutil.rmtree, self.dir)

    def run_it(self, *args):
        return subprocess.run([BINARY, *args], capture_output=True,
                              timeout=120, check=False, cwd=self.dir)

    def check_conversion(self, extension, target, *args):
        results = []
        for threads in ('1', '2'):
            output = f'o{threads}.{target}'
            done = self.run_it('convert', self.inputs / f'in.{extension}', '-f',
                               '-o', output, '-j', threads, '--report',
                               'report.json', *args)
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads((self.dir / 'report.json').read_text())
            results.append(((self.dir / output).read_bytes(), report,
                            done.stderr))
        self.assertEqual(*results)

    def test_every_pair(self):
        for extension in EXTENSIONS.values():
            for target in (*EXTENSIONS.values(), 'heapir', 'ndjson.zst'):
                with self.subTest(source=extension, target=target):
                    self.check_conversion(extension, target)

    def test_what_is_unreachable(self):
        for what in ('root', 'drop'):
            with self.subTest(what=what):
                self.check_conversion('dartheap', 'heapsnapshot',
                                      '--unreachable', what)

    def test_round_trips(self):
        for threads in ('1', '2'):
            done = self.run_it('roundtrip', self.inputs / 'in.dartheap',
                               '--via', 'heapsnapshot,ndjson', '-j', threads)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_sidecar(self):
        for threads in ('1', '2'):
            done = self.run_it('convert', self.inputs / 'in.heapsnapshot', '-o',
                               f'{threads}.gclog', '--sidecar',
                               f'{threads}.heapir', '-q', '-j', threads)
            self.assertEqual(done.returncode, 0, done.stderr)
        for name in ('gclog', 'heapir'):
            self.assertEqual((self.dir / f'1.{name}').read_bytes(),
                             (self.dir / f'2.{name}').read_bytes())

    def test_a_writer_that_fails(self):
        # In its thread, long before the reader is through.
        done = self.run_it('convert', '-q', '-j', '2', '--to', 'ndjson',
                           self.inputs / 'in.heapsnapshot', '-o', '/dev/full')
        self.assertEqual(done.returncode, 8, done.stderr)
        self.assertEqual(done.stderr.count(b'\n'), 1, done.stderr)


if __name__ == '__main__':
    BINARY = sys.argv.pop(1)
    unittest.main()
