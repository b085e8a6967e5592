#!/usr/bin/env python3
"""Makes every system call fail, one after another:
calls_test.py HEAPGLOT LIBRARY CORPUS [unittest args].

LIBRARY is built from failing_calls.cc. A run either fails with a reason and
leaves existing files alone, or does not notice: every visible file is whole."""

import errno
import gzip
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = LIBRARY = ''
CORPUS = pathlib.Path()
OK, LIMIT, OUTPUT, INPUT = 0, 5, 8, 9

# The exit codes that are allowed if a call fails in this way.
DISK = {name: {OUTPUT} for name in ('ENOSPC', 'EIO', 'EDQUOT', 'EFBIG')}
UNNOTICED = {'EINTR': {OK}, 'short': {OK}}
FAULTS = {
    # OK: in the sandbox, which does without the file.
    'open': {'EMFILE': {OUTPUT, INPUT, OK}, 'EACCES': {OUTPUT, INPUT, OK},
             'EIO': {OUTPUT, INPUT, OK}, 'EINTR': {OK}},
    'read': {'EIO': {INPUT}, 'EAGAIN': {OK}} | UNNOTICED,
    'pread': {'EIO': {INPUT}, 'EINTR': {OK}},
    'write': DISK | {'EAGAIN': {OK}} | UNNOTICED,
    'fsync': DISK | {'EINTR': {OK}, 'EINVAL': {OK}},
    # Outputs fail; closing an input cannot lose anything.
    'close': {name: {OUTPUT, OK} for name in DISK} | {'EINTR': {OK}},
    'rename': DISK | {'EACCES': {OUTPUT}},
    # EINVAL: a file system without support for it.
    'renameat2': DISK | {'EACCES': {OUTPUT}, 'EINVAL': {OK}, 'ENOSYS': {OK}},
    # ENODEV: a file system without support for it.
    'mmap_file': {'ENOMEM': {LIMIT}, 'ENODEV': {OK, LIMIT}},
    'mmap_memory': {'ENOMEM': {LIMIT}},
    'fstat': {'EIO': {INPUT, OUTPUT, OK}},
    'stat': {'EIO': {OUTPUT, OK}, 'EACCES': {OUTPUT, OK}},
    'lseek': {'ESPIPE': {OK, OUTPUT}},
    'fcntl': {'EMFILE': {OUTPUT, INPUT, OK}},
    # A counter serves as well.
    'getrandom': {'EAGAIN': {OK}, 'ENOSYS': {OK}},
}


# Further calls of normalize, in a worker or in the process that owns the archive:
# one dump cannot be read, or the run ends.
ARCHIVE_FAULTS = {
    'open': ['EMFILE', 'EACCES'], 'read': ['EIO', 'EINTR', 'short'],
    'pread': ['EIO'], 'write': ['ENOSPC', 'EINTR', 'short'],
    'fsync': ['EIO', 'EINVAL'], 'close': ['EIO'], 'rename': ['ENOSPC'],
    'linkat': ['ENOSPC', 'EACCES'], 'unlink': ['EIO'],
    'mkdir': ['ENOSPC', 'EACCES'], 'flock': ['EINTR', 'EIO'],
    'fork': ['EAGAIN'], 'pipe2': ['EMFILE'], 'mmap_file': ['ENOMEM'],
    'mmap_memory': ['ENOMEM'], 'fstat': ['EIO'], 'stat': ['EIO'],
}


class CallsTest(unittest.TestCase):

    maxDiff = 2000
    # The calls that have failed in any of the tests.
    seen = set()

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='heapglot-calls.'))
        self.addCleanup(shutil.rmtree, self.dir)
        self.tmp = self.dir / 'tmp'
        self.tmp.mkdir()
        self.stdin = b''

    def run_it(self, args, fault=''):
        """Returns the run, and whether the fault has happened."""
        told = os.memfd_create('fault')
        os.write(told, b'.')
        env = {'PATH': os.environ['PATH'], 'TMPDIR': str(self.tmp)}
        if fault:
            env |= {'LD_PRELOAD': LIBRARY, 'HEAPGLOT_FAULT': fault,
                    'HEAPGLOT_FAULT_FD': str(told)}
        done = subprocess.run(
            [BINARY, *args], input=self.stdin, cwd=self.dir, timeout=60,
            capture_output=True, pass_fds=[told], env=env, check=False)
        happened = os.pread(told, 1, 0) == b'!'
        os.close(told)
        return done, happened

    def files(self):
        return {str(path.relative_to(self.dir)): path.read_bytes()
                for path in self.dir.rglob('*') if path.is_file()}

    def restore(self, files):
        for name in self.files():
            if name not in files:
                os.remove(self.dir / name)
        for name, data in files.items():
            (self.dir / name).write_bytes(data)

    def fail_each(self, *args, faults=None, last=''):
        """`last`: a file that is written after everything else."""
        # Without a limit, heapglot reads files about memory, which may fail.
        args += ('--max-memory', '8G')
        before = self.files()
        plain, _ = self.run_it(args)
        self.assertEqual(plain.returncode, OK, plain.stderr)
        after = self.files()
        for name, errors in (faults or FAULTS).items():
            for error, codes in errors.items():
                self.fail_each_call(args, name, error, codes, before, after,
                                    plain.stdout, last)

    def fail_each_call(self, args, name, error, codes, before, after, stdout,
                       last):
        word = error if error == 'short' else str(getattr(errno, error))
        for n in range(1, 10_000):
            self.restore(before)
            done, happened = self.run_it(args, f'{name}:{n}:{word}')
            if not happened:
                self.assertEqual(done.returncode, OK, done)
                return
            self.seen.add(name)
            with self.subTest(args=args, call=f'{name} {n}', error=error):
                self.assertIn(done.returncode, codes, done.stderr)
                self.check_files(done, before, after, last)
                if done.returncode == OK:
                    self.assertEqual(done.stdout, stdout)
                else:
                    self.assertTrue(stdout.startswith(done.stdout))
                    self.check_message(done, name, error)

    def check_files(self, done, before, after, last):
        files = self.files()
        if done.returncode == OK:
            self.assertEqual(files, after)
        elif b': it is there, but not yet durable' in done.stderr:
            # Too late to take it back.
            self.assertTrue(files.items() <= after.items(), files)
        elif f'{last}:'.encode() in done.stderr and last:
            rest = {name: data for name, data in after.items()
                    if name != last or name in before}
            rest |= {last: before[last]} if last in before else {}
            self.assertIn(files, (before, rest))
        else:
            self.assertEqual(files, before)

    def check_message(self, done, name, error):
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        reason = 'out of memory' if done.returncode == LIMIT else \
            os.strerror(getattr(errno, error))
        self.assertIn(reason.encode(), done.stderr)

    # ---------------------------------------------------------------- the runs

    def small(self):
        shutil.copy(CORPUS / 'netcf/good/two-domains-same-name.gclog',
                    self.dir / 'in.gclog')

    def test_an_output_that_is_replaced(self):
        self.small()
        (self.dir / 'o.ndjson').write_bytes(b'old')
        self.fail_each('convert', '-q', '-f', 'in.gclog', '-o', 'o.ndjson')

    def test_a_new_output_and_a_report(self):
        self.small()
        (self.dir / 'r.json').write_bytes(b'old')
        self.fail_each('convert', '-q', 'in.gclog', '-o', 'o.heapsnapshot.gz',
                       '--report', 'r.json', last='r.json')

    def test_a_sidecar(self):
        shutil.copy(CORPUS / 'dartheap/good/quirks-graph.dartheap',
                    self.dir / 'in.dartheap')
        self.fail_each('convert', '-q', 'in.dartheap', '-o', 'o.gclog',
                       '--sidecar', 's.heapir', last='o.gclog')

    def test_leftovers_that_are_made_beside(self):
        # Large enough, and more than stays in memory.
        small = (CORPUS / 'dartheap/good/quirks-graph.dartheap').read_bytes()
        noise = random.Random(1).randbytes(300_000)
        (self.dir / 'in.dartheap').write_bytes(small + noise)
        # A failure where leftovers are made early is not fatal.
        self.fail_each('convert', '-q', '-j', '2', 'in.dartheap', '-o',
                       'o.ndjson', faults={
                           'open': {'EMFILE': {OUTPUT, INPUT, OK}},
                           'write': {'ENOSPC': {OUTPUT, OK}, 'short': {OK}},
                           'mmap_file': {'ENOMEM': {LIMIT, OK}},
                           'mmap_memory': {'ENOMEM': {LIMIT, OK}}})

    def test_durable_outputs(self):
        self.small()
        (self.dir / 'o.ndjson').write_bytes(b'old')
        self.fail_each('convert', '-q', '-f', '--durable', 'in.gclog', '-o',
                       'o.ndjson', '--report', 'r.json', last='r.json',
                       faults={name: FAULTS[name]
                               for name in ('open', 'fsync', 'rename')})

    def test_standard_input_and_output(self):
        self.small()
        self.stdin = (self.dir / 'in.gclog').read_bytes()
        self.fail_each('convert', '-q', '-', '--to', 'heapir', '-o', '-')

    def test_pages(self):
        self.small()
        self.fail_each('info', '--json', 'in.gclog')
        self.fail_each('diff', 'in.gclog', 'in.gclog')
        self.fail_each('roundtrip', 'in.gclog', '--via', 'heapir')

    def test_inputs_that_are_unpacked(self):
        self.small()
        data = (self.dir / 'in.gclog').read_bytes()
        (self.dir / 'in.gclog.gz').write_bytes(gzip.compress(data))
        self.fail_each('info', '--json', 'in.gclog.gz')
        # More than heapglot unpacks into memory.
        with gzip.open(self.dir / 'big.gz', 'wb', 9) as file:
            file.write((CORPUS / 'heapsnapshot/good/bom.heapsnapshot')
                       .read_bytes())
            file.write(b' ' * (17 << 20))
        self.fail_each('info', 'big.gz', '--max-ratio', '1000000',
                       faults={'open': FAULTS['open'],
                               'write': {'ENOSPC': {OUTPUT}, 'short': {OK}},
                               'mmap_file': {'ENOMEM': {LIMIT}}})

    # ---------------------------------------------------------------- archives

    def archive(self):
        """The files of an archive by path; expects no others."""
        files = {name: data for name, data in self.files().items()
                 if name.startswith('a/')}
        manifest = files.get('a/manifest.ndjson', b'')
        for line in manifest.splitlines():
            row = json.loads(line)
            digest = row.get('digest')
            paths = [f'a/dumps/{digest[:2]}/{digest}.{extension}'
                     for extension in ('heapir', 'delta')] if digest else []
            self.assertTrue(not digest or any(path in files for path in paths),
                            row)
        return files

    def fail_each_of_archive(self, *args):
        """After any failure, --resume makes the archive that a run without
        failures would have made: no failure is blamed on a dump."""
        args = ('normalize', '-q', '-o', 'a', '-j', '1', *args,
                '--max-memory', '8G')
        plain, _ = self.run_it(args)
        self.assertEqual(plain.returncode, OK, plain.stderr)
        expected = self.archive()
        for name, errors in ARCHIVE_FAULTS.items():
            for error in errors:
                word = error if error == 'short' else str(getattr(errno, error))
                for n in range(1, 1000):
                    shutil.rmtree(self.dir / 'a', ignore_errors=True)
                    done, happened = self.run_it(args, f'{name}:{n}:{word}')
                    with self.subTest(call=f'{name} {n}', error=error):
                        self.check_archive(args, done, expected)
                    if not happened:
                        break

    def check_archive(self, args, done, expected):
        self.assertIn(done.returncode, (0, 1, 3, 5, 8, 9), done.stderr)
        found = self.archive()
        if done.returncode == OK:
            self.assertEqual(found, expected)
            return
        self.assertNotEqual(done.stderr, b'')
        again, _ = self.run_it((*args, '--resume'))
        self.assertEqual(again.returncode, OK, again.stderr)
        found = self.archive()
        if found == expected:
            return
        # A dump that could not be read was added later to an archive with
        # deltas, so other dumps are whole (docs/archives.md).
        digests = [row['digest'] for row in map(json.loads, found[
            'a/manifest.ndjson'].splitlines())]
        self.assertEqual(digests, [row['digest'] for row in map(
            json.loads, expected['a/manifest.ndjson'].splitlines())])
        for digest in digests:
            restored, _ = self.run_it(['restore', '-q', 'a', digest, '-o', '-',
                                       '--to', 'ndjson'])
            self.assertEqual(restored.returncode, OK, restored.stderr)

    def test_an_archive(self):
        self.small()
        log = (self.dir / 'in.gclog').read_bytes()
        (self.dir / 'in.gclog').rename(self.dir / '1.gclog')
        (self.dir / '2.gclog').write_bytes(log.replace(b' 18 ', b' 20 '))
        (self.dir / '3.gclog.gz').write_bytes(gzip.compress(log, mtime=0))
        self.fail_each_of_archive('1.gclog', '2.gclog', '3.gclog.gz', '--delta',
                                  '--exact', '--verify')

    def test_a_dump_from_an_archive(self):
        self.small()
        log = (self.dir / 'in.gclog').read_bytes()
        (self.dir / '2.gclog').write_bytes(log.replace(b' 18 ', b' 20 '))
        done, _ = self.run_it(['normalize', '-q', 'in.gclog', '2.gclog', '-o',
                               'a', '--delta'])
        self.assertEqual(done.returncode, OK, done.stderr)
        row = json.loads((self.dir / 'a/manifest.ndjson').read_bytes()
                         .splitlines()[1])
        self.assertIn('base', row)
        self.fail_each('restore', 'a', row['digest'], '-o', 'x.ndjson', '-q')

    @classmethod
    def tearDownClass(cls):
        missing = set(FAULTS) - cls.seen
        assert not missing, f'never called: {sorted(missing)}'


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    LIBRARY = os.path.abspath(sys.argv.pop(1))
    CORPUS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
