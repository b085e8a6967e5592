#!/usr/bin/env python3
"""Black-box tests of work in two threads: threads_test.py PATH_OF_HEAPGLOT
[unittest args]. Two threads must do what one thread does."""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import generated_inputs
from generated_inputs import EXTENSIONS

BINARY = ''


class ThreadsTest(generated_inputs.GeneratedInputs):
    # More chunks than are sent before the second thread starts.
    NODES, EDGES = 30_000, 90_000

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

    def test_at_least_one(self):
        for threads in ('0', '-1', 'many'):
            done = self.run_it('info', self.inputs / 'in.ndjson', '-j', threads)
            self.assertEqual(done.returncode, 2, done)

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

    def test_leftovers_that_are_made_beside(self):
        """Of a dump with data that does not compress."""
        dump = (self.inputs / 'in.dartheap').read_bytes()
        noise = random.Random(1).randbytes(1_000_000)
        (self.inputs / 'in.trailing.dartheap').write_bytes(dump + noise)
        for target in ('heapsnapshot', 'ndjson', 'sqlite'):
            for args in ((), ('--unreachable', 'keep'), ('--embed', 'none')):
                with self.subTest(target=target, args=args):
                    self.check_conversion('trailing.dartheap', target, *args)

    def test_leftovers_come_back(self):
        for target in ('heapsnapshot', 'ndjson', 'sqlite'):
            self.run_it('convert', '-q', self.inputs / 'in.dartheap', '-o',
                        f'a.{target}', '-j', '2')
            done = self.run_it('convert', '-q', f'a.{target}', '-o',
                               f'{target}.dartheap')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((self.dir / f'{target}.dartheap').read_bytes(),
                             (self.inputs / 'in.dartheap').read_bytes())

    def test_leftovers_without_a_temporary_file(self):
        noise = random.Random(1).randbytes(1_000_000)
        (self.dir / 'in.dartheap').write_bytes(
            (self.inputs / 'in.dartheap').read_bytes() + noise)
        made = []
        for tmp in (self.dir, pathlib.Path('/proc')):
            done = subprocess.run(
                [BINARY, 'convert', '-q', '-f', '-j', '2', 'in.dartheap', '-o',
                 'o.heapsnapshot', '--unreachable', 'keep'],
                capture_output=True, timeout=120, check=False, cwd=self.dir,
                env=os.environ | {'TMPDIR': str(tmp)})
            self.assertEqual(done.returncode, 0, done.stderr)
            made.append((self.dir / 'o.heapsnapshot').read_bytes())
        self.assertEqual(*made)

    def test_a_dump_that_is_cut(self):
        """The error is the same, whatever else was in progress."""
        dump = (self.inputs / 'in.dartheap').read_bytes()
        for cut in (len(dump) - 1, len(dump) * 2 // 3):
            (self.dir / 'in.dartheap').write_bytes(dump[:cut])
            results = [self.run_it('convert', 'in.dartheap', '-o',
                                   'o.heapsnapshot', '-j', threads)
                       for threads in ('1', '2')]
            self.assertEqual(results[0].returncode, 4, results[0].stderr)
            self.assertEqual(*((done.returncode, done.stderr)
                               for done in results))
            self.assertEqual(os.listdir(self.dir), ['in.dartheap'])

    def archive_of(self, source, threads, *args):
        archive = self.dir / f'archive{threads}'
        done = self.run_it('normalize', source, '-o', archive, '-j', threads,
                           *args)
        files = {path.relative_to(archive): path.read_bytes()
                 for path in archive.rglob('*') if path.is_file()}
        shutil.rmtree(archive)
        return done.returncode, done.stderr.replace(
            bytes(archive), b'archive'), files

    def test_archives(self):
        for extension in EXTENSIONS.values():
            with self.subTest(source=extension):
                source = self.inputs / f'in.{extension}'
                alone = self.archive_of(source, '1', '--exact', '--verify')
                self.assertEqual(alone[0], 0, alone[1])
                self.assertEqual(
                    alone, self.archive_of(source, '2', '--exact', '--verify'))

    def test_archives_of_what_is_damaged(self):
        source = self.dir / 'damaged.heapsnapshot'
        whole = (self.inputs / 'in.heapsnapshot').read_bytes()
        for size in range(len(whole) // 5, len(whole), len(whole) // 5):
            source.write_bytes(whole[:size])
            alone = self.archive_of(source, '1')
            self.assertNotEqual(alone[0], 0)
            self.assertEqual(alone, self.archive_of(source, '2'))

    def test_archives_with_little_memory(self):
        # Memory may run out in any thread. Sanitizers ignore the limit.
        for mebibytes in (*range(2, 26, 2), 64):
            code, error, _ = self.archive_of(
                self.inputs / 'in.heapsnapshot', '2', '--max-memory',
                f'{mebibytes}M')
            self.assertIn(code, (0, 5), error)
        self.assertEqual(code, 0, error)

    def test_a_writer_that_fails(self):
        # It fails in its own thread, long before the reader ends.
        done = self.run_it('convert', '-q', '-j', '2', '--to', 'ndjson',
                           self.inputs / 'in.heapsnapshot', '-o', '/dev/full')
        self.assertEqual(done.returncode, 8, done.stderr)
        self.assertEqual(done.stderr.count(b'\n'), 1, done.stderr)


if __name__ == '__main__':
    BINARY = sys.argv.pop(1)
    unittest.main()
