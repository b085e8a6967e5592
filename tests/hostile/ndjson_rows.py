"""Rows J: extensible heap dumps as NDJSON, and files that are not."""

import json
import sqlite3

from harness import CODES, MIB, Skipped, colliding, cuts, row
from ndjson_builder import (ARRAY, CLOSURE, CONS, DATE, FLAT,
                            NODE, NUMBER, OBJECT, ODDBALL, SCHEMA, SLICED,
                            SUBTYPES, VERSION, dump, trailer)

OURS = ['--from', 'ndjson']
HERE = len(SCHEMA) + 1  # the line of the first record after the schema
GRAPH = ([4, 2, 'name'], [2, 3, OBJECT], [2, 5, OBJECT], [3, 1, 3, 5, 2])
BARE = b''  # no trailer


@row('J1')
def empty(check):
    check.refuses('T', b'', args=OURS)


@row('J2')
def every_prefix(check):
    data = dump(*GRAPH)
    starts = len(VERSION) + 1
    for size in check.some(cuts(data)):
        if size >= starts - 1 and (data[:size + 1].endswith(b'\n') or
                                   data[size - 1:size] == b'\n'):
            check.warns(data[:size], strict='MT', args=OURS)  # no trailer
        else:
            check.refuses('T', data[:size], args=OURS)


@row('J3')
def versions(check):
    check.refuses('M', dump(schema=SCHEMA[1:]), args=OURS,
                  says='version_major')
    check.refuses('M', dump([2, 3, OBJECT], schema=[], end=BARE), args=OURS)
    check.refuses('U', dump(schema=[VERSION.replace('1', '2')]), at=(1,), args=OURS)
    check.refuses('M', dump(schema=[VERSION.replace('1', 'x')]), at=(1,), args=OURS)
    check.warns(dump(schema=[VERSION, VERSION]), at=(2,))


@row('J4')
def metadata_at_the_end(check):
    check.accepts(dump(*GRAPH, schema=[*SCHEMA[1:], VERSION]), args=OURS)


@row('J5')
def type_after_its_records(check):
    check.warns(dump('{"type":"node","identifier":3,"subtype":"object"}',
                     NODE, *SUBTYPES, schema=[VERSION]))


@row('J6')
def long_line(check):
    start, end = dump([4, 2, '@'], end=BARE).split(b'@')
    check.refuses('L', [start, *[b'x' * MIB] * 16, end],
                  args=['--max-string', '1M'], says='--max-string')


@row('J7')
def two_documents_in_a_line(check):
    for line in ('[4,2,"a"][4,4,"b"]', '[4,2,"a"] {}', '[4,2,"a"],'):
        check.refuses('M', dump(line, end=BARE), at=(HERE,),
                      says='one record per line')


@row('J8')
def odd_lines(check):
    data = dump(*GRAPH, end=BARE)
    check.warns(dump('', end=BARE), says='blank')
    check.warns(data.replace(b'\n', b'\r\n'), says='carriage return')
    check.warns(b'\xef\xbb\xbf' + data, says='byte order mark')
    check.refuses('M', dump(b'\0', end=BARE), at=(HERE,))


@row('J9')
def key_twice(check):
    check.refuses('M', dump('{"type":"node","identifier":3,"identifier":5,'
                            '"subtype":"object"}', end=BARE), at=(HERE,),
                  says='identifier')


@row('J10')
def unknown_record(check):
    check.warns(dump('{"type":"novelty","a":1}'), at=(HERE,), says='novelty')
    check.accepts(dump('{"type":"x.novelty","a":1}'))
    check.warns(dump([99, 1, 2], end=BARE), says='99')


@row('J11')
def unknown_field(check):
    check.warns(dump('{"type":"node","identifier":3,"subtype":"object",'
                     '"novelty":1}'), at=(HERE,), says='novelty')
    check.accepts(dump('{"type":"node","identifier":3,"subtype":"object",'
                       '"x.novelty":1}'))


@row('J12')
def odd_keys(check):
    check.accepts(dump('{"type":"x.a","__proto__":1,"":2,"constructor":3}'))
    check.warns(dump('{"type":"node","identifier":3,"subtype":"object",'
                     '"__proto__":1,"":0}'))


@row('J13')
def field_missing(check):
    check.refuses('M', dump('{"type":"node","subtype":"object"}', end=BARE),
                  at=(HERE,), says='identifier')
    check.refuses('M', dump('{"type":"string","data":"a"}', end=BARE),
                  at=(HERE,), says='id')


@row('J14')
def subtype_undefined(check):
    check.warns(dump([2, 3, 99]), at=(HERE,), says='99')


@row('J15')
def subtype_twice(check):
    check.refuses('M', dump(SUBTYPES[0], end=BARE), at=(HERE,), says='array')


@row('J16')
def identifier_even(check):
    check.refuses('M', dump([2, 4, OBJECT], end=BARE), at=(HERE,), says='4')


@row('J17')
def identifiers(check):
    check.accepts(dump([2, 2**53 + 1, OBJECT]))
    check.accepts(dump([2, '0xffffffffffffffff', OBJECT]))
    check.accepts(dump([2, '0x3', OBJECT]))
    check.warns(dump([2, '3', OBJECT]), at=(HERE,))
    for number in ('18446744073709551616', '-1', '1.5', '1e400'):
        check.refuses('M', dump(f'[2,{number},2]', end=BARE), at=(HERE,))


@row('J18')
def identifier_twice(check):
    check.refuses('M', dump([2, 3, OBJECT], [2, 5, OBJECT], [2, 3, OBJECT],
                            end=BARE), at=(HERE + 2,))


@row('J19')
def string_twice(check):
    check.warns(dump([4, 2, 'a'], [4, 2, 'a']), says='is written twice')
    check.refuses('M', dump([4, 2, 'a'], [4, 2, 'b'], end=BARE),
                  at=(HERE + 1,))


@row('J20')
def edge_from_an_integer(check):
    check.warns(dump(*GRAPH, [3, 1, 6, 5, 2]), at=(HERE + 4,))


@row('J21')
def dangling_edges(check):
    for edge in ([3, 1, 99, 5, 2], [3, 1, 3, 99, 2], [3, 1, 3, 5, 98]):
        check.warns(dump(*GRAPH, edge), at=(HERE + 4,))


@row('J22')
def label_of_another_kind(check):
    check.warns(dump(*GRAPH, [3, 1, 3, 5, 4]), at=(HERE + 4,))
    check.warns(dump(*GRAPH, [3, 1, 3, 5, 5]), at=(HERE + 4,))


@row('J23')
def small_integers(check):
    for number in (-2**32, 2**32, 2**62, -2**63, 0, '0x7ffffffffffffffe'):
        check.accepts(dump(*GRAPH, [3, 1, 3, number, 2]))


@row('J24')
def array_lengths(check):
    for length in (2**31, 2**32, -2**31 - 1):
        check.warns(dump([2, 3, ARRAY, length]), at=(HERE,), says='length')
    check.accepts(dump([2, 3, ARRAY, -1]))  # fits its declared type


@row('J25')
def strings_in_circles(check):
    check.accepts(dump([2, 3, CONS, 2, 3, 3], [2, 5, CONS, 2, 7, 7],
                       [2, 7, CONS, 2, 5, 5]))
    count = 50_000
    head = dump(end=BARE)
    pieces = [head, *(b''.join(b'[2,%d,%d,2,%d,%d]\n' % (
        i * 2 + 3, CONS, i * 2 + 5, i * 2 + 5)
        for i in range(first, first + 10_000))
        for first in range(0, count, 10_000)),
        b'[2,%d,%d,2]\n' % (count * 2 + 3, FLAT)]
    check.warns(pieces, says='trailer')


@row('J26')
def slice_past_its_string(check):
    check.warns(dump([2, 3, FLAT, 10], [2, 5, SLICED, 4, 3, 12]),
                at=(HERE + 1,))


@row('J27')
def exponential_strings(check):
    nodes = [[4, 2, 'ab'], [2, 3, FLAT, 4, 2]]
    nodes += [[2, 5 + 2 * i, CONS, 2 ** min(i + 3, 62), 3 + 2 * i, 3 + 2 * i]
              for i in range(60)]
    # A node named by the last string must not expand it, either.
    nodes.append([2, 1001, OBJECT, 123])
    check.accepts(dump(*nodes))


@row('J28')
def odd_dates(check):
    for number in ('1e400', '"x"'):
        check.refuses('M', dump(f'[2,3,{DATE},{number}]', end=BARE),
                      at=(HERE,))
    check.accepts(dump(f'[2,3,{DATE},"NaN"]'))
    check.refuses('M', dump(f'[2,3,{DATE},NaN]', end=BARE), at=(HERE,))


@row('J29')
def odd_numbers(check):
    for number in ('-0.0', '"NaN"', '"Infinity"', '"-Infinity"',
                   '1.2345678901234567', '5e-324', '"NaN:0x7ff0000000000001"'):
        check.accepts(dump(f'[2,3,{NUMBER},{number}]'))
    check.accepts(dump(f'[2,3,{NUMBER},1e-400]'))


@row('J30')
def unknown_oddball(check):
    check.warns(dump([4, 2, 'novelty'], [2, 3, ODDBALL, 2]), at=(HERE + 1,))


@row('J31')
def metadata_is_an_integer(check):
    check.warns(dump([2, 3, CLOSURE, 4]), at=(HERE,))


@row('J32')
def odd_strings(check):
    for text in (r'\ud800', r'a\u0000b', r'\udc00\ud800'):
        check.accepts(dump(f'[4,2,"{text}"]'))
    check.warns(dump(b'[4,2,"\xff"]', end=BARE), at=(HERE,))


@row('J33')
def edges_before_nodes(check):
    count = 100_000
    head = dump(end=BARE)
    pieces = [head, *[b'[3,1,3,5,2]\n' * 10_000] * (count // 10_000),
              *(dump(record, schema=[], end=BARE) for record in GRAPH)]
    check.warns(pieces, says='trailer')


def carrier(check):
    """A dump with leftovers: the lines before the trailer, and the fields of the
    trailer."""
    check.write(dump(*GRAPH), 'origin.ndjson')
    for args in (('origin.ndjson', '-o', 'origin.heapsnapshot', '--embed',
                  'none'), ('origin.heapsnapshot', '-o', 'made.ndjson')):
        run = check.run('convert', '-q', *args)
        check.require(run.code == 0, f'refused: {run}')
    data = (check.dir / 'made.ndjson').read_bytes()
    check.require(b'"hg.leftovers"' in data, 'made.ndjson carries nothing')
    begin = data.rindex(b'\n', 0, -1) + 1
    return data[:begin], json.loads(data[begin:])


@row('J34')
def trailers(check):
    body = dump(*GRAPH, end=BARE)
    for changes in ({'records': 1}, {'counts': {'node': 9}}, {'counts': {}},
                    {'bytes': 1}, {'crc32': '00000000'}, {'records': 2**64}):
        check.refuses('M', body + trailer(body, **changes),
                      at=(body.count(b'\n') + 1,))
    whole = body + trailer(body)
    end = whole.count(b'\n') + 1
    for after in (b'[4,4,"x"]\n', trailer(body), b'x'):
        check.refuses('M', whole + after, at=(end,))
    # The trailer is also checked when a dump returns from leftovers.
    body, fields = carrier(check)
    wrong = [json.dumps({**fields, **changes}).encode() for changes in
             ({'records': 1}, {'bytes': 1}, {'crc32': '00000000'},
              {'counts': {}}, {'counts': {**fields['counts'], 'node': 9}},
              {'counts': {**fields['counts'], 'hg.x': 1}})]
    for line in (*wrong, wrong[0][:-1], b'{"type":"hg.trailer"}'):
        check.refuses('M', body + line + b'\n', at=(body.count(b'\n') + 1,))


@row('J35')
def no_trailer(check):
    check.warns(dump(*GRAPH, end=BARE), says='trailer')
    check.warns(carrier(check)[0], says='trailer')


@row('J36')
def long_metadata(check):
    start, end = dump('{"type":"metadata","key":"x","value":"@"}',
                      end=BARE).split(b'@')
    check.refuses('L', [start, *[b'x' * MIB] * 16, end],
                  args=['--max-string', '1M'], says='--max-string')


def database(*statements):
    """The bytes of an SQLite database."""
    connection = sqlite3.connect(':memory:')
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    data = connection.serialize()
    connection.close()
    return data


VERSION_1 = ('CREATE TABLE metadata (key TEXT, value TEXT)',
             "INSERT INTO metadata VALUES ('version_major', '1')")
TYPES = ('CREATE TABLE node_types (nodetypeid INTEGER, name TEXT)',
         "INSERT INTO node_types VALUES (1, 'object')")
NODES = (*VERSION_1, *TYPES,
         'CREATE TABLE node (identifier INTEGER, nodetypeid INTEGER)',
         'INSERT INTO node VALUES (3, 1)')


@row('J37')
def damaged_database(check):
    data = database(*NODES)
    check.accepts(data, back=False)
    check.refuses('M', b'SQLite format 3\0' + bytes(84))
    check.refuses('T', data[:len(data) - 100])
    check.refuses('M', bytes(byte ^ 0x5a for byte in data))
    check.refuses('M', data[:4096] + bytes(len(data) - 4096))
    check.refuses('M', data, args=OURS)


@row('J38')
def hostile_schema(check):
    for statements in (
            ('CREATE TABLE a (identifier, nodetypeid)',
             'CREATE VIEW node AS SELECT * FROM a',
             'CREATE TRIGGER t INSTEAD OF INSERT ON node BEGIN SELECT 1; END'),
            ('CREATE TABLE node (identifier, nodetypeid AS (identifier + 1))',),
            ('CREATE VIRTUAL TABLE node USING fts4(identifier, nodetypeid)',)):
        check.refuses('U', database(*VERSION_1, *statements))
    # A view that is not read does no harm.
    check.accepts(database(*NODES, "CREATE VIEW nodes AS SELECT"
                           " load_extension('x') FROM node"), back=False)
    # The first page of the table "node" is its own child.
    data = bytearray(database(*NODES))
    data[4096:4108] = b'\x05\0\0\0\0\x10\0\0' + (2).to_bytes(4, 'big')
    check.refuses('M', bytes(data))


@row('J39')
def other_tables(check):
    check.refuses('M', database('CREATE TABLE other (x)'))
    check.refuses('M', database(*VERSION_1))
    check.refuses('M', database(*VERSION_1, 'CREATE TABLE node (x)'))
    check.refuses('M', database(
        *VERSION_1, *TYPES, 'CREATE TABLE node (identifier TEXT, nodetypeid)',
        "INSERT INTO node VALUES ('x', 1)"), says='node row 1')


@row('J40')
def database_with_a_journal(check):
    data = bytearray(database(*NODES))
    data[18:20] = b'\x02\x02'  # written by a WAL
    check.refuses('U', bytes(data), at=18, says='journal_mode')


@row('J41')
def sequence_lies(check):
    check.accepts(database(
        *VERSION_1, *TYPES, 'CREATE TABLE node (identifier INTEGER PRIMARY KEY'
        ' AUTOINCREMENT, nodetypeid INTEGER)',
        'INSERT INTO node VALUES (3, 1)',
        'UPDATE sqlite_sequence SET seq = 9223372036854775806'), back=False)


@row('J42')
def null_identifier(check):
    check.refuses('M', database(*NODES, 'INSERT INTO node VALUES (NULL, 1)'))


@row('J43')
def other_version(check):
    check.accepts(database(*NODES, 'PRAGMA user_version = 99',
                           'PRAGMA application_id = 1'), back=False)
    check.refuses('U', database(*NODES, 'PRAGMA user_version = 99',
                                'PRAGMA application_id = 0x68646d70'), at=60)
    check.refuses('U', database(*NODES, "UPDATE metadata SET value = '2'"))


@row('J44')
def million_fields(check):
    start, end = (b'{"type":"type","code":9,"name":"x.a","fields":[["a","u32"]',
                  b']}\n')
    pieces = [dump(end=BARE), start,
              *(b''.join(b',["f%d","u32"]' % i
                         for i in range(first, first + 10_000))
                for first in range(0, 200_000, 10_000)), end]
    check.refuses('L', pieces, at=(HERE,))


@row('J45')
def record_too_long(check):
    check.refuses('M', dump([2, 3, OBJECT, 3, 5, 7, 9], end=BARE), at=(HERE,))
    check.refuses('M', dump([3, 1, 3, 5, 2, 0], end=BARE), at=(HERE,))


@row('J46')
def much_metadata(check):
    lines = ['{"type":"metadata","key":"k%d","value":"v"}' % i
             for i in range(check.rounds(100_000))]
    check.warns(dump(*lines, *GRAPH, end=BARE), says='trailer')


@row('J47')
def many_unknown_types(check):
    lines = ['{"type":"t%d","a":1}' % i
             for i in range(check.rounds(100_000))]
    check.warns(dump(*lines, *GRAPH, end=BARE), says='trailer')


@row('J48')
def names_far_away(check):
    # The text of each class comes after many edges, and is read twice.
    edges, classes = check.rounds(200_000), check.rounds(10_000)
    pieces = [dump([4, 2, 'a'], [2, 3, OBJECT, 7], end=BARE),
              b'[3,1,3,3,2]\n' * edges, b'[2,5,%d,2,2]\n' % FLAT,
              *(b'[2,%d,%d,4,5,5]\n' % (2 * i + 7, CONS)
                for i in range(classes)),
              *(b'[2,%d,%d,%d]\n' % (2 * (classes + i) + 7, OBJECT, 2 * i + 7)
                for i in range(classes))]
    check.warns(pieces, says='trailer')


@row('J49')
def fields_times_subtypes(check):
    fields = ''.join(f',["f{i:04}","u32"]' for i in range(1000))
    start = (f'{{"type":"type","code":9,"name":"x.a","fields":'
             f'[["subtype","u32"]{fields}]}}')
    lines = [f'{{"type":"subtype","of":"x.a","code":{i},"name":"s{i}",'
             '"fields":[]}' for i in range(4000)]
    check.refuses('L', dump(start, *lines, end=BARE), says='fields')


@row('J50')
def columns_times_subtypes(check):
    if check.binary.sanitized:
        raise Skipped('takes a minute with sanitizers')
    columns = ''.join(f', common{i:04} INTEGER' for i in range(1000))
    check.refuses('L', database(
        *VERSION_1, *TYPES, 'CREATE TABLE node (identifier INTEGER PRIMARY KEY,'
        f' nodetypeid INTEGER{columns})',
        *(f"INSERT INTO node_types VALUES ({i}, 's{i}')"
          for i in range(10, 4000))), says='columns')
    columns = ''.join(f', c{i} INTEGER' for i in range(1500))
    check.refuses('L', database(
        *VERSION_1, *TYPES, 'CREATE TABLE node (identifier INTEGER PRIMARY KEY,'
        f' nodetypeid INTEGER{columns})'), says='columns')


@row('J51')
def trailer_counts_in_any_order(check):
    body = dump(*GRAPH, end=b'')
    for counts in ({'hg.x': 0, 'node': 0}, {'hg.x': 0}):
        found = json.loads(trailer(body))['counts']
        counts.update(found)
        check.accepts(body + trailer(body, counts=counts))
    check.refuses('M', body + trailer(body, counts={'hg.x': 1, **found}),
                  says='counts 1')
    check.refuses('M', body + trailer(body, counts={'hg.x': 0}),
                  says='counts 0 records')
    damaged = trailer(body, counts={'hg.x': 0, **found})
    check.refuses('M', body + damaged.replace(b'"hg.x":0,', b'"hg.x":0 '))


@row('J52')
def heaps_times_subtypes(check):
    heaps, subtypes = 10_000, 4000
    schema = [VERSION, NODE.replace('"u32"]', '"u32"],["hg.heap","u32"]'),
              *(f'{{"type":"subtype","of":"node","code":{i},"name":"s{i}",'
                '"fields":[]}' for i in range(subtypes))]
    nodes = [b'[2,%d,0,%d]\n' % (2 * i + 1, i) for i in range(heaps)]
    start = dump(schema=schema, end=BARE)
    few = MIB // (subtypes + 3)  # unknown, unknown, field
    check.refuses('L', [start, *nodes], at=(len(schema) + few + 1, 1),
                  says='too many heaps')
    check.warns([start, *nodes[:few]], says='trailer')


@row('J53')
def long_line_asked_for_often(check):
    many, text = check.rounds(10_000), b'x' * check.rounds(10 * MIB)
    name = [dump(end=BARE), b'[4,2,"%s"]\n' % text]
    # All classes have that name.
    check.warns([*name, *(b'[2,%d,%d,4,2]\n[2,%d,%d,%d]\n' %
                          (4 * i + 3, FLAT, 4 * i + 5, OBJECT, 4 * i + 3)
                          for i in range(many))], says='trailer')
    # All nodes are slices of the text.
    inline = ('{"type":"subtype","of":"node","code":20,"name":"x.long",'
              '"fields":[["length","value"],["x.text","inline_string"]]}')
    check.warns([dump(inline, end=BARE),
                 b'[2,3,20,%d,"%s"]\n' % (len(text) << 1, text),
                 *(b'[2,%d,%d,4,3,2]\n' % (2 * i + 5, SLICED)
                   for i in range(many))], says='trailer')
    if check.binary.sanitized:
        return
    # One of too many names to keep them all.
    kept = 65_536
    check.warns([*name,
                 *(b'[4,%d,"o%d"]\n[2,%d,%d,%d]\n' %
                   (2 * i + 4, i, 2 * i + 3, ODDBALL, 2 * i + 4)
                   for i in range(kept)),
                 *(b'[2,%d,%d,2]\n' % (2 * (kept + i) + 3, ODDBALL)
                   for i in range(many))], says='an oddball called')


@row('J54')
def many_types_many_records(check):
    types, records = 4000, check.rounds(600_000)
    check.warns([dump(*(f'{{"type":"type","code":{i},"name":"x.t{i:05}",'
                        '"fields":[]}' for i in range(10, types)), end=BARE),
                 b'{"type":"x.t%05d"}\n' % (types - 1) * records],
                says='trailer')


def varint(number):
    """A varint as SQLite encodes it."""
    groups = [number & 0x7f]
    while number := number >> 7:
        groups.append(number & 0x7f | 0x80)
    return bytes(reversed(groups))


def pages_shared(statements, table, record, fill):
    """A database where `table` repeats one leaf page many times, all rows of
    which share one chain of pages with 400 KB of text. `record` makes the bytes
    before the text, given its length and the row."""
    size, local, links = 4096, 489, 100
    data = bytearray(database(*NODES, *statements))
    first = len(data) // size + 1  # of the new pages: inner, leaf, chain
    connection = sqlite3.connect(':memory:')
    connection.deserialize(bytes(data))
    root, = connection.execute('SELECT rootpage FROM sqlite_schema WHERE name'
                               ' = ?', (table,)).fetchone()
    connection.close()
    payload = local + links * (size - 4)
    text = payload - len(record(payload, 1))

    def page(kind, cells, head=b''):
        body, pointers = b'', b''
        for cell in cells:
            body = cell + body
            pointers += (size - len(body)).to_bytes(2, 'big')
        start = (bytes([kind]) + bytes(2) + len(cells).to_bytes(2, 'big') +
                 (size - len(body)).to_bytes(2, 'big') + b'\0' + head +
                 pointers)
        return start + bytes(size - len(start) - len(body)) + body

    def inner(child):
        child = child.to_bytes(4, 'big')
        return page(5, [child + varint(2 * i) for i in range(1, 21)], child)

    data[(root - 1) * size:root * size] = inner(first)
    data += inner(first + 1)
    data += page(13, [
        varint(payload) + varint(2 * i) +
        (record(text, i) + fill * local)[:local] +
        (first + 2).to_bytes(4, 'big') for i in range(1, 9)])
    for i in range(links):
        behind = first + 3 + i if i + 1 < links else 0
        data += behind.to_bytes(4, 'big') + fill * (size - 4)
    data[28:32] = (len(data) // size).to_bytes(4, 'big')
    return bytes(data)


@row('J55')
def rows_share_a_text(check):
    # Headers of records: their sizes, and the types and sizes of columns.
    key_and_text = lambda size, _: b'\5\x0f' + varint(13 + 2 * size) + b'k'
    id_and_text = lambda size, i: b'\5\1' + varint(13 + 2 * size) + bytes([i])
    field = lambda size, _: (b'\x08\x0f\x0f\1\x13' + varint(13 + 2 * size) +
                             b'tc\0u32')
    for statements, table, record, fill in (
            ((), 'metadata', key_and_text, b'v'),
            (('CREATE TABLE strings (stringid INTEGER, text TEXT)',),
             'strings', id_and_text, b'x'),
            (('CREATE TABLE edge (source INTEGER, name TEXT)',),
             'edge', id_and_text, b'x'),
            (('CREATE TABLE hg_fields (table_name TEXT, column_name TEXT,'
              ' ordinal INTEGER, field_type TEXT, field_name TEXT)',),
             'hg_fields', field, b'f')):
        data = pages_shared(statements, table, record, fill)
        name, _ = check.write(data)
        # ulimit -f counts blocks of 512 bytes: 32 MiB.
        run = check.run('convert', name, '-o', 'x.heapir',
                        limits='ulimit -t 5; ulimit -f 65536')
        check.require(run.code == CODES['M'], f'{table}: not refused in time: {run}')
        check.refuses('M', data, says='again and again')


@row('J56')
def utf_16(check):
    text = dump(*GRAPH).decode()
    for encoding in ('utf-16', 'utf-16-le', 'utf-16-be'):
        for args in ([], ['--from', 'ndjson']):
            run = check.refuses('M', text.encode(encoding), says='UTF-16',
                                args=args)
            check.require(b'heapsnapshot: ' not in run.err, str(run))


@row('J57')
def texts_of_one_hash(check):
    # Keys of a record, its type, and the names of classes.
    texts = colliding(check.rounds(60_000))
    for lines in ([b'{"type":"a.b",' +
                   b','.join(b'"%s":1' % text for text in texts) + b'}'],
                  [b'{"type":"a.%s"}' % text for text in texts],
                  [b'[4,%d,"%s"]\n[2,%d,%d,16,%d]\n[2,%d,%d,%d]' %
                   (2 * i + 2, text, 4 * i + 7, FLAT, 2 * i + 2, 4 * i + 9,
                    OBJECT, 4 * i + 7) for i, text in enumerate(texts)]):
        name, _ = check.write(dump(*lines, *GRAPH[1:], end=BARE))
        for source, target in ((name, 'o.heapir'), (name, 'o.heapsnapshot'),
                               ('o.heapir', 'back.ndjson')):
            run = check.run('convert', source, '-q', '-f', '-o', target,
                            limits=check.seconds(10))
            check.require(run.code == 0, f'not done in time: {run}')
        check.letters.add('W')


@row('J58')
def keys_times_fields(check):
    # With a second field of the same name, keys do not tell fields apart.
    keys = ','.join(f'"bbbbbbbb{i:04}":1' for i in range(1000))
    line = '{"type":"x.t",' + keys + '}'
    for twin in ('', ',["aaaaaaaa0000","u32"]'):
        fields = ','.join(f'["aaaaaaaa{i:04}","u32"]' for i in range(1000))
        start = ('{"type":"type","code":9,"name":"x.t","fields":'
                 f'[{fields}{twin}]}}')
        name, _ = check.write(dump(start, *[line] * check.rounds(400), *GRAPH,
                                   end=BARE))
        run = check.run('convert', name, '-q', '-f', '-o', 'o.heapsnapshot',
                        limits=check.seconds(10))
        check.require(run.code == 0, f'not done in time: {run}')
        check.letters.add('W')
