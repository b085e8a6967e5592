#!/usr/bin/env python3
"""Black-box tests of what a converted file carries for the way back:
leftovers_test.py PATH_OF_HEAPGLOT [unittest args]."""

import base64
import json
import os
import shutil
import subprocess
import sys
import unittest
import zlib

import cli_test
import dartheap_builder as build
from cli_test import LOSSY, MALFORMED, USAGE


class Leftovers(cli_test.CommandTest):

    def convert(self, *args, output):
        return self.run_it('convert', *args, 'in.dartheap', '-o', output)

    def info(self, path):
        return json.loads(self.run_it('info', path, '--json').stdout)

    def test_a_dump_comes_back_from_formats_that_have_room(self):
        for extension in ('heapsnapshot', 'ndjson', 'heapsnapshot.gz'):
            made = f'a.{extension}'
            self.convert('-q', output=made)
            leftovers = self.info(made)['leftovers']
            self.assertEqual(leftovers['state'], 'intact')
            self.assertEqual(leftovers['format'], 'dartheap')
            page = self.run_it('info', made).stdout.decode()
            self.assertIn('the dartheap that it was made from', page)
            self.run_it('convert', '-q', '-f', made, '-o', 'back.dartheap')
            self.assertEqual(self.read('back.dartheap'),
                             self.read('in.dartheap'), extension)

    def test_a_file_that_was_cut_in_them_says_so(self):
        for extension, source in (('sqlite', 'in.dartheap'),
                                  ('dartheap', 'in.ndjson')):
            with self.subTest(extension):
                self.run_it('convert', '-qf', 'in.dartheap', '-o', 'in.ndjson',
                            '--embed', 'none')
                made = f'a.{extension}'
                self.run_it('convert', '-q', source, '-o', made)
                self.write(made, self.read(made)[:-1])
                result = self.run_it('convert', '-f', made, '-o', 'b.heapir')
                self.assertRegex(result.stderr.decode(),
                                 r'warning: .* bytes follow the [a-z ]+\n')
                self.run_it('convert', '-f', '--strict', made, '-o', 'b.heapir',
                            exit_code=MALFORMED)
                found = self.run_it('validate', made).stdout.decode()
                self.assertIn(f'warning {extension}.trailing', found)

    def test_a_trailer_counts_where_they_stand(self):
        self.convert('-q', output='a.ndjson')
        whole = self.read('a.ndjson')
        self.write('a.ndjson', whole[:whole.rindex(b'\n', 0, -1) + 1])
        self.assertEqual(self.info('a.ndjson')['leftovers']['state'], 'stale')
        self.run_it('convert', '--strict', 'a.ndjson', '-o', 'b.dartheap',
                    exit_code=MALFORMED)
        result = self.run_it('convert', 'a.ndjson', '-o', 'b.dartheap')
        self.assertIn(b'ignored: the trailer', result.stderr)
        self.run_it('convert', '-q', '--ignore-leftovers', 'a.ndjson', '-o',
                    'c.dartheap')
        self.assertEqual(self.read('b.dartheap'), self.read('c.dartheap'))
        self.write('a.ndjson', whole.replace(b'"crc32":"', b'"crc32":"0'))
        result = self.run_it('convert', '-f', 'a.ndjson', '-o', 'b.dartheap',
                             exit_code=MALFORMED)
        self.assertIn(b'the trailer says crc32', result.stderr)

    def test_any_format_is_made_from_what_it_was(self):
        self.convert('-q', output='a.heapsnapshot')
        self.run_it('convert', '-q', '--embed', 'none', 'a.heapsnapshot', '-o',
                    'b.ndjson')
        self.convert('-q', '--embed', 'none', output='c.ndjson')
        self.assertEqual(self.read('b.ndjson'), self.read('c.ndjson'))
        for name, source in (('d', 'in.dartheap'), ('e', 'a.heapsnapshot')):
            self.run_it('convert', '-q', source, '-o', name + '.heapir')
        self.assertEqual(self.read('d.heapir'), self.read('e.heapir'))

    def test_what_they_are_taken_from_is_no_sidecar(self):
        self.convert('-q', output='a.heapsnapshot')
        packed = json.loads(self.read('a.heapsnapshot'))['x-heapglot-leftovers']
        self.write('a.heapir', base64.b64decode(packed))
        result = self.run_it('convert', 'a.heapsnapshot', '-o', 'b.ndjson',
                             '--sidecar', 'a.heapir')
        self.assertIn(b'ignored', result.stderr)
        # By itself the file looks empty, and the command says why.
        result = self.run_it('convert', 'a.heapir', '-o', 'c.ndjson')
        self.assertIn(b'as a file', result.stderr)
        self.run_it('convert', '-q', 'a.heapir', '-o', 'back.dartheap')
        self.assertEqual(self.read('back.dartheap'), self.read('in.dartheap'))

    def test_what_is_odd_in_them_is_nothing_of_the_file(self):
        # The flags, padded by one byte.
        odd = self.read('in.dartheap').replace(b'dartheap\0', b'dartheap\x80\0')
        self.write('in.dartheap', odd)
        made = self.convert(output='a.heapsnapshot')
        self.assertIn(b'warning', made.stderr)
        for back in ('b.dartheap', 'b.ndjson'):
            result = self.run_it('convert', '--strict', 'a.heapsnapshot', '-o',
                                 back)
            self.assertNotIn(b'warning', result.stderr)
        self.assertEqual(self.read('b.dartheap'), odd)

    def test_more_metadata_than_a_frame_may_have(self):
        # A heapir reader accepts 65,536 texts and messages in one chunk.
        lines = [{'type': 'metadata', 'key': 'version_major', 'value': '1'}]
        lines += [{'type': 'metadata', 'key': f'k{i}', 'value': f'v{i}'}
                  for i in range(30_000)]
        text = ''.join(json.dumps(line, separators=(',', ':')) + '\n'
                       for line in lines).encode()
        self.write('in.ndjson', text)
        for extension in ('heapir', 'heapsnapshot', 'dartheap', 'sqlite'):
            self.run_it('convert', '-q', 'in.ndjson', '-o', 'a.' + extension)
            self.run_it('convert', '-q', '-f', 'a.' + extension, '-o',
                        'back.ndjson')
            self.assertEqual(self.read('back.ndjson'), text, extension)

    def test_a_longer_record_than_a_frame_may_have(self):
        # A heapir frame has at most 16 MiB.
        text = (b'{"type":"metadata","key":"version_major","value":"1"}\n'
                b'{"type":"x.y","a":1}\n'
                b'{"type":"x.y","a":"' + b'v' * (17 << 20) + b'"}\n'
                b'{"type":"x.y","a":2}\n')
        self.write('in.ndjson', text)
        for extension in ('heapir', 'heapsnapshot', 'sqlite'):
            self.run_it('convert', '-q', 'in.ndjson', '-o', 'a.' + extension)
            self.run_it('convert', '-q', '-f', 'a.' + extension, '-o',
                        'back.ndjson')
            self.assertEqual(self.read('back.ndjson'), text, extension)

    def test_without_them_if_one_likes(self):
        self.convert('-q', '--embed', 'none', output='a.heapsnapshot')
        self.assertNotIn('leftovers', self.info('a.heapsnapshot'))
        self.assertNotIn(b'x-heapglot', self.read('a.heapsnapshot'))
        self.run_it('convert', '-q', 'a.heapsnapshot', '-o', 'b.dartheap')
        self.assertNotEqual(self.read('b.dartheap'), self.read('in.dartheap'))

    def test_they_can_be_ignored(self):
        self.convert('-q', output='a.heapsnapshot')
        self.run_it('convert', '-q', '--ignore-leftovers', 'a.heapsnapshot',
                    '-o', 'b.dartheap')
        self.assertNotEqual(self.read('b.dartheap'), self.read('in.dartheap'))

    def test_a_snapshot_that_was_edited_is_what_it_is(self):
        self.convert('-q', output='a.heapsnapshot')
        dump = json.loads(self.read('a.heapsnapshot'))
        dump['nodes'][3] += 8
        self.write('a.heapsnapshot', json.dumps(dump).encode())
        self.assertEqual(self.info('a.heapsnapshot')['leftovers']['state'],
                         'stale')
        result = self.run_it('convert', 'a.heapsnapshot', '-o', 'b.ndjson')
        self.assertIn(b'ignored', result.stderr)
        before = self.read('b.ndjson')
        self.run_it('convert', '-q', '-f', '--ignore-leftovers',
                    'a.heapsnapshot', '-o', 'b.ndjson')
        self.assertEqual(self.read('b.ndjson'), before)

    def expect_stale(self, edited):
        """Expects stale leftovers in `edited`, which a conversion reports and ignores."""
        self.assertEqual(self.info(edited)['leftovers']['state'], 'stale')
        result = self.run_it('convert', '-f', edited, '-o', 'b.dartheap')
        self.assertIn(b'leftovers of the dump', result.stderr)
        self.assertIn(b'ignored', result.stderr)
        self.run_it('convert', '-q', '-f', '--ignore-leftovers', edited, '-o',
                    'c.dartheap')
        self.assertEqual(self.read('b.dartheap'), self.read('c.dartheap'))

    def test_a_member_behind_them_makes_them_stale(self):
        self.convert('-q', output='a.heapsnapshot')
        text = self.read('a.heapsnapshot').rstrip()
        dump = json.loads(text)
        moved = {**dump, 'strings': dump['strings'] + ['"x"']}
        moved['strings'].append('"x-heapglot-leftovers":"')
        for i, edited in enumerate(
            (text[:-1] + b',"note":"x"}',
             text[:-1] + b', "a" : {"b":[]}, "c": true\n}\n',
             json.dumps({**moved, 'note': 'x'}, indent=1).encode(),
             json.dumps({'snapshot': 0, 'x-heapglot-leftovers': 0, **moved,
                         'note': 'x'}).encode())):
            with self.subTest(i):
                self.write('e.heapsnapshot', edited)
                self.expect_stale('e.heapsnapshot')

    def test_a_record_that_follows_them_makes_them_stale(self):
        self.convert('-q', output='a.ndjson')
        lines = self.read('a.ndjson').splitlines(keepends=True)
        first = next(i for i, line in enumerate(lines)
                     if b'hg.leftovers' in line)
        carried = lines[first:-1]

        def with_trailer(others):
            text = b''.join(others)
            trailer = json.loads(lines[-1])
            trailer.update(records=len(others), bytes=len(text),
                           crc32=f'{zlib.crc32(text):08x}')
            return [*others, json.dumps(trailer).encode() + b'\n']

        more = b'{"type":"metadata","key":"more","value":"1"}\n'
        for name, edited in (
            ('instead of the trailer', lines[:-1] + [more]),
            ('before the trailer', with_trailer(lines[:-1] + [more])),
            ('moved', with_trailer(lines[:1] + carried + lines[1:first])),
            ('no last line feed', lines[:-1] + [lines[-1][:-1]])):
            with self.subTest(name):
                self.write('e.ndjson', b''.join(edited))
                self.expect_stale('e.ndjson')

    def test_a_line_may_repeat_their_key(self):
        """Going back to the start of the line from each took a minute."""
        self.write('a.ndjson', b'["x",' + b'"hg.leftovers",' * 70_000 + b'1]\n')
        self.run_it('info', 'a.ndjson', '--from', 'ndjson', timeout=20,
                    exit_code=MALFORMED)

    def test_a_sidecar_stays_where_its_output_fails(self):
        """An old sidecar is still valid for the output it was made with."""
        for output in ('/dev/full', '-'):
            for old in (None, b'keep'):
                path = self.dir / 's.heapir'
                path.unlink(missing_ok=True)
                if old is not None:
                    path.write_bytes(old)
                with open('/dev/full', 'wb') as full:
                    done = subprocess.run(
                        [cli_test.BINARY, 'convert', '-qf', 'in.dartheap',
                         '-o', output, '--to', 'netcf', '--sidecar',
                         's.heapir'],
                        stdout=full, stderr=subprocess.PIPE, check=False,
                        cwd=self.dir)
                self.assertEqual(done.returncode, 8, done.stderr)
                self.assertEqual(path.read_bytes() if path.exists() else None,
                                 old)

    @unittest.skipIf(shutil.which('strace') is None, 'strace is missing')
    def test_no_signal_comes_between_a_sidecar_and_its_output(self):
        self.convert('-q', '--sidecar', 's.heapir', output='a.gclog')
        self.write('other.dartheap', build.many(9))
        done = subprocess.run(
            ['strace', '-f', '-o', 'trace', '-e', 'trace=/^rename', '-e',
             'inject=/^rename:signal=SIGTERM:when=1', cli_test.BINARY, 'convert',
             '-qf', '--no-sandbox', 'other.dartheap', '-o', 'a.gclog',
             '--sidecar', 's.heapir'], cwd=self.dir, stderr=subprocess.PIPE,
            env=self.environment(), check=False, timeout=cli_test.MINUTE)
        if b'ptrace' in done.stderr:
            self.skipTest('strace is not allowed')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b'SIGTERM', self.read('trace'))
        self.run_it('convert', '-q', 'a.gclog', '--sidecar', 's.heapir', '-o',
                    'back.dartheap')
        self.assertEqual(self.read('back.dartheap'),
                         self.read('other.dartheap'))

    def test_a_sidecar_goes_with_what_has_no_room(self):
        self.convert('-q', '--sidecar', 'a.heapir', output='a.gclog')
        sidecar = self.read('a.heapir')
        self.run_it('convert', '-q', 'a.gclog', '--sidecar', 'a.heapir', '-o',
                    'back.dartheap')
        self.assertEqual(self.read('back.dartheap'), self.read('in.dartheap'))
        self.assertEqual(self.read('a.heapir'), sidecar)
        # The sidecar is an ordinary heapir file.
        self.run_it('convert', '-q', '-f', 'a.heapir', '-o', 'back.dartheap')
        self.assertEqual(self.read('back.dartheap'), self.read('in.dartheap'))

    def test_a_descriptor_is_no_sidecar(self):
        for path in ('-', '/dev/stdout', '/dev/fd/1'):
            self.run_it('convert', 'in.dartheap', '--to', 'netcf', '-o', '-',
                        '--sidecar', path, exit_code=USAGE)

    def test_a_new_sidecar_is_told(self):
        said = b'leftovers: written to '
        made = self.convert('--sidecar', 'a.heapir', output='a.gclog')
        self.assertIn(said + b'a.heapir, for converting back\n', made.stderr)
        back = ['convert', '-f', 'a.gclog', '-o', 'back.dartheap', '--sidecar']
        read = self.run_it(*back, 'a.heapir')
        self.assertNotIn(said, read.stderr)
        # A mistyped name on the way back does not silently make a file.
        mistyped = self.run_it(*back, 'b.heapir')
        self.assertIn(said + b'b.heapir', mistyped.stderr)

    def test_a_sidecar_is_compressed_as_its_name_says(self):
        for name, magic in (('a.heapir.gz', b'\x1f\x8b'),
                            ('a.heapir.zst', b'\x28\xb5\x2f\xfd')):
            self.convert('-q', '-f', '--sidecar', name, output='a.gclog')
            self.assertEqual(self.read(name)[:len(magic)], magic)
            self.run_it('convert', '-q', '-f', 'a.gclog', '--sidecar', name,
                        '-o', 'back.dartheap')
            self.assertEqual(self.read('back.dartheap'),
                             self.read('in.dartheap'))

    def test_a_sidecar_of_another_file_is_not_used(self):
        self.convert('-q', '--sidecar', 'a.heapir', output='a.gclog')
        self.write('a.gclog', self.read('a.gclog') + b'# \n')
        result = self.run_it('convert', 'a.gclog', '--sidecar', 'a.heapir',
                             '-o', 'b.ndjson')
        self.assertIn(b'leftovers', result.stderr)
        self.assertIn(b'ignored', result.stderr)

    def test_an_old_sidecar_gives_way_to_force(self):
        self.write('a.heapir', b'something else')
        self.run_it('convert', '-q', 'in.dartheap', '-o', 'a.gclog',
                    '--sidecar', 'a.heapir', '-f')
        self.run_it('convert', '-q', 'a.gclog', '-o', 'back.dartheap',
                    '--sidecar', 'a.heapir')
        self.assertEqual(self.read('back.dartheap'), self.read('in.dartheap'))

    def test_what_is_in_the_way_of_a_sidecar_stays(self):
        self.write('a.heapir', b'something else')
        before = self.files()
        result = self.run_it('convert', '-q', 'in.dartheap', '-o', 'a.gclog',
                             '--sidecar', 'a.heapir',
                             exit_code=cli_test.OUTPUT)
        self.assertIn(b'a.heapir: exists', result.stderr)
        self.assertEqual(self.files(), before)
        self.assertEqual(self.read('a.heapir'), b'something else')
        # If the output has room for leftovers, the file is merely useless.
        result = self.run_it('convert', 'in.dartheap', '-o', 'a.heapsnapshot',
                             '--sidecar', 'a.heapir')
        self.assertIn(b'ignored', result.stderr)

    def test_nothing_is_left_beside_an_output_that_failed(self):
        self.run_it('convert', '-q', 'in.dartheap', '-o', 'a.gclog',
                    '--sidecar', 'a.heapir', '--max-loss', 'equivalent',
                    exit_code=LOSSY)
        self.assertEqual(self.files(), ['in.dartheap'])

    def test_a_sidecar_is_a_file_of_its_own(self):
        for path in ('a.gclog', 'in.dartheap', '-', '/dev/full', '/dev/zero'):
            result = self.run_it('convert', 'in.dartheap', '-o', 'a.gclog',
                                 '--sidecar', path, exit_code=USAGE)
            self.assertIn(b'--sidecar', result.stderr)

    def test_what_travels_is_embedded_in_the_report(self):
        self.convert('-q', '--lossless', '--report', 'r.json',
                     output='a.heapsnapshot')
        report = json.loads(self.read('r.json'))
        self.assertEqual(report['worst'], 'embedded')
        natives = {loss['native'] for loss in report['loss']
                   if loss['class'] == 'embedded'}
        self.assertTrue(natives <= {'approximated', 'dropped'}, natives)
        self.run_it('convert', '-q', 'in.dartheap', '-o', 'b.heapsnapshot',
                    '--lossless', '--embed', 'none', exit_code=LOSSY)

    def test_garbage_that_was_dropped_does_not_come_back(self):
        objects = [build.dart_object(1), build.dart_object(0, 8)]
        self.write('in.dartheap', build.dartheap(build.CLASSES, objects, 0))
        for what, nodes in (('drop', 1), ('root', 2)):
            made, back = f'{what}.heapsnapshot', f'{what}.dartheap'
            self.convert('-q', '--unreachable', what, output=made)
            self.run_it('convert', '-q', made, '-o', back)
            self.assertEqual(self.info(back)['nodes'], nodes, what)


if __name__ == '__main__':
    cli_test.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
