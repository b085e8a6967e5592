#!/usr/bin/env python3
"""Black-box tests of `heapglot roundtrip`: roundtrip_test.py BINARY CORPUS."""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import dartheap_builder as build

BINARY = ''
CORPUS = pathlib.Path()
MINUTE = 60
OK, USAGE, MALFORMED, TRUNCATED, OUTPUT, INPUT = 0, 2, 3, 4, 8, 9
DIFFERENT = 10

# A format that cannot hold much.
NO_ROOM = 'netcf'


class RoundTripTest(unittest.TestCase):

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='heapglot-trip.'))
        self.addCleanup(shutil.rmtree, self.dir)
        (self.dir / 'in.dartheap').write_bytes(build.people())

    def run_it(self, *args, exit_code=OK, stdin=b'', **environment):
        env = {'PATH': os.environ['PATH'], 'LC_ALL': 'C.UTF-8', **environment}
        for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS', 'TMPDIR'):
            if name in os.environ:
                env[name] = os.environ[name]
        done = subprocess.run([BINARY, *args], input=stdin, cwd=self.dir,
                              env=env, timeout=5 * MINUTE, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, exit_code,
                         f'{args}: {done.stderr!r}')
        return done

    def trip(self, *args, file='in.dartheap', embed='none', **more):
        """Runs without leftovers by default, since they would hide losses."""
        return self.run_it('roundtrip', file, '--embed', embed, *args, **more)

    def trips(self, *args, **more):
        """Trips by the name of their format."""
        report = json.loads(self.trip('--json', *args, **more).stdout)
        return {trip['via']: trip for trip in report['trips']}

    def error(self, *args, **more):
        done = self.trip(*args, **more)
        self.assertEqual(done.stdout, b'')
        line = done.stderr.decode().splitlines()[0]
        self.assertLessEqual(len(line.encode()), 512)
        return line

    def readable(self, name):
        """Returns what `info` says about a file."""
        return json.loads(self.run_it('info', name, '--json').stdout)


class Verdicts(RoundTripTest):

    def test_every_good_file_comes_back_from_the_ir_as_it_was(self):
        files = sorted(CORPUS.glob('*/good/*'))
        self.assertGreater(len(files), 100)
        for file in files:
            with self.subTest(file=file):
                trip = self.trips('--via', 'heapir', file=str(file))['heapir']
                self.assertEqual(trip['verdict'], 'identical')
                self.assertFalse(trip['differs'])
                self.assertNotIn('first_difference', trip)

    def test_its_own_format_is_a_trip_like_any_other(self):
        trip = self.trips('--via', 'dartheap')['dartheap']
        self.assertEqual(trip['verdict'], 'identical')
        self.assertEqual(trip['there']['size'], len(build.people()))
        self.assertEqual(trip['back']['size'], len(build.people()))

    def test_what_a_format_has_no_room_for_is_told(self):
        trip = self.trips('--via', NO_ROOM, exit_code=DIFFERENT)[NO_ROOM]
        self.assertEqual(trip['verdict'], 'changed')
        self.assertTrue(trip['differs'])
        self.assertEqual(trip['there']['worst'], 'dropped')
        self.assertIn('netcf.edge.name',
                      {item['code'] for item in trip['there']['loss']})
        columns = {column['name']: column for column in trip['columns']}
        self.assertIn('types.library_uri', columns)
        self.assertIn('nodes.value', columns)
        texts = {example['before']
                 for example in columns['nodes.value']['examples']}
        self.assertIn('"Ada"', texts)
        self.assertIn('fields', {table['name'] for table in trip['tables']})
        # Magic, flags, "main", sizes, and then the capacity.
        self.assertEqual(trip['first_difference']['offset'], 16)
        columns.pop('graph.capacity')

    def test_leftovers_make_good(self):
        trips = self.trips('--via', 'all', embed='auto')
        for name, trip in trips.items():
            with self.subTest(via=name):
                self.assertEqual(trip['verdict'], 'identical')
                self.assertNotEqual(trip['there']['worst'], 'dropped')
        # A format without room for leftovers gets a sidecar.
        self.assertGreater(trips[NO_ROOM]['there']['sidecar_size'], 0)
        self.assertNotIn('sidecar_size', trips['heapsnapshot']['there'])

    def test_content_counts_unless_bytes_are_asked_for(self):
        # Another program wrote this file, so its bytes differ from ours.
        file = str(CORPUS / 'heapir/good/dartheap-strings.heapir')
        ways = ['--via', 'dartheap']
        trip = self.trips(*ways, file=file)['dartheap']
        self.assertEqual(trip['verdict'], 'equal')
        self.assertFalse(trip['differs'])
        self.assertEqual(trip['columns'], [])
        self.assertIn('first_difference', trip)
        self.trip(*ways, '--exact', '--minimize', 'small.heapir', file=file,
                  exit_code=DIFFERENT)
        small = self.trips(*ways, file='small.heapir')['dartheap']
        self.assertEqual(small['verdict'], 'equal')

    def test_each_format_of_the_list_is_a_trip(self):
        trips = self.trips('--via', f'heapir,{NO_ROOM},heapir',
                           exit_code=DIFFERENT)
        self.assertEqual(list(trips), ['heapir', NO_ROOM])
        self.assertEqual(trips['heapir']['verdict'], 'identical')
        every = self.trips('--via', 'all', exit_code=DIFFERENT)
        formats = json.loads(self.run_it('formats', '--json').stdout)
        self.assertEqual(
            set(every), {one['name'] for one in formats['formats']
                         if one['reads'] and one['writes']})

    def test_compressed_and_piped_inputs(self):
        packed = gzip.compress(build.people(), mtime=0)
        done = self.trip('--via', 'heapir', '--json', file='-', stdin=packed)
        report = json.loads(done.stdout)
        self.assertEqual(report['compression'], 'gzip')
        self.assertEqual(report['size'], len(build.people()))
        self.assertEqual(report['nodes'], 6)
        self.assertEqual(report['edges'], 8)
        self.assertFalse(report['differs'])

    def test_large_files_go_through_temporary_files(self):
        (self.dir / 'in.dartheap').write_bytes(build.many(3_000_000))
        trip = self.trips('--via', 'heapir')['heapir']
        self.assertEqual(trip['verdict'], 'identical')

    def test_the_same_every_time(self):
        first = self.trip('--via', 'all', exit_code=DIFFERENT)
        again = self.trip('--via', 'all', exit_code=DIFFERENT)
        self.assertEqual(first.stdout, again.stdout)

    def test_the_page_fits(self):
        for columns in (80, 140):
            page = self.trip('--via', 'all', exit_code=DIFFERENT,
                             COLUMNS=str(columns)).stdout.decode()
            for line in page.splitlines():
                self.assertLessEqual(len(line), columns, line)
            self.assertIn('byte-identical', page)
            self.assertIn('types.library_uri', page)
        self.assertNotIn('\033', page)

    def test_control_characters_of_the_input_do_not_get_through(self):
        classes = [build.dart_class('Root'),
                   build.dart_class('Evil\x1b[31m', 'a:\x07')]
        objects = [build.dart_object(1), build.dart_object(2, 8)]
        (self.dir / 'in.dartheap').write_bytes(
            build.dartheap(classes, objects, 0))
        page = self.trip('--via', NO_ROOM, exit_code=DIFFERENT).stdout
        self.assertNotIn(b'\x1b', page)
        self.assertNotIn(b'\x07', page)


class Mistakes(RoundTripTest):

    def test_help(self):
        text = self.run_it('roundtrip', '--help').stdout.decode()
        self.assertTrue(text.startswith(
            'Usage: heapglot roundtrip INPUT --via FORMAT,... [OPTIONS]'))
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80)

    def test_usage(self):
        self.assertIn('--via', self.error(exit_code=USAGE))
        self.assertIn("did you mean 'heapsnapshot'?",
                      self.error('--via', 'dartheap,heapsnapshto',
                                 exit_code=USAGE))
        self.assertIn('unknown', self.error('--via', 'dartheap,',
                                            exit_code=USAGE))
        self.assertIn('--tries', self.error('--via', 'ndjson', '--minimize',
                                            'x.dartheap', '--tries', 'many',
                                            exit_code=USAGE))
        self.assertIn('--minimize', self.error('--via', 'ndjson', '--tries',
                                               '4', exit_code=USAGE))
        self.assertIn('--minimize', self.error('--via', 'ndjson', '--minimize',
                                               '-', exit_code=USAGE))

    def test_a_bad_input_is_refused_at_its_place(self):
        whole = build.people()
        (self.dir / 'in.dartheap').write_bytes(whole[:60])
        line = self.error('--via', 'heapir', exit_code=TRUNCATED)
        self.assertIn('in.dartheap: offset', line)
        self.assertIn('offset', self.error(
            '--via', 'ndjson', exit_code=MALFORMED,
            file=str(CORPUS / 'heapir/bad/checksum.heapir')))
        self.error('--via', 'heapir', exit_code=INPUT, file='nowhere.dartheap')

    def test_strict(self):
        objects = [build.dart_object(1, references=[99])]
        (self.dir / 'in.dartheap').write_bytes(
            build.dartheap(build.CLASSES, objects, 1))
        self.trip('--via', 'heapir')
        self.error('--via', 'heapir', '--strict', exit_code=MALFORMED)


class Minimize(RoundTripTest):

    def minimize(self, *args, exit_code=DIFFERENT, **more):
        return self.trip('--minimize', 'small.dartheap', *args,
                         exit_code=exit_code, **more)

    def names(self, file, via):
        trip = self.trips('--via', via, file=file, exit_code=DIFFERENT)[via]
        tables = {(table['name'], table['added'] > 0, table['removed'] > 0)
                  for table in trip['tables']}
        return trip['verdict'], tables, {c['name'] for c in trip['columns']}

    def test_a_small_file_differs_in_the_same_way(self):
        (self.dir / 'in.dartheap').write_bytes(build.many(2000))
        done = self.minimize('--via', f'heapir,{NO_ROOM}')
        self.assertIn(f'differs the same way via {NO_ROOM}',
                      done.stderr.decode())
        size = os.path.getsize(self.dir / 'small.dartheap')
        self.assertLess(size, 150)
        self.assertLess(self.readable('small.dartheap')['nodes'], 10)
        self.assertEqual(self.names('small.dartheap', NO_ROOM),
                         self.names('in.dartheap', NO_ROOM))

    def test_text_formats(self):
        source = CORPUS / 'heapsnapshot/good/node22-lines.heapsnapshot'
        shutil.copy(source, self.dir / 'in.heapsnapshot')
        self.trip('--via', NO_ROOM, '--minimize', 'small.heapsnapshot.gz',
                  file='in.heapsnapshot', exit_code=DIFFERENT)
        packed = (self.dir / 'small.heapsnapshot.gz').read_bytes()
        small = gzip.decompress(packed)
        self.assertLess(len(small), os.path.getsize(source))
        self.assertLess(len(json.loads(small)['nodes']),
                        len(json.loads(source.read_text())['nodes']))
        self.assertEqual(self.names('small.heapsnapshot.gz', NO_ROOM),
                         self.names('in.heapsnapshot', NO_ROOM))

    def test_what_comes_of_the_spelling_is_told_and_left_out(self):
        shutil.copy(CORPUS / 'ndjson/good/python-arrays.ndjson',
                    self.dir / 'in.ndjson')
        done = self.trip('--via', 'netcf', '--minimize', 'small.ndjson',
                         file='in.ndjson', exit_code=DIFFERENT)
        self.assertIn(b'no longer differs by strings.source_id and '
                      b'strings.text, which come from how the file is written\n',
                      done.stderr)
        self.assertLess(self.readable('small.ndjson')['nodes'], 3)

    def test_the_input_is_never_replaced(self):
        whole = (self.dir / 'in.dartheap').read_bytes()
        os.symlink('in.dartheap', self.dir / 'link')
        for path in ('in.dartheap', './in.dartheap', 'link'):
            done = self.trip('--via', NO_ROOM, '--minimize', path, '-f',
                             exit_code=USAGE)
            self.assertIn(b'--minimize and INPUT', done.stderr)
            self.assertEqual((self.dir / 'in.dartheap').read_bytes(), whole)

    def test_what_comes_back_the_same_is_not_minimized(self):
        done = self.minimize('--via', 'heapir', exit_code=OK)
        self.assertIn(b'nothing to minimize', done.stderr)
        self.assertFalse((self.dir / 'small.dartheap').exists())

    def test_oddly_spelt_files_too(self):
        # The same content in other bytes: 0 takes two bytes.
        nonminimal = CORPUS / 'dartheap/good/nonminimal-lebs.dartheap'
        shutil.copy(nonminimal, self.dir / 'in.dartheap')
        before = self.names('in.dartheap', NO_ROOM)
        self.minimize('--via', NO_ROOM)
        self.assertEqual(self.names('small.dartheap', NO_ROOM), before)

    def test_the_file_is_whole_or_not_there(self):
        (self.dir / 'small.dartheap').write_bytes(b'precious')
        done = self.minimize('--via', NO_ROOM, exit_code=OUTPUT)
        self.assertIn(b'small.dartheap', done.stderr)
        self.assertEqual((self.dir / 'small.dartheap').read_bytes(),
                         b'precious')
        self.minimize('--via', NO_ROOM, '-f')
        self.assertEqual(self.readable('small.dartheap')['format'],
                         'dartheap')

    def test_tries_end(self):
        done = self.minimize('--via', NO_ROOM, '--tries', '3')
        self.assertIn(b'more with --tries', done.stderr)
        self.assertEqual(self.names('small.dartheap', NO_ROOM),
                         self.names('in.dartheap', NO_ROOM))

    def test_progress(self):
        done = self.minimize('--via', NO_ROOM, '-v', '--progress', 'always')
        self.assertIn(b'minimizing', done.stderr)
        self.assertIn(b'try 1: 6 nodes', done.stderr)
        quiet = self.minimize('--via', NO_ROOM, '-q', '-f')
        self.assertEqual(quiet.stderr, b'')


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    CORPUS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=1)
