#!/usr/bin/env python3
"""Completions in real shells: completions_test.py PATH_OF_HEAPGLOT
[unittest args].

Types into a shell on a pseudo-terminal, as a user would. There, `heapglot` is a
function that prints its arguments."""

import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = ''
PATIENCE = 60  # seconds; for a busy machine

# How to start a shell without the user's settings, and how it learns the
# completions in the file `script`.
SHELLS = {
    'bash': (['bash', '--norc', '--noprofile', '-i'],
             'heapglot() {{ echo "GOT<$*>"; }}; source {script}\n'),
    'zsh': (['zsh', '-f', '-i'],
            'autoload -U compinit; compinit -u -D; '
            'heapglot() {{ echo "GOT<$*>"; }}; source {script}\n'),
    'fish': (['fish', '--no-config', '--private', '-i'],
             'function heapglot; echo "GOT<$argv>"; end; source {script}\n'),
}

# What is typed after "heapglot ", and what the command gets. Z follows a blank
# that the shell adds.
TYPED = [
    ('conv\tZ', 'convert Z'),
    ('convert --unreach\tZ', 'convert --unreachable Z'),
    ('convert --unreachable dr\tZ', 'convert --unreachable drop Z'),
    ('convert --to heaps\tZ', 'convert --to heapsnapshot Z'),
    ('convert --from dart\tZ', 'convert --from dartheap Z'),
    ('convert -q --max-loss appr\tZ', 'convert -q --max-loss approximated Z'),
    ('convert odd-n\tZ', 'convert odd-name.dartheap Z'),
    ('convert x -o odd-n\tZ', 'convert x -o odd-name.dartheap Z'),
    ('roundtrip x --via dartheap,ndj\t', 'roundtrip x --via dartheap,ndjson'),
    ('completions fi\tZ', 'completions fish Z'),
    ('validate --for dev\tZ', 'validate --for devtools Z'),
    ('info --to\tZ', 'info --top Z'),
]


class Terminal:
    """A shell that the test types into."""

    def __init__(self, command, directory):
        self.child, self.fd = pty.fork()
        if self.child == 0:
            os.chdir(directory)
            os.execvpe(command[0], command, {
                'PATH': os.environ['PATH'], 'HOME': directory, 'TERM': 'dumb',
                'LC_ALL': 'C.UTF-8', 'PS1': '$ '})
        self.seen = ''

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def wait_for(self, text):
        """Waits for `text`, and returns the output up to it."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen:
            left = deadline - time.monotonic()
            ready, _, _ = select.select([self.fd], [], [], max(left, 0))
            if not ready:
                raise AssertionError(f'no {text!r} in {self.seen!r}')
            try:
                data = os.read(self.fd, 65536)
            except OSError:  # the shell has ended
                data = b''
            if not data:
                raise AssertionError(f'the end, no {text!r} in {self.seen!r}')
            self.seen += data.decode(errors='replace')
        before, _, self.seen = self.seen.partition(text)
        return before

    def close(self):
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)
        os.close(self.fd)


def script(shell):
    done = subprocess.run([BINARY, 'completions', shell], capture_output=True,
                          timeout=60, check=True)
    return done.stdout.decode()


class Completions(unittest.TestCase):

    def type_in(self, shell):
        command, setup = SHELLS[shell]
        if shutil.which(command[0]) is None:
            self.skipTest(shell + ' is not installed')
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, 'script')
            with open(path, 'w') as file:
                file.write(script(shell))
            # The only file whose name begins like this.
            open(os.path.join(directory, 'odd-name.dartheap'), 'w').close()
            terminal = Terminal(command, directory)
            try:
                terminal.type(setup.format(script=path))
                terminal.type('echo READ""Y\n')
                terminal.wait_for('READY')
                for keys, expected in TYPED:
                    with self.subTest(shell=shell, keys=keys):
                        terminal.type('heapglot ' + keys + '\n')
                        terminal.wait_for('GOT<')
                        self.assertEqual(terminal.wait_for('>'), expected)
            finally:
                terminal.close()

    def test_bash(self):
        self.type_in('bash')

    def test_zsh(self):
        self.type_in('zsh')

    def test_fish(self):
        self.type_in('fish')

    def test_bash_takes_flags_with_an_equals_sign(self):
        done = subprocess.run(
            ['bash', '--norc', '--noprofile', '-c', script('bash') + r'''
             COMP_WORDS=(heapglot convert --to = heaps); COMP_CWORD=4
             _heapglot; echo "${COMPREPLY[@]}"
             COMP_WORDS=(heapglot convert -- --unreach); COMP_CWORD=3
             _heapglot; echo "${COMPREPLY[@]}"'''],
            capture_output=True, timeout=60, check=True)
        self.assertEqual(done.stdout.decode(), 'heapsnapshot\n\n')
        self.assertEqual(done.stderr, b'')

    def test_unknown_shell(self):
        done = subprocess.run([BINARY, 'completions', 'fisch'],
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"did you mean 'fish'?", done.stderr)


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
