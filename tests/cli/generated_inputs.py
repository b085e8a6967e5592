"""Inputs of each format, made by tests/generate, for tests of how the command
works, such as threads and vectors."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

GENERATORS = pathlib.Path(__file__).resolve().parent.parent / 'generate'
EXTENSIONS = {'dartheap': 'dartheap', 'heapsnapshot': 'heapsnapshot',
              'netcf': 'gclog', 'ndjson': 'ndjson'}


class GeneratedInputs(unittest.TestCase):
    """`inputs` has in.EXTENSION of each format, with NODES nodes and EDGES edges."""
    NODES, EDGES = 12_000, 36_000

    @classmethod
    def setUpClass(cls):
        cls.inputs = pathlib.Path(tempfile.mkdtemp(prefix='heapglot-inputs.'))
        cls.addClassCleanup(shutil.rmtree, cls.inputs)
        for script, extension in EXTENSIONS.items():
            subprocess.run(
                [sys.executable, '-B', GENERATORS / f'{script}.py',
                 cls.inputs / f'in.{extension}', '--nodes', str(cls.NODES),
                 '--edges', str(cls.EDGES), '--seed', '1'],
                check=True, timeout=60)
