"""Rows N: GC logs of the .NET Compact Framework."""

from harness import MIB, row

OURS = ['--from', 'netcf']


def log(*lines, start='a 2 app.exe 5a31', end='c app.exe 5a31'):
    """A log with these records between the first and the last one."""
    return ''.join(line + '\n' for line in (start, 't 1 A', 'o 100 1 8 100',
                                            *lines, 'r 100 1 0', end)
                   if line is not None)


def place_of(data, word):
    """Line and column of a word."""
    head = data[:data.index(word)]
    return head.count('\n') + 1, len(head) - head.rfind('\n')


@row('N1')
def empty(check):
    check.refuses('T', b'', args=OURS)
    check.refuses('M', b'\n\r\n   \n\n', args=OURS)


@row('N2')
def every_prefix(check):
    data = log('o 10a 1 18 100', 'r 10a 4 0 1')
    for size in {*check.some(range(1, len(data))), len(data) - 1}:
        if size < len(data) - len(' 5a31') - 1:
            # The domain has no end record, or an incomplete one.
            check.warns(data[:size], args=OURS, strict='TM')
        elif size < len(data) - 1:
            check.warns(data[:size], strict='TM')  # another end record
        else:
            check.notes(data[:size], says='no line end')


@row('N3')
def no_start(check):
    check.warns(log(start=None), says='outside a domain')


@row('N4')
def domain_in_domain(check):
    check.warns(log('a 2 b.exe 5a31', 't 1 A', end='c b.exe 5a31'),
                says='closes', at=(4, 1))


@row('N5')
def end_without_start(check):
    data = log() + 'c app.exe 5a31\n'
    check.warns(data, says='none is open', at=(6, 1))


@row('N6')
def end_of_another_name(check):
    check.warns(log(end='c other.exe 5a31'), says='end record')


@row('N7')
def timestamps_differ(check):
    check.warns(log(end='c app.exe 5a32'), says='end record')
    check.warns(log(end='c app.exe'), says='timestamp')
    check.warns(log(start='a 2 app.exe'), says='timestamp')


@row('N8')
def many_domains(check):
    one = log().encode()
    count, kept = check.rounds(20_000), 4096  # bytes of memory per domain
    names = (one.replace(b'app', b'%x' % (number + (1 << 40)))
             for number in range(count))
    check.accepts(names, size=count * (kept + len(one)))


@row('N9')
def other_versions(check):
    for version in ('1', '3', '2.0', '-1'):
        check.warns(log(start=f'a {version} app.exe 5a31'), strict='UM',
                    args=OURS)
    check.warns(log(start='a two app.exe 5a31'), args=OURS)


@row('N10')
def name_or_timestamp(check):
    check.notes(log(start='a 2 Photo Add', end='c Photo Add'),
                says='may be a timestamp')


@row('N11')
def name_missing(check):
    check.warns(log(start='a 2', end='c'), args=OURS, says='without a name')
    check.warns(log(start='a', end='c'), args=OURS, strict='M')


@row('N12')
def line_without_end(check):
    pieces = [log(end='t 2 '), *[b'x' * MIB] * 16]
    check.refuses('L', pieces, args=['--max-string', '1M'],
                  says='--max-string')


@row('N13')
def many_references(check):
    count = check.rounds(3_000_000)
    start, end = log('o 101 1 8@').encode().split(b'@')
    pieces = [start, *[b' 100' * 100_000] * (count // 100_000), end]
    check.notes(pieces, says='twice')


@row('N14')
def id_zero(check):
    check.warns(log('o 0 1 8'), says='id 0', at=(4, 1))


@row('N15')
def id_of_17_digits(check):
    check.warns(log('o 10000000000000000 1 8'), at=(4, 3), says='64 bits')


@row('N16')
def leading_zeros(check):
    check.notes(log('o 00000000000000101 1 8'), says='leading zeros')


@row('N17')
def signs_and_prefixes(check):
    check.notes(log('o 0x101 1 8'), says='0x')
    check.notes(log('o 10A 1 8'), says='upper case')
    for number in ('+101', '-101'):
        check.warns(log(f'o {number} 1 8'), at=(4, 3), says='hexadecimal')


@row('N18')
def no_digit(check):
    check.warns(log('o 10g 1 8'), at=(4, 3), says='hexadecimal')


@row('N19')
def decimal_point(check):
    check.warns(log('o 101 1 8.0'), at=(4, 9), says='hexadecimal')


@row('N20')
def size_huge(check):
    check.warns(log('o 101 1 ffffffffffffffff', 'o 102 1 ffffffffffffffff'),
                says='32 bits')
    run = check.run('info', 'in.gclog', '--json')
    check.require(b'"self_size_total": 18446744073709551615' in run.out,
                  f'no saturated sum: {run.out}')


@row('N21')
def object_too_short(check):
    for line in ('o 101 1', 'o 101', 'o'):
        check.warns(log(line), says='too few')


@row('N22')
def type_undefined(check):
    check.warns(log('o 101 99 8'), says='type', at=(4, 1))


@row('N23')
def type_after_objects(check):
    check.accepts(log('o 101 2 8', 't 2 B'))


@row('N24')
def type_redefined(check):
    check.warns(log('t 1 B'), says='first one counts')


@row('N25')
def type_without_name(check):
    for line in ('t 2', 't 2 ', 't 2  '):
        check.warns(log(line, 'o 101 2 8'), says='without a name')


@row('N26')
def odd_type_names(check):
    for name in ('a\u2028b', 'a\u0085b', '\x1b[31m', '\u202e'):
        check.accepts(log(f't 2 {name}', 'o 101 2 8'))
        page = check.run('info', 'in.gclog')
        check.require(name.encode() not in page.out, f'not escaped: {page}')
    check.warns(log('t 2 a\0b', 'o 101 2 8'), says='NUL')
    check.warns(log('t 2 a\tb', 'o 101 2 8'), says='tabs')


@row('N27')
def encodings(check):
    data = log('t 2 \u00e9', 'o 101 2 8')
    for encoding in ('latin-1', 'utf-16', 'utf-16-be', 'utf-8-sig'):
        encoded = data.encode(encoding)
        if encoding == 'utf-16-be':
            encoded = b'\xfe\xff' + encoded
        check.notes(encoded, says='byte order' if encoding == 'utf-8-sig' else
                    'UTF-8' if encoding == 'latin-1' else 'UTF-16')


@row('N28')
def object_twice(check):
    check.notes(log('o 100 1 8 100'), says='twice')
    check.warns(log('o 100 1 c'), says='first one counts')


@row('N29')
def odd_references(check):
    check.warns(log('o 101 1 8 999'), says='not defined', at=(4, 11))
    check.notes(log('o 101 1 8 101 100 100'), says='twice')
    check.accepts(log('o 101 1 8 101'))


@row('N30')
def odd_root_kinds(check):
    for kind in ('6', 'ff', 'ffffffff'):
        check.warns(log(f'r 100 {kind} 0'), says='kind')


@row('N31')
def odd_root_flags(check):
    check.notes(log('r 100 3 8'), says='reference-counted')
    check.warns(log('r 100 3 ffffffff'), says='flags')


@row('N32')
def container_of_no_static(check):
    check.warns(log('r 100 1 0 1'), says='not static')


@row('N33')
def static_without_container(check):
    check.warns(log('r 100 4 0'), says='without a container')


@row('N34')
def container_undefined(check):
    check.warns(log('r 100 4 0 99'), says='not a defined type')


@row('N35')
def root_of_nothing(check):
    check.warns(log('r 999 1 0'), says='not defined')


@row('N36')
def root_too_short(check):
    for line in ('r 100 1', 'r 100', 'r'):
        check.warns(log(line), says='too few')


@row('N37')
def other_letters(check):
    for letter in ('x', 'z', 'ab', '1'):
        check.warns(log(f'{letter} 1 2 3'), says='unknown record', at=(4, 1))
    check.warns(log('O 101 1 8'), says='upper case')


@row('N38')
def odd_blanks(check):
    for line in (' o 101 1 8', 'o  101 1 8', 'o\t101 1 8'):
        check.warns(log(line), says='spaces')


@row('N39')
def trailing_blanks(check):
    check.warns(log('o 101 1 8  '), says='spaces')


@row('N40')
def line_ends(check):
    data = log()
    check.accepts(data.replace('\n', '\r\n'))
    for odd in (data.replace('\n', '\r\n', 2), data.replace('\n', '\r')):
        check.notes(odd, says='line ends')


@row('N41')
def control_z(check):
    check.warns(log() + '\x1a', says='Control-Z')


@row('N42')
def sparse_file(check):
    size = 10 << 30
    check.write(log(), 'in.gclog')
    with open(check.dir / 'in.gclog', 'ab') as file:
        file.truncate(size)
    run = check.run('info', 'in.gclog', limits='ulimit -t 5')
    check.require(run.code in (-9, -24, 137, 152) or run.code == 0,
                  f'neither given up nor read: {run}')
    check.check_memory(run, 0)
    # The same in a size that fits a test.
    check.warns([log(), *[bytes(MIB)] * 16], says='NUL')


@row('N43')
def logs_of_others(check):
    for data in ('t 1 0 System.String\nn 1 0 8 1\no 0x00c91f28 1 12\n',
                 'a 0x00c91f28 1\no 0x00c91f28 1 12\n',
                 'Address       MT     Size\n01d61000 79330b24 12\n'):
        check.refuses('M', data, args=OURS, says='not a .NET Compact')


@row('N44')
def other_files(check):
    for data in ('{"snapshot":{}}', b'\x7fELF\x02\x01\x01', b'dartheap\0',
                 b'PK\x03\x04' * 200):
        check.refuses('M', data, args=OURS)


@row('N45')
def many_types(check):
    count = check.rounds(100_000)
    check.accepts(('a 2 app.exe 5a31\n', *(
        ''.join(f't {i:x} T{i:x}\no {i:x} {i:x} 8\n'
                for i in range(first, first + 10_000))
        for first in range(1, count, 10_000)), 'c app.exe 5a31\n'))


@row('N46')
def ids_that_collide(check):
    # Multiples of a power of two, in random order: bad for weak hash tables.
    count, step = 100_000, 1 << 14
    order = [i * 99_991 % count + 1 for i in range(count)]
    check.accepts(('a 2 app.exe 5a31\nt 1 A\n', *(
        ''.join(f'o {i * step:x} 1 8 {step:x}\n'
                for i in order[first:first + 10_000])
        for first in range(0, count, 10_000)), 'c app.exe 5a31\n'))


@row('N47')
def every_line_is_odd(check):
    # In UTF-16, finding a place means scanning the characters before it.
    lines = ('a 2 app.exe 5a31\nt 1 A\n' +
             ''.join(f'o {i:x} 1 8 0{i:x}\n' for i in range(1, 200_001)) +
             'c app.exe 5a31\n')
    name, _ = check.write(lines.encode('utf-16'))
    run = check.run('validate', name, limits=check.seconds(10))
    check.require(run.code == 0, f'not done in time: {run}')
    check.letters.add('N')


@row('N48')
def domains_of_utf16(check):
    # Each converted block is as long as its longest line.
    domains = ''.join(f'a 2 app{i} {i:x}\nc app{i} {i:x}\n'
                      for i in range(1, 10_001))
    long_line = f'a 2 first 1\nt 10 {"X" * 4_000_000}\nc first 1\n'
    name, _ = check.write((long_line + domains).encode('utf-16'))
    run = check.run('validate', name, limits=check.seconds(10))
    check.require(run.code == 0, f'not done in time: {run}')
    check.letters.add('N')
