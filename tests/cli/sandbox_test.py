#!/usr/bin/env python3
"""Tests of the sandbox: sandbox_test.py PATH_OF_HEAPGLOT [unittest args].

tests/tools/sandbox_test.cc tests what it prevents."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import dartheap_builder as build

BINARY = ''
NO_SECCOMP = pathlib.Path(__file__).resolve().parent / 'no_seccomp.py'
OK, DIFFERENT = 0, 10


class SandboxTest(unittest.TestCase):

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='heapglot-box.'))
        self.addCleanup(shutil.rmtree, self.dir)
        (self.dir / 'in.dartheap').write_bytes(build.people())

    def run_it(self, *args, exit_code=OK, wrap=(), **more):
        done = subprocess.run(
            [*wrap, BINARY, *args], cwd=self.dir, capture_output=True,
            timeout=120, check=False, stdin=subprocess.DEVNULL, **more)
        self.assertEqual(done.returncode, exit_code, done)
        return done

    def status_while_waiting(self, *args):
        """The kernel's status of a process that waits for its input."""
        with subprocess.Popen([BINARY, *args], cwd=self.dir,
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            status = pathlib.Path(f'/proc/{process.pid}/status')
            deadline = time.monotonic() + 60
            words = {}
            while words.get('State', 'R') != 'S' and \
                    time.monotonic() < deadline:
                time.sleep(0.02)
                words = {line.split(':')[0]: (line.split() + [''])[1]
                         for line in status.read_text().splitlines()}
            process.kill()
        return {name: int(word) for name, word in words.items()
                if word.isdigit()}

    def test_is_on_while_input_is_read(self):
        for args in (['info', '-'], ['validate', '-'],
                     ['diff', '-', 'in.dartheap'],
                     ['diff', 'in.dartheap', '-'],
                     ['roundtrip', '-', '--via', 'heapir'],
                     ['convert', '-', '-o', 'o.heapsnapshot'],
                     ['convert', '-', '-o', '-', '--to', 'ndjson']):
            with self.subTest(args=args):
                inside = self.status_while_waiting(*args)
                outside = self.status_while_waiting(*args, '--no-sandbox')
                self.assertEqual(inside['Seccomp'], 2)
                self.assertEqual(inside['NoNewPrivs'], 1)
                # This test may run inside a filter already.
                self.assertEqual(inside['Seccomp_filters'],
                                 outside['Seccomp_filters'] + 1)

    def test_changes_nothing(self):
        """Verbs do the same to files inside and outside of the sandbox."""
        (self.dir / 'b.dartheap').write_bytes(build.many(100))
        runs = (
            ['info', '-v', 'in.dartheap'],
            ['validate', 'in.dartheap', 'b.dartheap', 'in.dartheap'],
            ['diff', 'in.dartheap', 'b.dartheap'],
            ['diff', 'in.dartheap', 'b.dartheap', '--match', 'structure'],
            ['roundtrip', 'in.dartheap', '--via', 'all'],
            ['roundtrip', 'in.dartheap', '--via', 'netcf', '--embed', 'none',
             '--minimize', 'small.dartheap', '-f'],
            ['convert', 'in.dartheap', '-f', '-o', 'o.heapsnapshot'],
            ['convert', 'in.dartheap', '-f', '-o', 'o.ndjson.gz', '--report',
             'r.json', '--progress', 'always'],
            ['convert', 'in.dartheap', '-f', '-o', 'sub/o.heapir.zst'],
            ['convert', 'in.dartheap', '-f', '-o', 'o.gclog', '--sidecar',
             'side/s.heapir'],
            ['convert', 'o.gclog', '-f', '-o', 'back.dartheap', '--sidecar',
             'side/s.heapir'],
            ['convert', 'b.dartheap', '-f', '-o', 'link.heapsnapshot'])
        for folder in ('sub', 'side'):
            (self.dir / folder).mkdir()
        os.symlink('sub/linked', self.dir / 'link.heapsnapshot')
        results = []
        for more in (['--no-sandbox'], []):
            done = [subprocess.run([BINARY, *args, *more], cwd=self.dir,
                                   stdin=subprocess.DEVNULL, timeout=120,
                                   capture_output=True, check=False)
                    for args in runs]
            files = {str(path): path.read_bytes()
                     for path in self.dir.rglob('*') if path.is_file()}
            results.append((files, [(run.returncode, run.stdout)
                                    for run in done]))
            self.assertLessEqual({run.returncode for run in done},
                                 {OK, DIFFERENT}, done)
        self.assertEqual(results[0], results[1])
        self.assertTrue((self.dir / 'sub/linked').is_file())

    def test_inputs_of_all_kinds(self):
        os.mkfifo(self.dir / 'fifo')
        data = (self.dir / 'in.dartheap').read_bytes()
        with subprocess.Popen(['/bin/sh', '-c', 'cat in.dartheap > fifo'],
                              cwd=self.dir):
            self.run_it('diff', 'in.dartheap', 'fifo')
        done = subprocess.run([BINARY, 'diff', 'in.dartheap', '/dev/stdin'],
                              cwd=self.dir, input=data, capture_output=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, OK, done)

    def test_scratch_files(self):
        """What does not fit in memory goes to $TMPDIR, wherever that is."""
        (self.dir / 'big.dartheap').write_bytes(build.many(300_000))
        with open(self.dir / 'big.dartheap', 'rb') as big:
            data = big.read()
        (self.dir / 'scratch').mkdir()
        env = {**os.environ, 'TMPDIR': str(self.dir / 'scratch')}
        for args in (['info', '-'], ['diff', 'big.dartheap', '-']):
            done = subprocess.run([BINARY, *args], cwd=self.dir, env=env,
                                  input=data + bytes(17 << 20), timeout=120,
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, OK, done.stderr)
        self.assertEqual(os.listdir(self.dir / 'scratch'), [])

    def test_goes_on_without(self):
        wrap = [sys.executable, str(NO_SECCOMP)]
        args = ['convert', 'in.dartheap', '-o', 'o.heapsnapshot', '-f']
        self.assertNotIn(b'sandbox', self.run_it(*args, wrap=wrap).stderr)
        done = self.run_it(*args, '-v', wrap=wrap)
        self.assertIn(b'sandbox is not complete: no seccomp', done.stderr)
        self.assertNotIn(b'sandbox', self.run_it(*args, '-v').stderr)


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
