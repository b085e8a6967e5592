// node totals.mjs FILE PROTO: how many objects and bytes a heapir file has.
// Before: npm install protobufjs fzstd
import {decompress} from 'fzstd';
import fs from 'node:fs';
import protobuf from 'protobufjs';

const root = new protobuf.Root();
root.resolvePath = (_, name) => `${process.argv[3]}/${name}`;
const types = root.loadSync('heapglot/ir/v1/frame.proto').lookup('heapglot.ir.v1');

function entries({planes, count, width, encoding, base}) {
  let last = BigInt(base.toString());
  return Array.from({length: count}, (_, i) => {
    let value = 0n;
    for (let b = width; b-- > 0;) value = value << 8n | BigInt(planes[b * count + i]);
    if (encoding !== 0) value = value >> 1n ^ -(value & 1n);  // 0: PLAIN
    return encoding === 2 ? last += value : value;  // 2: DELTA
  });
}

let [objects, size] = [0, 0n];
for (const file = protobuf.Reader.create(fs.readFileSync(process.argv[2]).subarray(8)); file.pos < file.len;) {
  const frame = types.Frame.decodeDelimited(file);
  if (frame.kind !== 8) continue;  // the number of `nodes` in Chunk
  const content = types.Content.decode(frame.raw.length > 0 ? frame.raw : decompress(frame.zstd));
  objects += content.chunk.nodes.count;
  for (const column of content.column) if (column.path.join() === '7') for (const n of entries(column)) size += n;
}
console.log(`${objects} objects, ${BigInt.asUintN(64, size)} bytes`);
