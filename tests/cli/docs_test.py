#!/usr/bin/env python3
"""Runs every command that README.md, docs/ and the help texts show:
docs_test.py PATH_OF_HEAPGLOT REPOSITORY [unittest args].

Each page has a directory of its own, in which its commands run one after
another, as a reader would type them. The dumps that they name exist there."""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = ''
REPOSITORY = pathlib.Path()
# 10: a difference or a defect was found, which is what those verbs are for.
FINE = (0, 10)

# Arguments for the words in capitals in the usage of a verb.
STAND_INS = {'SHELL': 'bash',
             'INPUT': 'app.dartheap', 'INPUT...': 'app.dartheap',
             'OUTPUT': 'new.heapsnapshot', 'A': 'before.heapsnapshot',
             'B': 'after.heapsnapshot', 'F': 'ndjson', 'FILE': 'some.heapir',
             'DIR': 'archive', 'SQL': "'SELECT 1'"}

# A dump for each extension.
DUMPS = {'.dartheap': 'dartheap/good/known-dart3.7.3-ia32.dartheap.gz',
         '.heapsnapshot': 'heapsnapshot/good/known-bun1.heapsnapshot.gz'}

# Programs that pages use, but that a test does not have.
PROGRAMS = {'ssh': 'shift; exec "$@"', 'less': 'exec cat'}


def commands_of_page(text):
    """Lines of code that begin with a program, without their comments."""
    for line in text.splitlines():
        if not re.match(r' {2,4}(\w+=\S+ )*(heapglot|ssh|sqlite3|find) ', line):
            continue
        command = re.sub(r'\s+# .*| {3,}\S.*', '', line.strip())
        if '[' in command and '|' in command and ']' in command:
            continue  # a synopsis, not a command
        yield command


def spelled_out(command):
    """Replaces words in capitals; None if one has no replacement."""
    words = []
    for word in command.split(' '):
        if re.fullmatch(r'[A-Z]+(\.\.\.)?', word):
            if word not in STAND_INS:
                return None
            word = STAND_INS[word]
        words.append(word)
    return ' '.join(words)


def made_by(command):
    """The files that the command will write."""
    return re.findall(r'(?:-o|--output|--report|--minimize|>)\s+(\S+)', command)


class Place:
    """A directory with everything that commands need."""

    def __init__(self, directory):
        self.home = pathlib.Path(directory)
        programs = self.home / '.bin'
        programs.mkdir()
        (programs / 'heapglot').symlink_to(BINARY)
        for name, body in PROGRAMS.items():
            (programs / name).write_text('#!/bin/sh\n' + body + '\n')
            (programs / name).chmod(0o755)
        for folder in ('.zfunc', '.config/fish/completions',
                       '.local/share/bash-completion/completions'):
            (self.home / folder).mkdir(parents=True)
        self.environment = {
            'PATH': f'{programs}:{os.environ["PATH"]}', 'HOME': directory,
            'LC_ALL': 'C.UTF-8'}
        for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS'):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        self.provide('app.dartheap')
        for name in ('one.dartheap', 'two.heapsnapshot'):
            self.provide('dumps/' + name)

    def run(self, command):
        return subprocess.run(['bash', '-o', 'pipefail', '-c', command],
                              cwd=self.home, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=120)

    def provide(self, name):
        """Makes the dump `name`, unless it exists."""
        path = self.home / name
        if path.exists():
            return
        path.parent.mkdir(exist_ok=True)
        for extension, dump in DUMPS.items():
            if name.endswith(extension):
                with gzip.open(REPOSITORY / 'corpus' / dump) as packed:
                    path.write_bytes(packed.read())
                return
        done = self.run(f'heapglot convert app.dartheap -q -o {name}')
        assert done.returncode == 0, done

    def prepare(self, command):
        outputs = made_by(command)
        for name in outputs:
            if not (self.home / name).is_dir():  # an archive grows
                (self.home / name).unlink(missing_ok=True)
        sidecar = re.findall(r'--sidecar (\S+)', command)
        for name in re.findall(
                r'[\w./-]+\.(?:dartheap|heapsnapshot|gclog|ndjson|sqlite|heapir)'
                r'(?:\.gz|\.zst)?(?= |$)', command):
            if name not in outputs and name not in sidecar:
                self.provide(name)


class Commands(unittest.TestCase):

    def run_all(self, page, commands):
        """Runs commands, and returns how many ran."""
        count = 0
        with tempfile.TemporaryDirectory() as directory:
            place = Place(directory)
            for command in commands:
                command = spelled_out(command)
                if command is None:
                    continue
                with self.subTest(page=page, command=command):
                    place.prepare(command)
                    done = place.run(command)
                    self.assertIn(done.returncode, FINE, done.stderr.decode())
                    count += 1
        return count

    def test_pages(self):
        count = 0
        for path in [REPOSITORY / 'README.md',
                     *sorted((REPOSITORY / 'docs').glob('*.md'))]:
            count += self.run_all(path.name, commands_of_page(path.read_text()))
        self.assertGreater(count, 10)

    def test_links(self):
        pages = [*REPOSITORY.glob('*.md'), *REPOSITORY.glob('docs/*.md'),
                 *REPOSITORY.glob('readers/*/*.md'),
                 *REPOSITORY.glob('writers/*/*.md')]
        for page in pages:
            for target in re.findall(r'\]\(([^)#\s]+)[^)]*\)', page.read_text()):
                if '://' not in target:
                    self.assertTrue((page.parent / target).exists(),
                                    f'{page}: {target}')

    def test_help(self):
        pages = subprocess.run([BINARY, 'manual'], capture_output=True,
                               check=True, timeout=60).stdout.decode().split()
        self.assertIn('heapglot-convert', pages)
        for page in pages:
            done = subprocess.run([BINARY, *page.split('-')[1:], '--help'],
                                  capture_output=True, check=True, timeout=60)
            self.run_all(page, commands_of_page(
                done.stdout.decode().partition('Examples:')[2]))

    def test_every_verb_has_examples(self):
        pages = subprocess.run([BINARY, 'manual'], capture_output=True,
                               check=True, timeout=60).stdout.decode().split()
        for page in pages:
            done = subprocess.run([BINARY, 'manual', page],
                                  capture_output=True, check=True, timeout=60)
            if page != 'heapglot':
                self.assertRegex(
                    done.stdout.decode(),
                    r'# EXAMPLES\n\n```\n(  .*\n)*  ' + page.replace('-', ' '), page)

    @unittest.skipIf(shutil.which('scdoc') is None, 'scdoc is not installed')
    def test_manual(self):
        pages = subprocess.run([BINARY, 'manual'], capture_output=True,
                               check=True, timeout=60).stdout.decode().split()
        for page in pages:
            with self.subTest(page=page):
                source = subprocess.run([BINARY, 'manual', page], check=True,
                                        capture_output=True, timeout=60).stdout
                done = subprocess.run(['scdoc'], input=source, timeout=60,
                                      capture_output=True)
                self.assertEqual(done.stderr, b'')
                self.assertIn(b'.TH "%s" "1"' % page.encode(), done.stdout)


if __name__ == '__main__':
    BINARY = os.path.abspath(sys.argv.pop(1))
    REPOSITORY = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
