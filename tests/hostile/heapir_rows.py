"""Rows R: heapir files.

Most of these files are also in corpus/heapir, made by the same functions
(tests/heapir/make_corpus.py), with the exact places of errors."""

import functools
import subprocess
import sys
import tempfile
import threading

from harness import MIB, Skipped, row

HUGE = 1 << 60
LOCK = threading.Lock()


@functools.cache
def modules():
    """make_corpus and heapir, or None if Debian's modules are missing."""
    try:
        import make_corpus
        with tempfile.TemporaryDirectory() as directory:
            make_corpus.load(directory)
    except (ImportError, FileNotFoundError, subprocess.CalledProcessError):
        return None
    return make_corpus, sys.modules['heapir']


def tools():
    """The modules; skips the row if they are missing."""
    with LOCK:
        loaded = modules()
    if loaded is None:
        raise Skipped('python3-protobuf, -xxhash or -zstandard is missing')
    return loaded


def cases(check, letters, *names):
    """Checks files that corpus/heapir has, too."""
    make, heapir = tools()
    for name in names:
        function, _ = make.CASES[name]
        file = heapir.File()
        at = function(file)
        if at is None:
            at = file.offsets[-1]
        args = ['--from', 'heapir'] if at < 8 else []
        if letters == 'A':
            check.accepts(file.data)
        else:
            check.refuses(letters, file.data, at=at, args=args)


def whole(**graph):
    """An unfinished file with a Graph; returns make_corpus and the File."""
    make, heapir = tools()
    file = heapir.File()
    make.start(file, graph={'edges_grouped': True, **graph},
               required_features=['zstd'])
    return make, file


@row('R1')
def beginnings(check):
    make, heapir = tools()
    for size in range(8):
        check.refuses('T', heapir.MAGIC[:size], at=size,
                      args=['--from', 'heapir'])
    cases(check, 'M', 'text-mode-transfer')
    check.refuses('M', b'\x89HIR\n\x1a\n' + bytes(20), says='text',
                  args=['--from', 'heapir'])


@row('R2')
def every_prefix(check):
    make, file = whole()
    file.chunk(make.column(7, entries=[16, 24]), nodes={'count': 2})
    make.finish(file, nodes=2, self_size_total=40)
    for size in check.some(range(8, len(file.data))):
        check.refuses('T', file.data[:size], at=size)
    cases(check, 'T', 'no-footer')


@row('R3')
def frame_lengths(check):
    cases(check, 'L', 'frame-length-4-gib', 'frame-length-64-mib-and-1')
    cases(check, 'M', 'frame-length-of-10-bytes')


@row('R4')
def frame_cut(check):
    cases(check, 'T', 'frame-of-60-bytes-with-20-left')
    make, file = whole()
    heapir = sys.modules['heapir']
    file.bytes(heapir.varint(15 * MIB) + b'\x08' * 20)
    check.refuses('T', file.data, at=len(file.data))


@row('R5')
def frame_empty(check):
    cases(check, 'M', 'frame-length-0')


@row('R6')
def raw_sizes(check):
    cases(check, 'L', 'raw-size-4-gib')
    cases(check, 'M', 'raw-size-too-small', 'raw-size-too-large')


@row('R7')
def bomb(check):
    cases(check, 'L', 'zstd-bomb')
    # Each frame is within its limit, but together they expand too much.
    make, file = whole()
    import zstandard
    size = 4 * MIB
    packed = zstandard.ZstdCompressor(level=19).compress(
        content_of_extra(size))
    frame_pb2 = make.frame_pb2
    frame = frame_pb2.Frame(kind=20, raw_size=len(content_of_extra(size)),
                            zstd=packed)
    for _ in range(200):
        file.frame(frame)
    check.refuses('L', file.data, says='--max-ratio')


def content_of_extra(size):
    """The content of a frame with an Extra of zeros."""
    heapir = sys.modules['heapir']
    body = b'\x22' + heapir.varint(size) + bytes(size) + b'\x28\x01'
    chunk = b'\xa2\x01' + heapir.varint(len(body)) + body
    return b'\x0a' + heapir.varint(len(chunk)) + chunk


@row('R8')
def damaged_zstd(check):
    cases(check, 'M', 'zstd-with-trailing-bytes', 'zstd-cut',
          'zstd-skippable-frame')


@row('R9')
def zstd_not_declared(check):
    cases(check, 'M', 'zstd-without-the-feature')


@row('R10')
def checksum(check):
    cases(check, 'M', 'checksum')


@row('R11')
def flipped_bits(check):
    make, file = whole()
    file.chunk(make.column(7, entries=[16, 24]), nodes={'count': 2})
    make.finish(file, nodes=2, self_size_total=40)
    check.accepts(file.data)
    for at in check.some(range(len(file.data))):
        data = bytearray(file.data)
        data[at] ^= 1 << at % 8
        check.refuses('MTL', bytes(data), args=['--from', 'heapir'])


@row('R12')
def trailers(check):
    cases(check, 'M', 'no-trailer', 'trailer-of-another-chunk', 'frames-wrong',
          'checksum-of-all-wrong', 'two-footers', 'bytes-after-the-footer')
    cases(check, 'T', 'no-footer')


@row('R13')
def headers(check):
    cases(check, 'M', 'no-file-header', 'two-file-headers',
          'table-outside-a-graph')


@row('R14')
def other_version(check):
    cases(check, 'U', 'version-2')
    cases(check, 'M', 'version-0')
    cases(check, 'A', 'later-minor-version')


@row('R15')
def features(check):
    cases(check, 'U', 'required-feature')
    cases(check, 'A', 'optional-feature')


@row('R16')
def kinds(check):
    cases(check, 'U', 'kind-99')
    cases(check, 'A', 'kind-200')


@row('R17')
def kind_0(check):
    cases(check, 'M', 'two-file-headers')


@row('R18')
def bodies(check):
    cases(check, 'M', 'no-content', 'two-contents', 'kind-of-another-chunk')


@row('R19')
def unknown_fields(check):
    cases(check, 'M', 'unknown-field', 'frame-field-unknown')
    make, file = whole()
    body = b'\x98\x06\x01' * 1_000_000
    heapir = sys.modules['heapir']
    chunk = b'\x2a' + heapir.varint(len(body)) + body
    file.raw(5, b'\x0a' + heapir.varint(len(chunk)) + chunk)
    check.refuses('M', file.data)


@row('R20')
def columns_in_the_chunk(check):
    cases(check, 'M', 'column-in-the-chunk')


@row('R21')
def columns_too_short(check):
    cases(check, 'M', 'column-shorter-than-count', 'column-bytes')
    make, file = whole()
    file.chunk(make.column(7, entries=[1, 2, 3]), nodes={'count': 2})
    check.refuses('M', file.data, at=file.offsets[-1])


@row('R22')
def rows_huge(check):
    cases(check, 'L', 'rows-4-gi', 'column-of-4-gi-zeros')


@row('R51')
def rows_without_columns(check):
    # A few bytes for each million nodes: heapglot must not keep any per node.
    rows, frames = 1 << 20, 60
    make, file = whole()
    for i in range(frames):
        file.chunk(nodes={'first': i * rows, 'count': rows})
    make.finish(file, nodes=frames * rows)
    check.write(file.data)
    run = check.run('info', 'in.heapir')
    check.require(run.code == 0, str(run))
    check.check_memory(run, 0)
    check.letters.add('A')
    for i in range(frames, 70):
        file.chunk(nodes={'first': i * rows, 'count': rows})
    check.write(file.data)
    run = check.run('info', 'in.heapir')
    check.check_error(run, 'LM', 'in.heapir')
    check.check_memory(run, 0)


@row('R23')
def first_wrong(check):
    cases(check, 'M', 'first-with-gap', 'first-of-2-to-64')
    make, file = whole()
    file.chunk(nodes={'count': 2})
    file.chunk(nodes={'first': 1, 'count': 2})
    check.refuses('M', file.data, at=file.offsets[-1])


@row('R24')
def string_lengths(check):
    cases(check, 'M', 'string-lengths')
    make, file = whole()
    file.chunk(make.column(3, entries=[2**30] * 3 + [2**30 - 1, 4]),
               strings={'first': 1, 'data': b'abc'})
    check.refuses('M', file.data, at=file.offsets[-1])


@row('R25')
def string_indices(check):
    cases(check, 'M', 'string-past-the-table', 'name-of-type-comes-later',
          'name-of-node-comes-later', 'name-of-node-before-other-nodes')


@row('R26')
def string_encodings(check):
    cases(check, 'M', 'string-no-utf8', 'string-encoding-7')
    for text in (b'a', b'\xff'):  # no lone surrogate; no WTF-8
        make, file = whole()
        file.chunk(make.column(3, entries=[1]), make.column(4, entries=[1]),
                   strings={'first': 1, 'data': text})
        check.refuses('M', file.data, at=file.offsets[-1])


@row('R27')
def types(check):
    cases(check, 'M', 'type-past-the-end')
    make, file = whole()
    file.chunk(make.column(9, entries=[2, 1]), types={'count': 2})
    make.finish(file, types=2)
    check.accepts(file.data)


@row('R28')
def kind_unknown(check):
    cases(check, 'M', 'node-kind-unknown', 'id-space-unknown')


@row('R29')
def edge_counts(check):
    cases(check, 'M', 'edge-count-wrong', 'edges-before-their-nodes')
    make, file = whole()
    file.chunk(make.column(8, entries=[2**64 - 1, 1]), nodes={'count': 2})
    make.finish(file, nodes=2)
    check.refuses('M', file.data)


@row('R30')
def target_past_the_end(check):
    cases(check, 'M', 'target-past-the-last-node')


@row('R31')
def target_forms(check):
    cases(check, 'M', 'target-form-9')
    for entries in ([0], [0, 0, 0]):
        make, file = whole(edges_grouped=False)
        file.chunk(make.column(9, entries=entries), edges={'count': 2})
        check.refuses('M', file.data, at=file.offsets[-1])


@row('R32')
def sources_of_grouped_edges(check):
    cases(check, 'M', 'from-of-grouped-edges')


@row('R33')
def differences_wrap(check):
    cases(check, 'A', 'delta-wraps')


@row('R34')
def values(check):
    cases(check, 'M', 'owner-past-the-end', 'value-form-99')


@row('R35')
def latin1(check):
    make, file = whole()
    text = 'a\u0100'.encode()
    file.chunk(make.column(3, entries=[len(text)]),
               strings={'first': 1, 'data': text})
    file.chunk(make.column(15, entries=[5]), make.column(16, entries=[1]),
               nodes={'count': 1})
    make.finish(file, strings=2, nodes=1)
    check.accepts(file.data)
    # Writers must accept it, too.
    for target in ('o.dartheap', 'o.gclog', 'o.ndjson'):
        run = check.run('convert', 'in.heapir', '-q', '-f', '-o', target)
        check.require(run.code == 0, str(run))


@row('R36')
def full_length_too_short(check):
    make, file = whole()
    file.chunk(make.column(3, entries=[4]),
               strings={'first': 1, 'data': b'abcd'})
    file.chunk(make.column(15, entries=[6]), make.column(16, entries=[1]),
               make.column(17, entries=[2]), nodes={'count': 1})
    make.finish(file, strings=2, nodes=1)
    check.accepts(file.data)
    run = check.run('convert', 'in.heapir', '-q', '-f', '-o', 'o.dartheap')
    check.require(run.code == 0, str(run))


@row('R37')
def trace_trees(check):
    cases(check, 'M', 'trace-children-missing', 'trace-children-2-to-60')
    make, file = whole()
    depth, rows = 200_000, 1 << 16
    for first in range(0, depth, rows):
        count = min(rows, depth - first)
        children = [1] * count
        if first + count == depth:
            children[-1] = 0
        file.chunk(make.column(7, entries=children),
                   trace_nodes={'first': first, 'count': count})
    make.finish(file, trace_nodes=depth)
    check.accepts(file.data, size=24 * depth)


@row('R38')
def stack_frames_in_circles(check):
    make, file = whole()
    file.chunk(make.column(4, entries=[2, 1, 3]), stack_frames={'count': 3})
    make.finish(file, stack_frames=3)
    check.accepts(file.data)


@row('R39')
def graphs_in_disorder(check):
    cases(check, 'M', 'graph-in-a-graph', 'table-after-the-graph')


@row('R40')
def many_graphs(check):
    make, heapir = tools()
    file = heapir.File()
    file.header()
    file.chunk(header={'format': 'test'})
    count = check.rounds(20_000)
    body = file.data
    graph, end = heapir.File(b''), heapir.File(b'')
    graph.chunk(graph={'edges_grouped': True})
    end.chunk(graph_end={})
    file.data = body + (graph.data + end.data) * count
    file.checksums += [graph.checksums[0], end.checksums[0]] * count
    file.footer(graphs=count)
    check.accepts(file.data)


@row('R41')
def patches(check):
    cases(check, 'M', 'patches-without-data', 'patches-beyond-the-source',
          'image-not-whole')
    # A mismatch shows when the source is restored: a wrong file must not remain.
    for digest in ({}, {'sha256': bytes(32)}, {'xxh3_128': bytes(16)}):
        make, heapir = tools()
        file = heapir.File()
        file.header()
        file.chunk(header={'format': 'dartheap'})
        file.chunk(make.column(5, entries=[3]), make.column(6, entries=[1]),
                   make.column(7, entries=[1]),
                   source_image={'method': 2, 'size': 40, 'data': b'x',
                                 **digest})
        file.chunk(graph={'edges_grouped': True})
        make.finish(file)
        check.write(file.data)
        run = check.run('convert', 'in.heapir', '-q', '-o', 'o.dartheap')
        check.require(run.code in (3, 6), str(run))
        check.check_nothing_left(['in.heapir'] + [
            name for name in check.files() if name.endswith('snapshot') or
            name in ('x.heapir', 'back.heapir')])


@row('R42')
def embedded_too_large(check):
    cases(check, 'M', 'embedded-more-than-its-size')


@row('R43')
def extra_of_another_format(check):
    make, file = whole()
    file.chunk(extra={'format': 'dartheap', 'section': 'dartheap.trailing',
                      'data': b'x' * 100})
    file.chunk(extra={'format': 'novelty', 'section': 'novelty.x',
                      'data': b'}' * 100})
    make.finish(file)
    check.accepts(file.data)


@row('R44')
def extra_that_breaks_the_target(check):
    for section, text in (('heapsnapshot.snapshot', b'}'),
                          ('heapsnapshot.section', b'"nodes":[1'),
                          ('heapsnapshot.section', b'"a":1,"nodes":[]'),
                          ('heapsnapshot.section', b'}')):
        make, heapir = tools()
        file = heapir.File()
        file.header()
        file.chunk(header={'format': 'heapsnapshot'})
        file.chunk(graph={'edges_grouped': True})
        file.chunk(extra={'format': 'heapsnapshot', 'section': section,
                          'data': text})
        make.finish(file)
        check.write(file.data)
        run = check.run('convert', 'in.heapir', '-q', '-f', '-o',
                        'o.heapsnapshot')
        if run.code == 0:
            again = check.run('info', 'o.heapsnapshot')
            check.require(again.code == 0, f'{section} {text}: {again}')
        else:
            check.check_error(run, 'M', 'in.heapir')


@row('R45')
def orders_that_do_not_fit(check):
    make, file = whole()
    file.chunk(nodes={'count': 2})
    file.chunk(make.column(1, entries=[8, 7]),
               make.column(2, entries=[HUGE, 5]), record_order={})
    make.finish(file, nodes=2)
    check.accepts(file.data)
    for target in ('o.gclog', 'o.ndjson', 'o.dartheap'):
        run = check.run('convert', 'in.heapir', '-q', '-f', '-o', target)
        check.require(run.code == 0, str(run))


@row('R46')
def string_without_end(check):
    make, file = whole()
    for first in range(6):
        file.chunk(make.column(3, entries=[MIB // 2]), strings={
            'first': 1, 'data': b'x' * (MIB // 2), 'continued': True})
    check.refuses('L', file.data, args=['--max-string', '1M'],
                  at=file.offsets[-4])


@row('R47')
def strings_overlap(check):
    cases(check, 'M', 'strings-overlap', 'rows-between-pieces')


@row('R48')
def nested_groups(check):
    cases(check, 'M', 'group-of-depth-101')


@row('R49')
def claims(check):
    cases(check, 'A', 'claims-of-2-to-63')


@row('R50')
def nan_payloads(check):
    make, file = whole()
    file.chunk(make.column(15, entries=[4, 4]),
               make.column(16, entries=[0x7FF0000000000001,
                                        0xFFF8000000000123]),
               nodes={'count': 2})
    make.finish(file, nodes=2)
    check.accepts(file.data)
    # Through two formats with doubles, without the loss of a number.
    run = check.run('convert', 'in.heapir', '-q', '-f', '-o', 'o.ndjson')
    check.require(run.code == 0, str(run))
    text = (check.dir / 'o.ndjson').read_text()
    check.require('"0x7ff0000000000001"' in text and
                  '"0xfff8000000000123"' in text, text)


@row('R52')
def fields_without_columns(check):
    for fields, types, letter in ((1 << 31, 1, 'L'), (10 ** 7, 2, 'L'),
                                  (2, 3, 'A')):
        make, file = whole()
        file.chunk(make.column(20, entries=[fields] * types),
                   types={'count': types})
        make.finish(file, types=types)
        if letter == 'A':
            check.accepts(file.data)
        else:
            check.refuses(letter, file.data, at=file.offsets[-3])


@row('R53')
def declarations_behind_records(check):
    late = ('{"type":"subtype","of":"node","code":2,"name":"b","fields":[%s]}' %
            ','.join(f'["f{i}","u64"]' for i in range(1000)),
            '{"type":"type","code":50,"name":"z","fields":[["f","i64"]]}')
    for line in late:
        make, heapir = tools()
        file = heapir.File()
        file.header()
        file.chunk(header={'format': 'sqlite', 'source_size': 1})
        file.chunk(graph={'edges_grouped': True})
        lines = (
            '{"type":"metadata","key":"version_major","value":"1"}',
            '{"type":"type","code":2,"name":"node","fields":'
            '[["identifier","id"],["subtype","u32"]]}',
            '{"type":"subtype","of":"node","code":1,"name":"object",'
            '"fields":[]}', '[2,1,1]', line,
            '[2,3,2,%s]' % ','.join(['1'] * 1000), '[50,1]')
        file.chunk(extra={'format': 'sqlite', 'section': 'sqlite.record',
                          'data': ('\n'.join(lines) + '\n').encode()})
        # Without it the stream is not restored.
        file.chunk(record_order={})
        make.finish(file)
        check.accepts(file.data, back=False)
        run = check.run('convert', 'in.heapir', '-q', '-o', 'o.sqlite')
        check.check_error(run, 'M', 'in.heapir')


@row('R54')
def long_name_of_a_table(check):
    # Gigabytes if the name were repeated for each row or each column.
    for name, rows, columns in (('n' * 120_000, 4096, 1),
                                ('n' * 400_000, 1, 4000)):
        make, file = whole()
        file.chunk(*[make.column(4, i, 3, entries=[0] * rows)
                     for i in range(columns)],
                   extra_table={'name': name, 'count': rows, 'column': [
                       {'name': str(i)} for i in range(columns)]})
        make.finish(file)
        check.accepts(file.data, back=False)
        run = check.run('roundtrip', 'in.heapir', '--via', 'ndjson')
        check.require(run.code == 0, str(run))
        check.check_memory(run, len(name) * 3)
    # Minutes if the name were compared for each row.
    make, file = whole()
    file.chunk(extra_table={'name': 'n' * 4_000_000,
                            'count': check.rounds(1_000_000)})
    make.finish(file)
    check.accepts(file.data, back=False)
    run = check.run('roundtrip', 'in.heapir', '--via', 'ndjson',
                    limits=check.seconds(10))
    check.require(run.code == 0, str(run))
    run = check.run('convert', 'in.heapir', '-q', '-o', 'rows.ndjson')
    check.require(run.code == 0, str(run))
    size = (check.dir / 'rows.ndjson').stat().st_size
    check.require(size < 80_000_000, f'{size} bytes')


@row('R55')
def columns_in_another_order(check):
    # Half a minute if each column were compared with all others.
    columns = check.rounds(20_000)
    make, file = whole()
    for first, step in ((0, 1), (1, -1)):
        file.chunk(*[make.column(4, i, 3, entries=[0])
                     for i in range(columns)],
                   extra_table={'name': 't', 'first': first, 'count': 1,
                                'column': [{'name': str(i)} for i in
                                           range(columns)[::step]]})
    make.finish(file)
    check.accepts(file.data, back=False)
    run = check.run('normalize', 'in.heapir', '-o', 'archive',
                    limits=check.seconds(10))
    check.require(run.code == 0, str(run))


@row('R56')
def sections_in_another_order(check):
    # As many passes as sections if each were looked for by itself.
    array = '=' + ',' * 11
    def file_of(names, sections, profile=None):
        make, heapir = tools()
        file = heapir.File()
        file.header()
        file.chunk(header={'format': 'heapsnapshot', 'source_size': 1})
        if profile is not None:
            file.chunk(source_image={
                'method': 1, 'profile': profile.encode(), 'size': 1 << 40,
                'sha256': bytes(32)})
        file.chunk(graph={
            'edges_grouped': True,
            'node_schema': [{'name': name} for name in
                            ('type', 'name', 'id', 'edge_count')],
            'edge_schema': [{'name': name} for name in
                            ('type', 'name_or_index', 'to_node')]})
        for name in names:
            file.chunk(make.column(4, 0, 3, entries=[1]), extra_table={
                'name': name, 'count': 1, 'column': [{'name': 'v'}]})
        for i in range(sections):
            file.chunk(extra={'format': 'heapsnapshot',
                              'section': 'heapsnapshot.section',
                              'data': f'"j{i}":{i}'.encode()})
        make.finish(file)
        return file.data

    tables = [f't{i}' for i in range(20_000)]
    check.accepts(file_of(tables[:100], 100), back=False)
    layout = f'1;S=,,,,;N{array};E{array}' + f';X{array};J=,,,,' * 100
    for names, sections, profile in (
            (tables[:100], 100, layout + f';G{array}'), (tables, 0, None),
            (['n' * MIB], 0, None)):
        check.write(file_of(names, sections, profile))
        run = check.run('convert', 'in.heapir', '-q', '-o', 'o.heapsnapshot')
        check.check_error(run, 'L', 'in.heapir')
        check.check_memory(run, 2 * MIB)
    # Nodes as often as the layout says.
    check.write(file_of([], 0, f'1;S=,,,,;E{array}' + f';N{array}' * 200))
    run = check.run('convert', 'in.heapir', '-q', '-o', 'o.heapsnapshot')
    check.check_error(run, 'M', 'in.heapir')
