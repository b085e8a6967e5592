// node totals.mjs FILE PROTO: how many objects and bytes a heapir file has.
// Before: npm install protobufjs fzstd
import {decompress} from 'fzstd';
import fs from 'node:fs';
import protobuf from 'protobufjs';

const root = new protobuf.Root();
root.resolvePath = (_, name) => `${process.argv[3]}/${name}`;
const types = root.loadSync('heapglot/ir/v1/frame.proto').lookup('heapglot.ir.v1');

function entries({planes, count, width, encoding, base, like}, columns) {
  const others = like === 0 ? [] : entries(columns.get(like), columns);
  let last = BigInt(base.toString());
  return Array.from({length: count}, (_, i) => {
    let value = 0n;
    for (let b = width; b-- > 0;) value = value << 8n | BigInt(planes[b * count + i]);
    if (encoding !== 0) value = value >> 1n ^ -(value & 1n);  // 0: PLAIN
    if (encoding === 2) value = last += value;  // 2: DELTA
    value = BigInt.asUintN(64, value);
    if (like === 0) return value;
    return value === 0n ? others[i] : value - 1n;
  });
}

let [objects, size] = [0, 0n];
for (const file = protobuf.Reader.create(fs.readFileSync(process.argv[2]).subarray(8)); file.pos < file.len;) {
  const frame = types.Frame.decodeDelimited(file);
  if (frame.kind !== 8) continue;  // the number of `nodes` in Chunk
  const content = types.Content.decode(frame.raw.length > 0 ? frame.raw : decompress(frame.zstd));
  objects += content.chunk.nodes.count;
  const columns = new Map(content.column.filter(({path}) => path.length === 1).map((column) => [column.path[0], column]));
  if (columns.has(7)) for (const n of entries(columns.get(7), columns)) size += n;  // self_size
}
console.log(`${objects} objects, ${BigInt.asUintN(64, size)} bytes`);
