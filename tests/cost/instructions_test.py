#!/usr/bin/env python3
"""Instructions that conversions take, against a recorded number:
instructions_test.py PATH_OF_HEAPGLOT [unittest args].

Callgrind counts them, which does not depend on how busy the machine is. More than
3 % above instructions.json is a failure; 3 % below as well, so that what was won
is recorded. HEAPGLOT_ACCEPT=1 records.

The numbers hold for one compiler and the libraries that are linked in: what they
were recorded with stands in the file, and elsewhere the test is skipped."""

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
TOLERANCE = 0.03

DART = 'dartheap/good/known-dart3.7.3-ia32.dartheap.gz'
V8 = 'heapsnapshot/good/known-bun1.heapsnapshot.gz'

# Name: input, extension of the output, flags.
RUNS = {
    'dartheap to heapsnapshot': (DART, 'heapsnapshot', []),
    'dartheap to heapsnapshot, nothing but it': (
        DART, 'heapsnapshot', ['--embed', 'none', '--unreachable', 'keep']),
    'dartheap to heapir': (DART, 'heapir', []),
    'heapsnapshot to itself': (V8, 'heapsnapshot', []),
    'heapsnapshot to ndjson': (V8, 'ndjson', ['--embed', 'none']),
    'heapsnapshot to dartheap': (V8, 'dartheap', ['--embed', 'none']),
    'heapsnapshot to netcf': (V8, 'gclog', []),
}
PACKAGES = ['g++', 'libc6', 'libisal2', 'libprotobuf-dev', 'libzstd-dev',
            'zlib1g-dev', 'valgrind']


def toolchain():
    done = subprocess.run(
        ['dpkg-query', '-W', '-f', '${Package} ${Version}\n', *PACKAGES],
        capture_output=True)
    cpu = re.search(r'vendor_id\s*: (\S+)', pathlib.Path(
        '/proc/cpuinfo').read_text())
    return {'packages': done.stdout.decode().split('\n')[:-1],
            'cpu': cpu.group(1) if cpu else ''}


def count(source, extension, flags):
    with tempfile.TemporaryDirectory() as folder:
        plain = pathlib.Path(folder) / 'in'
        with open(plain, 'wb') as out:
            subprocess.run(['gzip', '-dc', CORPUS / source], stdout=out,
                           check=True)
        # One thread, no file of another process, the same code of the C
        # library on every processor.
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
        counts = {name: count(*run) for name, run in RUNS.items()}
        if accept:
            RECORD.write_text(json.dumps(
                {'toolchain': here, 'instructions': counts}, indent=2) + '\n')
            return
        self.assertEqual(list(record['instructions']), list(counts))
        for name, now in counts.items():
            before = record['instructions'][name]
            print(f'{name}: {now:,} ({now / before - 1:+.2%})')
            with self.subTest(run=name):
                self.assertLess(abs(now / before - 1), TOLERANCE,
                                f'{before:,} were recorded, now {now:,}')


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
