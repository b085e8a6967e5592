#!/usr/bin/env python3
"""Measures heapglot beside its peers and prints the table of docs/performance.md.

    bench/run.py [--build DIR] [--work DIR] [--scale S] [--rounds N] [--write] [ROW...]

Builds (Release) and makes its inputs by generate.cc and tests/generate, with fixed
seeds, unless they are there. Each round runs everything once, one after the other, so that what
disturbs the machine disturbs all alike; the table has medians, and ratios of
medians. Peers that take minutes run in the first round only. --scale 0.1 makes
inputs of a tenth. --write puts the tables into docs/performance.md and README.md;
there, rows that were not measured stay as they are.
ROW: numbers of the table, all if none is named.

Peers are left out where what they need is not there: npm for DevTools' own code,
libsimdjson-dev."""

import argparse
import contextlib
import json
import mmap
import os
import pathlib
import platform
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MIB = 1 << 20
# Sizes of the inputs at scale 1.
NODES_A, EDGES_A = 5_300_000, 15_500_000
NODES_B, EDGES_B = 9_000_000, 27_000_000
NODES_C = 3_000_000
NODES_D, EDGES_D = 9_000_000, 21_000_000
NODES_SMALL, EDGES_SMALL = 1_000_000, 2_900_000  # at any scale


class Run:
    """What a process has cost."""

    def __init__(self, user, system, wall, peak, out):
        self.user, self.cpu = user, user + system
        self.wall, self.peak, self.out = wall, peak, out


# GNU time. What a process was before it became the command counts as resident, too:
# a fork of Python has 20 MiB, one of this program does not.
SMALL_PARENT = shutil.which('time')


def run(*args, cwd=None):
    """Runs a command to its end: CPU seconds with all its threads, wall seconds,
    bytes resident at most, standard output."""
    with (tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err,
          tempfile.NamedTemporaryFile() as peak):
        command = [str(arg) for arg in args]
        if SMALL_PARENT:
            command[:0] = [SMALL_PARENT, '-f', '%M', '-o', peak.name]
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=out, stderr=err, cwd=cwd)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            err.seek(0)
            sys.exit(f'{args}: exit {process.returncode}: '
                     f'{err.read(2000).decode(errors="replace")}')
        out.seek(0)
        kib = int(peak.read()) if SMALL_PARENT else usage.ru_maxrss
        return Run(usage.ru_utime, usage.ru_stime, wall, kib * 1024,
                   out.read().decode())


def median_start(*args, runs=50):
    """The medians of many short runs, with as little of Python as possible."""
    args = [str(arg) for arg in args]
    to_null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0)
               for fd in (1, 2)]
    costs = []
    for _ in range(runs):
        start = time.monotonic()
        process = os.posix_spawn(args[0], args, os.environ,
                                 file_actions=to_null)
        _, status, usage = os.wait4(process, 0)
        costs.append((usage.ru_utime + usage.ru_stime,
                      time.monotonic() - start))
        if status != 0:
            sys.exit(f'{args}: status {status}')
    cpu, wall = (statistics.median(cost) for cost in zip(*costs))
    return Run(cpu, 0, wall, 0, '')


def documented_query(title):
    """The query of docs/queries.md below that title."""
    text = (ROOT / 'docs/queries.md').read_text()
    return re.search(re.escape(title) + r':\n\n```sql\n(.*?);\n```', text,
                     re.S).group(1)


def count_rows(path):
    """Of all tables of a database."""
    database = sqlite3.connect(f'file:{path}?mode=ro', uri=True)
    with contextlib.closing(database):
        tables = [name for name, in database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return sum(
            database.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
            for table in tables)


def warm_memory(size=4096 * MIB):
    """Touches free memory. The host of a virtual machine may have taken it back, and
    takes 2 to 3 ms for each MB to find it again: who came first after a pause would
    pay that for all, cp like us. Several times as much as a job takes, for the kernel
    does not begin with what was given back last: with 1 GiB two threads once took
    1.2 times as long as one, with 4 GiB 0.75 times. Not more than a fifth of all."""
    pages = os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE')
    size = min(size, pages // 5)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE
    mmap.mmap(-1, size, flags=flags).close()


class Bench:
    """Jobs that are run in turn, and what they have cost."""

    def __init__(self, rounds):
        self.rounds = rounds
        self.jobs = {}
        self.runs = {}

    def add(self, name, job, is_slow=False):
        """`job`() gives a Run. What is slow runs once."""
        self.jobs.setdefault(name, (job, 1 if is_slow else self.rounds))

    def measure(self):
        for i in range(self.rounds):
            for name, (job, rounds) in self.jobs.items():
                if i >= rounds:
                    continue
                print(f'\rround {i + 1} of {self.rounds}: {name:40}', end='',
                      file=sys.stderr, flush=True)
                warm_memory()
                self.runs.setdefault(name, []).append(job())
        print('\r' + 70 * ' ' + '\r', end='', file=sys.stderr, flush=True)

    def cpu(self, name):
        return statistics.median(run.cpu for run in self.runs[name])

    def wall(self, name):
        return statistics.median(run.wall for run in self.runs[name])

    def peak(self, name):
        return max(run.peak for run in self.runs[name])


class Inputs:
    """Files that are made once."""

    def __init__(self, work, scale, heapglot):
        self.work, self.scale, self.heapglot = work, scale, heapglot

    def make(self, name, *command):
        """Makes `name` by a command that takes its path at the end."""
        path = self.work / name
        if not path.exists():
            print(f'making {name}', file=sys.stderr)
            part = path.with_name('part.' + name)
            subprocess.run([*map(str, command), str(part)], check=True)
            part.rename(path)
        return path

    def generated(self, form, nodes, edges, *more):
        nodes, edges = int(nodes * self.scale), int(edges * self.scale)
        name = f'{nodes}-{edges}{"".join(more)}.{form}'
        # These are large, so they are not made in Python.
        if form in ('heapsnapshot', 'dartheap', 'dartheap-mixed'):
            return self.make(name, self.heapglot.parent / 'bench/generate', form,
                             nodes, edges, 1)
        generator = ROOT / 'tests/generate' / f'{form}.py'
        return self.make(name, sys.executable, generator, '--nodes', nodes,
                         '--edges', edges, '--seed', 1, *more)

    def node_heap(self, kind, *more):
        """A dump of a real heap, whatever the scale."""
        name = '-'.join(map(str, (kind, *more))) + '.heapsnapshot'
        return self.make(name, 'node', ROOT / 'bench/node_heap.mjs', kind,
                         *more)

    def compressed(self, path, tool, *flags):
        suffix = {'gzip': '.gz', 'zstd': '.zst'}[tool]
        out = path.with_name(path.name + suffix)
        if not out.exists():
            print(f'making {out.name}', file=sys.stderr)
            part = out.with_name('part.' + out.name)
            with open(path, 'rb') as source, open(part, 'wb') as sink:
                subprocess.run([tool, *flags, '-c'], stdin=source, stdout=sink,
                               check=True)
            part.rename(out)
        return out


def argument_parser(text):
    """What the scripts have in common."""
    parser = argparse.ArgumentParser(
        description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build', type=pathlib.Path,
                        default=ROOT / 'build/bench')
    parser.add_argument('--work', type=pathlib.Path,
                        default=ROOT / 'build/bench-work')
    parser.add_argument('--write', action='store_true')
    return parser


def main():
    parser = argument_parser(__doc__)
    parser.add_argument('--scale', type=float, default=1.0)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('rows', nargs='*', type=int)
    args = parser.parse_args()

    subprocess.run(['cmake', '-S', ROOT, '-B', args.build, '-G', 'Ninja',
                    '-DCMAKE_BUILD_TYPE=Release', '-DCMAKE_UNITY_BUILD=ON',
                    '-DBUILD_TESTING=OFF', '-DHEAPGLOT_BENCH=ON'],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(['cmake', '--build', args.build], check=True,
                   stdout=subprocess.DEVNULL)
    args.work.mkdir(parents=True, exist_ok=True)
    heapglot = args.build / 'heapglot'
    table = Table(Inputs(args.work, args.scale, heapglot), args.build,
                  Bench(args.rounds))
    rows = args.rows or sorted(table.ROWS)
    reports = [getattr(table, f'row_{row}')() for row in rows]
    table.bench.measure()
    lines = ['| # | what | measured | target |', '|---|---|---|---|']
    for row, report in zip(rows, reports):
        lines += [f'| {row} | {what} | {value} | {target} |'
                  for what, value, target in report()]
    print('\n'.join(lines))
    if args.write:
        write(lines, rows, args.rounds)
        if 5 in rows:
            replace(ROOT / 'README.md', 'bench/run.py 5', table.peers())


def write(lines, rows, rounds):
    """Puts the table into the page. Rows that were not measured stay."""
    page = ROOT / 'docs/performance.md'
    old = between(page.read_text(encoding='utf-8'), 'bench/run.py')
    if len(rows) < len(Table.ROWS):
        others = [line for line in old.splitlines()
                  if (row := re.match(r'\| (\d+) \|', line))
                  and int(row[1]) not in rows]
        lines = lines[:2] + sorted(lines[2:] + others,
                                   key=lambda line: int(line.split()[1]))
        rounds = min(rounds, *map(int, re.findall(r'medians of .*?(\d+)', old)))
    lines += ['', f'{machine()}; medians of at least {rounds} rounds.']
    replace(page, 'bench/run.py', lines)


def between(text, name):
    """What stands between the marks of a page."""
    return text.split(f'<!-- {name} -->\n')[1].split('<!-- end -->')[0]


def machine():
    """What this has run on."""
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        names = re.findall(r'model name\s*: (.*)', file.read())
    memory = os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES')
    return (f'{len(names)} x {names[0]}, {memory / 2**30:.0f} GiB, '
            f'{platform.freedesktop_os_release()["PRETTY_NAME"]}')


def replace(page, name, lines):
    """Puts lines between the marks of a page."""
    text = page.read_text(encoding='utf-8')
    begin, end = f'<!-- {name} -->\n', '<!-- end -->'
    head, rest = text.split(begin)
    tail = rest[rest.index(end):]
    page.write_text(head + begin + '\n'.join(lines) + '\n' + tail,
                    encoding='utf-8')


class Table:
    """The rows: each adds its jobs and gives what makes its lines afterwards."""

    ROWS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)

    def __init__(self, inputs, build, bench):
        self.inputs, self.build, self.bench = inputs, build, bench
        self.out = inputs.work / 'out'
        self.out.mkdir(exist_ok=True)
        self.compared = []  # the jobs of row 5, and what they are

    def a(self):
        return self.inputs.generated('heapsnapshot', NODES_A, EDGES_A)

    def b(self):
        return self.inputs.generated('dartheap', NODES_B, EDGES_B)

    def d(self):
        return self.inputs.generated('dartheap-mixed', NODES_D, EDGES_D)

    def convert(self, path, extension, *flags):
        """A conversion, by the whole command; its name."""
        name = f'{path.name} to {extension} {" ".join(flags)}'.strip()
        out = self.out / f'out.{extension}'

        def job():
            out.unlink(missing_ok=True)
            return run(self.build / 'heapglot', 'convert', '-q', path, '-o',
                       out, *flags)
        self.bench.add(name, job)
        return name

    def work(self, what, path, vectors=''):
        """A piece of work of bench/measure.cc; its name. `vectors`: the best that
        this processor shall have, as $HEAPGLOT_VECTORS says it."""
        name = f'{what} {path.name} {vectors}'.strip()
        measure = ['env', f'HEAPGLOT_VECTORS={vectors}'] if vectors else []
        measure.append(self.build / 'bench/measure')

        def job():
            done = run(*measure, what, path)
            return Run(float(done.out), 0, done.wall, done.peak, '')
        self.bench.add(name, job)
        return name

    def program(self, name, *command, is_slow=False, out=None):
        """A peer that is a program; it does not find what it has made before."""
        def job():
            if out is not None:
                out.unlink(missing_ok=True)
            return run(*command)
        self.bench.add(name, job, is_slow)
        return name

    def start(self, name, *command):
        """What runs for so short a time that each round has many; its name."""
        self.bench.add(name, lambda: median_start(*command))
        return name

    def times(self, name, other):
        return self.bench.cpu(name) / self.bench.cpu(other)

    def row_1(self):
        a = self.a()
        copy = self.work('memcpy', a)
        reads = [(what, target, *(self.work(work, a, vectors)
                                  for work in ('read', 'check')))
                 for what, vectors, target in (
                     ('read a heapsnapshot', '', '<= 7x'),
                     ('the same with no more than AVX2', 'avx2', '<= 7x'),
                     ('the same without vectors', 'plain', '<= 10x'))]
        peers = [('RapidJSON SAX', self.work('rapidjson', a))]
        if self.can('simdjson'):
            peers.append(('simdjson on demand', self.work('simdjson', a)))
        return lambda: [
            (what, f'{self.times(read, copy):.1f}x memcpy, of it '
             f'{self.times(check, copy):.1f}x to check all of it', target)
            for what, target, read, check in reads
        ] + [(f'{peer}, nothing kept', f'{self.times(job, copy):.1f}x memcpy',
              'peer') for peer, job in peers]

    def row_2(self):
        a = self.a()
        copy = self.work('memcpy', a)
        writes = [(what, self.work('write', a, vectors)) for what, vectors in (
            ('write a heapsnapshot', ''),
            ('the same with no more than AVX2', 'avx2'),
            ('the same without vectors', 'plain'))]
        return lambda: [(what, f'{self.times(write, copy):.1f}x memcpy', '<= 4x')
                        for what, write in writes]

    def row_3(self):
        a = self.a()
        same = self.convert(a, 'heapsnapshot')
        copy = self.work('memcpy', a)
        copied = self.out / 'copy'
        cp = self.program('cp', 'cp', a, copied, out=copied)
        return lambda: [
            ('heapsnapshot to heapsnapshot',
             f'{self.times(same, copy):.1f}x memcpy, '
             f'{self.bench.peak(same) / MIB:.1f} MiB', '<= 9x, <= 32 MiB'),
            ('cp', f'{self.times(cp, copy):.1f}x memcpy', 'peer')]

    def row_4(self):
        ways = {'as it is': ('--embed', 'none', '--unreachable', 'keep'),
                'no leftovers': ('--embed', 'none'),
                'leftovers': ()}
        inputs = [('dartheap', self.b(), NODES_B),
                  ("dartheap of a real heap's shape", self.d(), NODES_D)]
        jobs = [(f'{source} to heapsnapshot, {what}',
                 nodes * self.inputs.scale / 1e6,
                 self.convert(dump, 'heapsnapshot', *flags),
                 self.convert(dump, 'heapsnapshot', '-j', '1', *flags))
                for source, dump, nodes in inputs
                for what, flags in ways.items()]

        def line(what, millions, name, single):
            wall = self.bench.wall(name)
            return (what,
                    f'{self.bench.cpu(single) / millions:.3f} s CPU a million '
                    f'objects with one thread, '
                    f'{self.bench.cpu(name) / millions:.3f} and '
                    f'{wall / millions:.3f} s by the clock with two, '
                    f'{wall / self.bench.wall(single):.2f} of the time of one '
                    'thread', '<= 0.10 s CPU; <= 0.65')
        return lambda: [line(*job) for job in jobs]

    def row_5(self):
        b = self.b()
        result = self.inputs.make(
            b.name + '.heapsnapshot', self.build / 'heapglot', 'convert', '-q',
            '--embed', 'none', '--to', 'heapsnapshot', b, '-o')
        out, peers = self.out / 'peer.heapsnapshot', ROOT / 'bench/peers'
        node = ('node', '--max-old-space-size=18000')
        size = result.stat().st_size / 1e6
        plain = self.convert(b, 'heapsnapshot', '--embed', 'none')
        as_it_is = self.convert(b, 'heapsnapshot', '--embed', 'none',
                                '--unreachable', 'keep')
        self.compared = [
            ('`heapglot convert`', self.convert(b, 'heapsnapshot')),
            ('the same without leftovers for the way back', plain),
            ('a script of 100 lines for Node.js',
             self.program('Node script', *node, peers / 'convert.mjs', b, out,
                          out=out)),
            ('the same script in Python',
             self.program('Python script', sys.executable,
                          peers / 'convert.py', b, out, is_slow=True,
                          out=out))]
        devtools = self.devtools()
        if devtools:
            self.compared.append(
                (f"opening the result ({size:.0f} MB) in Chrome DevTools' own "
                 'code',
                 self.program("DevTools' code", *node, devtools, result)))
        python = self.program('python json.load', sys.executable, '-c',
                              'import json, sys\njson.load(open(sys.argv[1]))',
                              result, is_slow=True)
        self.compared.append(('`json.load` of the result in Python', python))
        if result.stat().st_size < 512 * MIB:  # a string's limit
            self.compared.append(
                ('`JSON.parse` of the result in Node.js', self.program(
                    'node JSON.parse', *node, '-e',
                    'JSON.parse(require("fs").readFileSync('
                    'process.argv[1], "latin1"))', result)))
        return lambda: [(what, f'{self.times(peer, plain):.1f}x the conversion '
                         f'without leftovers, {self.times(peer, as_it_is):.1f}x '
                         'that of the dump as it is', 'peer')
                        for what, peer in self.compared]

    def peers(self):
        """The table of README.md."""
        ours = self.compared[0][1]
        millions = NODES_B * self.inputs.scale / 1e6
        return [f'| a dump of {millions:.0f} million Dart objects, converted for '
                'DevTools | CPU | memory | CPU vs. heapglot |',
                '|---|---|---|---|'] + [
                    f'| {what} | {self.bench.cpu(job):.1f} s | '
                    f'{self.bench.peak(job) / MIB:,.0f} MiB | '
                    f'{self.times(job, ours):.1f}x |'
                    for what, job in self.compared]

    def devtools(self):
        """The script that opens a file in DevTools' code; None without npm."""
        if shutil.which('npm') is None:
            return None
        place = ROOT / 'build/acceptance'
        subprocess.run([ROOT / 'tests/acceptance/install.sh', place],
                       check=True, stdout=subprocess.DEVNULL)
        return place / 'load.mjs'

    def can(self, what):
        """Whether bench/measure was built with a peer's library."""
        return what in run(self.build / 'bench/measure', 'peers', '/dev/null').out

    def row_6(self):
        jobs = [(self.convert(self.a(), extension), 32)
                for extension in ('heapsnapshot', 'heapir', 'dartheap',
                                  'ndjson')]
        jobs += [(self.convert(self.b(), extension), 32)
                 for extension in ('heapsnapshot', 'heapir', 'dartheap')]
        jobs += [(self.convert(self.d(), extension), 32)
                 for extension in ('heapsnapshot', 'heapir', 'dartheap')]
        nodes = int(NODES_C * self.inputs.scale)
        limit = 64 + 9 * nodes / MIB
        for form, extension in (('netcf', 'gclog'), ('ndjson', 'ndjson')):
            c = self.inputs.generated(form, NODES_C, 3 * NODES_C)
            jobs.append((self.convert(c, 'heapsnapshot'), limit))
        return lambda: [
            (name, f'{self.bench.peak(name) / MIB:.1f} MiB',
             f'<= {limit:.0f} MiB') for name, limit in jobs]

    def row_7(self):
        lines = []
        for name, dump, *layout in (('A', self.a(), '--layout', 'usual'),
                                    ('B', self.b()), ('D', self.d())):
            heapir = self.inputs.make(
                dump.name + '.heapir', self.build / 'heapglot', 'convert', '-q',
                '--to', 'heapir', dump, '-o')
            lines.append((name, self.convert(dump, 'heapsnapshot', *layout),
                          self.convert(dump, 'heapir'),
                          self.convert(heapir, 'heapsnapshot', *layout)))
        return lambda: [
            (f'{name} by way of a heapir file',
             f'{self.times(there, direct) + self.times(back, direct):.2f}x the '
             'direct conversion', '<= 1.35x')
            for name, direct, there, back in lines]

    def row_8(self):
        a = self.a()
        heapir = self.convert(a, 'heapir')
        stored, ratio = self.stored(a)
        lines = [('heapir of A, whose references are random',
                  f'{ratio:.2f}x of zstd -3', '')]
        columns = (NODES_A * self.inputs.scale, EDGES_A * self.inputs.scale)
        if shutil.which('node'):
            for kind, target in (('varied', '<= 0.5x'), ('regular', '<= 0.35x')):
                a = self.inputs.node_heap(kind)
                stored, ratio = self.stored(a)
                lines.append((f'heapir of a {kind} heap of Node.js',
                              f'{ratio:.2f}x of zstd -3', target))
            info = json.loads(run(self.build / 'heapglot', 'info', '--json',
                                  stored).out)
            columns = (info['nodes'], info['edges'])
        # The columns as 32-bit integers.
        size = 4 * (7 * columns[0] + 3 * columns[1]) / 1e9
        encode = self.work('encode', a)
        check, read = self.work('check', stored), self.work('read', stored)

        def report():
            read_again = self.bench.cpu(read) - self.bench.cpu(check)
            return [*lines,
                    ('heapir of A, the conversion',
                     f'{self.bench.cpu(heapir):.2f} s', ''),
                    ('heapir of the last one, encode',
                     f'{size / self.bench.cpu(encode):.1f} GB/s of columns',
                     '>= 1.2 GB/s'),
                    ('heapir of the last one, decode',
                     f'{size / read_again:.1f} GB/s of columns',
                     '>= 2.5 GB/s'),
                    ('heapir of the last one, decode and check everything',
                     f'{size / self.bench.cpu(check):.1f} GB/s of columns', '')]
        return report

    def stored(self, dump):
        """A heapir of the dump, and how much of zstd -3 it takes."""
        path = self.inputs.make(
            dump.name + '.heapir', self.build / 'heapglot', 'convert', '-q',
            '--to', 'heapir', dump, '-o')
        zstd = self.inputs.compressed(dump, 'zstd', '-3')
        return path, path.stat().st_size / zstd.stat().st_size

    def row_9(self):
        b = self.b()
        nodes = NODES_B * self.inputs.scale
        jobs = {what: self.work(work, b) for what, work in (
            ('decoded and checked', 'check'), ('and again, as columns', 'read'))}
        return lambda: [(f'dartheap, {what}',
                         f'{nodes / self.bench.cpu(job) / 1e6:.1f} M '
                         'objects/s', '>= 35 M/s')
                        for what, job in jobs.items()]

    def row_10(self):
        c = self.inputs.generated('ndjson', NODES_C, 3 * NODES_C)
        with open(c, 'rb') as file:
            records = sum(block.count(b'\n')
                          for block in iter(lambda: file.read(MIB), b''))
        read = self.work('read', c)
        a = self.a()
        plain = self.convert(a, 'heapsnapshot')
        lines = []
        for tool, flag, unpack in (('gzip', '-6', 'gunzip'),
                                   ('zstd', '-1', 'unzstd')):
            packed = self.inputs.compressed(a, tool, flag)
            lines.append((tool, flag, packed.suffix,
                          self.work('unpack', packed),
                          self.work('open', packed),
                          self.work(unpack, packed),
                          self.convert(a, 'heapsnapshot' + packed.suffix),
                          self.program(f'{tool} {flag}', 'sh', '-c',
                                       f'{tool} {flag} -c "$0" > /dev/null',
                                       a)))

        def report():
            rows = [('ndjson, read',
                     f'{records / self.bench.cpu(read) / 1e6:.1f} M records/s',
                     '>= 8 M/s')]
            megabytes = a.stat().st_size / 1e6
            for tool, flag, suffix, ours, opened, theirs, written, peer in lines:
                rows.append((f'{suffix} input, unpacked',
                             f'{megabytes / self.bench.cpu(ours):.0f} MB/s, '
                             f'{self.times(theirs, ours):.1f}x the library '
                             f'of {tool}',
                             '>= 2.5x zlib' if tool == 'gzip' else ''))
                rows.append((f'{suffix} input, with its temporary file',
                             f'{megabytes / self.bench.cpu(opened):.0f} MB/s',
                             ''))
                cpu = self.bench.cpu(written) - self.bench.cpu(plain)
                wall = self.bench.wall(written) / self.bench.wall(plain)
                rows.append((f'{suffix} output',
                             f'{megabytes / max(1e-9, cpu):.0f} MB/s, '
                             f'{self.bench.cpu(peer) / max(1e-9, cpu):.1f}x '
                             f'{tool} {flag}, {wall:.2f}x the wall time of '
                             'plain output', ''))
            return rows
        return report

    def row_11(self):
        small = ROOT / 'corpus/dartheap/good/classid-out-of-range.dartheap'
        info = self.start('start-up and info', self.build / 'heapglot', 'info',
                          small)
        true = self.start('start-up of true', shutil.which('true'))
        return lambda: [
            ('start-up and info of 74 bytes',
             f'{1000 * self.bench.wall(info):.1f} ms', '<= 3 ms'),
            ('true', f'{1000 * self.bench.wall(true):.1f} ms', 'peer')]

    # Without leftovers, which are not rows: reading, rows, indices, views.
    def row_12(self):
        inputs = [self.a(), self.b(),
                  self.inputs.generated('ndjson', NODES_C, 3 * NODES_C)]
        lines = []
        for path in inputs:
            database = self.inputs.make(
                path.name + '.sqlite', self.build / 'heapglot', 'convert',
                '-q', '--embed', 'none', '--to', 'sqlite', path, '-o')
            lines.append((path, database,
                          self.convert(path, 'sqlite', '--embed', 'none'),
                          self.work('read', path)))
        # The first heap has the size that the target is for.
        small = self.inputs.generated('dartheap', NODES_SMALL / self.inputs.scale,
                                      EDGES_SMALL / self.inputs.scale)
        small_database = self.inputs.make(
            small.name + '.sqlite', self.build / 'heapglot', 'convert', '-q',
            '--embed', 'none', '--to', 'sqlite', small, '-o')
        sql = documented_query('Everything that the roots reach')
        ours = self.program('reachable, heapglot', self.build / 'heapglot',
                            'query', '-q', small_database, sql)
        theirs = self.program('reachable, sqlite3', 'sqlite3', '-readonly',
                              small_database, sql)

        def report():
            rows = []
            for path, database, whole, read in lines:
                count = count_rows(database) / 1e6
                # The survey is a pass of its own.
                load = self.bench.cpu(whole) - 2 * self.bench.cpu(read)
                rows.append((f'{path.suffix[1:]} to sqlite',
                             f'{count / load:.2f} M rows/s, with both passes '
                             f'of the reader '
                             f'{count / self.bench.cpu(whole):.2f} M rows/s, '
                             f'{self.bench.peak(whole) / MIB:.0f} MiB',
                             '>= 1.5 M rows/s'))
            return rows + [
                (f'what the roots reach of {NODES_SMALL:,} nodes, {program}',
                 f'{self.bench.cpu(name):.2f} s', '<= 5 s')
                for program, name in (('heapglot query', ours),
                                      ('sqlite3', theirs))]
        return report

    def row_13(self):
        if shutil.which('node') is None:
            return lambda: []
        shops = [self.inputs.node_heap('shop', seed, size)
                 for seed, size in enumerate((14, 17, 20, 24, 27, 32), 1)]
        heaps = [(f'a {kind} heap of Node.js', [self.inputs.node_heap(kind)])
                 for kind in ('varied', 'regular')]
        heaps += [('both', [dump for _, dumps in heaps for dump in dumps]),
                  ('six heaps of Node.js', shops)]
        jobs = [(what, *self.archive(what, dumps),
                 self.normalize(what, dumps, 2)) for what, dumps in heaps]

        def line(what, one, gzip, sizes, two):
            times = self.bench.wall(gzip) / self.bench.wall(two)
            return (f'normalize {what}',
                    f'{self.bench.cpu(one):.2f} s CPU, '
                    f'{self.bench.peak(one) / MIB:.0f} MiB; with -j 2 '
                    f'{self.bench.wall(two):.2f} s; gzip -6 takes '
                    f'{self.times(gzip, one):.1f}x the CPU time, '
                    f'{times:.1f}x the time; '
                    f'{sizes[one] / sizes[gzip]:.2f}x its bytes',
                    '>= 5x')

        def lines():
            _, one, _, _, two = jobs[-1]
            faster = self.bench.wall(one) / self.bench.wall(two)
            return [*(line(*job) for job in jobs),
                    ('the six with -j 2', f'{faster:.1f}x as fast as with -j 1',
                     '>= 1.7x')]
        return lines

    def normalize(self, what, dumps, jobs):
        """An archive made of dumps; its name."""
        name = f'normalize {what} -j {jobs}'

        def job():
            shutil.rmtree(self.out / 'archive', ignore_errors=True)
            return run(self.build / 'heapglot', 'normalize', *dumps, '-o',
                       self.out / 'archive', '-j', jobs)
        self.bench.add(name, job)
        return name

    def archive(self, what, dumps):
        """The same in one process at a time, and by gzip -6; the bytes of both, once
        they are there."""
        name = self.normalize(what, dumps, 1)
        job, rounds = self.bench.jobs[name]
        sizes = {}

        def normalize():
            done = job()
            sizes[name] = sum(file.stat().st_size for file in
                              (self.out / 'archive').rglob('*')
                              if file.is_file())
            return done
        self.bench.jobs[name] = normalize, rounds
        packed = self.out / 'dumps.gz'

        def gzip():
            done = run('sh', '-c', 'out=$1; shift; gzip -6 -c "$@" > "$out"',
                       'sh', packed, *dumps)
            sizes[peer] = packed.stat().st_size
            return done
        peer = f'gzip -6 {what}'
        self.bench.add(peer, gzip)
        return name, peer, sizes


if __name__ == '__main__':
    main()
