#!/usr/bin/env python3
"""Tests of --from: from_test.py PATH_OF_HEAPGLOT [unittest args].

--from counts, whatever the content looks like."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import dartheap_builder as build

BINARY = ''
OK, MALFORMED, TRUNCATED = 0, 3, 4
FORMATS = ('dartheap', 'heapsnapshot', 'netcf', 'ndjson', 'sqlite', 'heapir')

# A snapshot with an unknown first key, longer than what detection looks at.
META = (
    '{"meta":{"node_fields":["type","name","id","self_size","edge_count"],'
    '"node_types":[["synthetic","object"],"string","number","number",'
    '"number"],"edge_fields":["type","name_or_index","to_node"],'
    '"edge_types":[["element"],"string_or_number","node"]},'
    '"node_count":2,"edge_count":1}')
LATE = ('{"about":"' + 1000 * 'x' + '","snapshot":' + META +
        ',"nodes":[0,0,1,0,1,1,1,3,16,0],"edges":[0,0,5],'
        '"strings":["","Thing"]}').encode()


class FromTest(unittest.TestCase):

    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='heapglot-from.'))
        self.addCleanup(shutil.rmtree, self.dir)

    def run_it(self, *args, exit_code=OK, stdin=b''):
        done = subprocess.run([BINARY, *args], input=stdin, cwd=self.dir,
                              capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, exit_code, done.stderr)
        return done

    def test_is_obeyed(self):
        (self.dir / 'late').write_bytes(LATE)
        self.run_it('info', 'late', exit_code=MALFORMED)
        by_file = self.run_it('info', '--json', '--from', 'heapsnapshot',
                              'late')
        self.assertIn(b'"nodes": 2', by_file.stdout)
        by_pipe = self.run_it('info', '--json', '--from', 'heapsnapshot', '-',
                              stdin=LATE)
        self.assertEqual(by_pipe.stdout, by_file.stdout)

    def test_the_reader_says_what_is_wrong(self):
        (self.dir / 'x').write_bytes(build.many(1000))
        for name in FORMATS[1:]:
            with self.subTest(name=name):
                done = self.run_it('info', '--from', name, 'x',
                                   exit_code=MALFORMED)
                lines = done.stderr.decode().splitlines()
                self.assertEqual(len(lines), 1, lines)
                self.assertRegex(lines[0],
                                 r'^heapglot: x:(1:1:| offset 0 \(0x0\):) ')

    def test_a_device_is_not_read_to_its_end(self):
        for name in FORMATS:
            with self.subTest(name=name):
                self.run_it('info', '--from', name, '/dev/zero',
                            exit_code=MALFORMED)
                with open('/dev/zero', 'rb') as zero:
                    done = subprocess.run(
                        [BINARY, 'info', '--from', name, '-'], stdin=zero,
                        capture_output=True, timeout=60, check=False)
                self.assertEqual(done.returncode, MALFORMED, done.stderr)


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
