#!/usr/bin/env python3
"""Large dumps in little memory: large_test.py HEAPGLOT GENERATE
[--megabytes N] [unittest args].

A heapsnapshot above the 512 MB at which JavaScript tools stop, a dartheap of
half of that and one of a sixth in the shape of a real heap go to other formats,
and the most memory that was resident is compared with a limit that does not
depend on the size. --megabytes 5000 is what is run by hand before a release: 5
GB, above 2^32 bytes."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HEAPGLOT = GENERATE = ''
MEGABYTES = 600
MIB = 1 << 20
# Bytes that bench/generate makes for a node with three edges.
HEAPSNAPSHOT_NODE, DARTHEAP_NODE = 79, 18.4
# The same in the shape of a real heap, with as many edges as there.
MIXED_NODE, MIXED_EDGES = 15.5, 7 / 3
# What the process itself has before it does anything, among it 6 MiB of code.
LIMIT = 32 * MIB


def peak_of(*command, stdin=None):
    """Runs heapglot; bytes resident at most, mapped pages of files included."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, '-S', '-c', MEASURE, *map(str, command)],
            stdin=stdin, stdout=subprocess.PIPE, stderr=errors)
        out, _ = process.communicate(timeout=1200)
        errors.seek(0)
        assert process.returncode == 0, (command, errors.read())
    return int(out.split()[-1])


# A small process whose only child is measured.
MEASURE = '''
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss * 1024)
sys.exit(os.waitstatus_to_exitcode(status))
'''


class Large(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        # Beside the command, where there is room; so for its temporary files.
        cls.folder = tempfile.TemporaryDirectory(dir=os.path.dirname(HEAPGLOT))
        cls.addClassCleanup(cls.folder.cleanup)
        cls.home = pathlib.Path(cls.folder.name)
        os.environ['TMPDIR'] = cls.folder.name

    def make(self, format_name, node_bytes, megabytes, node_edges=3):
        path = self.home / f'in.{format_name}'
        if not path.exists():
            nodes = int(megabytes * 1e6 / node_bytes)
            edges = int(node_edges * nodes)
            subprocess.run([GENERATE, format_name, str(nodes), str(edges), '1',
                            path], check=True)
            self.assertGreater(path.stat().st_size, megabytes * 0.97e6)
        return path

    def heapsnapshot(self):
        return self.make('heapsnapshot', HEAPSNAPSHOT_NODE, MEGABYTES)

    def dartheap(self):
        return self.make('dartheap', DARTHEAP_NODE, MEGABYTES / 2)

    # Lists, maps and closures, and half of it garbage.
    def mixed(self):
        return self.make('dartheap-mixed', MIXED_NODE, MEGABYTES / 6,
                         MIXED_EDGES)

    def convert(self, source, extension, limit, *flags):
        out = self.home / f'out.{extension}'
        peak = peak_of(HEAPGLOT, 'convert', '-q', source, '-o', out, '-f', *flags)
        print(f'{source.name} of {source.stat().st_size / 1e6:,.0f} MB to '
              f'{out.name} of {out.stat().st_size / 1e6:,.0f} MB '
              f'{" ".join(flags)}: {peak / MIB:.1f} MiB')
        self.assertLess(peak, limit)
        return out

    def test_heapsnapshot_to_itself(self):
        source = self.heapsnapshot()
        out = self.convert(source, 'heapsnapshot', LIMIT)
        subprocess.run(['cmp', source, out], check=True)
        out.unlink()

    def test_heapsnapshot_to_heapir(self):
        self.convert(self.heapsnapshot(), 'heapir', LIMIT).unlink()

    def test_heapsnapshot_to_dartheap(self):
        self.convert(self.heapsnapshot(), 'dartheap', LIMIT, '--embed',
                     'none').unlink()

    def test_heapsnapshot_through_a_pipe(self):
        out = self.home / 'piped.heapir'
        with open(self.heapsnapshot(), 'rb') as file:
            source = subprocess.Popen(['cat'], stdin=file,
                                      stdout=subprocess.PIPE)
            peak = peak_of(HEAPGLOT, 'convert', '-q', '-', '-o', out,
                           stdin=source.stdout)
            source.stdout.close()
            self.assertEqual(source.wait(), 0)
        print(f'the same through a pipe: {peak / MIB:.1f} MiB')
        self.assertLess(peak, LIMIT)
        out.unlink()

    def test_dartheap_to_heapsnapshot(self):
        self.convert(self.dartheap(), 'heapsnapshot', LIMIT, '--unreachable',
                     'keep').unlink()

    def test_dartheap_to_heapsnapshot_with_roots_for_garbage(self):
        # 2 bytes a node beside (heapglot/convert.h).
        nodes = MEGABYTES / 2 * 1e6 / DARTHEAP_NODE
        self.convert(self.dartheap(), 'heapsnapshot',
                     LIMIT + 12 * MIB + 2 * nodes).unlink()

    def test_mixed_dartheap_to_heapsnapshot(self):
        self.convert(self.mixed(), 'heapsnapshot', LIMIT, '--unreachable',
                     'keep').unlink()

    def test_mixed_dartheap_to_heapsnapshot_with_roots_for_garbage(self):
        # Up to 10 million nodes what is a bit for each has room.
        nodes = MEGABYTES / 6 * 1e6 / MIXED_NODE
        self.convert(self.mixed(), 'heapsnapshot',
                     LIMIT + 2 * max(0, nodes - 10e6)).unlink()


if __name__ == '__main__':
    HEAPGLOT = os.path.abspath(sys.argv.pop(1))
    GENERATE = os.path.abspath(sys.argv.pop(1))
    if '--megabytes' in sys.argv:
        at = sys.argv.index('--megabytes')
        MEGABYTES = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main()
