"""Rows V: V8 heap snapshots."""

import json

import dartheap_builder as build
from harness import MIB, colliding, cuts, packed, row
from heapsnapshot_builder import (EDGES, NODES, NODE_FIELDS, NODE_TYPES,
                                  STRINGS, document, meta, snapshot)

OURS = ['--from', 'heapsnapshot']


def changed(numbers, index, value):
    """A copy with another value, as text, so that it may be any token."""
    copy = [str(number) for number in numbers]
    copy[index] = str(value)
    return '[' + ','.join(copy) + ']'


def end_of(data, part):
    """The offset after the first `part`."""
    return data.index(part) + len(part)


def value_at(data, key, index):
    """The offset of a number in an array of numbers without white space."""
    at = data.index(b'"' + key.encode() + b'":[') + len(key) + 4
    for _ in range(index):
        at = data.index(b',', at) + 1
    return at


@row('V1')
def empty(check):
    check.refuses('T', b'', at=0, args=OURS)
    check.refuses('T', b' \n\t\r ' * 100, args=OURS)


@row('V2')
def every_prefix(check):
    data = snapshot(locations=[5, 1, 2, 3], extra_meta={
        'location_fields': ['object_index', 'script_id', 'line', 'column']})
    for size in check.some(cuts(data)):
        check.refuses('T', data[:size], at=size, args=OURS)


@row('V3')
def deep_nesting(check):
    for opening in (b'[', b'{"a":'):
        start = b'{"snapshot":{},"x":'
        check.refuses('L', [start, *[opening * 1000] * 1000],
                      at=len(start) + 9999 * len(opening),
                      says='--max-depth')
        check.refuses('ML', [start[:-5] + b'}', *[opening * 1000] * 1000],
                      args=OURS)
        check.refuses('M', [opening * 1000] * 1000)


@row('V4')
def deep_trace_tree(check):
    fields = {'trace_function_info_fields': ['function_id', 'name',
                                             'script_name', 'script_id',
                                             'line', 'column'],
              'trace_node_fields': ['id', 'function_info_index', 'count',
                                    'size', 'children']}
    depth = 100_000
    tree = b'[' + b'1,0,0,0,[' * depth + b']' * depth + b']'
    data = snapshot(extra_meta=fields, trace_tree=tree,
                    trace_function_infos=[0, 0, 0, 0, 0, 0])
    check.refuses('L', data, says='--max-depth')
    check.accepts(data, args=['--max-depth', '1000000'], back=False)


@row('V5')
def parts_missing(check):
    check.refuses('M', snapshot(head=None, snapshot=None), says='snapshot',
                  args=OURS)
    for part in ('nodes', 'edges'):
        check.refuses('M', snapshot(**{part: None}), says=part)
    check.refuses('M', snapshot(head=b'{"node_count":3}'), says='meta')
    for part in ('node_fields', 'edge_fields'):
        check.refuses('M', snapshot(extra_meta={part: None}), says=part)


@row('V6')
def parts_in_another_order(check):
    for order in (['nodes', 'snapshot', 'edges', 'strings'],
                  ['strings', 'edges', 'nodes', 'snapshot']):
        data = snapshot(order=order)
        check.accepts(data, args=OURS)
        check.accepts(data)


@row('V7')
def key_twice(check):
    for key in ('nodes', 'strings', 'snapshot', 'unknown'):
        more = [(key, [])] if key != 'unknown' else [(key, []), (key, [])]
        data = snapshot(more=more)
        check.refuses('M', data, says=key)


@row('V8')
def key_twice_in_snapshot(check):
    head = document([('node_count', 9), ('meta', meta()), ('node_count', 3),
                     ('edge_count', 2)])
    check.warns(snapshot(head=head), says='twice')


@row('V9')
def fields_missing(check):
    for name in ('type', 'name', 'id', 'edge_count'):
        fields = [field for field in NODE_FIELDS if field != name]
        check.refuses('M', snapshot(extra_meta={'node_fields': fields}),
                      says=name)


@row('V10')
def field_twice(check):
    check.refuses('M', snapshot(extra_meta={
        'node_fields': [*NODE_FIELDS, 'id']}), says='id')


@row('V11')
def fields_in_another_order(check):
    nodes = []
    for at in range(0, len(NODES), 5):
        kind, name, number, size, edges = NODES[at:at + 5]
        nodes += [edges, 7, number, name, size, kind]
    edges = [value // 5 * 6 if i % 3 == 2 else value
             for i, value in enumerate(EDGES)]
    types = ['number', 'number', 'number', 'string', 'number', NODE_TYPES[0]]
    check.accepts(snapshot(nodes=nodes, edges=edges, extra_meta={
        'node_fields': ['edge_count', 'novelty', 'id', 'name', 'self_size',
                        'type'], 'node_types': types}))


@row('V12')
def million_fields(check):
    start, end = snapshot(extra_meta={
        'node_fields': [*NODE_FIELDS, '@']}).split(b'@')
    check.refuses('L', [start, *[b'f","' * 1000] * 200, end])


@row('V13')
def unknown_node_type(check):
    data = snapshot(nodes=changed(NODES, 5, 5),
                    extra_meta={'node_types': [[], *NODE_TYPES[1:]]})
    check.warns(data, says='type')
    for kind in (3, 255, 2**32, 2**53):
        check.warns(snapshot(nodes=changed(NODES, 5, kind)), says=str(kind))


@row('V14')
def node_types_no_array(check):
    types = ['synthetic', *NODE_TYPES[1:]]
    check.refuses('M', snapshot(extra_meta={'node_types': types}))
    check.refuses('M', snapshot(extra_meta={'node_types': 'synthetic'}))


@row('V15')
def last_node_short(check):
    data = snapshot(nodes=NODES[:-1])
    check.refuses('M', data, at=value_at(data, 'nodes', 10))
    data = snapshot(nodes=[*NODES, 1])
    check.refuses('M', data, at=value_at(data, 'nodes', 15))


@row('V16')
def last_edge_short(check):
    data = snapshot(edges=EDGES[:-1])
    check.refuses('M', data, at=value_at(data, 'edges', 3))


@row('V17')
def node_count_0(check):
    check.accepts(snapshot(node_count=0, edge_count=0))


@row('V18')
def node_count_huge(check):
    for count in (2**53, 2**64 - 1, 4):
        check.warns(snapshot(node_count=count), says='node_count')


@row('V19')
def more_edges_claimed(check):
    data = snapshot(nodes=changed(NODES, 14, 1))
    check.refuses('M', data, says='edge')


@row('V20')
def fewer_edges_claimed(check):
    data = snapshot(nodes=changed(NODES, 9, 0))
    check.refuses('M', data, says='belong to no node')


@row('V21')
def edge_counts_overflow(check):
    for count in (2**32, 2**63, 2**64 - 1):
        check.refuses('M', snapshot(nodes=changed(NODES, 14, count)))
    check.refuses('M', snapshot(nodes=changed(NODES, 14, 2**64)))


@row('V22')
def target_between_nodes(check):
    check.warns(snapshot(edges=changed(EDGES, 5, 7)), says='7')


@row('V23')
def target_past_the_end(check):
    for target in (len(NODES), 2**53, 2**64 - 1):
        check.warns(snapshot(edges=changed(EDGES, 5, target)),
                    says=str(target))


@row('V24')
def target_negative(check):
    data = snapshot(edges=changed(EDGES, 5, -5))
    check.refuses('M', data, at=value_at(data, 'edges', 5))


@row('V25')
def name_past_the_end(check):
    data = snapshot(nodes=changed(NODES, 6, len(STRINGS)))
    check.refuses('M', data, at=value_at(data, 'nodes', 6))
    data = snapshot(edges=changed(EDGES, 4, len(STRINGS)))
    check.refuses('M', data, at=value_at(data, 'edges', 4))


@row('V26')
def name_huge(check):
    for name in (2**63, 2**64 - 1):
        data = snapshot(nodes=changed(NODES, 6, name))
        check.refuses('M', data, at=value_at(data, 'nodes', 6))


@row('V27')
def element_index_huge(check):
    for index in (2**32 - 1, 2**53):
        check.accepts(snapshot(edges=changed(EDGES, 1, index)))


@row('V28')
def integers_in_other_forms(check):
    for form in ('16.0', '1.6e1', '16e0', '160e-1'):
        check.warns(snapshot(nodes=changed(NODES, 8, form)), says='not written')
    check.warns(snapshot(nodes=changed(NODES, 3, '-0')), says='not written')


@row('V29')
def no_integers(check):
    for form in ('1.5', '1e400', 'NaN', '0x10', '01', '+1', '.5', '1.', '-',
                 '1e', 'Infinity'):
        data = snapshot(nodes=changed(NODES, 8, form))
        check.refuses('M', data)


@row('V30')
def id_past_64_bits(check):
    data = snapshot(nodes=changed(NODES, 7, 2**64))
    check.refuses('M', data, at=value_at(data, 'nodes', 7))


@row('V31')
def string_among_numbers(check):
    data = snapshot(nodes=changed(NODES, 8, '"12"'))
    check.refuses('M', data, at=value_at(data, 'nodes', 8))


@row('V32')
def other_values_among_numbers(check):
    for value in ('null', 'true', '[]', '{}'):
        data = snapshot(nodes=changed(NODES, 8, value))
        check.refuses('M', data, at=value_at(data, 'nodes', 8))


@row('V33')
def commas(check):
    for part in ('nodes', 'edges', 'strings'):
        value = json.dumps({'nodes': NODES, 'edges': EDGES,
                            'strings': STRINGS}[part])
        check.refuses('M', snapshot(**{part: value[:-1] + ',]'}))
        check.refuses('M', snapshot(**{part: value.replace(', ', ' ', 1)}))
        check.refuses('M', snapshot(**{part: '[,' + value[1:]}))


@row('V34')
def byte_order_mark(check):
    check.warns(snapshot(before=b'\xef\xbb\xbf'), at=0, says='BOM')


@row('V35')
def utf_16(check):
    text = snapshot().decode()
    for encoding in ('utf-16', 'utf-16-le', 'utf-16-be'):
        for args in ([], OURS):
            check.refuses('M', text.encode(encoding), says='UTF-16', args=args)


@row('V36')
def strings_that_are_no_utf8(check):
    for raw in (b'\xff', b'\xc0\x80', b'\xed\xa0\x80', b'\xf5\x80\x80\x80',
                b'a\xe2\x82'):
        data = snapshot(strings=b'["","Person","' + raw + b'","name"]')
        check.warns(data, says='UTF-8', at=data.index(raw) - 1)


@row('V37')
def lone_surrogates(check):
    for text in (r'\ud800', r'\udc00', r'\ud800\ud800', r'a\udbffb'):
        check.accepts(snapshot(strings=f'["","Person","{text}","name"]'))


@row('V38')
def nul_in_a_string(check):
    check.accepts(snapshot(strings=r'["","Person","a\u0000b","name"]'))


@row('V39')
def control_in_a_string(check):
    for byte in (b'\n', b'\x00', b'\x1b', b'\x1f'):
        data = snapshot(strings=b'["","Person","a' + byte + b'b","name"]')
        check.refuses('M', data, at=data.index(b'a' + byte) + 1)


@row('V40')
def long_string(check):
    start, end = snapshot(strings=b'["","Person","@","name"]').split(b'@')
    # The target is ndjson, whose writer keeps a whole string.
    pieces = [start, *[b'x' * MIB] * 32, end]
    check.accepts(pieces, size=2 * 32 * MIB)
    check.refuses('L', pieces, args=['--max-string', '1M'],
                  says='--max-string')


@row('V41')
def many_strings(check):
    start, end = snapshot(strings=b'["","Person","@","name"]').split(b'@')
    pieces = [start, b'",', *[b'"",' * 100_000] * 10, b'"', end]
    check.accepts(pieces)


@row('V42')
def strings_missing(check):
    check.refuses('M', snapshot(strings=None), says='strings')
    check.accepts(snapshot(order=['snapshot', 'strings', 'nodes', 'edges']))


@row('V43')
def second_document(check):
    data = snapshot()
    for after in (data, b'x', b'{}', b','):
        check.refuses('M', data + after, at=len(data))


@row('V44')
def trailing_zeros(check):
    data = snapshot()
    check.warns(data + bytes(100), at=len(data), says='NUL')


@row('V45')
def id_twice(check):
    data = snapshot(nodes=changed(NODES, 7, 5))
    check.refuses('M', data, says='5')
    data = snapshot(nodes=changed(changed(NODES, 7, 2**40)[1:-1].split(','),
                                  12, 2**40))
    check.refuses('M', data, says=str(2**40))


@row('V46')
def location_of_no_node(check):
    fields = {'location_fields': ['object_index', 'script_id', 'line',
                                  'column']}
    for index in (7, 2**40):
        check.warns(snapshot(extra_meta=fields, locations=[index, 1, 2, 3]),
                    says='object_index')


@row('V47')
def location_fields_odd(check):
    fields = {'location_fields': ['script_id', 'line', 'column']}
    check.warns(snapshot(extra_meta=fields, locations=[1, 2, 3]),
                says='locations')


@row('V48')
def samples_odd(check):
    fields = {'sample_fields': ['timestamp_us', 'last_assigned_id']}
    data = snapshot(extra_meta=fields, samples=[1, 2, 3])
    check.refuses('M', data, at=value_at(data, 'samples', 2))


@row('V49')
def line_of_2_to_32(check):
    fields = {'trace_function_info_fields': [
        'function_id', 'name', 'script_name', 'script_id', 'line', 'column']}
    check.accepts(snapshot(extra_meta=fields, trace_function_infos=[
        1, 1, 0, 0, 2**32 - 1, 2**32 - 1]))


@row('V50')
def unknown_key(check):
    start, end = snapshot(more=[('novelty', b'["@",{"a":[null]}]')]).split(
        b'@')
    check.accepts([start, *[b'x' * MIB] * 32, end])


@row('V51')
def long_key(check):
    start, end = snapshot(more=[('@', 1)]).split(b'@')
    check.refuses('L', [start, *[b'k' * MIB] * 16, end])


@row('V52')
def gzip_bomb(check):
    data = packed([snapshot(), *[b' ' * MIB] * 100])
    check.refuses('L', data, says='gzip', size=20 * MIB)


def carried(check):
    """The leftovers in a snapshot that was converted from another dump."""
    name, _ = check.write(build.people(), 'other.dartheap')
    run = check.run('convert', '-q', name, '-o', 'other.heapsnapshot')
    check.require(run.code == 0, str(run))
    text = (check.dir / 'other.heapsnapshot').read_text()
    return text[text.rindex(':') + 1:text.rindex('}')]


@row('V53')
def leftovers_of_others(check):
    for value in ('1', '{"heapir":"AAAA"}', '["' + 'A' * 1000 + '"]',
                  '{"sha256":"00","data":"!!!"}', 'null'):
        check.accepts(snapshot(more=[('x-heapir', value)]))
    # Our own key: empty, not base64, not heapir, truncated heapir, leftovers of
    # another file.
    mine = 'x-heapglot-leftovers'
    whole = carried(check)
    for value in ('""', '"!!!!"', '"AAAA"', '"' + 'A' * 1000 + '"',
                  whole[:200] + '"', whole.replace('A', 'B'), whole):
        check.notes(snapshot(more=[(mine, value)]), says='ignored')
    for value in ('1', 'null', '{}', '[""]'):
        check.accepts(snapshot(more=[(mine, value)]))


@row('V54')
def detachedness_huge(check):
    nodes = []
    for at in range(0, len(NODES), 5):
        nodes += [*NODES[at:at + 5], 2**32]
    edges = [value // 5 * 6 if i % 3 == 2 else value
             for i, value in enumerate(EDGES)]
    check.accepts(snapshot(nodes=nodes, edges=edges, extra_meta={
        'node_fields': [*NODE_FIELDS, 'detachedness'],
        'node_types': [*NODE_TYPES, 'number']}))


@row('V55')
def sampling_profile(check):
    profile = document([('head', {'callFrame': {}, 'children': []}),
                        ('samples', []), ('startTime', 1)])
    check.refuses('U', profile, says='sampling profile', args=OURS)


@row('V56')
def every_row_is_odd(check):
    # Finding the place of a finding takes a search: only for those that are
    # shown.
    count = 500_000
    nodes = [3, 1, 1, 16, count] + NODES[5:9] + [0] + NODES[10:14] + [0]
    for edge, says in (('99,1,0', 'edge.type'), ('1,1,0.0', 'number.form')):
        name, _ = check.write(
            snapshot(nodes=nodes, edge_count=count,
                     edges='[' + ','.join([edge] * count) + ']'))
        run = check.run('validate', name, limits=check.seconds(10))
        check.require(run.code == 0 and says.encode() in run.out,
                      f'not done in time: {run}')
        check.letters.add('W')


@row('V57')
def more_types_than_the_draft_has(check):
    types = [f't{i}' for i in range(5000)]
    data = snapshot(extra_meta={'edge_types': [types, 'string_or_number',
                                               'node']})
    name, _ = check.write(data)
    run = check.run('convert', name, '-q', '-o', 'o.heapir')
    check.require(run.code == 0, str(run))
    check.letters.add('A')
    for target in ('o.ndjson', 'o.sqlite'):
        run = check.run('convert', name, '-q', '-o', target)
        check.check_error(run, 'L', name)


@row('V58')
def keys_of_one_hash(check):
    keys = b','.join(b'"%s":1' % key for key in colliding(check.rounds(80_000)))
    head = document([('meta', meta()), ('node_count', 3), ('edge_count', 2)])
    for data in (snapshot(head=head[:-1] + b',' + keys + b'}'),
                 snapshot(head=head.replace(b'}', b',' + keys + b'}', 1))):
        name, _ = check.write(data)
        run = check.run('convert', name, '-q', '-f', '-o', 'o.heapir',
                        limits=check.seconds(10))
        check.require(run.code == 0, f'not done in time: {run}')
        check.letters.add('A')


@row('V59')
def long_names_in_many_places(check):
    # Fields with one name in one class; classes with one name, each for an edge with
    # a name of its own.
    size, count = MIB, 600
    fields = snapshot(
        nodes=NODES[:4] + [count] + NODES[5:9] + [0] + NODES[10:],
        edges=[1, 4, 5] * count, edge_count=count,
        strings=[*STRINGS, 'f' * size])
    classes = snapshot(
        node_count=count + 1, edge_count=2 * count,
        nodes=NODES[:4] + [count] + [
            number for i in range(count)
            for number in (1, 1, 2 * i + 3, 16, 1)],
        edges=[number for i in range(count)
               for number in (0, i, 5 * i + 5)] + [
            number for i in range(count) for number in (1, i + 2, 0)],
        strings=['', 'c' * size, *(f'f{i}' for i in range(count))])
    for data, code in ((fields, 'edge.name'), (classes, 'type')):
        name, _ = check.write(data)
        # ulimit -f counts blocks of 512 bytes: 300 MiB.
        run = check.run('convert', name, '-f', '--embed', 'none', '-o',
                        'o.dartheap', limits='ulimit -f 614400')
        check.require(run.code == 0 and
                      f' {code}.repeated'.encode() in run.err, str(run))
        check.letters.add('A')
