"""The checks for every row of the table of hostile inputs.

A row is a function, registered under its id, that gets a Check and calls

    check.refuses('M', data, at=17, says='classCount')   an error, nothing left
    check.warns(data, says='trailing')       accepted; an error with --strict
    check.notes(data, says='upper case')     accepted with a warning, always
    check.accepts(data)                      accepted without any message

as often as it likes. Each call runs the command and checks what must hold for
all rows: the exit code, and the place and words of the message; one line on
stderr, of at most 512 bytes, with control characters escaped; an unchanged old
OUTPUT, no file beside it and none in TMPDIR; memory and time. Accepted inputs
must come back byte for byte through heapir.

The letters are those of docs/hostile.md."""

import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import zlib

OK = 0
CODES = {'M': 3, 'T': 4, 'L': 5, 'U': 6, 'X': 7, 'O': 8, 'I': 9, 'C': 2}
MIB = 1 << 20
MEMORY = 64 * MIB  # in addition to the unpacked size of the input
SECONDS = 120  # rows take a few seconds, but sanitizers and CI are slow
EXTENSIONS = {'dartheap': 'dartheap', 'heapsnapshot': 'heapsnapshot',
              'netcf': 'gclog', 'ndjson': 'ndjson', 'heapir': 'heapir'}
# What a message must not contain: control characters, characters that reverse
# text, and line ends.
ODD = re.compile('[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e'
                 '\u2066-\u2069\ufeff]')
# Bytes that are not UTF-8, as 'surrogateescape' decodes them.
NOT_UTF8 = re.compile('[\udc80-\udcff]')
ROWS = {}


def row(name):
    """Registers a row of the table under its id."""
    def register(function):
        assert name not in ROWS, name
        ROWS[name] = function
        return function
    return register


def rows_of(module, format_name):
    """Sets the format of all rows of a module."""
    for function in ROWS.values():
        if function.__module__ == module:
            function.format = format_name


class Failed(Exception):
    """A row does not behave as the table says."""


class Skipped(Exception):
    """A row cannot be tried here."""


class Run:
    """A command that has ended."""

    def __init__(self, args, code, out, err, peak):
        self.args, self.code, self.out, self.err = args, code, out, err
        self.peak = peak  # resident bytes, at most

    def __str__(self):
        return f'{" ".join(map(str, self.args))}: exit {self.code}\n' \
               f'    {self.err[:2000]!r}'


class Binary:
    """The command under test."""

    def __init__(self, path, starter):
        self.path = os.path.abspath(path)
        self.starter = starter
        # Shadow memory and quarantines would distort measurements.
        self.sanitized = self.has(b'__asan_init') or self.has(b'__tsan_init')

    def has(self, name):
        """Whether the binary contains these bytes."""
        return name in pathlib.Path(self.path).read_bytes()


class Check:
    """One row at work, in a directory of its own."""

    def __init__(self, binary, name, format_name):
        self.binary = binary
        self.name = name
        self.format = format_name
        self.letters = set()  # of the outcomes so far
        self.whole = {}  # complete outputs by name
        base = pathlib.Path(tempfile.mkdtemp(prefix=f'hostile-{name}.'))
        self.base = base
        self.dir = base / 'dir'
        self.tmp = base / 'tmp'
        self.dir.mkdir()
        self.tmp.mkdir()

    def close(self):
        """Removes the directory."""
        shutil.rmtree(self.base, ignore_errors=True)

    # ------------------------------------------------------------- the basics

    def require(self, condition, what):
        """Fails the row unless `condition`."""
        if not condition:
            raise Failed(what)

    def environment(self, **changes):
        """A small environment that does not depend on the host."""
        env = {'PATH': os.environ.get('PATH', '/usr/bin:/bin'),
               'LC_ALL': 'C.UTF-8', 'TMPDIR': str(self.tmp)}
        for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LLVM_PROFILE_FILE'):
            if name in os.environ:
                env[name] = os.environ[name]
        env.update(changes)
        return {name: value for name, value in env.items()
                if value is not None}

    def start(self, *args, **more):
        """Starts the command; the caller waits for it."""
        more.setdefault('env', self.environment())
        return subprocess.Popen([self.binary.path, *args], cwd=self.dir,
                                **more)

    def run(self, *args, limits='', wrap=(), stdin='/dev/null', env=None):
        """Runs the command. `limits` is a line of shell before it, `wrap` a
        command that starts it, `stdin` a path."""
        command = [*wrap, self.binary.path, *args]
        if limits:
            command = ['/bin/sh', '-c', limits + '; exec "$@"', 'sh', *command]
        out, err = self.base / 'stdout', self.base / 'stderr'
        code, peak = self.binary.starter.run(
            command, SECONDS, cwd=str(self.dir), env=env or self.environment(),
            stdin=str(self.dir / stdin), stdout=str(out), stderr=str(err))
        self.require(code is not None, f'{args}: more than {SECONDS} s')
        done = Run(args, code, out.read_bytes(), err.read_bytes(), peak)
        self.check_lines(done)
        return done

    # Runs with a sanitizer take ten times as long, and find the same in a tenth of
    # the rounds.

    def rounds(self, many):
        """The number of repetitions: fewer with a sanitizer."""
        return many // 10 if self.binary.sanitized else many

    def some(self, all_of_them):
        """All, or every third with a sanitizer, which covers each bit of a byte."""
        return all_of_them[::3 if self.binary.sanitized else 1]

    def seconds(self, many):
        """A limit of seconds of CPU time for `run`."""
        return f'ulimit -t {many * 10 if self.binary.sanitized else many}'

    def check_lines(self, run):
        """Expects messages that are safe to show on a terminal."""
        for line in run.err.split(b'\n'):
            self.require(len(line) <= 512, f'a long line: {run}')
            text = line.decode('utf-8', 'surrogateescape')
            self.require(not ODD.search(text), f'control characters: {run}')
            # Not isprintable(): /dev/urandom may begin with a character that is
            # unknown to this Python.
            self.require(not NOT_UTF8.search(text), f'not UTF-8: {run}')

    def check_memory(self, run, size):
        """`size`: the unpacked size of the input."""
        if self.binary.sanitized:
            return
        self.require(run.peak <= MEMORY + size,
                     f'{run.peak / MIB:.0f} MiB for {size} bytes: {run}')

    def files(self, where=None):
        """The names in the directory, sorted."""
        return sorted(os.listdir(where or self.dir))

    def check_nothing_left(self, expected):
        """Expects only these files."""
        self.require(self.files() == sorted(expected),
                     f'files: {self.files()}')
        self.require(not self.files(self.tmp),
                     f'temporary files: {self.files(self.tmp)}')

    # ------------------------------------------------------------- the inputs

    def write(self, data, name=None):
        """Writes the input, given as bytes, text or pieces; returns name and size."""
        name = name or 'in.' + EXTENSIONS.get(self.format, 'bin')
        if isinstance(data, (bytes, str)):
            data = [data]
        with open(self.dir / name, 'wb') as file:
            for piece in data:
                file.write(piece.encode() if isinstance(piece, str) else piece)
            size = file.tell()
        return name, size

    def another(self):
        """A format to convert to, different from the row's."""
        return 'ndjson' if self.format == 'heapsnapshot' else 'heapsnapshot'

    def refuses(self, letters, data, at=None, says=(), args=(), name=None,
                size=None):
        """Expects one error: that of `letters`, or any of them."""
        name, real_size = self.write(data, name)
        output = self.dir / ('out.' + self.another())
        output.write_bytes(b'old')
        before = self.files()
        run = self.run('convert', name, '-f', '-o', output.name, *args)
        self.check_error(run, letters, name, at, says)
        self.check_memory(run, size or real_size)
        self.require(run.out == b'', f'output: {run}')
        self.require(output.read_bytes() == b'old', f'OUTPUT changed: {run}')
        self.check_nothing_left(before)
        info = self.run('info', name, *args)
        self.require(info.code == run.code, f'not as convert: {info}')
        os.remove(output)
        return run

    def check_error(self, run, letters, name, at=None, says=()):
        """Checks a run that must have failed."""
        codes = {CODES[letter]: letter for letter in letters}
        self.require(run.code in codes,
                     f'exit {run.code} where {letters} was expected: {run}')
        self.letters.add(codes[run.code])
        lines = run.err.splitlines()
        self.require(len(lines) == 1, f'{len(lines)} lines: {run}')
        self.check_place(run, lines[0].decode(), name, at, says)

    def check_place(self, run, line, name, at, says):
        """Checks the place and the words of a message."""
        start = f'heapglot: {name}:'
        self.require(line.startswith(start), f'no {start!r}: {run}')
        if isinstance(at, int):
            # In a text format, the line precedes the offset.
            place = f' offset {at} (0x{at:x}): '
            rest = re.sub(r'^\d+:\d+:', '', line[len(start):])
            self.require(rest.startswith(place), f'expected{place}: {run}')
        elif at is not None:
            place = ':'.join(map(str, at)) + ':'
            self.require(line[len(start):].startswith(place),
                         f'expected {place}: {run}')
        for word in [says] if isinstance(says, str) else says:
            self.require(word in line, f'{word!r} is missing: {run}')

    # ----------------------------------------------------- what is taken as is

    def accepts(self, data, args=(), back=True, name=None, size=None):
        """Expects no error and no warning, also with --strict."""
        return self.passes('A', data, ['--strict', *args], back, name, size)

    def notes(self, data, says=(), args=(), back=True, name=None, size=None):
        """Expects warnings, one with `says`, that --strict accepts."""
        run = self.passes('N', data, ['--strict', *args], back, name, size)
        self.check_warnings(run, says)
        return run

    def warns(self, data, says=(), at=None, strict='M', args=(), back=True,
              name=None, size=None):
        """Expects warnings, one with `says`; with --strict the first is an error."""
        run = self.passes('W', data, args, back, name, size)
        self.check_warnings(run, says, at)
        name = run.args[1]
        seen = set(self.letters)
        failed = self.run('convert', name, '--strict', '-o', 'strict.' +
                          self.another(), *args)
        self.check_error(failed, strict, name)
        self.letters = seen
        return run

    def passes(self, letter, data, args, back, name, size):
        """Expects the input to be accepted, with any messages."""
        name, real_size = self.write(data, name)
        self.letters.add(letter)
        run = self.convert(name, size or real_size, args)
        self.require(letter != 'A' or b'warning: ' not in run.err,
                     f'warnings: {run}')
        if back:
            self.comes_back(name, [arg for arg in args if arg != '--strict'])
        return run

    def check_warnings(self, run, says, at=None):
        """Expects a warning with these words, and one at this place."""
        warnings = [line for line in run.err.decode().splitlines()
                    if 'warning: ' in line]
        self.require(warnings, f'no warning: {run}')
        for word in [says] if isinstance(says, str) else says:
            self.require(any(word in line for line in warnings),
                         f'{word!r} is missing: {run}')
        if at is None:
            return
        place = re.escape(':'.join(map(str, at)) + ':') \
            if isinstance(at, tuple) else \
            rf'(\d+:\d+:)? offset {at} \(0x{at:x}\): '
        start = f'heapglot: {re.escape(str(run.args[1]))}:{place}'
        self.require(any(re.match(start, line) for line in warnings),
                     f'no {place}: {run}')

    def convert(self, name, size, args):
        """A conversion to another format that succeeds."""
        before = self.files()
        output = 'out.' + self.another()
        run = self.run('convert', name, '-f', '-o', output, *args)
        self.require(run.code == OK, f'refused: {run}')
        self.check_memory(run, size)
        self.check_nothing_left({*before, output})
        return run

    def comes_back(self, name, args=()):
        """Expects the input to return from heapir unchanged."""
        back = 'back.' + EXTENSIONS[self.format]
        there = self.run('convert', name, '-f', '-q', '-o', 'x.heapir', *args)
        self.require(there.code == OK, f'refused: {there}')
        here = self.run('convert', 'x.heapir', '-f', '-q', '-o', back)
        self.require(here.code == OK, f'refused: {here}')
        if not same(self.dir / name, self.dir / back):
            raise Failed(f'{name} comes back as another file')

    # --------------------------------------------------------------- processes

    def has_ended(self, process, code):
        """Expects a started process to end with this code."""
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise Failed(f'{process.args}: does not end')
        self.require(process.returncode == code,
                     f'{process.args}: exit {process.returncode}, not {code}')

    def start_and_stop(self, number, seconds, *args):
        """Starts the command and sends it a signal after a while. It may have
        ended by then."""
        # An interrupted leak check complains.
        env = self.environment()
        env['ASAN_OPTIONS'] = env.get('ASAN_OPTIONS', '') + ':detect_leaks=0'
        process = self.start(*args, stderr=subprocess.PIPE, env=env)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
        try:
            message = process.communicate(timeout=SECONDS)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed(f'{args}: does not end after a signal {number}')
        code = process.returncode
        # The signal itself kills a program that is still being loaded.
        expected = {0, -number}
        if number != signal.SIGKILL:
            expected.add(128 + number)
        self.require(code in expected, f'{args}: exit {code}: {message}')
        self.require(message == b'', f'{args}: {message}')

    def check_old_or_new(self, name):
        """Expects a file to be b'old', or the complete new output."""
        data = (self.dir / name).read_bytes()
        self.require(data in (b'old', self.whole[name]),
                     f'{name} is neither old nor new: {len(data)} bytes')


def cuts(data):
    """Sizes of prefixes: around the ends of lines, and a sample of the others.
    tests/conformance_test.cc tries every size, within one process."""
    return [size for size in range(len(data))
            if size % 11 == 0 or b'\n' in data[max(size - 2, 0):size + 2]]


def colliding(count):
    """Texts of 16 bytes, valid in JSON though not UTF-8, with the same hash in
    libstdc++: the second of two words undoes the effect of the first."""
    mask, factor = 2**64 - 1, 0xc6a4a7935bd1e995
    inverse = pow(factor, -1, 2**64)

    def mix(word):
        return word ^ word >> 47

    texts = []
    for first in map('{:08x}'.format, itertools.count()):
        word = int.from_bytes(first.encode(), 'little')
        hashed = mix(word * factor & mask) * factor & mask
        hashed = (0xc70f6907 ^ 16 * factor & mask ^ hashed) * factor & mask
        second = mix((hashed ^ 42) * inverse & mask) * inverse & mask
        text = first.encode() + second.to_bytes(8, 'little')
        if not re.search(rb'[\0-\x1f"\\]', text):
            texts.append(text)
        if len(texts) == count:
            return texts


def packed(pieces):
    """gzip of pieces."""
    gzip = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b''.join([gzip.compress(piece) for piece in pieces] +
                    [gzip.flush()])


def same(path_a, path_b):
    """Whether two files have the same bytes, without loading them."""
    with open(path_a, 'rb') as a, open(path_b, 'rb') as b:
        while True:
            piece = a.read(MIB)
            if piece != b.read(MIB):
                return False
            if not piece:
                return True
