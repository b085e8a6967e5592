#!/usr/bin/env python3
"""The installed library, as an outside program uses it:
install_test.py PATH_OF_HEAPGLOT REPOSITORY BUILD [unittest args].

Installs BUILD into a directory, builds tests/consumer against that with
find_package() and again with pkg-config, and converts with it."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = pathlib.Path()
BUILD = pathlib.Path()


def run(*args, **more):
    done = subprocess.run([str(arg) for arg in args], capture_output=True,
                          timeout=240, **more)
    assert done.returncode == 0, (args, done.stdout.decode(),
                                  done.stderr.decode())
    return done.stdout.decode()


class Installed(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.home = pathlib.Path(cls.temporary.name)
        cls.prefix = cls.home / 'prefix'
        run('cmake', '--install', BUILD, '--prefix', cls.prefix)
        cls.libraries = next(cls.prefix.glob('lib/**/pkgconfig')).parent
        cls.program = cls.home / 'build' / 'dump2dot'
        run('cmake', '-G', 'Ninja', '-S', REPOSITORY / 'tests/consumer', '-B',
            cls.program.parent, f'-DCMAKE_PREFIX_PATH={cls.prefix}')
        run('cmake', '--build', cls.program.parent)

    def test_converts_to_a_format_of_its_own(self):
        dump = REPOSITORY / 'corpus/dartheap/good/quirks-graph.dartheap'
        output = self.home / 'out.dot'
        losses = run(self.program, dump, output).splitlines()
        self.assertIn('dropped dot.type', ' '.join(losses))
        lines = output.read_text().splitlines()
        self.assertEqual(lines[0], 'digraph heap {')
        self.assertEqual(lines[-1], '}')
        command = self.prefix / 'bin/heapglot'
        counts = run(command, 'info', dump)
        nodes = [line for line in lines if re.fullmatch(
            r'n\d+ \[label="\d+ bytes"\];', line)]
        edges = [line for line in lines if re.fullmatch(r'n\d+ -> n\d+;', line)]
        self.assertEqual(len(nodes) + len(edges) + 2, len(lines))
        self.assertRegex(counts, rf'(?m)^ *nodes +{len(nodes)}\b')

    def test_converts_every_dump(self):
        # Streams may lack any column or vocabulary.
        output = self.home / 'any.dot'
        for dump in sorted(REPOSITORY.glob('corpus/*/good/*')):
            with self.subTest(dump.name):
                output.unlink(missing_ok=True)
                losses = run(self.program, dump, output).splitlines()
                count = {line.split()[1]: int(line.split()[2])
                         for line in losses}
                text = output.read_text()
                self.assertEqual(text.count('label='), count.get('dot.node', 0))
                if 'dot.edge' in count:
                    self.assertIn(' -> ', text)

    def test_converts_to_ours(self):
        dump = REPOSITORY / 'corpus/dartheap/good/quirks-graph.dartheap'
        output, expected = self.home / 'out.heapsnapshot', self.home / 'expected'
        run(self.program, dump, output)
        run(self.prefix / 'bin/heapglot', 'convert', '-q', dump, '-o', expected,
            '--to', 'heapsnapshot')
        self.assertEqual(output.read_bytes(), expected.read_bytes())

    def test_the_command_with_a_format_of_its_own(self):
        command = self.program.with_name('own_heapglot')
        if not (self.libraries / 'libheapglot_command.a').exists():
            self.assertFalse(command.exists())
            self.skipTest('a shared library')
        self.assertRegex(run(command, 'formats'), r'(?m)^ *dot\b')
        self.assertRegex(run(command, 'explain', '--from', 'dartheap', '--to', 'dot'),
                         r'dartheap to dot')
        dump = REPOSITORY / 'corpus/dartheap/good/quirks-graph.dartheap'
        written, expected = self.home / 'own.dot', self.home / 'same.dot'
        run(command, 'convert', '-q', dump, '-o', written)
        run(self.program, dump, expected)
        self.assertEqual(written.read_bytes(), expected.read_bytes())
        refused = subprocess.run(
            [command, 'convert', dump, '-o', self.home / 'x.dot', '--lossless'],
            capture_output=True)
        self.assertEqual(refused.returncode, 7, refused.stderr)

    def test_converts_from_a_format_of_its_own(self):
        dump, output = self.home / 'a.refs', self.home / 'refs.dot'
        dump.write_text('refs 1\n7 40 8 9 7\n8 16 7\n')
        run(self.program, dump, output)
        self.assertEqual(output.read_text().splitlines(), [
            'digraph heap {', 'n0 [label="40 bytes"];', 'n1 [label="16 bytes"];',
            'n0 -> n1;', 'n0 -> n0;', 'n1 -> n0;', '}'])

    def test_checks_a_reader(self):
        dump = self.home / 'b.refs'
        # More objects than a chunk holds.
        dump.write_text('refs 1\n' + ''.join(
            f'{i} 16 {i // 2} {2 * i}\n' for i in range(10000)))
        run(self.program.parent / 'check_reader', dump)

    def test_pkg_config(self):
        environment = dict(os.environ,
                           PKG_CONFIG_PATH=str(self.libraries / 'pkgconfig'))
        flags = run('pkg-config', '--static', '--cflags', '--libs', 'heapglot',
                    env=environment).split()
        source = self.home / 'version.cc'
        source.write_text('#include <heapglot/status.h>\n'
                          'int main() {\n'
                          '  return heapglot::ExitCode('
                          'heapglot::Code::kLimit);\n}\n')
        program = self.home / 'version'
        run('c++', '-std=c++20', source, '-o', program, *flags)
        library_path = dict(os.environ, LD_LIBRARY_PATH=str(self.libraries))
        self.assertEqual(subprocess.run([program], env=library_path).returncode, 5)

    def test_what_stands_beside_the_library(self):
        share = self.prefix / 'share'
        for path in ('bash-completion/completions/heapglot',
                     'zsh/vendor-completions/_heapglot',
                     'fish/vendor_completions.d/heapglot.fish',
                     'heapglot/proto/heapglot/ir/v1/chunk.proto'):
            self.assertGreater((share / path).stat().st_size, 1000, path)
        self.assertTrue((self.prefix / 'include/heapglot/convert.h').exists())

    def test_the_format_is_short(self):
        lines = (REPOSITORY / 'tests/consumer/dot_writer.cc').read_text()
        self.assertLessEqual(len(lines.splitlines()), 60)


if __name__ == '__main__':
    sys.argv.pop(1)
    REPOSITORY = pathlib.Path(sys.argv.pop(1)).resolve()
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
