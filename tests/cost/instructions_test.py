#!/usr/bin/env python3
"""Compares the instructions that conversions take with recorded numbers:
instructions_test.py PATH_OF_HEAPGLOT [unittest args].

Callgrind counts them, independent of how busy the machine is. More than 3 % above
instructions.json is a failure, and so is 10 % below, so that gains are recorded.
HEAPGLOT_ACCEPT=1 records.

The numbers hold for one compiler and one set of libraries, which the file names;
with others the test is skipped. An Intel and an AMD processor differed by
0.001 %."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = ''
HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE.parent.parent / 'corpus'
RECORD = HERE / 'instructions.json'
MOST_LOST = 0.03
MOST_WON = 0.10

# Name: the path, and the format that it is converted to first.
INPUTS = {
    'dartheap': ('dartheap/good/known-dart3.7.3-ia32.dartheap.gz', 'dartheap'),
    'heapsnapshot of Bun': ('heapsnapshot/good/known-bun1.heapsnapshot.gz',
                            'heapsnapshot'),
    'heapsnapshot of Node': ('heapsnapshot/good/known-node12.heapsnapshot.zst',
                             'heapsnapshot'),
    'netcf': ('netcf/good/gen-10k.gclog.gz', 'gclog'),
    'ndjson': ('heapsnapshot/good/known-node12.heapsnapshot.zst', 'ndjson'),
}
PLAIN = ['--embed', 'none', '--unreachable', 'keep']
# Input, extension of the output, flags.
RUNS = [
    ('dartheap', 'heapsnapshot', []),
    ('dartheap', 'heapsnapshot', PLAIN),
    ('dartheap', 'heapir', []),
    ('heapsnapshot of Bun', 'heapsnapshot', []),
    ('heapsnapshot of Node', 'ndjson', PLAIN),
    ('heapsnapshot of Node', 'dartheap', PLAIN),
    ('heapsnapshot of Node', 'heapir', []),
    ('heapsnapshot of Node', 'sqlite', PLAIN),
    ('netcf', 'heapsnapshot', PLAIN),
    ('ndjson', 'heapsnapshot', PLAIN),
]
PACKAGES = ['g++-12', 'libc6', 'libisal2', 'libprotobuf-dev', 'libsqlite3-dev',
            'libxxhash-dev', 'libzstd-dev', 'valgrind', 'zlib1g-dev']


def toolchain():
    """Upstream versions only: Debian's revisions change little."""
    done = subprocess.run(
        ['dpkg-query', '-W', '-f', '${Package} ${source:Upstream-Version}\n',
         *PACKAGES], capture_output=True)
    # With several architectures, dpkg-query repeats each line.
    return {'packages': list(dict.fromkeys(done.stdout.decode().splitlines()))}


def count(name, extension, flags):
    source, made = INPUTS[name]
    with tempfile.TemporaryDirectory() as folder:
        plain = f'{folder}/in.{made}'
        subprocess.run([BINARY, 'convert', '-q', '--embed', 'none',
                        CORPUS / source, '-o', plain], check=True)
        # One thread, nothing that depends on another process, and the same
        # code of the C library on every processor.
        done = subprocess.run(
            ['valgrind', '--tool=callgrind',
             f'--callgrind-out-file={folder}/profile', BINARY, 'convert', plain,
             '-o', f'{folder}/out.{extension}', '-q', '-j', '1',
             '--no-sandbox', *flags],
            capture_output=True, timeout=600,
            env={'PATH': os.environ['PATH'], 'GLIBC_TUNABLES':
                 'glibc.cpu.hwcaps=-ERMS,-FSRM,-AVX512F,-AVX512VL'})
        assert done.returncode == 0, done.stderr.decode()
        return int(re.search(r'Collected : (\d+)',
                             done.stderr.decode()).group(1))


@unittest.skipIf(shutil.which('valgrind') is None, 'valgrind is not installed')
class Instructions(unittest.TestCase):

    def test_as_recorded(self):
        here = toolchain()
        accept = os.environ.get('HEAPGLOT_ACCEPT') == '1'
        record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
        self.assertTrue(accept or record, 'record them: HEAPGLOT_ACCEPT=1')
        if not accept and record['toolchain'] != here:
            self.skipTest(f'recorded with {record["toolchain"]}, this is {here}')
        counts = {' '.join([name, 'to', extension, *flags]):
                  count(name, extension, flags)
                  for name, extension, flags in RUNS}
        if accept:
            RECORD.write_text(json.dumps(
                {'toolchain': here, 'instructions': counts}, indent=2) + '\n')
            return
        self.assertEqual(list(record['instructions']), list(counts))
        for name, now in counts.items():
            before = record['instructions'][name]
            print(f'{name}: {now:,} ({now / before - 1:+.2%})')
            with self.subTest(run=name):
                message = f'{before:,} were recorded, now {now:,}'
                self.assertLess(now / before - 1, MOST_LOST, message)
                self.assertLess(1 - now / before, MOST_WON, message)


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
