#!/usr/bin/env python3
"""Black-box tests of archives: normalize_test.py PATH_OF_HEAPGLOT CORPUS
[unittest args]."""

import base64
import gzip
import hashlib
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest

import cli_test
from cli_test import LIMIT, MALFORMED, TRUNCATED, USAGE

INPUT = 9
DIFFERENT = 10
CORPUS = pathlib.Path()


def snapshot(rng, nodes=60, size=16):
    """A heap with the rows and strings of a V8 snapshot."""
    strings = ['', '(root)'] + [f'name{i}' for i in range(40)]
    rows, edges = [], []
    for i in range(nodes):
        targets = rng.sample(range(1, nodes), rng.randrange(1, 5))
        rows.append([9 if i == 0 else rng.choice([1, 2, 3]),
                     1 if i == 0 else rng.randrange(2, 42), 2 * i + 1,
                     size * rng.randrange(1, 9), len(targets)])
        # Elements have numbers of their own, whatever their order.
        edges.append([[1, k, 5 * to] if k % 2 else
                      [2, 2 + k, 5 * to] for k, to in enumerate(targets)])
    return {'rows': rows, 'edges': edges, 'strings': strings}


def spell(heap, **dumps):
    """The snapshot as a file."""
    kinds = ['hidden', 'array', 'string', 'object', 'code', 'closure', 'regexp',
             'number', 'native', 'synthetic']
    document = {
        'snapshot': {
            'meta': {
                'node_fields': ['type', 'name', 'id', 'self_size',
                                'edge_count'],
                'node_types': [kinds, 'string', 'number', 'number', 'number'],
                'edge_fields': ['type', 'name_or_index', 'to_node'],
                'edge_types': [['context', 'element', 'property'],
                               'string_or_number', 'node']},
            'node_count': len(heap['rows']),
            'edge_count': sum(len(edges) for edges in heap['edges'])},
        'nodes': [number for row in heap['rows'] for number in row],
        'edges': [number for edges in heap['edges'] for edge in edges
                  for number in edge],
        'strings': heap['strings']}
    return json.dumps(document, **dumps).encode()


def shuffle_strings(heap, rng):
    """The same heap with its strings in another order, each of them twice."""
    old = heap['strings']
    order = list(range(len(old))) * 2
    rng.shuffle(order)
    places = {}
    for new, index in enumerate(order):
        places.setdefault(index, []).append(new)
    pick = lambda index: rng.choice(places[index])
    return {'strings': [old[index] for index in order],
            'rows': [[row[0], pick(row[1]), *row[2:]] for row in heap['rows']],
            'edges': [[[kind, pick(name) if kind == 2 else name, to]
                       for kind, name, to in edges]
                      for edges in heap['edges']]}


def shuffle_records(heap, rng):
    """The same heap with its nodes in another order, except for the root, and
    the edges of each node, too."""
    order = list(range(1, len(heap['rows'])))
    rng.shuffle(order)
    order.insert(0, 0)
    new = {old: index for index, old in enumerate(order)}
    edges = []
    for old in order:
        moved = [[kind, name, 5 * new[to // 5]]
                 for kind, name, to in heap['edges'][old]]
        rng.shuffle(moved)
        edges.append(moved)
    return {'strings': heap['strings'], 'edges': edges,
            'rows': [heap['rows'][old] for old in order]}


def renumber(heap):
    return {**heap, 'rows': [[*row[:2], 1001 + 2 * row[2], *row[3:]]
                             for row in heap['rows']]}


class ArchiveTest(cli_test.CommandTest):

    def normalize(self, *args, **more):
        return self.run_it('normalize', *args, **more)

    def run_any(self, *args):
        done = subprocess.run([cli_test.BINARY, 'normalize', '-q', *args],
                              cwd=self.dir, env=self.environment(),
                              stderr=subprocess.DEVNULL, check=False,
                              timeout=cli_test.MINUTE)
        self.assertIn(done.returncode, (0, MALFORMED, TRUNCATED, INPUT), args)

    def rows(self, archive='a'):
        lines = self.read(f'{archive}/manifest.ndjson').splitlines()
        return {row['source']: row for row in map(json.loads, lines)}

    def contents(self, archive='a'):
        """All files by path, with the digest of their bytes."""
        root = self.dir / archive
        return {str(path.relative_to(root)):
                hashlib.sha256(path.read_bytes()).hexdigest()
                for path in sorted(root.rglob('*')) if path.is_file()}

    def write_heap(self, name, heap, **dumps):
        self.write(name, spell(heap, **dumps))


class CanonicalForm(ArchiveTest):

    def test_each_digest_keeps_its_promise(self):
        rng = random.Random(7)
        heap = snapshot(rng)
        same_content = {
            'plain': spell(heap),
            'spaced': spell(heap, indent=1),
            'packed.gz': gzip.compress(spell(heap), mtime=0),
            'strings': spell(shuffle_strings(heap, rng))}
        same_graph = {
            'records': spell(shuffle_records(heap, rng)),
            'renumbered': spell(renumber(heap)),
            'all': spell(shuffle_strings(
                shuffle_records(renumber(heap), rng), rng), indent=2)}
        changed = snapshot(random.Random(7))
        changed['rows'][30][3] += 8
        other = {'size': spell(changed)}
        changed = snapshot(random.Random(7))
        changed['edges'][30][0][2] = 5 * (1 + changed['edges'][30][0][2] // 5 %
                                          59)
        other['edge'] = spell(changed)
        os.mkdir(self.dir / 'in')
        for name, data in {**same_content, **same_graph, **other}.items():
            self.write(f'in/{name}', data)
        self.normalize('in', '-o', 'a', '--verify')
        rows = self.rows()
        digest = rows['in/plain']['digest']
        graph = rows['in/plain']['graph_digest']
        for name in rows:
            row, name = rows[name], name[3:]
            with self.subTest(name):
                self.assertEqual(row['digest'] == digest, name in same_content)
                self.assertEqual(row['graph_digest'] == graph,
                                 name not in other)
        self.assertEqual(len(self.contents()), 1 + 1 + len(same_graph) +
                         len(other))

    def test_what_a_dump_was_converted_from_is_what_it_is(self):
        self.run_it('convert', '-q', 'in.dartheap', '-o', 'b.heapsnapshot')
        self.run_it('convert', '-q', 'in.dartheap', '-o', 'c.heapir.zst')
        self.run_it('convert', '-q', 'in.dartheap', '-o', 'd.ndjson')
        self.normalize('.', '-o', 'a')
        self.assertEqual(len({row['digest'] for row in self.rows().values()}),
                         1)

    def test_lines_of_a_log_in_another_order(self):
        log = ['a 2 app 1f', 't 1 First', 't 2 Second']
        log += [f'o {16 * i:x} {1 + i % 2} {8 + i % 3:x} {16 * (i * 7 % 20 + 1):x}'
                for i in range(1, 21)]
        log += ['r 10 0 0', 'r 20 1 0', 'c app 1f']
        self.write('a.gclog', ('\n'.join(log) + '\n').encode())
        middle = log[3:-1]
        random.Random(3).shuffle(middle)
        shuffled = '\n'.join(log[:3] + middle + log[-1:]) + '\n'
        self.write('b.gclog', shuffled.replace('o ', 'o 0').encode())
        self.normalize('a.gclog', 'b.gclog', '-o', 'a')
        rows = self.rows()
        self.assertNotEqual(rows['a.gclog']['digest'],
                            rows['b.gclog']['digest'])
        self.assertEqual(rows['a.gclog']['graph_digest'],
                         rows['b.gclog']['graph_digest'])

    def test_white_space_of_lines_is_no_content(self):
        lines = ('{"type":"metadata","key":"version_major","value":"1"}',
                 '{"type":"type","code":1,"name":"node","fields":'
                 '[["identifier","id"],["subtype","u32"]]}',
                 '{"type":"subtype","of":"node","code":0,"name":"object",'
                 '"fields":[]}', '[1,3,0]', '{"type":"x.unknown","a":[1,2]}')
        text = '\n'.join(lines) + '\n'
        self.write('lf.ndjson', text.encode())
        self.write('crlf.ndjson', text.replace('\n', '\r\n').encode())
        self.write('spaced.ndjson', text.replace(',', ', ').encode())
        self.normalize('-q', 'lf.ndjson', 'crlf.ndjson', 'spaced.ndjson', '-o',
                       'a')
        digests = {row['digest'] for row in self.rows().values()}
        self.assertEqual(len(digests), 1)
        self.run_it('convert', '-q', '--layout', 'usual', 'crlf.ndjson', '-o',
                    'usual.ndjson')
        self.assertNotIn(b'\r', self.read('usual.ndjson'))

    def test_errors_say_the_line(self):
        self.write('bad.ndjson', b'{"type":"metadata","key":"version_major",'
                   b'"value":"1"}\n{"type":"x"\n')
        done = self.normalize('bad.ndjson', '-o', 'a', exit_code=MALFORMED)
        self.assertIn(b'heapglot: bad.ndjson:2:', done.stderr)


class Archive(ArchiveTest):

    def test_all_that_can_be_read_is_there_and_the_rest_has_a_reason(self):
        self.write('cut.dartheap', self.read('in.dartheap')[:-3])
        self.write('junk', b'\x00' * 100)
        done = self.normalize('in.dartheap', 'cut.dartheap', 'junk', 'gone',
                              '-o', 'a', exit_code=MALFORMED)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), 4, lines)
        self.assertIn('stored: 1, duplicates: 0, failed: 3', lines[-1])
        rows = self.rows()
        codes = {name: row.get('error', {}).get('exit_code')
                 for name, row in rows.items()}
        self.assertEqual(codes, {'in.dartheap': None, 'cut.dartheap': 4,
                                 'junk': 3, 'gone': 9})
        row = rows['in.dartheap']
        self.assertEqual(row['sha256'], hashlib.sha256(
            self.read('in.dartheap')).hexdigest())
        self.assertEqual(row['size'], len(self.read('in.dartheap')))
        info = json.loads(self.run_it('info', 'in.dartheap', '--json').stdout)
        for key in ('format', 'dialect', 'nodes', 'edges', 'self_size_total'):
            self.assertEqual(row[key], info[key], key)
        self.assertEqual(
            row['top_types'],
            [{key: row[key] for key in ('name', 'count', 'self_size')}
             for row in info['top_types']])
        digest = row['digest']
        self.assertTrue((self.dir / 'a/dumps' / digest[:2] /
                         f'{digest}.heapir').exists())

    def test_a_resumed_run_tells_of_old_failures(self):
        self.write('junk', b'junk')
        for more in ([], ['--resume']):
            self.normalize('in.dartheap', 'junk', '-o', 'a', *more, '--report',
                           'r.json', exit_code=MALFORMED)
            report = json.loads(self.read('r.json'))
            self.assertEqual(report['failed'], 1)
            self.assertEqual(report['failures'],
                             [{'source': 'junk', 'exit_code': MALFORMED}])
        self.assertEqual(report['skipped'], 2)

    def test_of_two_parts_the_last_one_counts(self):
        self.write_heap('other', snapshot(random.Random(1), nodes=20))
        good, other, bad = self.read('in.dartheap'), self.read('other'), b'x'
        for order in itertools.permutations((good, other, bad), 2):
            for data in order:
                self.write('h', data)
                for shard in ('1/2', '2/2'):
                    self.run_any('h', '-o', 'a', '--shard', shard)
            self.normalize('--merge-manifests', '-o', 'a')
            row = self.rows()['h']
            self.assertEqual(row['size'], len(order[1]))
            self.assertEqual('digest' in row, order[1] != bad)
            shutil.rmtree(self.dir / 'a')

    def test_a_failure_that_is_none_of_the_source_replaces_no_row(self):
        for shard in ('1/2', '2/2'):
            self.normalize('in.dartheap', '-o', 'a', '--shard', shard)
        source = self.dir / 'in.dartheap'
        data = source.read_bytes()
        source.unlink()
        for shard in ('1/2', '2/2'):
            self.run_any('in.dartheap', '-o', 'a', '--shard', shard)
        source.write_bytes(data)
        self.normalize('--merge-manifests', '-o', 'a')
        self.assertIn('digest', self.rows()['in.dartheap'])

    def test_what_can_be_found_stays_so_when_its_source_cannot_be_read(self):
        self.write_heap('other', snapshot(random.Random(1), nodes=20))
        self.normalize('in.dartheap', 'other', '-o', 'a')
        rows = self.rows()
        self.normalize('in.dartheap', 'other', '-o', 'a', '--max-string', '2',
                       exit_code=LIMIT)
        self.assertEqual(self.rows(), rows)
        os.remove(self.dir / 'other')
        self.normalize('in.dartheap', 'other', '-o', 'a', exit_code=MALFORMED)
        self.assertEqual(self.rows(), rows)
        self.run_it('restore', 'a', rows['other']['digest'], '-o', 'x.ndjson')
        # Without its dump, the row would be meaningless.
        digest = rows['other']['digest']
        os.remove(self.dir / f'a/dumps/{digest[:2]}/{digest}.heapir')
        self.normalize('other', '-o', 'a', exit_code=INPUT)
        self.assertEqual(self.rows()['other']['error']['exit_code'], INPUT)

    def test_what_a_part_says_is_old_when_there_is_a_manifest(self):
        heap = snapshot(random.Random(1), nodes=20)
        later = {**heap, 'rows': [[*row[:3], row[3] ^ 8, *row[4:]]
                                  for row in heap['rows']]}
        self.write_heap('h', heap)
        self.normalize('h', '-o', 'first', '--shard', '1/2')
        shards = ['1/2', '2/2']
        if not list(self.dir.glob('first/dumps/*/*')):
            shards.reverse()
        for more in ([], ['--resume']):
            with self.subTest(more=more):
                self.write_heap('h', heap)
                self.normalize('h', '-o', 'a', '--shard', shards[0])
                time.sleep(0.02)  # more than the resolution of file times
                self.write_heap('h', later)
                self.normalize('h', '-o', 'a')
                expected = self.rows()
                self.normalize('h', '-o', 'a', *more)
                self.assertEqual(self.rows(), expected)
                self.normalize('h', '-o', 'a', '--shard', shards[1])
                self.normalize('--merge-manifests', '-o', 'a')
                self.assertEqual(self.rows(), expected)
                shutil.rmtree(self.dir / 'a')

    def test_a_damaged_manifest_is_not_written_anew(self):
        self.write_heap('other', snapshot(random.Random(1), nodes=20))
        self.normalize('in.dartheap', 'other', '-o', 'a')
        manifest = self.read('a/manifest.ndjson')
        for damaged, said in ((manifest[1:], 'line 1 is not a row'),
                              (manifest[:-5], 'line 2 was cut'),
                              (manifest.replace(b'\n', b'\n\n'),
                               'line 2 is not a row'),
                              (os.urandom(100).replace(b'\n', b'') + b'\n',
                               'line 1 is not a row')):
            self.write('a/manifest.ndjson', damaged)
            for verb in (['archive', 'list', 'a'],
                         ['restore', 'a', 'ab', '-o', 'x.ndjson'],
                         ['normalize', 'other', '-o', 'a', '--resume'],
                         ['normalize', 'other', '-o', 'a'],
                         ['normalize', '--merge-manifests', '-o', 'a']):
                lines = self.errors(*verb, exit_code=MALFORMED)
                self.assert_one_message(lines, 'a/manifest.ndjson is damaged',
                                        said)
            self.assertEqual(self.read('a/manifest.ndjson'), damaged)
        self.write('a/manifest.ndjson', manifest)
        self.normalize('--merge-manifests', '-o', 'a')
        self.assertEqual(self.read('a/manifest.ndjson'), manifest)

    def test_links_to_directories_are_told(self):
        for folder in ('dumps', 'more'):
            os.mkdir(self.dir / folder)
        shutil.copy(self.dir / 'in.dartheap', self.dir / 'more')
        os.symlink('../in.dartheap', self.dir / 'dumps/file')
        os.symlink('../more', self.dir / 'dumps/link')
        os.symlink('..', self.dir / 'dumps/up')
        done = self.normalize('dumps', '-o', 'a')
        self.assertIn(b'not followed: dumps/link and 1 more\n', done.stderr)
        self.assertEqual(list(self.rows()), ['dumps/file'])
        done = self.normalize('dumps/link', '-o', 'b')
        self.assertNotIn(b'followed', done.stderr)
        self.assertEqual(list(self.rows('b')), ['dumps/link/in.dartheap'])

    def test_a_shard_that_was_complete_may_be_so_no_more(self):
        for shard in ('1/2', '2/2'):
            self.normalize('in.dartheap', '-o', 'a', '--shard', shard)
        parts = self.dir / 'a/manifest.d'
        whole = (parts / '2-of-2.0.ndjson').read_bytes()
        # As a killed run leaves it.
        (parts / '2-of-2.1.ndjson').write_bytes(b'')
        lines = self.errors('normalize', '--merge-manifests', '-o', 'a',
                            exit_code=TRUNCATED)
        self.assertIn('2/2', lines[0])
        (parts / '2-of-2.2.ndjson').write_bytes(whole)
        self.normalize('--merge-manifests', '-o', 'a')
        self.assertFalse(parts.exists())

    def test_what_has_another_size_is_not_done(self):
        heap = snapshot(random.Random(1), nodes=20)
        self.write_heap('h', heap)
        self.normalize('h', 'in.dartheap', '-o', 'a')
        before = self.rows()
        heap['strings'][2] += 'longer'
        self.write_heap('h', heap)
        self.normalize('h', 'in.dartheap', '-o', 'a', '--resume', '--report',
                       'r.json')
        report = json.loads(self.read('r.json'))
        self.assertEqual((report['stored'], report['skipped']), (1, 1))
        self.assertNotEqual(self.rows()['h']['digest'], before['h']['digest'])

    def test_names_that_are_no_utf8_stay_apart(self):
        folder = os.path.join(os.fsencode(self.dir), b'latin1')
        os.mkdir(folder)
        names = [b'd-\xe9', b'd-\xe8', b'd-\xea', 'd-\ufffd'.encode()]
        for name, data in zip(names, [self.read('in.dartheap'),
                                      b'a 1 v n\nb\nc n\n', b'junk',
                                      self.read('in.dartheap')]):
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(data)
        for archive in ('a', 'b'):
            self.normalize('latin1', '-o', archive, exit_code=MALFORMED)
        rows = [json.loads(line)
                for line in self.read('a/manifest.ndjson').splitlines()]
        self.assertEqual(
            sorted(base64.b64decode(row['source_base64'])
                   if 'source_base64' in row else row['source'].encode()
                   for row in rows),
            sorted(b'latin1/' + name for name in names))
        self.assertEqual(self.contents('a'), self.contents('b'))
        done = self.normalize('latin1', '-o', 'a', '--resume',
                              exit_code=MALFORMED)
        self.assertIn(b'done before: 4', done.stderr)

    def test_one_failure_alone_has_its_own_code(self):
        self.normalize('gone', '-o', 'a', exit_code=INPUT)
        self.write('cut.dartheap', self.read('in.dartheap')[:-3])
        self.normalize('cut.dartheap', '-o', 'b', exit_code=TRUNCATED)
        self.normalize('cut.dartheap', 'in.dartheap', '-o', 'c', '--fail-fast',
                       '-j', '1', exit_code=TRUNCATED)
        self.assertFalse((self.dir / 'c/manifest.ndjson').exists())

    def test_lists_patterns_and_mistakes(self):
        self.write('b.dartheap', self.read('in.dartheap'))
        self.normalize('-', '-o', 'a', stdin=b'in.dartheap\0b.dartheap\0')
        self.normalize('-', '-o', 'b', stdin=b'in.dartheap\nb.dartheap')
        self.normalize('*.dartheap', '-o', 'c')
        self.assertEqual(self.contents('a'), self.contents('b'))
        self.assertEqual(self.contents('a'), self.contents('c'))
        for args, part in ((['-o', 'd'], 'INPUT is required'),
                           (['*.foo', '-o', 'd'], 'no file matches'),
                           (['in.dartheap'], '-o DIR'),
                           (['in.dartheap', '-o', '-'], 'is a directory'),
                           (['--merge-manifests', '-o', '-'],
                            'is a directory'),
                           (['in.dartheap', '-o', 'd', '--shard', '0/3'],
                            'not a shard'),
                           (['in.dartheap', '-o', 'd', '--shard', '4/3'],
                            'not a shard')):
            lines = self.errors('normalize', *args, exit_code=USAGE)
            self.assertIn(part, lines[0])
            self.assertNotIn('standard output', lines[0])
        self.assertFalse((self.dir / '-').exists())
        self.normalize('in.dartheap', '-o', 'in.dartheap',
                       exit_code=cli_test.OUTPUT)

    def test_a_list_names_files_only(self):
        self.write('-', self.read('in.dartheap'))
        self.normalize('-', '-o', 'a', stdin=b'-\nin.dartheap\n')
        rows = self.rows()
        for key in ('size', 'sha256', 'digest'):
            self.assertEqual(rows['-'][key], rows['in.dartheap'][key], key)

    def test_a_source_that_is_replaced_is_one_of_the_two(self):
        self.write_heap('0', snapshot(random.Random(1)))
        self.write_heap('1', snapshot(random.Random(2)))
        self.normalize('0', '1', '-o', 'known')
        known = {row['sha256']: row['digest']
                 for row in self.rows('known').values()}
        names = [f'in/{i:03}' for i in range(100)]
        os.mkdir(self.dir / 'in')
        for name in names:
            os.link(self.dir / '0', self.dir / name)
        run = self.start('normalize', '-q', *names, '-o', 'a')
        for i in itertools.count(1):
            if run.poll() is not None:
                break
            for name in names:
                os.link(self.dir / str(i % 2), self.dir / 'next')
                os.rename(self.dir / 'next', self.dir / name)
        self.assertEqual(run.returncode, 0)
        rows = self.rows()
        self.assertEqual(sorted(rows), names)
        for row in rows.values():
            self.assertEqual(row['digest'], known[row['sha256']])

    def test_a_source_that_changes_while_it_is_read_is_an_error(self):
        data = spell(snapshot(random.Random(1), nodes=20_000))
        for attempt in range(100):
            self.write('in', data)
            archive = f'a{attempt}'
            run = self.start('normalize', '-q', 'in', '-o', archive,
                             stderr=subprocess.PIPE)
            reader = self.reader_of(run)
            if reader is not None:
                with open(self.dir / 'in', 'r+b') as file:
                    file.write(data)
                os.utime(self.dir / 'in', ns=(attempt, attempt))
                os.kill(reader, signal.SIGCONT)
            if run.wait(cli_test.MINUTE) != 0:  # or it was too late
                break
        self.assertEqual(run.returncode, INPUT)
        self.assertIn(b'changed while it was read', run.stderr.read())
        row = self.rows(archive)['in']
        self.assertEqual(row['error']['exit_code'], INPUT)
        self.assertNotIn('sha256', row)
        self.normalize('in', '-o', archive, '--resume')
        self.assertIn('digest', self.rows(archive)['in'])

    def test_who_reads_has_no_other_files(self):
        self.write('in', spell(snapshot(random.Random(1), nodes=20_000)))
        for attempt in range(100):
            run = self.start('normalize', '-q', 'in', '-o', f'a{attempt}',
                             '--report', 'r.json', stderr=subprocess.PIPE)
            reader = self.reader_of(run)
            if reader is None:  # too late
                continue
            folder = f'/proc/{reader}/fd'
            files = {int(name): os.readlink(f'{folder}/{name}')
                     for name in os.listdir(folder)}
            os.kill(reader, signal.SIGCONT)
            self.assertEqual(run.wait(cli_test.MINUTE), 0)
            break
        for name in (0, 1, 2):
            self.assertEqual(files.pop(name), '/dev/null')
        kinds = [path.split(':')[0] for path in files.values()]
        self.assertEqual(kinds.count('pipe'), 1, files)
        archive = str(self.dir / f'a{attempt}')
        self.assertEqual(sum(path.startswith(archive)
                             for path in files.values()), 1, files)
        for path in files.values():
            self.assertNotIn('manifest', path)
            self.assertNotIn('r.json', path)

    def reader_of(self, run):
        """Stops the worker of a run that has begun to read; None if the run has
        ended."""
        workers = pathlib.Path(f'/proc/{run.pid}/task/{run.pid}/children')
        path = str(self.dir / 'in')
        while run.poll() is None:
            try:
                worker = int(workers.read_text().split()[0])
                os.kill(worker, signal.SIGSTOP)
                maps = pathlib.Path(f'/proc/{worker}/maps')
                # The worker has opened the file before.
                if path in maps.read_text():
                    return worker
                os.kill(worker, signal.SIGCONT)
            except (IndexError, OSError):
                pass
        return None

    def test_the_report_and_what_would_be_done(self):
        self.write('junk', b'junk')
        self.write('b.dartheap', self.read('in.dartheap'))
        for more in ([], ['--dry-run']):
            self.normalize('in.dartheap', 'b.dartheap', 'junk', '-o', 'a', *more,
                           '--report', 'r.json', exit_code=MALFORMED)
            report = json.loads(self.read('r.json'))
            self.assertEqual(report['inputs'], 3)
            self.assertEqual(report['failures'],
                             [{'source': 'junk', 'exit_code': MALFORMED}])
            if more:
                continue
            self.assertEqual((report['stored'], report['duplicates'],
                              report['failed']), (1, 1, 1))
        self.normalize('in.dartheap', '-o', 'never', '--dry-run')
        self.assertFalse((self.dir / 'never').exists())

    def test_a_dump_that_takes_too_much_is_a_row(self):
        heap = snapshot(random.Random(1), nodes=20)
        heap['strings'][2] = 'x' * 3_000_000
        self.write_heap('large', heap)
        self.normalize('large', 'in.dartheap', '-o', 'a', '--max-string', '1M',
                       exit_code=MALFORMED)
        rows = self.rows()
        self.assertEqual(rows['large']['error']['exit_code'], LIMIT)
        self.assertIn('digest', rows['in.dartheap'])

    def test_damage_in_the_archive_is_found(self):
        self.normalize('in.dartheap', '-o', 'a', '--verify')
        digest = self.rows()['in.dartheap']['digest']
        path = f'a/dumps/{digest[:2]}/{digest}.heapir'
        data = bytearray(self.read(path))
        data[len(data) // 2] ^= 1
        self.write(path, bytes(data))
        done = self.normalize('in.dartheap', '-o', 'a', '--verify',
                              exit_code=cli_test.OUTPUT)
        self.assertIn(b'is damaged', done.stderr)

    def test_what_cannot_be_checked_is_no_damage(self):
        heap = snapshot(random.Random(1), nodes=20)
        self.write_heap('other', heap)
        heap['strings'][2] = 'x' * 3_000_000
        self.write_heap('large', heap)
        self.normalize('in.dartheap', 'large', '-o', 'a', '--exact')
        rows = self.rows()
        paths = {key: [self.dir / f'a/{folder}/{name[:2]}/{name}.heapir'
                       for name in (rows['in.dartheap'][key],
                                    rows['large'][key])]
                 for key, folder in (('digest', 'dumps'), ('exact', 'exact'))}

        def exchange(path, large):
            path.write_bytes(large.read_bytes())

        def replace(path, _):
            path.unlink()
            path.mkdir()

        def block(path, _):
            path.unlink()
            os.mkfifo(path)

        for key, (path, large) in paths.items():
            for change, code, reason in ((exchange, LIMIT, 'more than 1048576'),
                                         (replace, INPUT, 'Is a directory'),
                                         (block, INPUT, 'not a regular file')):
                with self.subTest(key=key, reason=reason):
                    good = path.read_bytes()
                    change(path, large)
                    before = self.contents()
                    args = ('in.dartheap', 'other', '-o', 'a', '--exact',
                            '--verify', '--max-string', '1M')
                    done = self.normalize(*args, '-j', '1',
                                          exit_code=MALFORMED)
                    lines = done.stderr.decode().splitlines()
                    self.assertEqual(len(lines), 2, lines)
                    for part in ('in.dartheap: ', str(path.relative_to(
                            self.dir)), 'could not be checked', reason):
                        self.assertIn(part, lines[0])
                    self.assertRegex(lines[1], 'stored: [01], duplicates: [01],'
                                     ' failed: 1;')
                    row = self.rows()['in.dartheap']
                    if key == 'digest' and change is not exchange:
                        self.assertEqual(row['error']['exit_code'], code)
                    else:  # a dump that is there can be found
                        self.assertEqual(row, rows['in.dartheap'])
                    self.assertIn('digest', self.rows()['other'])
                    del before['manifest.ndjson']
                    self.assertLessEqual(before.items(),
                                         self.contents().items())
                    if path.is_dir():
                        path.rmdir()
                    else:
                        path.unlink()
                    path.write_bytes(good)
                    self.normalize(*args, '--resume')
                    self.assertEqual(self.rows()['in.dartheap']['digest'],
                                     rows['in.dartheap']['digest'])

    def test_without_room_to_check_the_others_are_done(self):
        self.write_heap('other', snapshot(random.Random(1), nodes=20))
        self.normalize('in.dartheap', '-o', 'a')
        digest = self.rows()['in.dartheap']['digest']
        path = f'a/dumps/{digest[:2]}/{digest}.heapir'
        # Unpacked, the file does not fit in memory.
        packed = gzip.compress(self.read(path) + bytes(17 << 20), 1)
        self.write(path, packed)
        done = self.normalize('in.dartheap', 'other', '-o', 'a', '--verify',
                              '-j', '1', exit_code=MALFORMED,
                              env=self.environment(TMPDIR='/proc'))
        for part in (b'in.dartheap: ', b'could not be checked',
                     b'temporary file in /proc'):
            self.assertIn(part, done.stderr)
        rows = self.rows()
        self.assertEqual(rows['in.dartheap']['digest'], digest)
        self.assertIn('digest', rows['other'])
        self.assertEqual(self.read(path), packed)

    def test_the_report_is_no_dump_and_replaces_none(self):
        os.mkdir(self.dir / 'in')
        shutil.move(self.dir / 'in.dartheap', self.dir / 'in/a.dartheap')
        for _ in range(2):
            self.normalize('in', '-o', 'a', '--report', 'in/report.json')
            self.assertEqual(list(self.rows()), ['in/a.dartheap'])
        self.assertEqual(json.loads(self.read('in/report.json'))['inputs'], 1)
        self.normalize('in/a.dartheap', '-o', 'new', '--report',
                       'new/report.json')
        dump = self.read('in/a.dartheap')
        manifest = self.read('a/manifest.ndjson')
        for inputs, report in (('in', 'in/a.dartheap'),
                               ('in/a.dartheap', './in/a.dartheap'),
                               ('in', 'a/manifest.ndjson')):
            with self.subTest(inputs=inputs, report=report):
                done = self.normalize(inputs, '-o', 'a', '--report', report,
                                      exit_code=USAGE)
                self.assertIn(b'are the same', done.stderr)
        self.assertEqual(self.read('in/a.dartheap'), dump)
        self.assertEqual(self.read('a/manifest.ndjson'), manifest)

    def test_the_archive_is_no_input(self):
        self.normalize('in.dartheap', '-o', 'a')
        for inputs, archive in (('a', 'a'), ('.', '.')):
            done = self.normalize(inputs, '-o', archive, exit_code=USAGE)
            self.assertIn(b'the archive is also an INPUT', done.stderr)
        for inputs, archive in (('a/dumps', 'a'), ('a/manifest.ndjson', 'a'),
                                ('a/dumps/*/*', 'a')):
            done = self.normalize(inputs, '-o', archive, exit_code=USAGE)
            self.assertIn(b'is inside the archive', done.stderr)
        # A folder of dumps with the name that the archive uses for its own.
        os.mkdir(self.dir / 'dumps')
        shutil.copy(self.dir / 'in.dartheap', self.dir / 'dumps')
        self.normalize('dumps', '-o', '.', exit_code=USAGE)
        self.assertEqual(os.listdir(self.dir / 'dumps'), ['in.dartheap'])

    def test_where_nothing_was_done_there_is_nothing_to_merge(self):
        os.mkdir(self.dir / 'a')
        lines = self.errors('normalize', '--merge-manifests', '-o', 'a',
                            exit_code=INPUT)
        self.assertIn('manifest.ndjson', lines[0])
        self.assertEqual(os.listdir(self.dir / 'a'), [])
        os.mkdir(self.dir / 'none')
        self.normalize('none', '-o', 'a')
        self.normalize('--merge-manifests', '-o', 'a')

    def test_a_directory_that_cannot_be_read_is_a_row(self):
        shutil.copytree(self.dir, self.dir / 'dumps')
        closed = self.dir / 'dumps/closed'
        closed.mkdir()
        shutil.copy(self.dir / 'in.dartheap', closed / 'x')
        os.chmod(closed, 0)
        # Root could read it with these capabilities.
        rights = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search']
        done = subprocess.run(
            [*(rights if os.geteuid() == 0 else []),
             cli_test.BINARY, 'normalize', 'dumps', '-o', 'a'],
            cwd=self.dir, env=self.environment(), capture_output=True,
            timeout=cli_test.MINUTE)
        self.assertEqual(done.returncode, MALFORMED, done.stderr)
        self.assertIn(b'dumps/closed', done.stderr)
        rows = self.rows()
        self.assertEqual(rows['dumps/closed']['error']['exit_code'], INPUT)
        self.assertIn('digest', rows['dumps/in.dartheap'])

    def test_directories_that_were_there_stay(self):
        for made in ('mine', 'mine/dumps'):
            os.mkdir(self.dir / made)
            for more in ([], ['--dry-run']):
                self.normalize('nothing*', '-o', 'mine', *more,
                               exit_code=USAGE)
                self.assertTrue((self.dir / made).is_dir())

    def test_names_in_brackets(self):
        os.mkdir(self.dir / '[d]')
        for name in ('[y]', '[d]/x', '[a,b]'):
            shutil.copy(self.dir / 'in.dartheap', self.dir / name)
        self.normalize('[y]', '[d]', '[a,b]', '-o', 'a')
        self.assertEqual(set(self.rows()), {'./[y]', './[d]/x', './[a,b]'})

    def test_more_workers_than_dumps_share_no_memory(self):
        self.normalize('in.dartheap', '-o', 'a', '-j', '100000')
        lines = self.errors('normalize', 'in.dartheap', '-o', 'a', '-j',
                            str(1 << 32), exit_code=USAGE)
        self.assertIn("'4294967296' is not a number from 1 to 4294967295",
                      lines[0])

    def test_fail_fast_stops_at_an_old_failure(self):
        self.write('a', self.read('in.dartheap'))
        self.write('b', b'junk' * 1000000)  # comes first: it is the largest
        for more in ([], ['--resume']):
            done = self.normalize('a', 'b', '-o', 'x', '--fail-fast', '-j', '1',
                                  *more, exit_code=MALFORMED)
            self.assertIn(b'heapglot: b: ', done.stderr)
            self.assertFalse((self.dir / 'x/manifest.ndjson').exists())

    def test_without_room_for_temporary_files_others_are_done(self):
        self.write('big.gz', gzip.compress(self.read('in.dartheap') +
                                           bytes(17 << 20), 1))
        done = self.normalize('big.gz', 'in.dartheap', '-o', 'a', '-j', '1',
                              exit_code=MALFORMED,
                              env=self.environment(TMPDIR='/proc'))
        self.assertIn(b'big.gz: temporary file in /proc', done.stderr)
        self.assertEqual(self.rows()['big.gz']['error']['exit_code'], INPUT)
        self.assertIn('digest', self.rows()['in.dartheap'])

    def test_no_archive_is_left_where_nothing_was_begun(self):
        for args, code, said in (
                (('in.dartheap', '--report', 'no/r.json'), cli_test.OUTPUT,
                 b'no/r.json: cannot create'),
                (('in.dartheap', '--report', 'in.dartheap'), USAGE,
                 b'are the same')):
            done = self.normalize(*args, '-o', 'never', exit_code=code)
            self.assertIn(said, done.stderr)
            self.assertFalse((self.dir / 'never').exists())

    def test_a_report_that_cannot_be_written_is_named(self):
        done = self.normalize('in.dartheap', '-o', 'a', '--report',
                              '/dev/full', exit_code=cli_test.OUTPUT)
        self.assertIn(b'heapglot: /dev/full: ', done.stderr)
        self.assertIn('in.dartheap', self.rows())

    def test_what_is_gone_is_made_again(self):
        args = ('in.dartheap', '-o', 'a', '--exact', '--resume')
        self.normalize(*args)
        row = self.rows()['in.dartheap']
        for path in (f'a/exact/{row["exact"][:2]}/{row["exact"]}.heapir',
                     f'a/dumps/{row["digest"][:2]}/{row["digest"]}.heapir'):
            before = self.read(path)
            os.remove(self.dir / path)
            self.normalize(*args)
            self.assertEqual(self.read(path), before)

    def test_dumps_can_be_had_back(self):
        heap = snapshot(random.Random(1))
        self.write_heap('odd.heapsnapshot', heap, indent=3)
        self.write('packed.gz', gzip.compress(spell(heap), mtime=0))
        self.normalize('odd.heapsnapshot', 'packed.gz', '-o', 'a', '--exact',
                       '--verify')
        rows = self.rows()
        odd = rows['odd.heapsnapshot']
        self.assertEqual(odd['digest'], rows['packed.gz']['digest'])
        lines = self.errors('restore', 'a', odd['digest'], '-o',
                            'b.heapsnapshot', exit_code=USAGE)
        self.assertIn('by its SHA-256', lines[0])
        self.run_it('restore', 'a', odd['sha256'][:9], '-o', 'b.heapsnapshot')
        self.assertEqual(self.read('b.heapsnapshot'),
                         self.read('odd.heapsnapshot'))
        self.run_it('restore', 'a', rows['packed.gz']['sha256'], '-o',
                    'c.heapsnapshot')
        self.assertEqual(self.read('c.heapsnapshot'), spell(heap))
        self.run_it('restore', 'a', odd['digest'], '-o', 'd.ndjson.gz', '-q')
        self.run_it('diff', 'd.ndjson.gz', 'odd.heapsnapshot')
        unused = set('0123456789abcdef') - {
            row[key][0] for row in rows.values() for key in ('digest', 'sha256')}
        for digest in (min(unused), 'x'):
            lines = self.errors('restore', 'a', digest, '-o', 'e.ndjson',
                                exit_code=USAGE)
            self.assertIn('begins with', lines[0])

        self.normalize('odd.heapsnapshot', '-o', 'b')
        self.run_it('restore', 'b', odd['digest'], '-o', 'f.heapsnapshot')
        self.run_it('diff', 'f.heapsnapshot', 'odd.heapsnapshot')

    def test_one_of_several_files_with_the_same_content(self):
        """Selected by the SHA-256 in the message, which is not that of the .gz."""
        dump = spell(snapshot(random.Random(1)))
        for i in range(2):
            self.write(f'{i}.heapsnapshot.gz', gzip.compress(dump + b'\n' * i))
        self.normalize('0.heapsnapshot.gz', '1.heapsnapshot.gz', '-o', 'a',
                       '--exact')
        row = self.rows()['0.heapsnapshot.gz']
        done = self.run_it('restore', 'a', row['digest'], '-o',
                           'b.heapsnapshot', exit_code=USAGE)
        self.assertIn(b'several files', done.stderr)
        for i in range(2):
            sha256 = self.rows()[f'{i}.heapsnapshot.gz']['exact']
            self.assertIn(sha256[:8].encode(), self.run_it(
                'archive', 'find', 'a', '--json', '--digest', sha256).stdout)
            self.run_it('restore', 'a', sha256, '-f', '-o', 'b.heapsnapshot')
            self.assertEqual(self.read('b.heapsnapshot'), dump + b'\n' * i)

    def test_bytes_of_another_file_are_not_restored(self):
        self.write_heap('heap', snapshot(random.Random(1)))
        self.normalize('heap', 'in.dartheap', '-o', 'a', '--exact')
        rows = self.rows().values()
        paths = [self.dir / f'a/exact/{row["exact"][:2]}/{row["exact"]}.heapir'
                 for row in rows]
        paths[0].rename(self.dir / 'a/aside')
        paths[1].rename(paths[0])
        (self.dir / 'a/aside').rename(paths[1])
        exact = self.rows()['in.dartheap']['exact']
        done = self.run_it('restore', 'a', exact, '-o', 'b.dartheap',
                           exit_code=MALFORMED)
        self.assertIn(f'{exact}.heapir: '.encode(), done.stderr)
        self.assertFalse((self.dir / 'b.dartheap').exists())

    def test_another_dump_is_not_restored(self):
        self.write_heap('heap', snapshot(random.Random(1)))
        self.normalize('heap', 'in.dartheap', '-o', 'a')
        digests = [row['digest'] for row in self.rows().values()]
        paths = [self.dir / f'a/dumps/{digest[:2]}/{digest}.heapir'
                 for digest in digests]
        shutil.copy(paths[0], paths[1])
        done = self.run_it('restore', 'a', digests[1], '-o', 'b.ndjson',
                           '--verify', exit_code=MALFORMED)
        self.assertIn(f'{digests[1]}.heapir: it holds the dump {digests[0]}\n'
                      .encode(), done.stderr)
        self.assertFalse((self.dir / 'b.ndjson').exists())
        self.run_it('restore', 'a', digests[0], '-o', 'b.ndjson', '-q',
                    '--verify')

    def test_a_dump_that_shrinks_while_it_is_restored(self):
        self.write_heap('heap', snapshot(random.Random(1), nodes=30_000))
        self.normalize('heap', '-o', 'a')
        digest = self.rows()['heap']['digest']
        os.mkfifo(self.dir / 'out')
        run = self.start('restore', 'a', digest, '-o', 'out', '--to', 'ndjson',
                         stderr=subprocess.PIPE)
        with open(self.dir / 'out', 'rb') as out:
            out.read(1)
            os.truncate(self.dir / f'a/dumps/{digest[:2]}/{digest}.heapir', 99)
            out.read()
        self.assertEqual(run.wait(cli_test.MINUTE), INPUT)
        self.assertEqual(run.stderr.read(),
                         b'heapglot: a: input changed while it was read\n')

    def test_restore_tells_what_the_archive_has_lost(self):
        # Three numbers of unknown meaning in a section.
        heap = json.loads(spell(snapshot(random.Random(1))))
        heap['x'] = {'of': [1, 2], 'n': 3}
        self.write('x.heapsnapshot', json.dumps(heap).encode())
        self.normalize('x.heapsnapshot', '-o', 'a', '--exact')
        row = self.rows()['x.heapsnapshot']
        losses = {loss['code']: loss['count'] for loss in row['loss']}
        self.assertEqual(losses['canonical.extra'], 3)
        done = self.run_it('restore', 'a', row['digest'], '-o', 'a.ndjson')
        self.assertIn(b'3 canonical.extra', done.stderr)
        # This restores the original bytes.
        done = self.run_it('restore', 'a', row['digest'], '-o',
                           'a.heapsnapshot')
        self.assertNotIn(b'canonical', done.stderr)

    def test_restore_tells_of_records_that_nobody_knows(self):
        head = [{'type': 'metadata', 'key': 'version_major', 'value': '1'},
                {'type': 'type', 'code': 2, 'name': 'node',
                 'fields': [['identifier', 'id'], ['subtype', 'u32']]},
                {'type': 'type', 'code': 4, 'name': 'string',
                 'fields': [['id', 'stringid'], ['data', 'utf8']]},
                {'type': 'type', 'code': 9, 'name': 'my.note',
                 'fields': [['a.id', 'u32'], ['a.text', 'stringid']]},
                [4, 3, 'three'], [2, 3, 1]]
        # The numbers of a declaration do not refer to nodes or strings, unless
        # it comes after such records.
        for records, unknown in (([], 0), ([[9, 101, 3]], 3),
                                 ([{'type': 'my.note', 'a.text': 3}, [9, 1],
                                   dict(head[3], code=7, name='my.other'),
                                   [7, 1]], 6),
                                 ([{'type': 'unknown', 'n': [3, '4']}], 1)):
            with self.subTest(records=records):
                self.write('x.ndjson', b''.join(
                    json.dumps(record).encode() + b'\n'
                    for record in head + records))
                shutil.rmtree(self.dir / 'a', ignore_errors=True)
                self.normalize('x.ndjson', '-o', 'a')
                losses = {loss['code']: loss['count']
                          for loss in self.rows()['x.ndjson']['loss']}
                self.assertEqual(losses.get('canonical.extra', 0), unknown)

    def test_the_archive_can_be_searched(self):
        self.write('junk', b'junk')
        self.write_heap('heap', snapshot(random.Random(1)))
        self.normalize('junk', 'heap', 'in.dartheap', '-o', 'a',
                       exit_code=MALFORMED)
        manifest = self.read('a/manifest.ndjson')
        self.assertEqual(self.run_it('archive', 'list', 'a', '--json').stdout,
                         manifest)
        page = self.run_it('archive', 'list', 'a').stdout.decode()
        self.assertEqual(len(page.splitlines()), 4)

        def find(*args, **more):
            found = self.run_it('archive', 'find', 'a', '--json', *args, **more)
            return [json.loads(line)['source']
                    for line in found.stdout.splitlines()]

        self.assertEqual(find('--failed'), ['junk'])
        self.assertEqual(find('--format', 'dartheap'), ['in.dartheap'])
        self.assertEqual(find('--type', 'Person'), ['in.dartheap'])
        self.assertEqual(find('--min-size', '1K', '--source', 'e'), ['heap'])
        self.assertEqual(find('--digest', self.rows()['heap']['digest'][:8]),
                         ['heap'])
        self.assertEqual(find('--max-size', '1', exit_code=DIFFERENT), [])

    def test_what_a_manifest_says_is_no_command_of_a_terminal(self):
        os.mkdir(self.dir / 'a')
        self.write('a/manifest.ndjson', json.dumps(
            {'source': '\x1b[1mx', 'format': '\x1b[31mred',
             'digest': '0' * 64}).encode() + b'\n')
        self.assertNotIn(b'\x1b', self.run_it('archive', 'list', 'a').stdout)

    def test_any_class_with_objects_is_found(self):
        self.write_heap('heap', snapshot(random.Random(1)))
        self.normalize('heap', 'in.dartheap', '-o', 'a', '--top', '0')
        self.normalize('heap', 'in.dartheap', '-o', 'all', '--top', '1000')
        rows = self.rows('all')

        def find(text, archive, **more):
            found = self.run_it('archive', 'find', archive, '--type', text,
                                '--json', **more)
            return [json.loads(line)['source']
                    for line in found.stdout.splitlines()]

        names = {row['name'] for dump in rows.values()
                 for row in dump['top_types']}
        self.assertGreater(len(names), 20)
        for name in sorted(names) + ['(', 'Perso', 'name1']:
            with self.subTest(name):
                expected = find(name, 'all')
                self.assertEqual(
                    expected, [source for source in sorted(rows) if any(
                        name in row['name']
                        for row in rows[source]['top_types'])])
                self.assertEqual(find(name, 'a'), expected)
        for text in ('no such class', 'no (such', 'name40'):
            self.assertEqual(find(text, 'a', exit_code=DIFFERENT), [])
        for when, is_shown in (('always', True), ('never', False)):
            shown = self.run_it('archive', 'find', 'a', '--type', '(',
                                '--progress', when, '--strict').stderr
            self.assertEqual(b'heapglot: starting' in shown, is_shown)

        digest = rows['heap']['digest']
        path = f'a/dumps/{digest[:2]}/{digest}.heapir'
        data = bytearray(self.read(path))
        data[len(data) // 2] ^= 1
        self.write(path, bytes(data))
        done = self.run_it('archive', 'find', 'a', '--type', '(',
                           exit_code=MALFORMED)
        self.assertIn(path.encode(), done.stderr)
        self.assertIn(b'in.dartheap', done.stdout)
        os.remove(self.dir / path)
        done = self.run_it('archive', 'find', 'a', '--type', 'Person',
                           exit_code=INPUT)
        self.assertIn(digest.encode(), done.stderr)
        self.assertIn(b'in.dartheap', done.stdout)

    def test_the_manifest_loads_in_sqlite3(self):
        """The command of docs/archives.md."""
        page = (CORPUS.parent / 'docs/archives.md').read_text()
        command = page.split('```sh\n')[1].split('```')[0]
        self.assertTrue(command.startswith('sqlite3 '), command)
        self.write('junk', b'junk')
        self.normalize('junk', 'in.dartheap', '-o', 'archive',
                       exit_code=MALFORMED)
        done = subprocess.run(['sh', '-ec', command], cwd=self.dir,
                              capture_output=True, check=False,
                              timeout=cli_test.MINUTE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, b'')
        rows = subprocess.run(
            ['sqlite3', 'archive.db', 'SELECT source, format, nodes, exit_code '
             'FROM dump ORDER BY source'], cwd=self.dir, capture_output=True,
            check=True, timeout=cli_test.MINUTE).stdout.decode().splitlines()
        nodes = self.rows('archive')['in.dartheap']['nodes']
        self.assertEqual(rows, [f'in.dartheap|dartheap|{nodes}|', 'junk|||3'])


class FewFiles(ArchiveTest):

    def test_without_open_files_no_defect_is_reported(self):
        codes = set()
        for most in range(4, 13):
            done = subprocess.run(
                ['/bin/sh', '-c', f'ulimit -n {most}; exec "$0" "$@"',
                 cli_test.BINARY, 'normalize', 'in.dartheap', '-o',
                 f'o{most}'], cwd=self.dir, env=self.environment(),
                capture_output=True, timeout=cli_test.MINUTE, check=False)
            self.assertIn(done.returncode, (0, cli_test.OUTPUT, INPUT),
                          (most, done.stderr))
            codes.add(done.returncode)
        self.assertEqual(len(codes - {INPUT}), 2)


class ManyDumps(ArchiveTest):
    """300 dumps, mixed: duplicates, damaged ones, the same in two formats."""

    COUNT = 300

    def setUp(self):
        super().setUp()
        os.mkdir(self.dir / 'in')
        rng = random.Random(11)
        good = sorted(path for path in CORPUS.glob('*/good/*')
                      if path.stat().st_size < 20_000)
        bad = sorted(path for path in CORPUS.glob('*/bad/*')
                     if path.suffix != '.error' and
                     path.stat().st_size < 20_000)
        for i in range(self.COUNT):
            name, kind = f'in/{i:03}', i % 6
            if kind == 0:
                self.write(name, rng.choice(good).read_bytes())
            elif kind == 1:
                self.write(name, rng.choice(bad).read_bytes())
            elif kind == 2:
                data = rng.choice(good).read_bytes()
                self.write(name, data[:rng.randrange(len(data) + 1)])
            elif kind == 3:
                heap = snapshot(random.Random(i // 12))
                self.write(name, spell(shuffle_strings(heap, rng)
                                       if i % 2 else heap))
            elif kind == 4:
                self.write(name, gzip.compress(
                    rng.choice(good).read_bytes(), mtime=0))
            else:
                self.write(name, (self.dir / f'in/{i - 2:03}').read_bytes())

    def test_make_the_same_archive_whichever_way(self):
        self.normalize('in', '-o', 'a', '-j', '1', exit_code=MALFORMED)
        expected = self.contents()
        rows = self.rows().values()
        self.assertEqual(len(rows), self.COUNT)
        digests = [row['digest'] for row in rows if 'digest' in row]
        self.assertLess(len(set(digests)), len(digests))
        self.assertLess(len(digests), self.COUNT)
        self.assertEqual(set(expected), {'manifest.ndjson'} | {
            f'dumps/{digest[:2]}/{digest}.heapir' for digest in digests})
        with self.subTest('shards in any order'):
            self.shards(expected)
        with self.subTest('two at once'):
            self.twice_at_once(expected)
        with self.subTest('killed'):
            self.killed(expected)

    def test_all_shards_of_a_later_try_on_slurm_are_done(self):
        """tools/slurm/normalize.sh, with a fake sbatch."""
        os.mkdir(self.dir / 'few')
        for name in os.listdir(self.dir / 'in')[:4]:
            shutil.copy(self.dir / 'in' / name, self.dir / 'few')
        os.mkdir(self.dir / 'bin')
        self.write('bin/sbatch', b'''#!/bin/bash
script=()
for arg; do
  case $arg in
    --array=*) tasks=${arg#*=} ;;
    --*) ;;
    *) script+=("$arg") ;;
  esac
done
for task in ${tasks//,/ }; do
  [ -e "node-$task-is-down" ] || SLURM_ARRAY_TASK_ID=$task bash "${script[@]}"
done
''')
        os.chmod(self.dir / 'bin/sbatch', 0o755)
        env = self.environment(
            PATH=f'{self.dir}/bin:{os.environ["PATH"]}',
            HEAPGLOT=str(cli_test.BINARY))
        script = CORPUS.resolve().parent / 'tools/slurm/normalize.sh'

        def archive(exit_code):
            done = subprocess.run(
                ['bash', script, '-n', '2', '-t', '2', '-o', 's', 'few'],
                cwd=self.dir, env=env, capture_output=True, check=False,
                timeout=cli_test.MINUTE)
            self.assertEqual(done.returncode, exit_code, done.stderr)

        self.write('node-2-is-down', b'')
        archive(TRUNCATED)
        # Shard 1 was complete, but maybe not for the inputs of now.
        for name in os.listdir(self.dir / 'in')[4:12]:
            shutil.copy(self.dir / 'in' / name, self.dir / 'few')
        archive(TRUNCATED)
        (self.dir / 'node-2-is-down').unlink()
        archive(0)
        self.assertEqual(len(self.rows('s')), len(os.listdir(self.dir / 'few')))

    def test_make_the_same_archive_under_parallel_and_make(self):
        """The commands of docs/archives.md."""
        os.rename(self.dir / 'in', self.dir / 'dumps')
        self.normalize('dumps/', '-o', 'a', exit_code=MALFORMED)
        page = (CORPUS.parent / 'docs/archives.md').read_text()
        makefile = page.split('```make\n')[1].split('```')[0]
        self.write('Makefile', makefile.replace('64', '5').encode())
        lines = [line.strip() for line in page.splitlines()]
        one = lines.index('seq 64 | parallel heapglot normalize dumps/ '
                          '-o archive --resume --shard {}/64')
        scripts = {'make': 'make -j 2 -f Makefile', 'parallel': '\n'.join(
            [lines[one].replace('64', '5') + ' || true', lines[one + 1]])}
        for program, script in scripts.items():
            if shutil.which(program) is None:
                continue
            with self.subTest(program):
                shutil.rmtree(self.dir / 'archive', ignore_errors=True)
                path = f'{os.path.dirname(cli_test.BINARY)}:{os.environ["PATH"]}'
                done = subprocess.run(
                    ['sh', '-ec', script], cwd=self.dir, capture_output=True,
                    env=self.environment(PATH=path, HOME=str(self.dir)),
                    check=False, timeout=2 * cli_test.MINUTE)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.contents('archive'), self.contents())

    def shards(self, expected):
        order = list(range(1, 9))
        random.Random(5).shuffle(order)
        for i in order[:-1]:
            self.run_any('in', '-o', 'b', '--shard', f'{i}/8')
        lines = self.errors('normalize', '--merge-manifests', '-o', 'b',
                            exit_code=TRUNCATED)
        self.assertIn(f'{order[-1]}/8', lines[0])
        self.run_any('in', '-o', 'b', '--shard', f'{order[-1]}/8')
        # As a node that was believed lost may run late.
        self.run_any('in', '-o', 'b', '--shard', f'{order[0]}/8', '--resume')
        self.normalize('--merge-manifests', '-o', 'b')
        self.assertEqual(self.contents('b'), expected)

    def twice_at_once(self, expected):
        runs = [self.start('normalize', '-q', 'in', '-o', 'c', '-j', '2',
                           stderr=subprocess.DEVNULL) for _ in range(2)]
        for run in runs:
            self.assertEqual(run.wait(cli_test.MINUTE), MALFORMED)
        self.assertEqual(self.contents('c'), expected)

    @staticmethod
    def lines_in(parts, run):
        """How many lines a run has written; a run that ends removes its part."""
        lines = 0
        for path in parts.glob(f'*.{run}.ndjson'):
            try:
                lines += path.read_bytes().count(b'\n')
            except FileNotFoundError:
                pass
        return lines

    def killed(self, expected):
        rng = random.Random(13)
        parts = self.dir / 'd/manifest.d'
        for kill in range(5):
            run = self.start('normalize', '-q', 'in', '-o', 'd', '--resume',
                             '-j', '2', stderr=subprocess.DEVNULL)
            done = self.COUNT * kill // 8 + rng.randrange(1, 20)
            self.wait_for(lambda: run.poll() is not None or
                          self.lines_in(parts, kill) > done)
            run.send_signal(signal.SIGKILL)
            run.wait(cli_test.MINUTE)
            # What a run leaves that is killed while it merges.
            if parts.exists():
                self.write('d/manifest.d/manifest', b'{"source"')
        torn = sorted(parts.glob('*.ndjson'))
        if torn:  # a line that was being written
            torn[0].write_bytes(torn[0].read_bytes()[:-9])
        self.normalize('in', '-o', 'd', '--resume', exit_code=MALFORMED)
        self.assertEqual(self.contents('d'), expected)


if __name__ == '__main__':
    cli_test.BINARY = os.path.abspath(sys.argv[1])
    CORPUS = pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
