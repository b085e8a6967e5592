#!/usr/bin/env python3
"""Black-box tests of the command: cli_test.py PATH_OF_HEAPGLOT [unittest args].

Everything here goes through the binary; the tests build their inputs."""

import fcntl
import gzip
import hashlib
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

import dartheap_builder as build

try:
    import xxhash
except ImportError:
    xxhash = None

BINARY = ''
ROOT = pathlib.Path(__file__).resolve().parents[2]
MINUTE = 60
OK, USAGE, MALFORMED, TRUNCATED, LIMIT = 0, 2, 3, 4, 5
LOSSY, OUTPUT, INPUT = 7, 8, 9


class CommandTest(unittest.TestCase):
    """A test that runs in a directory of its own."""

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='heapglot-cli.'))
        self.addCleanup(shutil.rmtree, self.dir)
        self.write('in.dartheap', build.people())

    def write(self, name, data):
        (self.dir / name).write_bytes(data)

    def read(self, name):
        return (self.dir / name).read_bytes()

    def files(self):
        return sorted(os.listdir(self.dir))

    def environment(self, **changes):
        env = {'PATH': os.environ['PATH'], 'LC_ALL': 'C.UTF-8'}
        for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS', 'TMPDIR'):
            if name in os.environ:
                env[name] = os.environ[name]
        env.update(changes)
        return env

    def run_it(self, *args, exit_code=OK, stdin=b'', env=None, **more):
        more.setdefault('stdout', subprocess.PIPE)
        more.setdefault('stderr', subprocess.PIPE)
        more.setdefault('timeout', MINUTE)
        done = subprocess.run([BINARY, *args], input=stdin, cwd=self.dir,
                              env=env or self.environment(), check=False,
                              **more)
        self.assertEqual(done.returncode, exit_code,
                         f'{args}: {done.stderr!r}')
        return done

    def start(self, *args, **more):
        process = subprocess.Popen([BINARY, *args], cwd=self.dir,
                                   env=self.environment(), **more)
        self.addCleanup(self.stop, process)
        return process

    @staticmethod
    def stop(process):
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream and not stream.closed:
                stream.close()

    def errors(self, *args, **more):
        """Lines on stderr of a run that is expected to fail."""
        done = self.run_it(*args, **more)
        self.assertEqual(done.stdout, b'')
        return done.stderr.decode().splitlines()

    def assert_one_message(self, lines, *parts):
        self.assertEqual(len(lines), 1, lines)
        self.assertLessEqual(len(lines[0].encode()), 512)
        self.assertTrue(lines[0].startswith('heapglot: '), lines)
        for part in parts:
            self.assertIn(part, lines[0])

    def wait_for(self, condition):
        deadline = time.monotonic() + MINUTE
        while not condition():
            self.assertLess(time.monotonic(), deadline, 'waited too long')
            time.sleep(0.01)

    def convert(self, *more, output='out.heapsnapshot', **rest):
        return self.run_it('convert', 'in.dartheap', '-o', output, *more,
                           **rest)


class CommandLine(CommandTest):

    def test_mistakes_end_with_2_a_reason_and_a_hint(self):
        cases = [
            ([], 'a command is missing'),
            (['--', 'info', 'x'], 'a command is missing'),
            (['conver'], "did you mean 'convert'?"),
            (['xyzzy'], 'known: convert, info'),
            (['help', 'convert'], 'try heapglot VERB --help'),
            (['-q', 'info', 'in.dartheap'], 'go after it'),
            (['info', 'in.dartheap', '--', '--json'], "unexpected '--json'"),
            (['info', 'in.dartheap', '--json=x'], '--json takes no value'),
            (['convert', 'in.dartheap', '-o', 'x', '--to', 'NDJSON'],
             "did you mean 'ndjson'?"),
            (['--frobnicate'], "unknown option '--frobnicate'"),
            (['convert'], 'INPUT is required'),
            (['convert', 'in.dartheap'], '-o OUTPUT'),
            (['convert', 'in.dartheap', 'out.heapsnapshot'],
             'give the output with -o'),
            (['convert', 'in.dartheap', '-o'], '--output needs a value'),
            (['convert', 'in.dartheap', '-o', 'a', '-o', 'b'],
             '--output is given twice'),
            (['convert', 'in.dartheap', '-o', ''], '--output is empty'),
            (['convert', 'in.dartheap', '-o', 'a.heapsnapshot', '--report',
              ''], '--report is empty'),
            (['info', ''], 'INPUT is empty'),
            (['convert', 'in.dartheap', '-o', 'a.foo'], '.heapsnapshot'),
            (['convert', 'in.dartheap', '-o', 'a'], 'no extension'),
            (['convert', 'in.dartheap', '-o', 'a.heapsnapsho'],
             "did you mean '.heapsnapshot'?"),
            (['convert', 'in.dartheap', '-o', '-'], '--to'),
            (['convert', 'in.dartheap', '-o', 'a', '--to', 'heapsnapsot'],
             "did you mean 'heapsnapshot'?"),
            (['convert', 'in.dartheap', '-o', 'a.heapsnapshot', '--from',
              'dart'], "did you mean 'dartheap'?"),
            (['convert', 'in.dartheap', '-o', 'a.heapsnapshot', '--repot',
              'r'], "did you mean '--report'?"),
            (['convert', 'in.dartheap', '-o', 'a.heapsnapshot',
              '--unreachable', 'maybe'], 'keep, root and drop'),
            (['convert', 'in.dartheap', '-o', 'a.heapsnapshot',
              '--max-string', 'big'], 'not a size'),
            (['convert', 'in.dartheap', '-o', 'a.heapsnapshot',
              '--max-depth', '-3'], '--max-depth'),
            (['convert', 'in.dartheap', '-o', 'a.heapsnapshot', '-q', '-v'],
             'excludes'),
            (['info'], 'INPUT is required'),
            (['info', 'in.dartheap', '--top', 'all'], '--top'),
            (['formats', 'extra'], "unexpected 'extra'"),
        ]
        for args, part in cases:
            with self.subTest(args=args):
                lines = self.errors(*args, exit_code=USAGE)
                self.assertEqual(len(lines), 2, lines)
                self.assertTrue(lines[0].startswith('heapglot: '), lines)
                self.assertIn(part, lines[0])
                self.assertRegex(lines[1], r"^Try 'heapglot.* --help'\.$")
        self.assertEqual(self.files(), ['in.dartheap'])

    def test_help_and_version(self):
        for args in (['--help'], ['convert', '--help'], ['info', '-h'],
                     ['formats', '--help']):
            with self.subTest(args=args):
                done = self.run_it(*args)
                self.assertIn(b'Usage: heapglot', done.stdout)
                self.assertEqual(done.stderr, b'')
                width = max(map(len, done.stdout.decode().splitlines()))
                self.assertLessEqual(width, 80)
        self.assertRegex(self.run_it('--version').stdout,
                         rb'^heapglot \d+\.\d+\.\d+\n$')

    def test_options_may_stand_anywhere(self):
        self.run_it('convert', '-q', '--output=out.heapsnapshot',
                    '--to=heapsnapshot', 'in.dartheap')
        self.run_it('convert', '-f', '-o', 'out.heapsnapshot', '--',
                    'in.dartheap')

    def test_formats(self):
        table = self.run_it('formats').stdout.decode()
        self.assertIn('dartheap', table)
        self.assertIn('.heapsnapshot', table)
        formats = json.loads(self.run_it('formats', '--json').stdout)['formats']
        by_name = {entry['name']: entry for entry in formats}
        self.assertTrue(by_name['dartheap']['reads'])
        self.assertTrue(by_name['heapsnapshot']['writes'])
        self.assertIn('.heapsnapshot', by_name['heapsnapshot']['extensions'])


class Convert(CommandTest):

    def snapshot(self, data):
        snapshot = json.loads(data)
        self.assertIn('Ada', snapshot['strings'])
        return snapshot

    def test_file_to_file(self):
        done = self.convert()
        self.assertEqual(done.stdout, b'')
        self.assertEqual(self.files(), ['in.dartheap', 'out.heapsnapshot'])
        self.snapshot(self.read('out.heapsnapshot'))

    def test_stdin_and_stdout(self):
        self.convert()
        done = self.run_it('convert', '-', '-o', '-', '--to', 'heapsnapshot',
                           stdin=self.read('in.dartheap'))
        self.assertEqual(done.stdout, self.read('out.heapsnapshot'))

    def test_compressed_inputs_and_outputs(self):
        self.convert()
        plain = self.read('out.heapsnapshot')
        self.convert(output='out.heapsnapshot.gz')
        self.assertEqual(gzip.decompress(self.read('out.heapsnapshot.gz')),
                         plain)
        # Python has no zstd: heapglot itself must read the output again.
        self.write('in.gz', gzip.compress(self.read('in.dartheap')))
        self.run_it('convert', 'in.gz', '-o', 'from-gz.heapsnapshot')
        self.assertEqual(self.read('from-gz.heapsnapshot'), plain)
        self.convert(output='out.heapsnapshot.zst')
        magic = b'\x28\xb5\x2f\xfd'
        self.assertTrue(self.read('out.heapsnapshot.zst').startswith(magic))
        if shutil.which('zstd'):
            subprocess.run(['zstd', '-q', 'in.dartheap'], cwd=self.dir,
                           check=True)
            self.run_it('convert', 'in.dartheap.zst', '-o', 'z.heapsnapshot')
            self.assertEqual(self.read('z.heapsnapshot'), plain)
            unpacked = subprocess.run(
                ['zstd', '-dcq', 'out.heapsnapshot.zst'], cwd=self.dir,
                check=True, stdout=subprocess.PIPE)
            self.assertEqual(unpacked.stdout, plain)

    def test_content_decides_not_the_name(self):
        self.write('binary.heapsnapshot', self.read('in.dartheap'))
        self.run_it('convert', 'binary.heapsnapshot', '-o', 'o.heapsnapshot')
        self.snapshot(self.read('o.heapsnapshot'))

    def test_same_bytes_every_time(self):
        self.convert(output='a.heapsnapshot')
        self.convert(output='b.heapsnapshot')
        self.assertEqual(self.read('a.heapsnapshot'),
                         self.read('b.heapsnapshot'))

    def test_an_existing_output_needs_force(self):
        self.write('out.heapsnapshot', b'precious')
        lines = self.errors('convert', 'in.dartheap', '-o',
                            'out.heapsnapshot', exit_code=OUTPUT)
        self.assert_one_message(lines, 'out.heapsnapshot', '-f')
        self.assertEqual(self.read('out.heapsnapshot'), b'precious')
        self.convert('-f')
        self.snapshot(self.read('out.heapsnapshot'))

    def test_unreachable_has_three_ways(self):
        counts = {}
        for way in ('keep', 'root', 'drop'):
            self.convert('--unreachable', way, '-f')
            snapshot = self.snapshot(self.read('out.heapsnapshot'))
            counts[way] = snapshot['snapshot']['node_count']
        self.assertEqual(counts['keep'], counts['drop'])  # no garbage here

    def test_a_snapshot_gets_a_node_for_its_garbage_if_asked(self):
        odd = ROOT / 'corpus/heapsnapshot/good/scopes-odd.heapsnapshot'
        before = json.loads(odd.read_text())
        fields = len(before['snapshot']['meta']['node_fields'])
        self.run_it('convert', str(odd), '-o', 'keep.heapir')
        for source in (str(odd), 'keep.heapir'):
            self.run_it('convert', source, '-o', 'a.heapsnapshot', '-q', '-f',
                        '--unreachable', 'root', '--report', 'report')
            after = json.loads(self.read('a.heapsnapshot'))
            self.assertIn('(Unreachable)', after['strings'])
            self.assertGreater(after['snapshot']['node_count'],
                               len(before['nodes']) // fields)
            made = {item['code']: item['count'] for item in
                    json.loads(self.read('report'))['synthesized']}
            self.assertEqual(made['unreachable.root'], 1)
            self.run_it('convert', 'a.heapsnapshot', '-o', 'a.heapir', '-f')
            self.run_it('convert', 'a.heapir', '-o', 'b.heapsnapshot', '-f')
            self.assertEqual(self.read('b.heapsnapshot'), odd.read_bytes())

    def test_what_is_left_states_its_numbers(self):
        # The file's counts do not include references that a reader makes.
        dump = ROOT / 'corpus/dartheap/good/tiny-dart3.7.3-ia32.dartheap.gz'
        for middle in ('a.dartheap', 'a.heapir'):
            self.run_it('convert', str(dump), '-o', middle, '-q',
                        '--unreachable', 'drop')
            self.run_it('convert', middle, '-o', 'b.dartheap', '-q', '-f',
                        '--embed', 'none')
            found = self.run_it('validate', '-v', 'b.dartheap').stdout
            self.assertNotIn(b'is stated as', found)

    def test_weak_references_go_with_what_is_dropped(self):
        # (GC roots) refers to fn, and fn refers weakly to a script, to which rows
        # of scopes and a location refer.
        odd = str(ROOT / 'corpus/heapsnapshot/good/scopes-odd.heapsnapshot')
        self.run_it('convert', odd, '-o', 'keep.heapir')
        drop = ('--unreachable', 'drop', '-q')
        self.run_it('convert', odd, '-o', 'a.heapsnapshot', *drop,
                    '--report', 'report')
        snapshot = json.loads(self.read('a.heapsnapshot'))
        before = json.loads(pathlib.Path(odd).read_text())
        fields = len(snapshot['snapshot']['meta']['node_fields'])
        edges = snapshot['edges']
        self.assertEqual(len(edges) // 3, len(before['edges']) // 3 - 1)
        self.assertEqual(snapshot['snapshot']['edge_count'], len(edges) // 3)
        self.assertEqual(sum(snapshot['nodes'][4::fields]), len(edges) // 3)
        self.assertNotIn(0, edges[2::3])
        self.assertEqual(snapshot['scopes'][0::5], [-1, -1, 8, -1])
        self.assertEqual(snapshot['scopes'][1::5], before['scopes'][1::5])
        loss = {item['code']: item['count']
                for item in json.loads(self.read('report'))['loss']}
        self.assertEqual({code: count for code, count in loss.items()
                          if code.startswith('unreachable.')},
                         {'unreachable.node': 1, 'unreachable.edge': 1,
                          'unreachable.reference': 2,
                          'unreachable.extra_table': 2,
                          'unreachable.extra': 1})
        self.assertEqual(loss['heapsnapshot.edge'], len(edges) // 3)
        # The same holds with the IR in between.
        self.run_it('convert', 'keep.heapir', '-o', 'b.heapsnapshot', *drop)
        self.run_it('convert', odd, '-o', 'drop.heapir', *drop)
        self.run_it('convert', 'drop.heapir', '-o', 'c.heapsnapshot', '-q')
        for name in ('b', 'c'):
            other = json.loads(self.read(name + '.heapsnapshot'))
            self.assertEqual(other['edges'], edges)
            self.assertEqual(other['nodes'], snapshot['nodes'])

    def test_ndjson_has_two_layouts(self):
        self.convert(output='array.ndjson')
        self.convert('--layout', 'array', output='same.ndjson')
        self.assertEqual(self.read('same.ndjson'), self.read('array.ndjson'))
        self.convert('--layout', 'object', output='object.ndjson')
        for line in self.read('object.ndjson').splitlines():
            self.assertIn('type', json.loads(line))
        # From one layout to the other, and back.
        for source, layout in (('array', 'object'), ('object', 'array')):
            self.run_it('convert', f'{source}.ndjson', '-o', 'other.ndjson',
                        '--layout', layout, '--force')
            self.assertEqual(self.read('other.ndjson'),
                             self.read(f'{layout}.ndjson'))
        self.convert('--layout', 'object', exit_code=USAGE)

    def test_quiet_says_nothing(self):
        self.assertEqual(self.convert('-q').stderr, b'')

    def test_losses_have_a_line_a_class(self):
        native = ['--embed', 'none']
        lines = self.convert(*native).stderr.decode().splitlines()
        words = [line.split()[1] for line in lines]
        self.assertIn('dropped:', words)
        self.assertEqual(len(words), len(set(words)))
        verbose = self.convert('-v', '-f', *native).stderr.decode().splitlines()
        self.assertGreater(len(verbose), len(lines))

    def test_lossless_refuses_with_7(self):
        for option in (['--lossless'], ['--max-loss', 'approximated']):
            with self.subTest(option=option):
                self.convert(*option, '--embed', 'none', exit_code=LOSSY)
                self.assertEqual(self.files(), ['in.dartheap'])

    def test_log_format_json(self):
        done = self.convert('--log-format', 'json', '-v')
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        self.assertEqual({line['level'] for line in lines}, {'info'})
        self.assertRegex(lines[-1]['message'], '^in.dartheap: .* became .*')
        self.write('bad.dartheap', build.MAGIC + b'\xff' * 12)
        lines = self.errors('convert', 'bad.dartheap', '-o', 'x.heapsnapshot',
                            '--log-format', 'json', exit_code=MALFORMED)
        error = json.loads(lines[0])
        self.assertEqual(error['level'], 'error')
        self.assertEqual(error['code'], 'malformed')
        self.assertEqual(error['file'], 'bad.dartheap')
        self.assertEqual(error['offset'], 8)
        for words in (['convert', 'in.dartheap', '--log-format', 'json'],
                      ['info', '--log-format=json', '--tpo', '3'],
                      ['inof', 'in.dartheap', '--log-format=json']):
            [line] = self.errors(*words, exit_code=USAGE)
            error = json.loads(line)
            self.assertEqual((error['level'], error['code']),
                             ('error', 'usage'))
        lines = self.errors('info', '--', '--log-format=json', 'x',
                            exit_code=USAGE)
        self.assertTrue(lines[0].startswith('heapglot: '), lines)


class WaysBack(CommandTest):

    def test_to_the_ir_and_back_is_the_same_file(self):
        self.convert(output='x.heapir')
        self.run_it('convert', 'x.heapir', '-o', 'back.dartheap')
        self.assertEqual(self.read('back.dartheap'), self.read('in.dartheap'))

    def test_so_it_is_for_every_format(self):
        for extension in ('heapsnapshot', 'gclog', 'ndjson'):
            first, back = f'a.{extension}', f'b.{extension}'
            self.convert('-q', output=first)
            self.run_it('convert', '-q', first, '-o', back)
            self.assertEqual(self.read(back), self.read(first), extension)
            # Through the IR, too, except for the leftovers, which hold their source.
            self.run_it('convert', '-q', first, '-o', 'y.heapir', '-f')
            plain = ('--embed', 'none', '-f')
            self.convert('-q', *plain, output=first)
            self.run_it('convert', '-q', *plain, 'y.heapir', '-o', back)
            self.assertEqual(self.read(back), self.read(first), extension)

    def test_info_says_whether_the_source_comes_back(self):
        self.convert(output='x.heapir')
        info = json.loads(self.run_it('info', 'x.heapir', '--json').stdout)
        self.assertEqual(info['format'], 'heapir')
        source = info['source']
        self.assertEqual(source['format'], 'dartheap')
        self.assertEqual(source['size'], len(self.read('in.dartheap')))
        self.assertEqual(source['byte_identity'], 'verified')
        self.assertIs(source['byte_identical'], True)
        page = self.run_it('info', 'x.heapir').stdout.decode()
        self.assertIn('byte for byte (verified)', page)

    @unittest.skipUnless(xxhash, 'python3-xxhash is missing')
    def test_info_has_the_digest_of_the_source(self):
        self.convert(output='x.heapir')
        info = json.loads(self.run_it('info', 'x.heapir', '--json').stdout)
        self.assertEqual(info['source']['xxh3_128'],
                         xxhash.xxh3_128_hexdigest(self.read('in.dartheap')))

    def test_info_does_not_know_what_a_canonical_dump_was(self):
        self.run_it('normalize', '-q', 'in.dartheap', '-o', 'archive')
        [dump] = pathlib.Path(self.dir, 'archive', 'dumps').glob('*/*.heapir')
        info = json.loads(self.run_it('info', dump, '--json').stdout)
        self.assertEqual(info['source'], {
            'format': 'dartheap', 'byte_identical': False,
            'byte_identity': 'none'})
        page = self.run_it('info', dump).stdout.decode()
        self.assertRegex(page, r'(?m)^  source +dartheap$')

    def test_oddities_are_patched(self):
        # The flags, padded by one byte.
        odd = self.read('in.dartheap').replace(b'dartheap\0', b'dartheap\x80\0')
        self.write('in.dartheap', odd)
        self.convert(output='x.heapir')
        info = json.loads(self.run_it('info', 'x.heapir', '--json').stdout)
        self.assertEqual(info['source']['byte_identity'], 'patched')
        self.run_it('convert', 'x.heapir', '-o', 'back.dartheap')
        self.assertEqual(self.read('back.dartheap'), odd)

    def test_the_usual_layout_is_another_file(self):
        text = (b'{ "snapshot": {"meta": {"node_fields": ["type","name","id",'
                b'"self_size","edge_count"],"node_types": [["object"]],'
                b'"edge_fields": ["type","name_or_index","to_node"],'
                b'"edge_types": [["element"]]},"node_count": 1,"edge_count": 0}'
                b', "nodes": [ 0 , 0 , 1 , 16 , 0 ] , "edges": [ ], '
                b'"strings": [ "Ada" ] }')
        self.write('in.heapsnapshot', text)
        self.run_it('convert', 'in.heapsnapshot', '-o', 'same.heapsnapshot')
        self.assertEqual(self.read('same.heapsnapshot'), text)
        self.run_it('convert', 'in.heapsnapshot', '-o', 'usual.heapsnapshot',
                    '--layout', 'usual')
        usual = self.read('usual.heapsnapshot')
        self.assertNotEqual(usual, text)
        self.assertEqual(json.loads(usual)['nodes'], [0, 0, 1, 16, 0])
        lines = self.errors('convert', 'in.heapsnapshot', '-o', 'o.dartheap',
                            '--layout', 'pretty', exit_code=USAGE)
        self.assertIn('pretty', lines[0])


    def test_a_cut_line_is_no_record_in_the_usual_layout(self):
        self.write('cut.gclog', b'a 2 App\nt 1 A\no 10 1 c 20\no 20 1 8')
        self.run_it('convert', 'cut.gclog', '-o', 'same.gclog')
        self.assertEqual(self.read('same.gclog'), self.read('cut.gclog'))
        self.run_it('convert', 'cut.gclog', '-o', 'usual.gclog', '--layout',
                    'usual', '--report', 'report.json')
        self.assertEqual(self.read('usual.gclog'),
                         b'a 2 App\nt 1 A\no 10 1 c 20\n')
        self.run_it('diff', 'cut.gclog', 'usual.gclog')
        [loss] = [row for row in json.loads(self.read('report.json'))['loss']
                  if row['class'] != 'exact']
        self.assertEqual((loss['code'], loss['class'], loss['count']),
                         ('netcf.line.cut', 'dropped', 1))
        self.run_it('convert', 'cut.gclog', '-o', 'no.gclog', '--layout',
                    'usual', '--lossless', exit_code=7)


class Report(CommandTest):

    KEYS = ['tool', 'version', 'from', 'to', 'loss', 'synthesized', 'worst']

    def check(self, data, source):
        report = json.loads(data)
        self.assertEqual(list(report), self.KEYS)
        self.assertEqual(report['tool'], 'heapglot')
        self.assertEqual(report['from']['format'], 'dartheap')
        self.assertEqual(report['from']['size'], len(source))
        self.assertEqual(report['from']['sha256'],
                         hashlib.sha256(source).hexdigest())
        self.assertEqual(report['to'], 'heapsnapshot')
        self.assertTrue(report['loss'])
        for item in report['loss']:
            native = ['native'] if item['class'] == 'embedded' else []
            self.assertEqual(list(item), ['code', 'class', 'count', 'detail',
                                          'examples', *native])
        classes = ['exact', 'equivalent', 'embedded', 'approximated',
                   'dropped']
        worst = max(classes.index(item['class']) for item in report['loss'])
        self.assertEqual(report['worst'], classes[worst])

    def test_a_link_to_the_output_is_the_output(self):
        os.symlink('out.ndjson', self.dir / 'link')
        os.symlink('link', self.dir / 'link2')
        for a, b in (('link2', 'out.ndjson'), ('./out.ndjson', 'link2')):
            lines = self.errors('convert', 'in.dartheap', '--to', 'ndjson',
                                '-o', b, '--report', a, exit_code=USAGE)
            self.assertIn('--report and OUTPUT', lines[0])
            self.assertFalse((self.dir / 'out.ndjson').exists())

    def test_file(self):
        self.convert('--report', 'report.json')
        self.check(self.read('report.json'), self.read('in.dartheap'))

    def test_stdout(self):
        done = self.convert('--report', '-')
        self.check(done.stdout, self.read('in.dartheap'))

    def test_is_of_the_decompressed_content(self):
        content = self.read('in.dartheap')
        self.write('in.dartheap', gzip.compress(content))
        self.convert('--report', 'report.json')
        self.check(self.read('report.json'), content)

    def test_explains_a_refusal(self):
        self.convert('--lossless', '--embed', 'none', '--report', 'report.json',
                     exit_code=LOSSY)
        self.check(self.read('report.json'), self.read('in.dartheap'))
        self.assertNotIn('out.heapsnapshot', self.files())

    def test_must_not_be_the_input_or_the_output(self):
        self.write('old.heapsnapshot', b'old')
        os.symlink('in.dartheap', self.dir / 'link')
        before = self.read('in.dartheap')
        for output, report in (('out.heapsnapshot', 'out.heapsnapshot'),
                               ('out.heapsnapshot', './out.heapsnapshot'),
                               ('old.heapsnapshot', 'old.heapsnapshot'),
                               ('out.heapsnapshot', 'in.dartheap'),
                               ('out.heapsnapshot', 'link')):
            with self.subTest(output=output, report=report):
                self.convert('-f', '--report', report, output=output,
                             exit_code=USAGE)
        for output, report in (('-', '-'), ('/dev/stdout', '-'),
                               ('-', '/dev/fd/1')):
            self.convert('--to', 'heapsnapshot', '--report', report,
                         output=output, exit_code=USAGE)
        self.assertEqual(self.read('in.dartheap'), before)
        self.assertEqual(self.read('old.heapsnapshot'), b'old')

    def test_a_failed_run_leaves_none(self):
        self.write('in.dartheap', b'dartheap')
        self.write('report.json', b'old')
        self.convert('--report', 'report.json', exit_code=TRUNCATED)
        self.assertEqual(self.read('report.json'), b'old')
        self.assertEqual(self.files(), ['in.dartheap', 'report.json'])


class BadInputs(CommandTest):

    def test_code_place_and_no_output(self):
        good = build.people()
        cases = [
            ('empty', b'', TRUNCATED, 'offset 0 (0x0)'),
            ('magic only', good[:8], TRUNCATED, 'offset 8 (0x8)'),
            ('cut', good[:60], None, 'offset'),
            ('other', b'hello, world', MALFORMED, 'offset 0 (0x0)'),
            ('number', build.MAGIC + b'\xff' * 12, MALFORMED,
             'offset 8 (0x8)'),
            ('count', build.dartheap([], [], 0)[:-2] + b'\xff' * 8 + b'\x0f',
             MALFORMED, 'offset'),
            ('gzip', gzip.compress(good)[:-20], TRUNCATED, 'in.dartheap'),
        ]
        for name, data, code, part in cases:
            for old in (None, b'old'):
                with self.subTest(name=name, old=old):
                    self.write('in.dartheap', data)
                    expected = ['in.dartheap']
                    if old:
                        self.write('out.heapsnapshot', old)
                        expected.append('out.heapsnapshot')
                    if code is None:
                        code = self.code_of(data)
                    lines = self.errors('convert', 'in.dartheap', '-f', '-o',
                                        'out.heapsnapshot', exit_code=code)
                    self.assert_one_message(lines, 'in.dartheap', part)
                    self.assertEqual(self.files(), expected)
                    if old:
                        self.assertEqual(self.read('out.heapsnapshot'), old)
                        os.remove(self.dir / 'out.heapsnapshot')
                    self.errors('info', 'in.dartheap', exit_code=code)

    def code_of(self, data):
        """A cut shows as an early end or as a count that is too high."""
        self.write('in.dartheap', data)
        done = subprocess.run([BINARY, 'info', 'in.dartheap'], cwd=self.dir,
                              env=self.environment(), timeout=MINUTE,
                              check=False, capture_output=True)
        self.assertIn(done.returncode, (MALFORMED, TRUNCATED))
        return done.returncode

    def test_every_prefix(self):
        data = build.people()
        hashes = len(data) - 6  # old VMs end here
        for size in range(len(data)):
            if size == hashes:
                continue
            with self.subTest(size=size):
                self.write('in.dartheap', data[:size])
                self.assertIn(self.code_of(data[:size]),
                              (MALFORMED, TRUNCATED))

    def test_inputs_that_end_where_they_begin(self):
        starts = (build.MAGIC, b'\x89HIR\r\n\x1a\n', b'SQLite format 3\0',
                  b'{"snapshot":', b'{"type":"metadata"', b'\x1f\x8b\x08',
                  b'\x28\xb5\x2f\xfd')
        for start in starts:
            for size in range(1, len(start)):
                if start[:size] == b'{"t':
                    continue  # {"trace_tree"? {"type"?
                with self.subTest(start=start[:size]):
                    self.write('in', start[:size])
                    lines = self.errors('info', 'in', exit_code=TRUNCATED)
                    self.assert_one_message(lines, f'offset {size} ')

    def test_warnings_and_strict(self):
        self.write('in.dartheap', build.dangling())
        done = self.convert()
        warnings = [line for line in done.stderr.decode().splitlines()
                    if 'warning: ' in line]
        self.assertEqual(len(warnings), 1, warnings)
        self.assertRegex(warnings[0], r'^heapglot: in\.dartheap: offset \d+ '
                         r'\(0x[0-9a-f]+\): warning: .* '
                         r'\(and 1 more like it\)$')
        os.remove(self.dir / 'out.heapsnapshot')
        lines = self.errors('convert', 'in.dartheap', '-o', 'out.heapsnapshot',
                            '--strict', exit_code=MALFORMED)
        self.assert_one_message(lines, 'in.dartheap: offset ')
        self.assertEqual(self.files(), ['in.dartheap'])
        self.assertNotIn(b'warning', self.run_it('info', 'in.dartheap').stdout)

    def test_warnings_of_a_text_have_its_lines(self):
        # As errors of --strict do.
        good = ROOT / 'corpus' / 'heapsnapshot' / 'good'
        count = 0
        for path in sorted(good.glob('*.heapsnapshot')):
            data = path.read_bytes().replace(b',"nodes"', b',\n"nodes"')
            self.write('in.heapsnapshot', data)
            command = ['convert', '-f', 'in.heapsnapshot', '-o', 'o.heapir']
            text = self.run_it(*command).stderr.decode()
            warnings = [line for line in text.splitlines()
                        if 'warning: ' in line]
            for line in warnings:
                found = re.match(r'heapglot: in\.heapsnapshot:(\d+):(\d+): '
                                 r'offset (\d+) \(0x[0-9a-f]+\): .*'
                                 r'heapsnapshot: ', line)
                self.assertTrue(found, line)
                row, column, offset = map(int, found.groups())
                before = data[:offset].split(b'\n')
                self.assertEqual((row, column),
                                 (len(before), len(before[-1]) + 1), line)
                count += 1
            if warnings:
                [error] = self.errors(*command, '--strict',
                                      exit_code=MALFORMED)
                first = re.sub(r' \(and \d+ more like it\)$', '', warnings[0])
                self.assertEqual(error, first.replace('warning: ', ''))
        self.assertGreater(count, 5)

    def test_limits(self):
        self.write('bomb.gz', gzip.compress(build.people() + b'\0' * 2**20))
        lines = self.errors('convert', 'bomb.gz', '-o', 'o.heapsnapshot',
                            '--max-ratio', '2', exit_code=LIMIT)
        self.assert_one_message(lines, 'bomb.gz')
        lines = self.errors('convert', 'bomb.gz', '-o', 'o.heapsnapshot',
                            '--max-unpacked', '1M', exit_code=LIMIT)
        self.assert_one_message(lines, 'bomb.gz')
        self.run_it('convert', 'bomb.gz', '-o', 'o.heapsnapshot',
                    '--max-unpacked', '2M')

    def test_names_are_escaped(self):
        classes = [build.dart_class('Root\n\x1b[31mred')]
        objects = [build.dart_object(1, 8)]
        self.write('in.dartheap', build.dartheap(classes, objects, 0))
        page = self.run_it('info', 'in.dartheap').stdout
        self.assertNotIn(b'\x1b', page)
        self.assertIn(rb'Root\x0a\x1b[31mred', page)
        info = json.loads(self.run_it('info', 'in.dartheap', '--json').stdout)
        self.assertEqual(info['top_types'][0]['name'], 'Root\n\x1b[31mred')
        os.rename(self.dir / 'in.dartheap', self.dir / 'a\nb')
        os.truncate(self.dir / 'a\nb', 8)
        lines = self.errors('info', 'a\nb', exit_code=TRUNCATED)
        self.assert_one_message(lines, r'a\x0ab')

    def test_unreadable(self):
        for name in ('missing', '.'):
            with self.subTest(name=name):
                lines = self.errors('convert', name, '-o', 'o.heapsnapshot',
                                    exit_code=INPUT)
                self.assert_one_message(lines, name)
                self.assertEqual(self.files(), ['in.dartheap'])


class Surroundings(CommandTest):
    """Descriptors, signals, full disks."""

    def test_full_disk(self):
        for args in (['convert', 'in.dartheap', '--to', 'heapsnapshot', '-o',
                      '/dev/full'], ['convert', 'in.dartheap', '-f', '-o',
                                     'a.heapsnapshot', '--report',
                                     '/dev/full']):
            with self.subTest(args=args):
                done = self.run_it(*args, exit_code=OUTPUT)
                self.assertIn(b'heapglot: /dev/full: ', done.stderr)
        for args in (['info', 'in.dartheap'], ['formats'], ['--help'],
                     ['convert', '--to', 'heapsnapshot', 'in.dartheap', '-o',
                      '-']):
            with self.subTest(args=args), open('/dev/full', 'wb') as full:
                self.run_it(*args, exit_code=OUTPUT, stdout=full)

    def test_descriptors_are_written_to_whatever_is_behind_them(self):
        """Others may write to the same file, so it is not replaced."""
        os.symlink('/dev/stdout', self.dir / 'link')
        for name in ('/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', 'link'):
            for args in (['-o', name, '--to', 'ndjson'],
                         ['-f', '-o', 'out.ndjson', '--report', name]):
                args = ['convert', '-q', 'in.dartheap', *args]
                with self.subTest(args=args):
                    piped = self.run_it(*args).stdout
                    self.assertGreater(len(piped), 100)
                    with open(self.dir / 'log', 'wb') as log:
                        log.write(b'before\n')
                        log.flush()
                        self.run_it(*args, stdout=log)
                        log.write(b'after\n')
                    self.assertEqual(self.read('log'),
                                     b'before\n' + piped + b'after\n')
        with tempfile.TemporaryFile(dir=self.dir) as nameless:
            self.convert('-q', '--to', 'ndjson', output='/dev/stdout',
                         stdout=nameless)
            self.assertGreater(nameless.tell(), 100)
        self.assertEqual(self.files(),
                         ['in.dartheap', 'link', 'log', 'out.ndjson'])
        lines = self.errors('convert', 'in.dartheap', '--to', 'ndjson', '-o',
                            '/dev/fd/99', exit_code=OUTPUT)
        self.assert_one_message(lines, '/dev/fd/99')

    def test_missing_directory(self):
        lines = self.errors('convert', 'in.dartheap', '-o',
                            'no/such/dir/a.heapsnapshot', exit_code=OUTPUT)
        self.assert_one_message(lines, 'no/such/dir/a.heapsnapshot')

    @unittest.skipIf(os.geteuid() == 0, 'root may write everywhere')
    def test_read_only_directory(self):
        os.mkdir(self.dir / 'locked', 0o555)
        self.convert(output='locked/a.heapsnapshot', exit_code=OUTPUT)

    def test_closed_descriptors(self):
        def shell(line, exit_code):
            done = subprocess.run(['/bin/sh', '-c', line, 'sh', BINARY],
                                  cwd=self.dir, env=self.environment(),
                                  capture_output=True, timeout=MINUTE,
                                  check=False)
            self.assertEqual(done.returncode, exit_code, (line, done.stderr))

        shell('"$1" convert - -o a.heapsnapshot <&-', INPUT)
        shell('"$1" info in.dartheap >&-', OUTPUT)
        shell('"$1" convert in.dartheap --to heapsnapshot -o - >&-', OUTPUT)
        shell('"$1" convert in.dartheap -o b.heapsnapshot <&- >&- 2>&-', OK)
        shell('"$1" convert missing -o c.heapsnapshot <&- >&- 2>&-', INPUT)
        self.assertEqual(self.files(), ['b.heapsnapshot', 'in.dartheap'])
        json.loads(self.read('b.heapsnapshot'))

    def test_broken_pipe_is_silent(self):
        self.write('big', build.many(100_000))
        process = self.start('convert', 'big', '-q', '--to', 'heapsnapshot',
                             '-o', '-', stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        process.stdout.read(10)
        process.stdout.close()
        self.assertEqual(process.wait(MINUTE), 128 + signal.SIGPIPE)
        self.assertEqual(process.stderr.read(), b'')

    def test_signals_leave_nothing(self):
        self.write('out.heapsnapshot', b'old')
        before = self.files()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                process = self.start('convert', '-', '-f', '-o',
                                     'out.heapsnapshot', '--report', 'r.json',
                                     stdin=subprocess.PIPE)
                # Both temporary files exist; the command waits for its input.
                self.wait_for(lambda: len(self.files()) == len(before) + 2)
                process.send_signal(number)
                self.assertEqual(process.wait(MINUTE), 128 + number)
                self.assertEqual(self.files(), before)
                self.assertEqual(self.read('out.heapsnapshot'), b'old')

    def cut_while_it_is_read(self, *flags):
        """Returns the messages for an input that becomes shorter."""
        self.write('big', build.many(500_000))
        os.mkfifo(self.dir / 'fifo')
        process = self.start('convert', 'big', '--to', 'heapsnapshot', '-o',
                             'fifo', *flags, stderr=subprocess.PIPE)
        with open(self.dir / 'fifo', 'rb') as fifo:
            fifo.read(1)
            os.truncate(self.dir / 'big', 4096)
            while fifo.read(1 << 20):
                pass
        self.assertEqual(process.wait(MINUTE), INPUT)
        return process.stderr.read().decode().splitlines()

    def test_input_cut_while_it_is_read(self):
        self.assert_one_message(self.cut_while_it_is_read(),
                                'big: input changed while it was read')

    def test_the_same_for_machines(self):
        # The line is formatted in advance, since a signal handler cannot do that.
        [line] = self.cut_while_it_is_read('--log-format', 'json')
        self.assertEqual(json.loads(line),
                         {'level': 'error', 'code': 'input', 'file': 'big',
                          'message': 'input changed while it was read'})

    def test_file_size_limit(self):
        self.write('big', build.many(100_000))
        lines = subprocess.run(
            ['/bin/sh', '-c', 'ulimit -f 100; "$1" convert -q big -o '
             'o.heapsnapshot', 'sh', BINARY], cwd=self.dir,
            env=self.environment(), capture_output=True, timeout=MINUTE,
            check=False)
        self.assertEqual(lines.returncode, OUTPUT, lines.stderr)
        self.assertEqual(self.files(), ['big', 'in.dartheap'])


class Terminal(CommandTest):
    """What changes on a terminal."""

    def on_terminal(self, *args, stream='stdout', columns=80, **variables):
        """Returns the exit code and the text written to a terminal as `stream`."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ,
                    struct.pack('HHHH', 24, columns, 0, 0))
        other = 'stderr' if stream == 'stdout' else 'stdout'
        process = subprocess.Popen(
            [BINARY, *args], cwd=self.dir, stdin=subprocess.DEVNULL,
            env=self.environment(TERM='xterm', **variables),
            **{stream: theirs, other: subprocess.PIPE})
        self.addCleanup(self.stop, process)
        os.close(theirs)
        data = b''
        while select.select([ours], [], [], MINUTE)[0]:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux: the other end is closed
                break
            if not piece:
                break
            data += piece
        os.close(ours)
        process.wait(MINUTE)
        return process.returncode, data.decode()

    def test_bars(self):
        _, page = self.on_terminal('info', 'in.dartheap', NO_COLOR='1')
        self.assertIn('█', page)
        _, page = self.on_terminal('info', 'in.dartheap', NO_COLOR='1',
                                   LC_ALL='C')
        self.assertTrue(page.isascii())
        self.assertIn('#####', page)

    def test_colour(self):
        _, page = self.on_terminal('info', 'in.dartheap')
        self.assertIn('\x1b[', page)
        _, page = self.on_terminal('info', 'in.dartheap', NO_COLOR='1')
        self.assertNotIn('\x1b[', page)
        _, page = self.on_terminal('info', 'in.dartheap', '--color', 'never')
        self.assertNotIn('\x1b[', page)
        _, page = self.on_terminal('info', 'in.dartheap', '--color', 'always',
                                   NO_COLOR='1')
        self.assertIn('\x1b[', page)
        self.assertNotIn(b'\x1b[', self.run_it('info', 'in.dartheap').stdout)

    def test_pages_fit(self):
        for columns in (60, 79, 80, 110, 140, 200):
            with self.subTest(columns=columns):
                _, page = self.on_terminal('info', 'in.dartheap',
                                           columns=columns, NO_COLOR='1')
                width = max(map(len, page.splitlines()))
                self.assertLessEqual(width, columns)

    def test_wide_letters(self):
        """Also in the sandbox, where the process cannot open a locale."""
        log = 'a 2 x.exe\nt 1 漢字クラス\nt 2 Plain\no 10 1 8\no 20 2 8\n'
        (self.dir / 'in.gclog').write_text(log + 'r 10 0 0\nc x.exe\n')
        _, page = self.on_terminal('info', 'in.gclog', NO_COLOR='1')
        ends = {len(line.rstrip()) + sum(letter > '\u3000' for letter in line)
                for line in page.splitlines()
                if 'Plain' in line or 'クラス' in line}
        self.assertEqual(len(ends), 1, page)

    def test_progress(self):
        done = self.convert('--progress', 'always', '-q')
        self.assertTrue(done.stderr.startswith(b'\r'))
        self.assertTrue(done.stderr.endswith(b'\r\x1b[K'))
        done = self.convert('-f', '-q')
        self.assertEqual(done.stderr, b'')
        code, said = self.on_terminal('convert', 'in.dartheap', '-o',
                                      'o.heapsnapshot', '-q', '--progress',
                                      'never', stream='stderr')
        self.assertEqual((code, said), (OK, ''))

    def test_progress_as_json(self):
        done = self.convert('--progress', 'always', '--log-format', 'json')
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        self.assertEqual(lines[0], {'level': 'progress', 'phase': 'starting',
                                    'pass': 1, 'done': 0})
        self.assertEqual(lines[-1]['level'], 'info')

    def test_progress_of_what_comes_slowly(self):
        dump = (self.dir / 'in.dartheap').read_bytes()
        for phase, sent in (('reading', dump),
                            ('unpacking', gzip.compress(dump, 0))):
            with self.subTest(phase=phase):
                with self.start('convert', '-', '-f', '-o', 'o.heapsnapshot',
                                '-q', '--progress', 'always',
                                stdin=subprocess.PIPE,
                                stderr=subprocess.PIPE) as run:
                    said = b''
                    for at in range(0, len(sent), 5):
                        run.stdin.write(sent[at:at + 5])
                        run.stdin.flush()
                        if select.select([run.stderr], [], [], 0.03)[0]:
                            said += os.read(run.stderr.fileno(), 1000)
                    run.stdin.close()
                    said += run.stderr.read()
                self.assertEqual(run.returncode, OK)
                self.assertRegex(said.decode(), f'\r.*{phase}, [0-9]+ B')

    def test_compressed_data_is_not_for_terminals(self):
        code, said = self.on_terminal('convert', 'in.dartheap', '--to',
                                      'heapsnapshot', '-o', '-', '-q')
        self.assertEqual(code, OK)  # text
        self.assertIn('"snapshot"', said)


class Info(CommandTest):

    def info(self, *args):
        return json.loads(
            self.run_it('info', 'in.dartheap', '--json', *args).stdout)

    def test_json(self):
        info = self.info()
        self.assertEqual(info['format'], 'dartheap')
        self.assertEqual(info['dialect'], 'dart-vm')
        self.assertEqual(info['compression'], 'none')
        self.assertEqual(info['nodes'], 6)
        self.assertEqual(info['edges'], 8)
        self.assertEqual(info['types'], 4)
        self.assertEqual(info['self_size_total'], 2128)
        self.assertEqual(info['external_size_total'], 4096)
        self.assertIsInstance(info['strings'], int)
        self.assertEqual(len(info['graphs']), 1)
        graph = info['graphs'][0]
        self.assertEqual(graph['name'], 'main')
        self.assertEqual(graph['nodes'], 6)
        self.assertEqual(graph['self_size_total'], 2128)
        for key in ('edges', 'roots', 'types'):
            self.assertIn(key, graph)
        self.assertEqual(
            [(row['name'], row['count'], row['self_size'])
             for row in info['top_types']],
            [('Person (package:other/person.dart)', 1, 2048),
             ('_OneByteString', 2, 48),
             ('Person (package:app/person.dart)', 2, 32), ('Root', 1, 0)])

    def test_top(self):
        self.assertEqual(len(self.info('--top', '2')['top_types']), 2)
        self.assertEqual(self.info('--top', '0')['top_types'], [])
        page = self.run_it('info', 'in.dartheap', '--top', '1').stdout.decode()
        self.assertIn('3 other classes', page)

    def test_page(self):
        page = self.run_it('info', 'in.dartheap').stdout.decode()
        for part in ('in.dartheap', 'Dart VM', 'main', '2,128', '8,192',
                     '4.0 KiB', '#####', 'Person (package:other'):
            self.assertIn(part, page)
        for line in page.splitlines():
            self.assertLessEqual(len(line), 80)
            self.assertEqual(line, line.rstrip())
        # Without a terminal, the locale does not matter.
        self.assertEqual(self.run_it('info', 'in.dartheap',
                                     env=self.environment(LC_ALL='C'))
                         .stdout.decode(), page)

    def test_sources(self):
        plain = self.info()
        self.write('in.dartheap', gzip.compress(self.read('in.dartheap')))
        packed = self.info()
        self.assertEqual(packed.pop('compression'), 'gzip')
        plain.pop('compression')
        self.assertEqual(packed, plain)
        done = self.run_it('info', '-', '--json', stdin=build.people())
        self.assertEqual(json.loads(done.stdout)['nodes'], 6)

    def test_object_without_class(self):
        objects = [build.dart_object(1), build.dart_object(0, 8),
                   build.dart_object(99, 16)]
        self.write('in.dartheap', build.dartheap(build.CLASSES, objects, 0))
        names = {row['name']: row['self_size']
                 for row in self.info()['top_types']}
        self.assertEqual(names['(undefined class)'], 16)
        self.assertIn(8, names.values())


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
