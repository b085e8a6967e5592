#!/usr/bin/env python3
"""Black-box tests of deltas in archives: delta_test.py PATH_OF_HEAPGLOT CORPUS
[unittest args]."""

import contextlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import unittest

import cli_test
import normalize_test
from cli_test import INPUT, LIMIT, MALFORMED, OUTPUT, TRUNCATED
from normalize_test import snapshot, spell

UNSUPPORTED = 6
MOST = 7  # deltas on top of each other
HEADER = 112


def grow(heap, rng):
    """The heap of the same process some time later: it has a few more objects."""
    rows, edges = list(heap['rows']), list(heap['edges'])
    for _ in range(5):
        rows.append([3, rng.randrange(2, 42), 2 * len(rows) + 1, 24, 1])
        edges.append([[1, 0, 5 * rng.randrange(len(edges))]])
    return {**heap, 'rows': rows, 'edges': edges}


def delta(digest, base, size, frame):
    return (b'\x89HGD\r\n\x1a\n' + bytes.fromhex(digest) + bytes.fromhex(base) +
            size.to_bytes(8, 'little') + bytes(32) + frame)


def zeros(size):
    """A small zstd frame of `size` zeros."""
    block = 128 << 10
    blocks = [min(block, size - at) for at in range(0, size, block)]
    frame = b'\x28\xb5\x2f\xfd\xe0' + size.to_bytes(8, 'little')
    for i, length in enumerate(blocks):
        head = length << 3 | 1 << 1 | (i + 1 == len(blocks))
        frame += head.to_bytes(3, 'little') + b'\0'
    return frame


class DeltaTest(normalize_test.ArchiveTest):

    def successive(self, folder, count, seed=1):
        os.makedirs(self.dir / folder, exist_ok=True)
        rng = random.Random(seed)
        heap = snapshot(rng, nodes=400)
        for i in range(count):
            self.write(f'{folder}/{i:03}.heapsnapshot', spell(heap))
            heap = grow(heap, rng)

    def bases(self, archive='a'):
        return {source: row.get('base')
                for source, row in self.rows(archive).items()}

    def path(self, digest, extension='delta', archive='a'):
        return f'{archive}/dumps/{digest[:2]}/{digest}.{extension}'

    def restored(self, digest, archive):
        return self.run_it('restore', archive, digest, '-o', '-', '--to',
                           'ndjson', '-q').stdout

    def assert_can_be_read(self, archive, plain):
        """Expects every dump to be the same as from an archive without deltas."""
        digests = {row['digest'] for row in self.rows(plain).values()}
        for digest in digests:
            self.assertEqual(self.restored(digest, archive),
                             self.restored(digest, plain), digest)

    def refused(self, digest, *parts, exit_code):
        lines = self.errors('restore', 'a', digest, '-o', 'x.ndjson',
                            exit_code=exit_code)
        self.assert_one_message(lines, *parts)
        self.assertFalse((self.dir / 'x.ndjson').exists())


class Chains(DeltaTest):

    def test_successive_dumps_are_deltas_of_the_one_before(self):
        self.successive('in/run', 10)
        self.successive('in/other', 2, seed=2)
        self.write('in/run/004.dartheap', self.read('in.dartheap'))
        self.write('in/run/copy', self.read('in/run/000.heapsnapshot'))
        self.write_heap('in/run/0025', snapshot(random.Random(5), nodes=60))
        self.normalize('in', '-o', 'plain')
        done = self.normalize('in', '-o', 'a', '--delta', '--report', 'r.json')
        self.assertIn(b'made 9 deltas', done.stderr)
        self.assertIn(b'"deltas": 9', self.read('r.json'))
        rows = self.rows()
        digest = [rows[f'in/run/{i:03}.heapsnapshot']['digest']
                  for i in range(10)]
        expected = dict.fromkeys(rows)
        # 0025 has far fewer objects, so that the next dump is no delta of it.
        for i in (1, 2, 4, 5, 6, 7, 8, 9):
            expected[f'in/run/{i:03}.heapsnapshot'] = digest[i - 1]
        expected['in/other/001.heapsnapshot'] = rows[
            'in/other/000.heapsnapshot']['digest']
        expected['in/run/004.heapsnapshot'] = digest[3]
        bases = self.bases()
        self.assertEqual(sum(base is not None for base in bases.values()), 9)
        self.assertEqual(bases, expected)

    def test_chains_end(self):
        self.successive('in', 20)
        self.normalize('in', '-o', 'plain')
        self.normalize('in', '-o', 'a', '--delta')
        whole = [source for source, base in self.bases().items()
                 if base is None]
        self.assertEqual(whole, [f'in/{i:03}.heapsnapshot'
                                 for i in (0, MOST + 1, 2 * MOST + 2)])
        self.assert_can_be_read('a', 'plain')
        for source, row in self.rows().items():
            if self.bases()[source] is None:
                continue
            self.assertFalse((self.dir / self.path(row['digest'],
                                                   'heapir')).exists())
            self.assertEqual((self.dir / self.path(row['digest']))
                             .stat().st_size, row['delta_size'])
            self.assertLess(row['delta_size'], row['stored_size'])

    def test_nothing_goes_on_top_of_the_last_delta(self):
        """The delta is from an earlier run; this run would begin with its dump."""
        self.successive('in', MOST + 2)
        self.successive('early', 0)
        last = f'in/{MOST + 1:03}.heapsnapshot'
        self.write('early/1.heapsnapshot', self.read(last))
        os.remove(self.dir / last)
        self.normalize('in', '-o', 'a', '--delta')
        self.write('early/0.heapsnapshot',
                   self.read(f'in/{MOST:03}.heapsnapshot'))
        self.normalize('in', 'early', '-o', 'plain')
        self.normalize('in', 'early', '-o', 'a', '--resume', '--delta')
        bases = self.bases()
        self.assertIsNotNone(bases['early/0.heapsnapshot'])
        self.assertIsNone(bases['early/1.heapsnapshot'])
        self.assert_can_be_read('a', 'plain')

    def test_an_archive_of_deltas_can_be_added_to(self):
        self.successive('in', 6)
        self.normalize('in/001.heapsnapshot', 'in/003.heapsnapshot', '-o', 'a',
                       '--delta')
        before = self.contents()
        # An existing dump is not stored again, with or without --resume.
        self.normalize('in/003.heapsnapshot', '-o', 'a', '--verify')
        self.assertEqual(self.contents(), before)
        self.normalize('in', '-o', 'a', '--resume')
        self.assertEqual(sum(base is not None
                             for base in self.bases().values()), 1)
        self.normalize('in', '-o', 'a', '--resume', '--delta')
        self.normalize('in', '-o', 'plain')
        self.assert_can_be_read('a', 'plain')
        # 3 is a delta of 1, which stays whole.
        whole = [source for source, base in self.bases().items()
                 if base is None]
        self.assertEqual(whole, ['in/000.heapsnapshot', 'in/001.heapsnapshot'])

    def test_deltas_that_no_row_knows_hold_what_is_below_them(self):
        """The source in the middle changes. Its old dump is still a base and has
        a base, which could otherwise become a delta of another dump."""
        self.successive('in', MOST + 1)
        self.normalize('in', '-o', 'plain')
        self.normalize('in', '-o', 'a', '--delta')
        rows = self.rows()
        self.successive('new', 2, seed=7)
        os.replace(self.dir / 'new/001.heapsnapshot',
                   self.dir / 'in/001.heapsnapshot')
        # A dump that comes before the first one and resembles it.
        heap = snapshot(random.Random(1), nodes=400)
        self.write('in/0.heapsnapshot', spell(grow(heap, random.Random(8))))
        self.normalize('in', '-o', 'a', '--delta', '--resume')
        self.assertIsNone(self.bases()['in/000.heapsnapshot'])
        for row in rows.values():
            if row['source'] != 'in/001.heapsnapshot':
                self.assertEqual(self.restored(row['digest'], 'a'),
                                 self.restored(row['digest'], 'plain'))

    def test_another_dump_does_not_become_a_delta(self):
        self.successive('in', 4)
        self.normalize('in', '-o', 'a')
        digests = [row['digest'] for row in self.rows().values()]
        right = self.read(self.path(digests[2], 'heapir'))
        self.write(self.path(digests[2], 'heapir'),
                   self.read(self.path(digests[3], 'heapir')))
        done = self.normalize('--merge-manifests', '--delta', '-o', 'a',
                              exit_code=MALFORMED)
        self.assertIn(f'it holds the dump {digests[3]}'.encode(), done.stderr)
        self.assertTrue((self.dir / self.path(digests[2], 'heapir')).exists())
        self.assertIsNone(self.bases()['in/002.heapsnapshot'])
        self.write(self.path(digests[2], 'heapir'), right)
        self.normalize('--merge-manifests', '--delta', '-o', 'a')
        self.normalize('in', '-o', 'plain')
        self.assert_can_be_read('a', 'plain')

    def test_classes_are_found_in_deltas(self):
        self.successive('in', 3)
        self.normalize('in', '-o', 'a', '--delta', '--top', '1')
        self.normalize('in', '-o', 'all', '--top', '1000')
        for row in self.rows('all')['in/000.heapsnapshot']['top_types']:
            found = self.run_it('archive', 'find', 'a', '--type', row['name'])
            wanted = self.run_it('archive', 'find', 'all', '--type',
                                 row['name'])
            self.assertEqual(found.stdout, wanted.stdout)

    def test_an_archive_that_is_open_already(self):
        self.successive('in', 3)
        os.mkdir(self.dir / 'b')
        folder = os.open(self.dir / 'b', os.O_RDONLY)
        self.addCleanup(os.close, folder)
        os.symlink(f'/dev/fd/{folder}', self.dir / 'link')
        self.normalize('in', '-o', 'a', '--delta', '--top', '0')
        for path in (f'/dev/fd/{folder}', f'/proc/self/fd/{folder}', 'link',
                     f'/proc/thread-self/fd/{folder}', '/dev/stdin'):
            for verb in (['normalize', 'in', '-o', path, '--delta', '--top',
                          '0'], ['archive', 'find', path, '--type', 'name']):
                self.assertEqual(subprocess.run(
                    [cli_test.BINARY, *verb], cwd=self.dir, stdin=folder,
                    pass_fds=[folder], env=self.environment(), check=False,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                    timeout=cli_test.MINUTE).returncode, 0, verb)
            self.assertEqual(self.contents('b'), self.contents('a'), path)
            for thing in (self.dir / 'b').iterdir():
                if thing.is_dir():
                    shutil.rmtree(thing)
                else:
                    thing.unlink()

    def test_exact_bytes_are_as_before(self):
        self.successive('in', 2)
        self.normalize('in', '-o', 'a', '--delta', '--exact')
        row = self.rows()['in/001.heapsnapshot']
        self.assertIn('base', row)
        self.run_it('restore', 'a', row['sha256'], '-o', 'x.heapsnapshot')
        self.assertEqual(self.read('x.heapsnapshot'),
                         self.read('in/001.heapsnapshot'))


class SameFiles(DeltaTest):

    def setUp(self):
        super().setUp()
        for folder in range(4):
            self.successive(f'in/{folder}', 14, seed=folder)
        self.write('in/junk', b'junk')
        self.normalize('in', '-o', 'a', '--delta', '-j', '1',
                       exit_code=MALFORMED)
        self.expected = self.contents()

    def test_shards(self):
        order = list(range(1, 9))
        random.Random(3).shuffle(order)
        for i in order:
            done = subprocess.run(
                [cli_test.BINARY, 'normalize', '-q', 'in', '-o', 'b',
                 '--shard', f'{i}/8', '--delta'], cwd=self.dir,
                env=self.environment(), stderr=subprocess.DEVNULL, check=False,
                timeout=cli_test.MINUTE)
            self.assertIn(done.returncode, (0, MALFORMED))
            if i == order[0]:
                # All other shards are missing.
                done = self.normalize('in/0', '-o', 'b', '--delta')
                self.assertIn(b'no deltas are made: these shards are not '
                              b'complete', done.stderr)
        self.assertEqual(list(self.dir.glob('b/dumps/*/*.delta')), [])
        self.normalize('--merge-manifests', '--delta', '-o', 'b')
        self.assertEqual(self.contents('b'), self.expected)

    def test_kills_and_resumes(self):
        rng = random.Random(17)
        args = ('normalize', '-q', 'in', '-o', 'c', '--resume', '--delta',
                '-j', '2')
        dumps = self.dir / 'c/dumps'
        for _ in range(6):
            deltas = sum(1 for _ in dumps.glob('*/*.delta'))
            more = rng.randrange(1, 8)
            run = self.start(*args, stderr=subprocess.DEVNULL)
            self.wait_for(lambda: run.poll() is not None or sum(
                1 for _ in dumps.glob('*/*.delta')) >= deltas + more)
            run.send_signal(signal.SIGKILL)
            run.wait(cli_test.MINUTE)
            # The state between the two steps that turn a dump into a delta.
            made = sorted(dumps.glob('*/*.delta'))
            if made:
                one = rng.choice(made)
                plain = self.dir / 'plain/dumps' / one.parent.name / (
                    one.stem + '.heapir')
                if not plain.exists():
                    self.normalize('in', '-o', 'plain', exit_code=MALFORMED)
                shutil.copy(plain, one.with_suffix('.heapir'))
        self.run_it(*args, exit_code=MALFORMED)
        self.assertEqual(self.contents('c'), self.expected)


class Damage(DeltaTest):

    def setUp(self):
        super().setUp()
        self.successive('in', 3)
        self.normalize('in', '-o', 'a', '--delta')
        self.digests = [row['digest'] for row in self.rows().values()]

    def change(self, path, at):
        data = bytearray(self.read(path))
        data[at] ^= 1
        self.write(path, bytes(data))

    def test_a_delta_is_no_dump(self):
        path = self.path(self.digests[1])
        for verb in (['info', path], ['convert', path, '-o', 'x.ndjson'],
                     ['diff', path, 'in.dartheap']):
            lines = self.errors(*verb, exit_code=UNSUPPORTED)
            self.assert_one_message(lines, path, 'heapglot restore ARCHIVE ' +
                                    self.digests[1])

    def test_a_base_that_is_gone(self):
        os.remove(self.dir / self.path(self.digests[0], 'heapir'))
        for digest in self.digests[1:]:
            self.refused(digest, self.digests[0], 'is missing',
                         f'of which {self.digests[1]} is a delta',
                         exit_code=INPUT)
        os.remove(self.dir / self.path(self.digests[1]))
        self.refused(self.digests[2], self.digests[1], 'is missing',
                     exit_code=INPUT)

    def test_nobody_waits_at_a_fifo(self):
        for i, extension in ((0, 'heapir'), (1, 'delta')):
            path = self.path(self.digests[i], extension)
            data = self.read(path)
            os.remove(self.dir / path)
            os.mkfifo(self.dir / path)
            self.refused(self.digests[2], path, 'is not a regular file',
                         exit_code=INPUT)
            done = self.run_it('archive', 'find', 'a', '--type', 'no such',
                               exit_code=INPUT)
            self.assertIn(b'is not a regular file', done.stderr)
            os.remove(self.dir / path)
            self.write(path, data)
        path = self.path(self.digests[1], 'heapir', 'b')
        self.normalize('in', '-o', 'b')
        os.remove(self.dir / path)
        os.mkfifo(self.dir / path)
        done = self.normalize('--merge-manifests', '-o', 'b', '--delta',
                              exit_code=INPUT)
        self.assertIn(f'{path}: is not a regular file'.encode(), done.stderr)
        done = self.normalize('in', '-o', 'b', '--resume', '--delta',
                              exit_code=MALFORMED)
        self.assertIn(f'{path} exists already and is not a regular file'
                      .encode(), done.stderr)

    def test_nobody_waits_at_a_fifo_for_a_manifest(self):
        rows = self.read('a/manifest.ndjson')
        readers = [('archive', 'find', 'b', '--type', 'no such'),
                   ('restore', 'b', self.digests[0], '-o', 'x.ndjson')]
        for path, verbs in (('manifest.ndjson', readers),
                            ('manifest.d/1-of-1.0.ndjson', [])):
            os.makedirs(self.dir / 'b/manifest.d')
            self.write('b/manifest.ndjson', rows)
            (self.dir / 'b' / path).unlink(missing_ok=True)
            os.mkfifo(self.dir / 'b' / path)
            for verb in (*verbs,
                         ('normalize', '--merge-manifests', '-o', 'b'),
                         ('normalize', 'in', '-o', 'b', '--resume')):
                lines = self.errors(*verb, exit_code=INPUT)
                self.assert_one_message(lines, path, 'is not a regular file')
            shutil.rmtree(self.dir / 'b')
        os.mkdir(self.dir / 'a/manifest.d')
        os.mkfifo(self.dir / 'a/manifest.d/manifest')
        self.errors('normalize', '--merge-manifests', '-o', 'a',
                    exit_code=OUTPUT)

    def test_a_fifo_is_not_taken_for_a_dump(self):
        path = self.path(self.digests[1], 'heapir', 'b')
        self.normalize('in', '-o', 'b')
        for make in (os.mkfifo, lambda path: os.symlink('nowhere', path)):
            os.remove(self.dir / path)
            make(self.dir / path)
            for more in ([], ['--resume'], ['--verify']):
                done = self.normalize('in', '-o', 'b', *more,
                                      exit_code=MALFORMED)
                self.assertIn(f'{path} exists already and '.encode(),
                              done.stderr)
        os.remove(self.dir / path)
        self.normalize('in', '-o', 'b', '--resume')
        self.assertTrue((self.dir / path).is_file())

    def test_a_base_that_is_another_dump(self):
        shutil.copy(self.dir / self.path(self.digests[0], 'heapir'),
                    self.dir / self.path(self.digests[1], 'heapir'))
        os.remove(self.dir / self.path(self.digests[1]))
        self.refused(self.digests[2], 'damaged', exit_code=MALFORMED)
        shutil.copy(self.dir / self.path(self.digests[2]),
                    self.dir / self.path(self.digests[1]))
        os.remove(self.dir / self.path(self.digests[1], 'heapir'))
        self.refused(self.digests[2], 'is the delta of another dump',
                     exit_code=MALFORMED)

    def test_a_delta_that_makes_another_dump(self):
        data = bytearray(self.read(self.path(self.digests[1])))
        data[8:40] = bytes.fromhex(self.digests[2])
        self.write(self.path(self.digests[2]), bytes(data))
        lines = self.errors('restore', 'a', self.digests[2], '-o', 'x.ndjson',
                            '--verify', exit_code=MALFORMED)
        self.assert_one_message(lines, f'it holds the dump {self.digests[1]}')
        for digest in self.digests[:2]:
            self.run_it('restore', 'a', digest, '-o', f'{digest}.ndjson',
                        '--verify')

    def test_every_part_of_a_delta_is_checked(self):
        path = self.path(self.digests[1])
        data = self.read(path)
        for at in [0, 8, 40, 72, 79, 80, HEADER, HEADER + 9, len(data) // 2,
                   len(data) - 1]:
            self.change(path, at)
            done = self.run_it(
                'restore', 'a', self.digests[1], '-o', 'x.ndjson',
                exit_code=INPUT if at == 40 else MALFORMED)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.write(path, data)
        for size, code in ((0, MALFORMED), (9, TRUNCATED),
                           (HEADER - 1, TRUNCATED), (HEADER, MALFORMED),
                           (len(data) - 1, MALFORMED)):
            self.write(path, data[:size])
            self.refused(self.digests[1], exit_code=code)
        self.write(path, data + b'\0')
        self.refused(self.digests[1], exit_code=MALFORMED)

    def test_deltas_in_a_circle(self):
        one, two = self.digests[1:]
        self.write(self.path(one), delta(one, two, 1, zeros(1)))
        self.write(self.path(two), delta(two, one, 1, zeros(1)))
        self.refused(one, 'go in circles', exit_code=MALFORMED)
        self.write(self.path(one), delta(one, one, 1, zeros(1)))
        self.refused(one, 'go in circles', exit_code=MALFORMED)

    def test_more_deltas_than_there_may_be(self):
        first = self.digests[0]
        for i in range(MOST + 1):
            digest = f'{i:02x}' * 32
            os.makedirs(self.dir / f'a/dumps/{i:02x}', exist_ok=True)
            self.write(self.path(digest), delta(digest, first, 1, zeros(1)))
            first = digest
        self.write(self.path(self.digests[1]),
                   delta(self.digests[1], first, 1, zeros(1)))
        self.refused(self.digests[1], 'more than 7 deltas', exit_code=LIMIT)

    def test_bombs(self):
        path, (base, digest, _) = self.path(self.digests[1]), self.digests
        for size, frame, code in (
                (1 << 40, zeros(1 << 20), MALFORMED),
                (2 ** 64 - 1, zeros(1), MALFORMED),
                (3 << 29, zeros(3 << 29), LIMIT),
                (1 << 20, zeros(1 << 22), MALFORMED),
                (1 << 22, zeros(1 << 20), MALFORMED)):
            self.write(path, delta(digest, base, size, frame))
            self.refused(digest, exit_code=code)

    def test_the_raw_form_of_a_base_is_limited(self):
        base = self.path(self.digests[0], 'heapir')
        size = (self.dir / base).stat().st_size
        lines = self.errors('restore', 'a', self.digests[1], '-o', 'x.ndjson',
                            '--max-unpacked', str(size + 1), exit_code=LIMIT)
        self.assert_one_message(lines, base, 'frame', 'unpacked')

    def test_what_is_too_large_is_not_unpacked(self):
        """The frames, which are damaged, claim the size."""
        self.normalize('in', '-o', 'b')
        frame = (b'\x08\x05\x18' + b'\x80\x80\x80\x08' +  # of 16 MiB
                 b'\x2a\0' + b'\x31' + bytes(8))
        self.write(self.path(self.digests[1], 'heapir', 'b'),
                   b'\x89HIR\r\n\x1a\n' + 65 * (bytes([len(frame)]) + frame))
        before = self.contents('b')
        self.normalize('--merge-manifests', '--delta', '-o', 'b')
        self.assertEqual(self.contents('b'), before)

    def test_a_delta_that_nobody_has_tried(self):
        """An untested delta does not replace the dump beside it."""
        self.normalize('in', '-o', 'b')
        path = self.path(self.digests[1], archive='b')
        self.write(path, delta(self.digests[1], self.digests[0], 1, b''))
        self.normalize('in', '-o', 'b', '--resume', '--delta')
        self.assertEqual(self.contents('b'), self.contents('a'))

    def test_who_makes_deltas_is_not_believed(self):
        """As if the worker had been taken over: its output changes after it
        ends, and before the run checks it."""
        self.normalize('in', '-o', 'b')
        for attempt in range(100):
            shutil.copytree(self.dir / 'b', self.dir / f'b{attempt}')
            run = self.start('normalize', '--merge-manifests', '--delta', '-o',
                             f'b{attempt}', stderr=subprocess.PIPE)
            changed = self.change_deltas(run, str(self.dir / f'b{attempt}'))
            # The run may have checked before it was stopped.
            if b'does not give' in run.communicate()[1] and changed:
                break
        else:
            self.fail('every run had looked at its deltas too early')
        self.assertEqual(run.returncode, 1)
        # The second delta was tried again, with the first whole dump as its base.
        self.assertEqual(list(self.bases(f'b{attempt}').values()),
                         [None, None, self.digests[1]])
        self.assert_can_be_read(f'b{attempt}', 'b')

    def change_deltas(self, run, archive):
        """Damages the deltas of a run. Returns False if it was too late."""
        folder = pathlib.Path(f'/proc/{run.pid}')
        children = folder / f'task/{run.pid}/children'
        while run.poll() is None:
            maker = children.read_text().split()[:1]
            if not maker:
                continue
            os.kill(run.pid, signal.SIGSTOP)
            stat = pathlib.Path(f'/proc/{maker[0]}/stat')
            try:
                self.wait_for(lambda: stat.read_text().split()[2] == 'Z')
            except FileNotFoundError:  # the run has reaped it already
                os.kill(run.pid, signal.SIGCONT)
                return False
            changed = 0
            for file in (folder / 'fd').iterdir():
                # In tmp/ if the file system has no unnamed files.
                if not os.readlink(file).startswith((f'{archive}/#',
                                                     f'{archive}/tmp/')):
                    continue
                data = file.read_bytes()
                if data.startswith(delta('', '', 0, b'')[:8]):
                    file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
                    changed += 1
            os.kill(run.pid, signal.SIGCONT)
            return changed == 2
        return False

    def test_no_more_workers_than_asked_for(self):
        """Each has its share of the memory, including those that try deltas."""
        for folder in range(6):
            self.successive(f'more/{folder}', 8, seed=folder + 2)
        self.normalize('more', '-o', 'b')
        run = self.start('normalize', '--merge-manifests', '--delta', '-o',
                         'b', '-j', '2', stderr=subprocess.DEVNULL)
        children = pathlib.Path(f'/proc/{run.pid}/task/{run.pid}/children')
        most = 0
        while run.poll() is None:
            # The run may end at any time.
            with contextlib.suppress(OSError):
                most = max(most, len(children.read_text().split()))
        self.assertEqual(run.returncode, 0)
        self.assertIn(most, (1, 2))

    def test_a_damaged_dump_stays_whole(self):
        self.normalize('in', '-o', 'b')
        path = self.path(self.digests[1], 'heapir', 'b')
        self.change(path, len(self.read(path)) // 2)
        done = self.normalize('in', '-o', 'b', '--resume', '--delta',
                              exit_code=MALFORMED)
        self.assertIn(f'{path}: offset '.encode(), done.stderr)
        self.assertEqual(set(self.bases('b').values()), {None})

    def test_a_base_that_is_missing_is_no_matter_for_the_others(self):
        self.successive('more', 3, seed=2)
        self.normalize('in', 'more', '-o', 'b')
        digests = [row['digest'] for row in self.rows('b').values()]
        os.remove(self.dir / self.path(digests[0], 'heapir', 'b'))
        done = self.normalize('--merge-manifests', '--delta', '-o', 'b',
                              exit_code=INPUT)
        self.assertIn(f'dump {digests[0]} is missing'.encode(), done.stderr)
        self.assertEqual(list(self.bases('b').values()),
                         [None, None, digests[1], None, *digests[3:5]])

    def test_a_damaged_delta_does_not_block_the_archive(self):
        self.normalize('in', '-o', 'b')
        data = self.read(self.path(self.digests[1]))
        for archive, damaged, more in (('x', b'x' + data[1:], []),
                                       ('y', data[:HEADER - 1], ['--resume'])):
            shutil.copytree(self.dir / 'a', self.dir / archive)
            path = self.path(self.digests[1], archive=archive)
            self.write(path, damaged)
            self.successive('more', 1, seed=len(more) + 2)
            done = self.normalize('more', '-o', archive,
                                  exit_code=MALFORMED + len(more))
            self.assertIn(path.encode(), done.stderr)
            rows = self.rows(archive)
            self.assertNotIn('base', rows['in/001.heapsnapshot'])
            self.assertEqual(rows['in/002.heapsnapshot']['base'],
                             self.digests[1])
            self.assertTrue(rows['more/000.heapsnapshot']['digest'])
            self.assertFalse((self.dir / archive / 'manifest.d').exists())
            # A dump whose source still exists is whole again.
            self.normalize('in', '-o', archive, *more)
            self.assert_can_be_read(archive, 'b')
            # The damaged delta is gone, replaced by another one.
            self.normalize('in', '-o', archive, '--resume', '--delta')
            self.assert_can_be_read(archive, 'b')
            self.assertNotIn('base', self.rows(archive)['in/001.heapsnapshot'])
            self.assertFalse((self.dir / path).exists())

    def test_a_damaged_delta_is_made_anew(self):
        before = self.contents()
        path = self.path(self.digests[2])
        self.write(path, b'x' + self.read(path)[1:])
        self.normalize('in', '-o', 'a')
        self.normalize('in', '-o', 'a', '--resume', '--delta')
        self.assertEqual(self.contents(), before)

    def test_what_is_damaged_behind_the_head_is_removed_by_hand(self):
        path = self.path(self.digests[1])
        self.normalize('in', '-o', 'b')
        self.change(path, len(self.read(path)) - 1)
        before = self.contents()
        for more in ([], ['--resume'], ['--verify']):
            self.normalize('in', '-o', 'a', *more)
            self.assertEqual(self.contents(), before)
        self.refused(self.digests[2], path, exit_code=MALFORMED)
        os.remove(self.dir / path)
        self.normalize('in', '-o', 'a', '--resume')
        self.assert_can_be_read('a', 'b')

    def test_a_dump_without_its_base_is_stored_anew(self):
        os.remove(self.dir / self.path(self.digests[0], 'heapir'))
        self.normalize('in/002.heapsnapshot', '-o', 'a')
        self.normalize('in', '-o', 'b')
        self.assertEqual(self.restored(self.digests[2], 'a'),
                         self.restored(self.digests[2], 'b'))

    def test_a_delta_beside_a_damaged_dump_stays(self):
        """The delta may be all that is left of the dump."""
        good = self.read(self.path(self.digests[1]))
        self.normalize('in', '-o', 'b')
        path = self.path(self.digests[1], 'heapir', 'b')
        self.change(path, len(self.read(path)) // 2)
        self.write(self.path(self.digests[1], archive='b'), good)
        self.normalize('in', '-o', 'b', '--resume', '--delta',
                       exit_code=MALFORMED)
        self.assertEqual(self.read(self.path(self.digests[1], archive='b')),
                         good)

    def test_a_damaged_delta_of_no_dump_stays(self):
        """The damaged delta is all that is left of the dump."""
        path = self.path(self.digests[1])
        damaged = b'xx' + self.read(path)[2:]
        self.write(path, damaged)
        done = self.normalize('--merge-manifests', '--delta', '-o', 'a',
                              exit_code=MALFORMED)
        self.assertIn(path.encode(), done.stderr)
        self.assertEqual(self.read(path), damaged)


if __name__ == '__main__':
    cli_test.BINARY = os.path.abspath(sys.argv[1])
    normalize_test.CORPUS = pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
