"""Rows S: processes, files, the command line."""

import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import dartheap_builder as build
from harness import MIB, Skipped, packed, row

NO_SECCOMP = pathlib.Path(build.__file__).with_name('no_seccomp.py')
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Other signals that end a process, and show as themselves.
OTHERS = (signal.SIGQUIT, signal.SIGXCPU, signal.SIGUSR1, signal.SIGALRM,
          signal.SIGRTMIN)
# Signals of bugs, which a sanitizer handles itself.
CRASHES = (signal.SIGSEGV, signal.SIGILL, signal.SIGFPE, signal.SIGBUS)


def big(check, count=60_000, name='big'):
    """An input that takes a while."""
    check.write(build.many(count), name)
    return name


def small(check):
    """The usual input, and its conversion."""
    check.write(build.people(), 'in.dartheap')
    run = check.run('convert', '-q', 'in.dartheap', '-o', 'plain.heapsnapshot')
    check.require(run.code == 0, str(run))
    return 'in.dartheap', (check.dir / 'plain.heapsnapshot').read_bytes()


def fails(check, letters, args, says=(), files=None, **more):
    """Expects a run to fail with one line and to leave existing files alone."""
    before = check.files() if files is None else files
    run = check.run(*args, **more)
    lines = run.err.splitlines()
    codes = {8: 'O', 9: 'I', 3: 'M', 4: 'T', 5: 'L', 2: 'C', 7: 'X'}
    check.require(codes.get(run.code) in letters, f'not {letters}: {run}')
    check.letters.add(codes[run.code])
    check.require(len(lines) == (2 if run.code == 2 else 1), f'lines: {run}')
    for word in [says] if isinstance(says, str) else says:
        check.require(word.encode() in run.err, f'{word!r} is missing: {run}')
    check.check_nothing_left(before)
    return run


def succeeds(check, *args, expected=None, output='o.heapsnapshot', **more):
    """Expects a run to succeed with `expected`; returns the output's bytes."""
    run = check.run(*args, **more)
    check.require(run.code == 0, str(run))
    data = run.out if output == '-' else (check.dir / output).read_bytes()
    check.require(expected is None or data == expected, f'other bytes: {run}')
    check.require(not check.files(check.tmp), 'temporary files')
    check.letters.add('A')
    return data


@row('S1')
def no_input(check):
    (check.dir / 'folder').mkdir()
    for name, word in (('missing', 'No such file'), ('folder', 'directory'),
                       ('missing/x', 'No such file')):
        fails(check, 'I', ['convert', name, '-o', 'o.heapsnapshot'],
              says=[name, word])
        fails(check, 'I', ['info', name], says=[name, word])
    check.write(build.people(), 'locked')
    os.chmod(check.dir / 'locked', 0)
    if os.geteuid() != 0:  # root may read everything
        fails(check, 'I', ['info', 'locked'], says='Permission denied')


@row('S2')
def endless_devices(check):
    for device in ('/dev/zero', '/dev/urandom'):
        for more in ([], ['--from', 'heapsnapshot'], ['--from', 'heapir'],
                     ['--from', 'dartheap'], ['--from', 'ndjson']):
            fails(check, 'M', ['convert', device, '-o', 'o.heapsnapshot',
                               *more], says=device)


@row('S3')
def slow_fifo(check):
    name, plain = small(check)
    data = (check.dir / name).read_bytes()
    os.mkfifo(check.dir / 'fifo')

    def feed():
        with open(check.dir / 'fifo', 'wb', buffering=0) as fifo:
            for at in range(len(data)):
                fifo.write(data[at:at + 1])
    for args in (['convert', '-q', 'fifo'],):
        writer = threading.Thread(target=feed)
        writer.start()
        succeeds(check, *args, '-o', 'o.heapsnapshot', expected=plain)
        writer.join()


@row('S4')
def no_stdin(check):
    fails(check, 'I', ['convert', '-', '-o', 'o.heapsnapshot'],
          limits='exec <&-')
    fails(check, 'I', ['info', '-'], limits='exec <&-')


@row('S5')
def input_shrinks(check):
    name = big(check, 300_000)
    os.mkfifo(check.dir / 'fifo')
    process = check.start('convert', name, '--to', 'heapsnapshot', '-o',
                          'fifo', stderr=subprocess.PIPE)
    with open(check.dir / 'fifo', 'rb') as fifo:
        fifo.read(1)
        os.truncate(check.dir / name, 4096)
        while fifo.read(MIB):
            pass
    message = process.stderr.read()
    check.has_ended(process, 9)
    check.letters.add('I')
    check.require(b'changed while it was read' in message, message)
    process.stderr.close()


@row('S6')
def input_grows(check):
    name = big(check)
    data = (check.dir / name).read_bytes()
    plain = succeeds(check, 'convert', '-q', name, '-o', 'o.heapsnapshot')
    os.mkfifo(check.dir / 'fifo')
    process = check.start('convert', '-q', name, '--to', 'heapsnapshot', '-o',
                          'fifo')
    with open(check.dir / 'fifo', 'rb') as fifo:
        start = fifo.read(1)
        with open(check.dir / name, 'ab') as file:
            file.write(data)
        rest = fifo.read()
    check.has_ended(process, 0)
    check.require(start + rest == plain, 'not what was there at the start')


@row('S7')
def reads_are_interrupted(check):
    name, plain = small(check)
    data = (check.dir / name).read_bytes()
    process = check.start('convert', '-q', '-', '-o', 'o.heapsnapshot',
                          stdin=subprocess.PIPE)
    for at in range(0, len(data), 7):
        process.stdin.write(data[at:at + 7])
        process.stdin.flush()
        process.send_signal(signal.SIGWINCH)
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGCONT)
    process.stdin.close()
    check.has_ended(process, 0)
    check.require((check.dir / 'o.heapsnapshot').read_bytes() == plain,
                  'other bytes')
    # Reading from the descriptor of a directory fails.
    fails(check, 'I', ['info', '-'], limits='exec </')


@row('S8')
def no_output_directory(check):
    small(check)
    for output in ('no/such/o.heapsnapshot', 'in.dartheap/o.heapsnapshot',
                   '/proc/o.heapsnapshot', '/sys/o.heapsnapshot'):
        run = fails(check, 'O', ['convert', 'in.dartheap', '-o', output],
                    says=output)
        # Refused before any work, even before a missing input is noticed.
        run = check.run('convert', 'missing', '-o', output)
        check.require(run.code == 8, f'not before the input: {run}')


@row('S9')
def disk_full_at_every_write(check):
    # A limit for file sizes has the same effect as a full disk, at any byte.
    small(check)
    (check.dir / 'o.ndjson').write_bytes(b'old')
    before = check.files()
    size = len(succeeds(check, 'convert', '-q', 'in.dartheap', '--to',
                        'ndjson', '-o', '-', output='-'))
    check.letters.clear()
    for limit in range(0, size + 1, max(1, size // 60)):
        run = check.run('convert', '-q', '-f', 'in.dartheap', '-o', 'o.ndjson',
                        wrap=['prlimit', f'--fsize={limit}'])
        if limit >= size:
            break
        check.require(run.code == 8, f'{limit}: {run}')
        check.check_nothing_left(before)
        check.require((check.dir / 'o.ndjson').read_bytes() == b'old',
                      f'{limit}: OUTPUT changed')
    check.letters.add('O')


@row('S10')
def full_device(check):
    small(check)
    for target in ('heapsnapshot', 'ndjson', 'heapir', 'dartheap', 'netcf'):
        fails(check, 'O', ['convert', '-q', 'in.dartheap', '--to', target,
                           '-o', '/dev/full'], says='No space left')
    for args in (['info', 'in.dartheap'], ['formats'], ['--help'],
                 ['convert', '-q', 'in.dartheap', '--to', 'ndjson', '-o',
                  '-']):
        fails(check, 'O', args, says='No space left',
              limits='exec >/dev/full')


@row('S11')
def file_size_limit(check):
    name = big(check)
    for output in ('o.heapsnapshot', 'o.heapir', 'o.ndjson.gz',
                   'o.gclog.zst', 'o.dartheap'):
        fails(check, 'O', ['convert', '-q', name, '-o', output],
              limits='ulimit -f 2', says='File too large')


@row('S12')
def slow_pipe_that_does_not_block(check):
    name = big(check)
    plain = succeeds(check, 'convert', '-q', name, '-o', 'o.heapsnapshot')
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETFL, os.O_NONBLOCK)
    process = check.start('convert', '-q', name, '--to', 'heapsnapshot', '-o',
                          '-', stdout=writer)
    os.close(writer)
    pieces = []
    while piece := os.read(reader, 50_000):
        pieces.append(piece)
        process.send_signal(signal.SIGWINCH)
    os.close(reader)
    check.has_ended(process, 0)
    check.require(b''.join(pieces) == plain, 'other bytes')


@row('S13')
def closed_pipe(check):
    name = big(check)
    for target in ('heapsnapshot', 'ndjson', 'dartheap'):
        process = check.start('convert', '-q', name, '--to', target, '-o',
                              '-', stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        process.stdout.read(10)
        process.stdout.close()
        message = process.stderr.read()
        check.has_ended(process, 128 + signal.SIGPIPE)
        check.require(message == b'', message)
        process.stderr.close()
    check.check_nothing_left([name])


@row('S14')
def no_stdout(check):
    small(check)
    for args in (['info', 'in.dartheap'], ['formats'],
                 ['convert', '-q', 'in.dartheap', '--to', 'ndjson', '-o',
                  '-']):
        fails(check, 'O', args, limits='exec >&-')
    succeeds(check, 'convert', 'in.dartheap', '-o', 'o.heapsnapshot',
             limits='exec <&- >&- 2>&-')
    check.letters.discard('A')


@row('S15')
def signals(check):
    # While the command waits for its input, after it made both temporary files.
    (check.dir / 'o.heapsnapshot').write_bytes(b'old')
    others = OTHERS + (() if check.binary.sanitized else CRASHES)
    for number in SIGNALS + others:
        process = check.start('convert', '-', '-f', '-o', 'o.heapsnapshot',
                              '--report', 'r.json', stdin=subprocess.PIPE)
        wait_for(lambda: len(check.files()) == 3, process)
        process.send_signal(number)
        check.has_ended(process,
                        -number if number in others else 128 + number)
        process.stdin.close()
        check.check_nothing_left(['o.heapsnapshot'])
    # At any moment of a conversion.
    name = big(check)
    for target in ('o.heapsnapshot', 'o.ndjson.zst', 'o.heapir'):
        (check.dir / target).write_bytes(b'old')
        for i, seconds in enumerate(moments(check, name, target)):
            check.start_and_stop(SIGNALS[i % 3], seconds, 'convert', '-q',
                                 '-f', name, '-o', target)
            check.check_old_or_new(target)
            check.require(not hidden(check), f'left: {hidden(check)}')
            check.require(not check.files(check.tmp), 'temporary files')


def moments(check, name, target):
    """Delays after the start, spread over a conversion, in seconds."""
    began = time.monotonic()
    run = check.run('convert', '-q', name, '-o', 'whole.' + target)
    check.require(run.code == 0, str(run))
    took = time.monotonic() - began
    check.whole[target] = (check.dir / ('whole.' + target)).read_bytes()
    count = 6
    return [took * (i + 0.5) / count for i in range(count)]


def wait_for(condition, process):
    """Waits until `condition` holds, or the process ends."""
    deadline = time.monotonic() + 60
    while not condition() and process.poll() is None and \
            time.monotonic() < deadline:
        time.sleep(0.005)


def hidden(check):
    """Temporary files beside the output."""
    return [name for name in check.files() if name.startswith('.')]


@row('S16')
def kill_9(check):
    name = big(check)
    for target in ('o.heapsnapshot', 'o.heapir', 'o.ndjson.gz'):
        (check.dir / target).write_bytes(b'old')
        for seconds in moments(check, name, target):
            check.start_and_stop(signal.SIGKILL, seconds, 'convert', '-q',
                                 '-f', name, '-o', target)
            check.check_old_or_new(target)
            # Files left behind have a name that no tool takes for a result.
            for left in hidden(check):
                check.require(left.startswith(f'.{target}.tmp-'), left)
                os.remove(check.dir / left)
            check.require(not check.files(check.tmp), 'temporary files')


@row('S17')
def whole_after_exit_0(check):
    # The data reaches the disk before the name: fsync, then rename.
    small(check)
    log = check.dir / 'log'
    if shutil.which('strace') is None:
        raise Skipped('strace is missing')
    run = check.run('convert', '-q', 'in.dartheap', '-o', 'o.heapsnapshot',
                    '--durable', wrap=[
                        'strace', '-f', '-o', str(log), '-e',
                        'trace=fsync,fdatasync,rename,renameat2,link'])
    if run.code != 0 or not log.exists():
        raise Skipped('strace is not allowed')
    calls = [line.split()[1].split('(')[0]
             for line in log.read_text().splitlines() if '(' in line]
    calls = ['rename' if 'rename' in call else call for call in calls]
    check.require(calls == ['fsync', 'rename', 'fsync'], f'{calls}')
    check.letters.add('A')


@row('S18')
def output_exists(check):
    name, plain = small(check)
    output = check.dir / 'o.heapsnapshot'
    output.write_bytes(b'old')
    os.chmod(output, 0o640)
    fails(check, 'O', ['convert', '-q', name, '-o', 'o.heapsnapshot'],
          says='-f')
    check.require(output.read_bytes() == b'old', 'replaced without -f')
    succeeds(check, 'convert', '-q', '-f', name, '-o', 'o.heapsnapshot',
             expected=plain)
    check.require(output.stat().st_mode & 0o777 == 0o640, 'mode not kept')


@row('S19')
def output_is_a_symlink(check):
    name, plain = small(check)
    (check.dir / 'real').mkdir()
    os.symlink('real/o.heapsnapshot', check.dir / 'o.heapsnapshot')
    succeeds(check, 'convert', '-q', name, '-o', 'o.heapsnapshot',
             expected=plain)
    target = check.dir / 'real/o.heapsnapshot'
    target.write_bytes(b'old')
    succeeds(check, 'convert', '-q', '-f', name, '-o', 'o.heapsnapshot',
             expected=plain)
    check.require((check.dir / 'o.heapsnapshot').is_symlink() and
                  not target.is_symlink(), 'the link has gone')
    check.require(check.files(check.dir / 'real') == ['o.heapsnapshot'],
                  'files beside it')
    for link, to in (('d.heapsnapshot', 'real'), ('l.heapsnapshot',
                                                  'l.heapsnapshot'),
                     ('m.heapsnapshot', 'no/such')):
        os.symlink(to, check.dir / link)
        fails(check, 'O', ['convert', '-q', '-f', name, '-o', link])


@row('S20')
def output_is_a_hard_link(check):
    name, plain = small(check)
    (check.dir / 'other').write_bytes(b'old')
    os.link(check.dir / 'other', check.dir / 'o.heapsnapshot')
    succeeds(check, 'convert', '-q', '-f', name, '-o', 'o.heapsnapshot',
             expected=plain)
    check.require((check.dir / 'other').read_bytes() == b'old',
                  'written through the link')


@row('S21')
def output_is_the_input(check):
    name, plain = small(check)
    data = (check.dir / name).read_bytes()
    os.link(check.dir / name, check.dir / 'hard')
    os.symlink(name, check.dir / 'soft')
    for other in (name, 'hard', 'soft'):
        succeeds(check, 'convert', '-q', '-f', name, '--to', 'heapsnapshot',
                 '-o', other, output=other, expected=plain)
        (check.dir / name).write_bytes(data)
    # An input that is mapped while the output replaces it.
    name = big(check)
    expected = succeeds(check, 'convert', '-q', name, '-o', 'o.heapsnapshot')
    succeeds(check, 'convert', '-q', '-f', name, '--to', 'heapsnapshot', '-o',
             name, output=name, expected=expected)


@row('S22')
def planted_symlinks(check):
    # A guessed name must not be followed: names are random, with O_EXCL.
    small(check)
    names = set()
    for _ in range(3):
        process = check.start('convert', '-', '-o', 'o.heapsnapshot',
                              stdin=subprocess.PIPE)
        wait_for(lambda: hidden(check), process)
        for name in hidden(check):
            info = os.lstat(check.dir / name)
            check.require(not os.path.islink(check.dir / name) and
                          info.st_nlink == 1, name)
            flags = open_flags(process.pid, check.dir / name)
            check.require(flags & os.O_CLOEXEC, oct(flags))
            names.add(name.rpartition('-')[2])
        process.terminate()
        check.has_ended(process, 128 + signal.SIGTERM)
        process.stdin.close()
    check.require(len(names) == 3, f'not random: {names}')
    check.letters.add('A')


def open_flags(pid, path):
    """The flags with which a process has opened a file."""
    for number in os.listdir(f'/proc/{pid}/fd'):
        try:
            if os.readlink(f'/proc/{pid}/fd/{number}') != str(path):
                continue
            text = pathlib.Path(f'/proc/{pid}/fdinfo/{number}').read_text()
        except OSError:
            continue
        return int(text.split('flags:')[1].split()[0], 8)
    raise AssertionError(f'{path} is not open')


@row('S23')
def odd_tmpdir(check):
    name, plain = small(check)
    for directory in ('/no/such/dir', '', None, '/proc', '\x1b[31m'):
        env = check.environment(TMPDIR=directory)
        succeeds(check, 'convert', '-q', '-f', name, '-o', 'o.heapsnapshot',
                 expected=plain, env=env)


@row('S24')
def scratch_disk_full(check):
    # Unpacked data that is too large for memory goes to a file without a name.
    check.write(packed([build.many(2_500_000)]), 'big.gz')
    args = ['--max-ratio', '1000000']
    fails(check, 'O', ['convert', '-q', 'big.gz', '--to', 'heapsnapshot', '-o',
                       '/dev/null', *args], limits='ulimit -f 1024',
          says='temporary file')
    fails(check, 'O', ['info', 'big.gz', *args], says='temporary file',
          env=check.environment(TMPDIR='/proc'))


@row('S25')
def address_space_limit(check):
    if check.binary.sanitized:
        raise Skipped('sanitizers need terabytes of addresses')
    name = big(check, 10_000_000)
    check.write(build.people(), 'in.dartheap')
    for limit in (60_000, 80_000, 100_000):
        fails(check, 'L', ['convert', '-q', name, '-o', 'o.heapsnapshot'],
              limits=f'ulimit -v {limit}', says='out of memory')
    # With enough memory it works.
    succeeds(check, 'convert', '-q', 'in.dartheap', '-o', 'o.heapsnapshot',
             limits='ulimit -v 200000')
    check.letters.discard('A')


@row('S26')
def allocations_fail(check):
    if check.binary.sanitized:
        raise Skipped('sanitizers need terabytes of addresses')
    # Each allocation is the first to fail at some limit.
    small(check)
    before = check.files()
    seen = set()
    for kib in range(1024, 20 * 1024, 512):
        run = check.run('convert', '-q', 'in.dartheap', '-o', 'o.heapir',
                        wrap=['prlimit', f'--data={kib * 1024}'])
        # Before main() the loader may fail in its own ways.
        check.require(run.code in (0, 5, 127) or run.code < 0 and kib < 4096,
                      f'{kib} KiB: {run}')
        seen.add(run.code)
        if run.code == 0:
            os.remove(check.dir / 'o.heapir')
        elif run.code == 5:
            check.require(b'out of memory' in run.err, str(run))
        check.check_nothing_left(before)
    check.require({0, 5} <= seen, f'{seen}')
    check.letters.add('L')


@row('S27')
def cgroup_limit(check):
    # tests/tools/memory_limit_test.cc tests that the group's limit is the default.
    if check.binary.sanitized:
        raise Skipped('sanitizers need terabytes of addresses')
    name = big(check, 3_000_000)
    for limit in ('1', '4M', '8M'):
        fails(check, 'L', ['convert', '-q', name, '-o', 'o.heapsnapshot',
                           '--max-memory', limit],
              says=[name, 'out of memory', '--max-memory'])
    check.write(build.people(), 'in.dartheap')
    succeeds(check, 'convert', '-q', 'in.dartheap', '-o', 'o.heapsnapshot',
             '--max-memory', '64M')
    check.letters.discard('A')


@row('S28')
def small_stack(check):
    name, plain = small(check)
    stack = 4096 if check.binary.sanitized else 64
    succeeds(check, 'convert', '-q', name, '-o', 'o.heapsnapshot',
             limits=f'ulimit -s {stack}', expected=plain)
    # Also with an input nested a million levels deep.
    depth = 1_000_000
    nested = b'{"snapshot":{},"x":' + b'[' * depth + b']' * depth
    check.write(nested, 'deep.heapsnapshot')
    run = check.run('info', 'deep.heapsnapshot', '--max-depth', '10000000',
                    limits=f'ulimit -s {stack}')
    check.require(run.code == 4, str(run))


@row('S29')
def no_more_descriptors(check):
    if check.binary.sanitized:
        raise Skipped('sanitizers open files, too')
    name, plain = small(check)
    for limit in range(3, 12):
        run = check.run('convert', '-q', '-f', name, '-o', 'o.heapsnapshot',
                        wrap=['prlimit', f'--nofile={limit}'])
        if run.code == 0:
            break
        # 127: the program could not even be loaded.
        check.require(run.code in (8, 9, 127), f'{limit}: {run}')
        if run.code in (8, 9):
            check.require(b'Too many open files' in run.err, f'{run}')
            check.letters.add('O' if run.code == 8 else 'I')
    check.require(run.code == 0, str(run))


@row('S30')
def locales(check):
    name, plain = small(check)
    for locale in ('tr_TR.UTF-8', 'de_DE.UTF-8', 'C', 'no_SUCH', ''):
        succeeds(check, 'convert', '-q', '-f', name, '-o', 'o.heapsnapshot',
                 expected=plain, env=check.environment(LC_ALL=locale,
                                                       LANG=locale))
    # The same goes for pages, unless a terminal shows them.
    for args in (['info', name], ['validate', '-v', name],
                 ['roundtrip', name, '--via', 'all'],
                 ['explain', '--from', 'dartheap', '--to', 'netcf']):
        pages = {check.run(*args, env=check.environment(LC_ALL=locale)).out
                 for locale in ('C', 'C.UTF-8', 'de_DE.UTF-8')}
        check.require(len(pages) == 1, f'{args}: {len(pages)} pages')


@row('S31')
def surroundings(check):
    name, plain = small(check)
    for changes in ({'TZ': 'Pacific/Kiritimati'}, {'HOME': None},
                    {'SOURCE_DATE_EPOCH': '1'}, {'PATH': ''},
                    {'COLUMNS': '-1'}, {'TERM': '\x1b'}):
        for target in ('o.heapsnapshot', 'o.heapir', 'o.ndjson.gz'):
            first = succeeds(check, 'convert', '-q', '-f', name, '-o', target,
                             output=target)
            succeeds(check, 'convert', '-q', '-f', name, '-o', target,
                     env=check.environment(**changes), output=target,
                     expected=first, limits='umask 077')


@row('S32')
def odd_file_names(check):
    data = build.people()
    for name in ('--x', '-', 'a\nb', '\x1b[31m', '\u202e', 'x' * 240,
                 os.fsdecode(b'\xff\xfe'), ' ', "'\"$(x)"):
        with open(check.dir / name, 'wb') as file:
            file.write(data)
        path = './' + name if name == '-' else name
        for output in ('./' + name + '.heapsnapshot',):
            succeeds(check, 'convert', '-q', '-f', '-o', output, '--', path,
                     output=output)
        os.truncate(check.dir / name, 100)
        run = check.run('info', '--', path)
        check.require(run.code == 4 and len(run.err.splitlines()) == 1,
                      str(run))
        os.remove(check.dir / name)


@row('S33')
def two_runs_to_one_output(check):
    name = big(check)
    whole = {succeeds(check, 'convert', '-q', name, '-o', f'{i}.ndjson',
                      '--layout', layout, output=f'{i}.ndjson')
             for i, layout in enumerate(('array', 'object'))}
    for _ in range(3):
        processes = [check.start('convert', '-q', '-f', name, '-o',
                                 'o.ndjson', '--layout', layout)
                     for layout in ('array', 'object')]
        for process in processes:
            check.has_ended(process, 0)
        check.require((check.dir / 'o.ndjson').read_bytes() in whole,
                      'a mixture')
    check.require(not hidden(check), 'temporary files')


@row('S34')
def many_inputs(check):
    check.write(build.people(), 'good')
    check.write(build.people()[:100], 'bad')
    many = check.rounds(20_000)
    names = [f'{i:04}.dartheap' for i in range(many)]
    for i, name in enumerate(names):
        os.link(check.dir / ('bad' if i == many // 10 else 'good'),
                check.dir / name)
    run = check.run('validate', '--json', *names)
    check.require(run.code == 10, str(run)[:500])
    files = json.loads(run.out)['files']
    check.require([file['file'] for file in files] == names, 'other files')
    bad = [file['file'] for file in files if not file['whole']]
    check.require(bad == [names[many // 10]], f'bad: {bad}')
    check.letters.add('T')
    some = names[many // 10 - 100:many // 10 + 100]
    run = check.run('normalize', '-q', *some, '-o', 'archive')
    check.require(run.code == 3, str(run)[:500])
    manifest = (check.dir / 'archive/manifest.ndjson').read_text()
    rows = [json.loads(line) for line in manifest.splitlines()]
    check.require([row['source'] for row in rows] == some,
                  'other rows')
    bad = {row['source']: row['error']['exit_code'] for row in rows
           if 'error' in row}
    check.require(bad == {names[many // 10]: 4}, f'bad: {bad}')
    check.require(len({row.get('digest') for row in rows}) == 2, 'other digests')


@row('S35')
def unknown_formats(check):
    for data in (b'hello world\n', b'{"a":1}', b'\x00' * 100, b'[]',
                 b'PK\x03\x04', b'JAVA PROFILE 1.0.2\0'):
        check.write(data, 'in.json')
        says = 'decompress it' if data[:2] == b'PK' else 'no known format'
        fails(check, 'M', ['convert', 'in.json', '-o', 'o.heapsnapshot'],
              says=says)


@row('S36')
def wrong_from(check):
    check.write(build.people() * 4, 'in.dartheap')
    for other, place in (('heapsnapshot', 'offset 0 '), ('netcf', ':1:1:'),
                         ('ndjson', ':1:1:'), ('heapir', 'offset 0 ')):
        fails(check, 'M', ['convert', 'in.dartheap', '--from', other, '-o',
                           'o.dartheap'], says=place)


@row('S37')
def loss_at_the_end(check):
    # The only loss comes after everything else.
    plain = build.dartheap([build.dart_class('Root')], [build.dart_object(1)],
                           0, name='', hashes=b'\x01')
    check.write(plain, 'in.dartheap')
    run = fails(check, 'X', ['convert', '-q', 'in.dartheap', '--embed', 'none',
                             '--max-loss', 'equivalent', '-o',
                             'o.heapsnapshot'])
    check.require(b'approximated' in run.err or b'dropped' in run.err,
                  str(run))


@row('S38')
def report_in_the_way(check):
    small(check)
    for report in ('o.heapsnapshot', './o.heapsnapshot'):
        fails(check, 'C', ['convert', 'in.dartheap', '-o', 'o.heapsnapshot',
                           '--report', report], says='--report')
    fails(check, 'C', ['convert', 'in.dartheap', '-o', 'o.heapsnapshot',
                       '--report', 'in.dartheap'], says='--report')
    run = check.run('convert', '-q', 'in.dartheap', '-o', 'o.heapsnapshot',
                    '--report', '/dev/full')
    check.require(run.code == 8 and b'/dev/full' in run.err, str(run))
    check.require(not (check.dir / 'o.heapsnapshot').exists(),
                  'an output without its report')
    run = check.run('convert', '-q', 'in.dartheap', '-o', 'o.gclog',
                    '--sidecar', 'o.heapir', '--report', '/dev/full')
    check.require(run.code == 8 and b'/dev/full' in run.err, str(run))
    check.require(not any((check.dir / name).exists()
                          for name in ('o.gclog', 'o.heapir')),
                  'an output without its report')
    check.letters.add('O')


@row('S39')
def leftovers_too_large(check):
    if check.binary.sanitized:
        raise Skipped('takes minutes with sanitizers')
    # 216 MiB that hardly compress; a heapsnapshot has room for 192.
    plain = bytes([*range(0x20, 0x7F), *range(0xA0, 0x100)])
    data = os.urandom(27 * MIB).translate((plain * 2)[:256])
    texts = [build.dart_object(2, 24, b'\x05' + build.uleb(len(data)) +
                               build.text(data))] * 8
    check.write(build.dartheap(
        [build.dart_class('Root'), build.dart_class('_OneByteString')],
        [build.dart_object(1, references=range(2, 10)), *texts], 8),
        'in.dartheap')
    run = check.run('convert', 'in.dartheap', '-o', 'o.heapsnapshot')
    check.require(run.code == 0 and b'warning: the leftovers would' in run.err
                  and b'use a sidecar' in run.err, str(run))
    with (check.dir / 'o.heapsnapshot').open('rb') as file:
        file.seek(-100, os.SEEK_END)
        check.require(file.read().rstrip().endswith(b']}'), 'leftovers')
    check.letters.add('N')


@row('S40')
def sidecar_of_another_file(check):
    small(check)
    check.write(build.dangling(), 'other.dartheap')
    for name in ('in', 'other'):
        succeeds(check, 'convert', '-q', f'{name}.dartheap', '-o',
                 f'{name}.gclog', '--sidecar', f'{name}.heapir',
                 output=f'{name}.gclog')
    plain = succeeds(check, 'convert', '-q', 'in.gclog', '-o', 'plain.ndjson',
                     output='plain.ndjson')
    succeeds(check, 'convert', '-q', 'in.dartheap', '-o', 'o.heapir',
             output='o.heapir')
    check.letters.clear()
    for sidecar in ('other.heapir', 'o.heapir'):
        run = check.run('convert', 'in.gclog', '-f', '-o', 'o.ndjson',
                        '--sidecar', sidecar)
        check.require(run.code == 0 and b'ignored' in run.err, str(run))
        check.require((check.dir / 'o.ndjson').read_bytes() == plain,
                      f'{sidecar} was not ignored')
    check.letters.add('N')


@row('S41')
def no_seccomp(check):
    # The command works without these features of the kernel; `info -v` says so.
    name, plain = small(check)
    wrap = [sys.executable, str(NO_SECCOMP)]
    succeeds(check, 'convert', '-q', name, '-o', 'o.heapsnapshot',
             expected=plain, wrap=wrap)
    run = check.run('info', '-v', name, wrap=wrap)
    check.require(run.code == 0 and b'sandbox is not complete' in run.err,
                  str(run))


@row('S42')
def other_file_systems(check):
    # /dev/shm is another file system: a rename across would fail.
    if not os.access('/dev/shm', os.W_OK):
        raise Skipped('no /dev/shm')
    name, plain = small(check)
    output = f'/dev/shm/heapglot-hostile-{os.getpid()}.heapsnapshot'
    try:
        succeeds(check, 'convert', '-q', name, '-o', output, output=output,
                 expected=plain)
    finally:
        if os.path.exists(output):
            os.remove(output)


@row('S43')
def files_beyond_4_gib_on_32_bits(check):
    raise Skipped('does not compile for 32 bits')


@row('S44')
def clocks(check):
    # Outputs do not depend on the time: two runs, a second apart.
    name, _ = small(check)
    first = succeeds(check, 'convert', '-q', name, '-o', 'a.heapsnapshot.gz',
                     output='a.heapsnapshot.gz')
    time.sleep(1.1)
    succeeds(check, 'convert', '-q', name, '-o', 'b.heapsnapshot.gz',
             output='b.heapsnapshot.gz', expected=first)


@row('S45')
def more_records_than_wanted(check):
    small(check)
    check.letters.clear()
    for extension in ('dartheap', 'heapsnapshot', 'gclog', 'ndjson', 'heapir'):
        name = f'in.{extension}'
        run = check.run('convert', '-q', '-f', 'in.dartheap', '-o', name)
        check.require(run.code == 0, str(run))
        fails(check, 'L', ['info', name, '--max-records', '2'],
              says='--max-records 2')
        few, enough = 2, 1 << 12
        while enough - few > 1:
            count = (few + enough) // 2
            run = check.run('info', name, '--max-records', str(count))
            check.require(run.code in (0, 5), str(run))
            few, enough = (few, count) if run.code == 0 else (count, enough)
        data = (check.dir / name).read_bytes()
        if extension in ('gclog', 'ndjson'):
            check.require(enough == data.count(b'\n'), f'{name}: {enough}')
        else:
            check.require(enough < len(data), f'{name}: {enough}')
    check.letters.add('A')


@row('S46')
def large_windows(check):
    try:
        import zstandard
    except ImportError:
        raise Skipped('python3-zstandard is missing')

    def packed_with(window_log):
        parameters = zstandard.ZstdCompressionParameters(window_log=window_log)
        # Without the size, which would allow a smaller window.
        zstd = zstandard.ZstdCompressor(
            compression_params=parameters).compressobj()
        return zstd.compress(build.many(1000)) + zstd.flush()

    check.accepts(packed_with(27), back=False, size=MIB + (128 << 20))
    check.refuses('L', packed_with(28), says='zstd')
