#!/usr/bin/env python3
"""Makes files of corpus/heapir: make_corpus.py CORPUS/heapir.

bad/ gets a file for each way in which a heapir file can be wrong, with the
expected error in FILE.error; good/ gets valid files that our writer does not
write. The same bytes in every run."""

import gzip
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parent.parent / 'proto'
MALFORMED, TRUNCATED, LIMIT, UNSUPPORTED = 3, 4, 5, 6
MIB = 1 << 20
OK = 0
GROUPED = {'edges_grouped': True}
CASES = {}


def case(code):
    """Registers a function that builds a broken file.

    It gets a File and returns the offset of the error, or None if that is in
    the last frame."""
    def register(make):
        CASES[make.__name__.replace('_', '-')] = (make, code)
        return make
    return register


def start(file, graph=None, made_as='test', **header):
    """A file header, a Header, and a Graph."""
    file.header(**header)
    file.chunk(header={'format': made_as})
    file.chunk(graph=graph or {})


def finish(file, strings=1, **totals):
    """The ends of a graph and of a file."""
    file.chunk(graph_end=totals)
    file.footer(strings=strings)


def column(*path, entries, **more):
    """A Column."""
    return heapir.planes(path, entries, **more)


# ------------------------------------------------------------ the file itself

@case(TRUNCATED)
def empty(file):
    file.data = b''
    return 0


@case(TRUNCATED)
def half_of_the_magic(file):
    file.data = heapir.MAGIC[:5]
    return 5


@case(MALFORMED)
def text_mode_transfer(file):
    start(file)
    finish(file)
    file.data = file.data.replace(b'\r\n', b'\n')
    return 0


@case(TRUNCATED)
def no_footer(file):
    start(file)
    file.chunk(graph_end={})
    return len(file.data)


@case(TRUNCATED)
def frame_of_60_bytes_with_20_left(file):
    start(file)
    file.bytes(heapir.varint(60) + b'\x08' * 20)
    return len(file.data)


@case(MALFORMED)
def bytes_after_the_footer(file):
    start(file)
    finish(file)
    end = len(file.data)
    file.bytes(b'\0')
    return end


@case(MALFORMED)
def two_footers(file):
    start(file)
    finish(file)
    end = len(file.data)
    file.footer()
    return end


# --------------------------------------------------------------------- frames

@case(LIMIT)
def frame_length_4_gib(file):
    start(file)
    file.bytes(heapir.varint((1 << 32) - 1))


@case(LIMIT)
def frame_length_64_mib_and_1(file):
    start(file)
    file.bytes(heapir.varint(64 * MIB + 1))


@case(MALFORMED)
def frame_length_of_10_bytes(file):
    start(file)
    file.bytes(b'\xff' * 9 + b'\x01')


@case(MALFORMED)
def frame_length_0(file):
    start(file)
    file.bytes(b'\0')


@case(LIMIT)
def raw_size_4_gib(file):
    start(file)
    file.raw(21, b'x', raw_size=(1 << 32) - 1)


@case(MALFORMED)
def raw_size_too_small(file):
    start(file)
    file.raw(5, b'\x0a\x02\x2a\x00', raw_size=3)


@case(MALFORMED)
def raw_size_too_large(file):
    start(file)
    file.raw(5, b'\x0a\x02\x2a\x00', raw_size=5)


@case(MALFORMED)
def checksum(file):
    start(file)
    file.frame(frame_pb2.Frame(kind=5, raw_size=4, raw=b'\x0a\x02\x2a\x00'),
               checksum=1)


@case(MALFORMED)
def no_content(file):
    start(file)
    file.frame(frame_pb2.Frame(kind=5))


@case(MALFORMED)
def two_contents(file):
    start(file)
    body = b'\x08\x05\x18\x04\x22\x04\x0a\x02\x2a\x00\x2a\x01x'
    body += b'\x31' + heapir.checksum_of(body).to_bytes(8, 'little')
    file.bytes(heapir.varint(len(body)) + body)


@case(MALFORMED)
def frame_field_unknown(file):
    start(file)
    body = b'\x08\x05\x18\x04\x22\x04\x0a\x02\x2a\x00'
    body += b'\x31' + heapir.checksum_of(body).to_bytes(8, 'little')
    body += b'\x38\x01'
    file.bytes(heapir.varint(len(body)) + body)


def zstd(data):
    """A zstd frame."""
    import zstandard
    return zstandard.ZstdCompressor(level=1).compress(data)


@case(MALFORMED)
def zstd_without_the_feature(file):
    start(file)
    file.frame(frame_pb2.Frame(kind=5, raw_size=4,
                               zstd=zstd(b'\x0a\x02\x2a\x00')))


@case(MALFORMED)
def zstd_with_trailing_bytes(file):
    start(file, required_features=['zstd'])
    file.frame(frame_pb2.Frame(kind=5, raw_size=4,
                               zstd=zstd(b'\x0a\x02\x2a\x00') + b'x'))


@case(MALFORMED)
def zstd_cut(file):
    start(file, required_features=['zstd'])
    file.frame(frame_pb2.Frame(kind=5, raw_size=4,
                               zstd=zstd(b'\x0a\x02\x2a\x00')[:-1]))


@case(MALFORMED)
def zstd_skippable_frame(file):
    start(file, required_features=['zstd'])
    file.frame(frame_pb2.Frame(kind=5, raw_size=0,
                               zstd=b'\x50\x2a\x4d\x18\0\0\0\0'))


@case(LIMIT)
def zstd_bomb(file):
    start(file, required_features=['zstd'])
    file.frame(frame_pb2.Frame(kind=20, raw_size=64 * MIB,
                               zstd=zstd(bytes(64 * MIB))))


@case(MALFORMED)
def names_flag_wrong(file):
    start(file)
    content = frame_pb2.Content(chunk={'strings': {'first': 1, 'data': b'a'}},
                                column=[column(3, entries=[1])])
    file.raw(3, content.SerializeToString(), names=True)


# --------------------------------------------------------------------- header

@case(MALFORMED)
def no_file_header(file):
    file.chunk(header={'format': 'test'})


@case(MALFORMED)
def two_file_headers(file):
    file.header()
    file.header()


@case(UNSUPPORTED)
def version_2(file):
    file.header(version_major=2)


@case(MALFORMED)
def version_0(file):
    file.header(version_major=0, version_minor=1)


@case(UNSUPPORTED)
def required_feature(file):
    file.header(required_features=['zstd', 'holography'])


@case(LIMIT)
def file_header_of_64_kib(file):
    file.header(optional_features=['x' * (64 << 10)])


@case(UNSUPPORTED)
def kind_99(file):
    start(file)
    file.raw(99, b'x')


# -------------------------------------------------------------------- trailer

@case(MALFORMED)
def no_trailer(file):
    start(file)
    file.chunk(graph_end={})
    file.chunk(footer={'graphs': 1, 'strings': 1})


@case(MALFORMED)
def trailer_of_another_chunk(file):
    start(file)
    file.chunk(trailer=file.trailer(), graph_end={})


@case(MALFORMED)
def frames_wrong(file):
    start(file)
    file.chunk(graph_end={})
    file.footer(frames=3)


@case(MALFORMED)
def checksum_of_all_wrong(file):
    start(file)
    file.chunk(graph_end={})
    file.footer(checksum=3)


# -------------------------------------------------------------------- content

@case(MALFORMED)
def kind_of_another_chunk(file):
    start(file)
    content = frame_pb2.Content(chunk={'graph_end': {}})
    file.raw(6, content.SerializeToString())


@case(MALFORMED)
def unknown_field(file):
    start(file)
    file.raw(5, b'\x0a\x05\x2a\x03\x98\x06\x01')


@case(MALFORMED)
def text_no_utf8(file):
    """A Header whose format is the byte FF."""
    file.header()
    file.raw(1, b'\x0a\x05\x0a\x03\x0a\x01\xff')


@case(MALFORMED)
def file_header_no_utf8(file):
    """An optional feature that is the byte FF."""
    file.raw(0, b'\x08\x01\x22\x01\xff')


@case(MALFORMED)
def file_header_with_32_bits(file):
    """A number of a type that the IR does not have, and a feature after it."""
    file.raw(0, b'\x08\x01\x0d\x00\x00\x00\x00\x22\x01\xff')


@case(MALFORMED)
def group_of_depth_101(file):
    start(file)
    body = b'\xfb\x07' * 101 + b'\xfc\x07' * 101
    chunk = b'\x2a' + heapir.varint(len(body)) + body
    file.raw(5, b'\x0a' + heapir.varint(len(chunk)) + chunk)


@case(LIMIT)
def metadata_of_100_000_entries(file):
    start(file, required_features=['zstd'])
    body = b'\x0a\x00' * 100_000
    chunk = b'\x9a\x01' + heapir.varint(len(body)) + body
    content = b'\x0a' + heapir.varint(len(chunk)) + chunk
    file.frame(frame_pb2.Frame(kind=19, raw_size=len(content),
                               zstd=zstd(content)))


@case(MALFORMED)
def column_in_the_chunk(file):
    start(file)
    file.chunk(nodes={'count': 2, 'self_size': [1, 2]})


@case(MALFORMED)
def column_unknown(file):
    start(file)
    file.chunk(column(99, entries=[1]), nodes={'count': 1})


@case(MALFORMED)
def column_of_no_extra(file):
    start(file)
    file.chunk(column(30, 0, 3, entries=[1]), nodes={'count': 1})


@case(MALFORMED)
def column_twice(file):
    start(file)
    file.chunk(column(7, entries=[1]), column(7, entries=[1]),
               nodes={'count': 1})


@case(MALFORMED)
def column_bytes(file):
    start(file)
    one = column(7, entries=[1, 2])
    one.planes = one.planes[:1]
    file.chunk(one, nodes={'count': 2})


@case(MALFORMED)
def column_width_9(file):
    start(file)
    file.chunk(column(7, entries=[1], width=9), nodes={'count': 1})


@case(MALFORMED)
def column_width_5_of_32_bits(file):
    start(file)
    file.chunk(column(4, entries=[1], width=5), nodes={'count': 1})


@case(MALFORMED)
def column_encoding_7(file):
    start(file)
    file.chunk(column(7, entries=[1], encoding=7), nodes={'count': 1})


@case(LIMIT)
def column_of_4_gi_zeros(file):
    start(file)
    one = column(7, entries=[])
    one.count = (1 << 32) - 1
    file.chunk(one, nodes={'count': (1 << 32) - 1})


@case(LIMIT)
def rows_4_gi(file):
    start(file)
    file.chunk(nodes={'count': (1 << 32) - 1})


# ---------------------------------------------------------------- the grammar

@case(MALFORMED)
def column_shorter_than_count(file):
    start(file)
    file.chunk(column(7, entries=[1]), nodes={'count': 2})


@case(MALFORMED)
def first_with_gap(file):
    start(file)
    file.chunk(nodes={'count': 2})
    file.chunk(nodes={'first': 3, 'count': 2})


@case(MALFORMED)
def first_of_2_to_64(file):
    start(file)
    file.chunk(nodes={'first': (1 << 64) - 1, 'count': 2})


@case(MALFORMED)
def string_lengths(file):
    start(file)
    file.chunk(column(3, entries=[2, 2]), strings={'first': 1, 'data': b'abc'})


@case(MALFORMED)
def strings_overlap(file):
    start(file)
    file.chunk(column(3, entries=[1]), strings={'first': 1, 'data': b'a'})
    file.chunk(column(3, entries=[1]), strings={'first': 1, 'data': b'b'})


@case(MALFORMED)
def rows_between_pieces(file):
    start(file)
    file.chunk(column(3, entries=[1]),
               strings={'first': 1, 'data': b'a', 'continued': True})
    file.chunk(nodes={'count': 1})
    finish(file, strings=2, nodes=1)
    return file.offsets[-3]


@case(MALFORMED)
def string_no_utf8(file):
    start(file)
    file.chunk(column(3, entries=[1]), strings={'first': 1, 'data': b'\xff'})


@case(MALFORMED)
def string_encoding_7(file):
    start(file)
    file.chunk(column(3, entries=[1]), column(4, entries=[7]),
               strings={'first': 1, 'data': b'a'})


@case(MALFORMED)
def string_past_the_table(file):
    start(file)
    file.chunk(column(6, entries=[5]), nodes={'count': 1})
    finish(file, nodes=1)


@case(MALFORMED)
def name_of_type_comes_later(file):
    start(file)
    file.chunk(column(4, entries=[1]), types={'count': 1})


@case(MALFORMED)
def name_of_node_comes_later(file):
    start(file)
    file.chunk(column(15, entries=[8]), column(16, entries=[1]),
               nodes={'count': 1})


@case(MALFORMED)
def name_of_node_before_other_nodes(file):
    start(file)
    file.chunk(column(3, entries=[1]), strings={'first': 1, 'data': b'a'})
    file.chunk(nodes={'count': 1})
    at = len(file.data)
    file.chunk(column(15, entries=[8]), column(16, entries=[1]),
               nodes={'first': 1, 'count': 1})
    finish(file, strings=2, nodes=2)
    return at


@case(MALFORMED)
def type_past_the_end(file):
    start(file)
    file.chunk(types={'count': 1})
    file.chunk(column(5, entries=[2]), nodes={'count': 1})
    file.chunk(graph_end={'types': 1, 'nodes': 1})


@case(MALFORMED)
def id_space_unknown(file):
    start(file, graph={'id_space': 77})
    finish(file)
    return file.offsets[-3]


@case(MALFORMED)
def id_twice(file):
    start(file, graph={'id_space': 1})
    file.chunk(column(3, entries=[5, 9, 5]), nodes={'count': 3})
    finish(file, nodes=3)
    return file.offsets[-3]


@case(MALFORMED)
def id_twice_implied(file):
    start(file, graph={'id_space': 1})
    file.chunk(column(3, entries=[5, 3]), nodes={'count': 2})
    file.chunk(nodes={'first': 2, 'count': 1})
    finish(file, nodes=3)
    return file.offsets[-3]


@case(MALFORMED)
def node_kind_unknown(file):
    start(file)
    file.chunk(column(2, entries=[0]), vocabulary={})
    file.chunk(column(4, entries=[1]), nodes={'count': 1})


@case(MALFORMED)
def edge_count_wrong(file):
    start(file, graph=GROUPED)
    file.chunk(column(8, entries=[2]), nodes={'count': 1})
    file.chunk(column(4, entries=[1]), edges={'count': 1})
    file.chunk(graph_end={'nodes': 1, 'edges': 1})


@case(MALFORMED)
def edges_before_their_nodes(file):
    start(file, graph=GROUPED)
    at = len(file.data)
    file.chunk(column(4, entries=[1]), edges={'count': 1})
    file.chunk(column(8, entries=[1]), nodes={'count': 1})
    finish(file, nodes=1, edges=1)
    return at


@case(MALFORMED)
def first_node_of_2_to_64(file):
    start(file, graph=GROUPED)
    file.chunk(column(8, entries=[1]), nodes={'count': 1})
    file.chunk(column(4, entries=[0, 1]),
               edges={'count': 1, 'first_node': (1 << 64) - 1})


# Found by fuzzing: the reader accepted it, but `validate` reported too many nodes.
@case(MALFORMED)
def first_node_of_no_edges(file):
    start(file, graph=GROUPED)
    file.chunk(nodes={'count': 1})
    file.chunk(edges={'first_node': (1 << 64) - 1})


# ----------------------------------------------------------------- predictions

PREDICTION = ['prediction']
# Two edges for each of three nodes: all but one are predicted.
LABELS, TARGETS = b'\2\0\0\0\0\0', b'\3\3\2\1\1\6'


def predicted(file, names=(0,), targets=(0,), counts=(2, 2, 2), more=(),
              labels=LABELS, choices=TARGETS, features=PREDICTION, **changes):
    """A graph of four nodes whose edges are predicted."""
    start(file, graph=GROUPED, required_features=features)
    file.chunk(column(3, entries=[0, 3]), vocabulary={'space': 1})
    file.chunk(column(8, entries=[*counts, 0]), nodes={'count': 4})
    columns = [column(4, entries=list(counts)), *more]
    if names:
        columns.append(column(8, entries=list(names)))
    if targets:
        columns.append(column(10, entries=list(targets)))
    fields = {'labels': labels, 'targets': choices}
    fields.update(changes)
    file.chunk(*columns, edges={'count': 6}, predicted=fields)


@case(MALFORMED)
def prediction_without_the_feature(file):
    predicted(file, features=[])


@case(MALFORMED)
def predicted_nodes(file):
    start(file, graph=GROUPED, required_features=PREDICTION)
    file.chunk(nodes={'count': 1}, predicted={'labels': b'\0'})


@case(MALFORMED)
def predicted_labels_missing(file):
    predicted(file, labels=LABELS[1:])


@case(MALFORMED)
def predicted_targets_missing(file):
    predicted(file, choices=TARGETS[1:])


@case(MALFORMED)
def predicted_target_7(file):
    predicted(file, choices=b'\7' + TARGETS[1:])


@case(MALFORMED)
def predicted_counts_of_others(file):
    predicted(file, counts=(2, 2, 1))


@case(MALFORMED)
def predicted_kinds_beside_labels(file):
    predicted(file, more=[column(6, entries=[0])])


@case(MALFORMED)
def predicted_names_missing(file):
    predicted(file, names=())


@case(MALFORMED)
def predicted_names_too_many(file):
    predicted(file, names=(0, 0))


@case(MALFORMED)
def predicted_target_not_there(file):
    predicted(file, targets=())


@case(MALFORMED)
def predicted_twice(file):
    start(file, graph=GROUPED, required_features=PREDICTION)
    file.raw(9, frame_pb2.Content(
        predicted={}, chunk={'edges': {}}).SerializeToString() +
        frame_pb2.Content(predicted={}).SerializeToString())


def like(file, other, entries, *more, path=7):
    """A column of nodes that is like another one."""
    start(file, graph=GROUPED, required_features=PREDICTION)
    file.chunk(*more, column(path, entries=entries, like=other),
               nodes={'count': 3})


@case(MALFORMED)
def column_like_itself(file):
    like(file, 7, [0, 1, 2])


@case(MALFORMED)
def column_like_none(file):
    like(file, 3, [0, 1, 2])


@case(MALFORMED)
def column_like_one_of_32_bits(file):
    like(file, 4, [0, 1, 2], column(4, entries=[0, 0, 0]))


@case(MALFORMED)
def column_like_a_shorter_one(file):
    like(file, 3, [0, 1, 2], column(3, entries=[8, 9]))


@case(MALFORMED)
def column_of_32_bits_like_another(file):
    like(file, 3, [0, 0, 0], column(3, entries=[7, 8, 9]), path=4)


@case(MALFORMED)
def target_past_the_last_node(file):
    start(file)
    file.chunk(nodes={'count': 1})
    file.chunk(column(10, entries=[1]), edges={'count': 1})
    file.chunk(graph_end={'nodes': 1, 'edges': 1})


@case(MALFORMED)
def target_form_9(file):
    start(file)
    file.chunk(column(9, entries=[9]), edges={'count': 1})


@case(MALFORMED)
def from_of_grouped_edges(file):
    start(file, graph=GROUPED)
    file.chunk(column(8, entries=[1]), nodes={'count': 1})
    file.chunk(column(4, entries=[1]), column(5, entries=[0]),
               edges={'count': 1})


@case(MALFORMED)
def owner_past_the_end(file):
    start(file)
    file.chunk(nodes={'count': 1})
    file.chunk(column(4, entries=[1]), values={'count': 1})
    file.chunk(graph_end={'nodes': 1, 'values': 1})


@case(MALFORMED)
def value_form_99(file):
    start(file)
    file.chunk(column(6, entries=[99]), values={'count': 1})


@case(MALFORMED)
def trace_children_missing(file):
    start(file)
    file.chunk(column(7, entries=[2, 0]), trace_nodes={'count': 2})
    file.chunk(graph_end={'trace_nodes': 2})


@case(MALFORMED)
def trace_children_2_to_60(file):
    start(file)
    file.chunk(column(7, entries=[1 << 60]), trace_nodes={'count': 1})
    file.chunk(graph_end={'trace_nodes': 1})


@case(MALFORMED)
def table_outside_a_graph(file):
    file.header()
    file.chunk(header={})
    file.chunk(nodes={'count': 1})


@case(MALFORMED)
def graph_in_a_graph(file):
    start(file)
    file.chunk(graph={})


@case(MALFORMED)
def table_after_the_graph(file):
    start(file)
    file.chunk(graph_end={})
    file.chunk(nodes={'count': 1})


@case(MALFORMED)
def id_above_its_limit(file):
    start(file)
    file.chunk(column(3, entries=[9]), nodes={'count': 1})
    file.chunk(graph_end={'nodes': 1, 'id_limit': 9})


def image(file, *columns, **fields):
    """A file that begins with a SourceImage."""
    file.header()
    file.chunk(header={})
    file.chunk(*columns, source_image=fields)


@case(MALFORMED)
def patches_without_data(file):
    image(file, column(5, entries=[0]), column(6, entries=[0]),
          column(7, entries=[9]), method=2, size=9, data=b'12345678')


@case(MALFORMED)
def patches_beyond_the_source(file):
    image(file, column(5, entries=[1 << 63, 1 << 63]),
          column(6, entries=[0, 0]), column(7, entries=[1, 0]), method=2,
          size=9, data=b'1')


@case(MALFORMED)
def embedded_more_than_its_size(file):
    image(file, method=3, size=3, data=b'1234')


@case(MALFORMED)
def image_not_whole(file):
    image(file, method=3, size=3, data=b'12', continued=True)
    file.chunk(graph={})


# ------------------------------------------------------------------- all right

@case(OK)
def optional_feature(file):
    start(file, graph=GROUPED, optional_features=['holography'])
    finish(file)


@case(OK)
def kind_200(file):
    start(file, graph=GROUPED)
    file.raw(200, b'what a later version has')
    finish(file)


@case(OK)
def later_minor_version(file):
    start(file, graph=GROUPED, version_minor=7)
    unknown = b'\x9a\x06\x03xyz'
    file.raw(5, b'\x0a' + bytes([2 + len(unknown)]) + b'\x2a' +
             bytes([len(unknown)]) + unknown + unknown)
    file.footer()


@case(OK)
def delta_wraps(file):
    start(file, graph=GROUPED)
    most = (1 << 64) - 1
    file.chunk(column(3, entries=[0, 2, 1, most], encoding=heapir.DELTA,
                      base=most), nodes={'count': 4})
    finish(file, nodes=4)


@case(OK)
def says_heapir(file):
    start(file, graph=GROUPED, made_as='heapir')
    file.chunk(nodes={'count': 3})
    finish(file, nodes=3)


@case(OK)
def claims_of_2_to_63(file):
    start(file, graph={**GROUPED, 'node_count': 1 << 63,
                       'capacity': 1 << 63})
    finish(file)


@case(OK)
def no_columns(file):
    start(file, graph=GROUPED)
    file.chunk(nodes={'count': 3})
    finish(file, nodes=3)


@case(OK)
def predicted_edges(file):
    predicted(file)
    finish(file, nodes=4, edges=6)


@case(OK)
def column_like_another(file):
    like(file, 3, [0, 17, 0], column(3, entries=[5, 6, 7]))
    finish(file, nodes=3, self_size_total=28)


def load(modules):
    """Generates the modules of the .proto files in a directory, and loads them."""
    global heapir, frame_pb2
    subprocess.run(['protoc', '-I', PROTO, '--python_out', modules,
                    *PROTO.glob('heapglot/ir/v1/*.proto')], check=True)
    sys.path[:0] = [modules, str(HERE)]
    import heapir
    from heapglot.ir.v1 import frame_pb2


def main():
    folder = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as modules:
        load(modules)
        for name, (make, code) in CASES.items():
            file = heapir.File()
            offset = make(file)
            if offset is None:
                offset = file.offsets[-1]
            data, suffix = file.data, '.heapir'
            if len(data) > 4096:
                data, suffix = gzip.compress(data, mtime=0), '.heapir.gz'
            path = folder / ('bad' if code else 'good') / (name + suffix)
            path.write_bytes(data)
            if code:
                path.with_name(path.name + '.error').write_text(
                    f'{code} {offset}\n')


if __name__ == '__main__':
    main()
