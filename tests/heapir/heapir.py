"""heapir files in plain Python: docs/heapir.md, executable.

Needs the modules that protoc generates from frame.proto and chunk.proto (in
sys.path), and zstandard for files with compressed frames."""

from heapglot.ir.v1 import chunk_pb2, frame_pb2

MAGIC = b'\x89HIR\r\n\x1a\n'
PLAIN, ZIGZAG, DELTA = 0, 1, 2
MASK = (1 << 64) - 1


# ------------------------------------------------------------------- reading

def frames(data):
    """The frames of a file: the offset and the message of each."""
    assert data.startswith(MAGIC)
    at = len(MAGIC)
    while at < len(data):
        begin, size, shift = at, 0, 0
        while True:
            byte, at = data[at], at + 1
            size |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                break
        yield begin, frame_pb2.Frame.FromString(data[at:at + size])
        at += size


def content_of(frame):
    """The uncompressed content of a frame."""
    if frame.WhichOneof('content') == 'raw':
        return frame.raw
    import zstandard
    return zstandard.ZstdDecompressor().decompress(frame.zstd)


def column_of(column, bits=64):
    """The entries of a Column, as unsigned numbers of `bits` bits."""
    entries = [0] * column.count
    for byte in range(column.width):
        plane = column.planes[byte * column.count:(byte + 1) * column.count]
        entries = [e | b << 8 * byte for e, b in zip(entries, plane)]
    if column.encoding != PLAIN:
        entries = [e >> 1 ^ -(e & 1) for e in entries]
    if column.encoding == DELTA:
        last = column.base
        for i, difference in enumerate(entries):
            entries[i] = last = last + difference
    return [e & (1 << bits) - 1 for e in entries]


def context(label, before, edges):
    """The context that selects the prediction for an edge."""
    return (label * 0x9E3779B185EBCA87 + before * 0xC2B2AE3D27D4EB4F +
            edges * 0x165667B19E3779F9 & MASK) >> 50


def foreseen(predicted, edges_per_node, first_node, names, targets):
    """kind, name and to of edges, given those that were not predicted."""
    names, targets = iter(names), iter(targets)
    labels, last, row = {}, {}, 0
    edges = []
    target = 0
    for node, count in enumerate(edges_per_node):
        label = before = 0
        for _ in range(count):
            at = context(label, before, count)
            kind, name = labels.get(at, (0, 0))
            if predicted.labels[row] != 0:
                kind, name = predicted.labels[row] - 1, next(names)
            labels[at] = kind, name
            label, before = (name << 8) + kind & MASK, label
            at = context(label, before, count)
            to, to_before, of_node, earlier = last.get(at, (0, 0, 0, 0))
            guesses = [to, target + to - to_before, to + node - of_node,
                       target + 1, first_node + node + 1, earlier]
            guess = predicted.targets[row]
            before_it = target
            target = (guesses[guess] if guess < 6 else next(targets)) & MASK
            last[at] = target, before_it, node, to
            edges.append((kind, name, target))
            row += 1
    return edges


def chunks(data):
    """The stream of a file: the body of each chunk, with its columns restored."""
    for _, frame in frames(data):
        if frame.kind == 0:
            continue
        content = frame_pb2.Content.FromString(content_of(frame))
        body = getattr(content.chunk, content.chunk.WhichOneof('body'))
        for column in content.column:
            owner, number = body, column.path[0]
            if len(column.path) == 3:
                field = owner.DESCRIPTOR.fields_by_number[number]
                owner = getattr(owner, field.name)[column.path[1]]
                number = column.path[2]
            field = owner.DESCRIPTOR.fields_by_number[number]
            is_short = field.cpp_type in (field.CPPTYPE_UINT32,
                                          field.CPPTYPE_ENUM)
            entries = column_of(column, 32 if is_short else 64)
            if column.like != 0:
                other = getattr(body, body.DESCRIPTOR.fields_by_number[
                    column.like].name)
                entries = [e - 1 if e != 0 else o & MASK
                           for e, o in zip(entries, other)]
            if field.cpp_type in (field.CPPTYPE_INT64, field.CPPTYPE_INT32):
                entries = [e - (e >> 63 << 64) for e in entries]
            getattr(owner, field.name).extend(entries)
        if content.HasField('predicted'):
            edges = foreseen(content.predicted, body.edges_per_node,
                             body.first_node, body.name, body.to)
            for name, entries in zip(('kind', 'name', 'to'), zip(*edges)):
                getattr(body, name)[:] = entries
        yield body


# ------------------------------------------------------------------- writing

def varint(value):
    """The bytes of a varint."""
    out = b''
    while value >= 0x80:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def checksum_of(frame_bytes):
    """The checksum of a frame, given its bytes without the checksum."""
    import xxhash
    return xxhash.xxh3_64_intdigest(frame_bytes)


def planes(path, entries, encoding=PLAIN, width=None, base=0, like=0):
    """A Column of entries that are already encoded."""
    if width is None:
        width = max(((e.bit_length() + 7) // 8 for e in entries), default=0)
    data = bytes(e >> 8 * byte & 0xff for byte in range(width)
                 for e in entries)
    return frame_pb2.Column(path=path, encoding=encoding, width=width,
                            count=len(entries), base=base, planes=data,
                            like=like)


class File:
    """Builds a file frame by frame, valid or not."""

    def __init__(self, magic=MAGIC):
        self.data = magic
        self.offsets = []
        self.checksums = []

    def frame(self, frame, checksum=None):
        """Adds a Frame, with its checksum or a given one."""
        body = frame.SerializeToString(deterministic=True)
        if checksum is None:
            checksum = checksum_of(body)
        body += b'\x31' + checksum.to_bytes(8, 'little')
        self.bytes(varint(len(body)) + body)
        self.checksums.append(checksum)

    def bytes(self, data):
        """Adds bytes that may be a frame."""
        self.offsets.append(len(self.data))
        self.data += data

    def raw(self, kind, content, **more):
        """Adds a frame with the bytes `content`, not compressed."""
        more.setdefault('raw_size', len(content))
        self.frame(frame_pb2.Frame(kind=kind, raw=content, **more))

    def header(self, **fields):
        """Adds a file header."""
        fields.setdefault('version_major', 1)
        header = frame_pb2.FileHeader(**fields)
        self.raw(0, header.SerializeToString(deterministic=True))

    def chunk(self, *columns, trailer=None, predicted=None, **body):
        """Adds a chunk: chunk(Column..., nodes={'count': 1})."""
        chunk = chunk_pb2.Chunk(**body)
        content = frame_pb2.Content(chunk=chunk, column=columns,
                                    trailer=trailer, predicted=predicted)
        name = chunk.WhichOneof('body')
        kind = chunk.DESCRIPTOR.fields_by_name[name].number
        names = name == 'strings' and chunk.strings.names
        self.raw(kind, content.SerializeToString(deterministic=True),
                 names=names)

    def trailer(self, **changes):
        """The Trailer that fits the frames so far."""
        import xxhash
        sums = b''.join(c.to_bytes(8, 'little') for c in self.checksums)
        fields = {'frames': len(self.checksums),
                  'checksum': xxhash.xxh3_64_intdigest(sums)}
        fields.update(changes)
        return frame_pb2.Trailer(**fields)

    def footer(self, graphs=1, strings=1, **changes):
        """Adds the Footer."""
        self.chunk(trailer=self.trailer(**changes),
                   footer={'graphs': graphs, 'strings': strings})
