"""python3 totals.py FILE: how many objects and bytes a heapir file has.
Before: protoc -I proto --python_out=. heapglot/ir/v1/{chunk,frame}.proto"""
import itertools, sys, zstandard
from google.protobuf.internal.decoder import _DecodeVarint32
from heapglot.ir.v1 import frame_pb2

def entries(c, columns):
    values = [sum(c.planes[b * c.count + i] << 8 * b for b in range(c.width))
              for i in range(c.count)]
    if c.encoding != c.PLAIN: values = [v >> 1 ^ -(v & 1) for v in values]
    if c.encoding == c.DELTA:
        values = list(itertools.accumulate(values, initial=c.base))[1:]
    values = [v % 2**64 for v in values]
    if c.like == 0: return values
    return [v - 1 if v else o for v, o in zip(values, entries(columns[c.like], columns))]

data, at, objects, size = open(sys.argv[1], 'rb').read(), 8, 0, 0
while at < len(data):
    length, at = _DecodeVarint32(data, at)
    frame, at = frame_pb2.Frame.FromString(data[at:at + length]), at + length
    if frame.kind == 8:  # the number of `nodes` in Chunk
        raw = frame.raw or zstandard.ZstdDecompressor().decompress(frame.zstd)
        content = frame_pb2.Content.FromString(raw)
        objects += content.chunk.nodes.count
        columns = {c.path[0]: c for c in content.column if len(c.path) == 1}
        if 7 in columns: size += sum(entries(columns[7], columns))  # self_size
print(f'{objects} objects, {size % 2**64} bytes')
