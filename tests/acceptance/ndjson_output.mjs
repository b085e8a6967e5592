// Checks that files are NDJSON heap dumps as docs/ndjson.md describes them.
//
// usage: node ndjson_output.mjs FILE...
//
// For files that heapglot made from other formats. Checks what a schema of one line
// cannot: types are declared before their records, fields have their declared
// types, ids are unique and lead somewhere, the trailer's counts are right. Shares
// nothing with heapglot. Exits with 1 if anything is wrong.
import fs from 'node:fs';
import path from 'node:path';

import {Differences} from './differences.mjs';

const isInteger = (value, low, high) => Number.isInteger(value) && value >= low && value <= high;
const isBig = (value, low, high) => isInteger(value, Math.max(low, Number.MIN_SAFE_INTEGER),
                                              Number.MAX_SAFE_INTEGER) ||
    (typeof value === 'string' && /^-?0x[1-9a-f][0-9a-f]{13,15}$/.test(value) &&
     toBigInt(value) >= low && toBigInt(value) <= high);
const toBigInt = value => (typeof value === 'string' && value.startsWith('-') ?
  -BigInt(value.slice(1)) : BigInt(value));

const IS_OF_TYPE = {
  u32: value => isInteger(value, 0, 2 ** 32 - 1),
  i32: value => isInteger(value, -(2 ** 31), 2 ** 31 - 1),
  u64: value => isBig(value, 0, 2 ** 64),
  i64: value => isBig(value, -(2 ** 63), 2 ** 63),
  id: value => isBig(value, 0, 2 ** 64) && toBigInt(value) % 2n === 1n,
  value: value => isBig(value, -(2 ** 63), 2 ** 64),
  stringid: value => isBig(value, 0, 2 ** 64),
  addr: value => /^0x(0|[1-9a-f][0-9a-f]{0,15})$/.test(value),
  f64: value => typeof value === 'number' || /^(NaN(:0x[0-9a-f]{16})?|-?Infinity)$/.test(value),
  bool: value => typeof value === 'boolean',
  utf8: value => typeof value === 'string' && value.isWellFormed?.() !== false,
  base64: value => Buffer.from(value, 'base64').toString('base64') === value,
  inline_string: value => typeof value === 'string',
  json: () => true,
};

const CRC_OF_BYTE = Uint32Array.from({length: 256}, (_, crc) => {
  for (let bit = 0; bit < 8; ++bit) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) crc = CRC_OF_BYTE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (~crc >>> 0).toString(16).padStart(8, '0');
}

class Dump {
  constructor(name, differences) {
    this.name = name;
    this.differences = differences;
    this.line = 0;
    this.types = new Map();  // by code: {name, fields, subtypes: by code}
    this.counts = {};
    this.nodes = new Set();
    this.strings = new Set();
    this.uses = [];  // {of: nodes or strings, id, line}
  }

  wrong(what) {
    this.differences.add(`${this.name}:${this.line}: ${what}`);
  }

  read(bytes) {
    if (bytes.at(-1) !== 10) this.wrong('no newline at the end');
    const lastLine = bytes.lastIndexOf(10, bytes.length - 2) + 1;
    for (const line of bytes.subarray(0, lastLine).toString('utf8').split('\n').slice(0, -1)) {
      ++this.line;
      this.add(JSON.parse(line));
    }
    const records = this.line++;
    this.checkTrailer(JSON.parse(bytes.subarray(lastLine)),
                      {records, bytes: lastLine, crc32: crc32(bytes.subarray(0, lastLine))});
    this.checkUses();
  }

  add(record) {
    if (this.line === 1 && (record.key !== 'version_major' || record.value !== '1')) {
      this.wrong('version_major is not first');
    }
    if (Array.isArray(record)) this.addData(record);
    else if (record.type === 'type') this.declare(this.types, record);
    else if (record.type === 'subtype') this.declareSubtype(record);
    else if (record.type !== 'metadata') this.wrong(`unexpected ${record.type}`);
  }

  declare(space, {code, name, fields}) {
    const isTwice = space.has(code) || [...space.values()].some(other => other.name === name);
    if (isTwice) this.wrong(`${name} or code ${code} is declared twice`);
    if (this.counts.node || this.counts.edge) this.wrong(`${name} is declared after data`);
    space.set(code, {name, fields, subtypes: new Map()});
  }

  declareSubtype(record) {
    const type = [...this.types.values()].find(({name}) => name === record.of);
    if (!type) return this.wrong(`subtype of ${record.of}, which is not declared`);
    this.declare(type.subtypes, record);
  }

  addData([code, ...values]) {
    const type = this.types.get(code);
    if (!type) return this.wrong(`code ${code} is not declared`);
    this.counts[type.name] = (this.counts[type.name] ?? 0) + 1;
    let {fields} = type;
    const subtypeAt = fields.findIndex(([name]) => name === 'subtype');
    if (subtypeAt >= 0) {
      const subtype = type.subtypes.get(values[subtypeAt]);
      if (!subtype) return this.wrong(`${type.name} of subtype ${values[subtypeAt]}`);
      fields = [...fields, ...subtype.fields];
    }
    if (values.length > fields.length) this.wrong(`${values.length} values in ${type.name}`);
    if (values.at(-1) === null) this.wrong('null at the end');
    values.forEach((value, i) => {
      if (value !== null && fields[i]) this.addField(type.name, fields[i], value);
    });
  }

  addField(type, [name, fieldType], value) {
    if (!IS_OF_TYPE[fieldType]?.(value)) {
      return this.wrong(`${name} of ${type} is no ${fieldType}: ${JSON.stringify(value)}`);
    }
    if (type === 'node' && name === 'identifier') return this.define(this.nodes, value, 'node');
    if (type === 'string' && name === 'id') return this.define(this.strings, value, 'string');
    if (fieldType === 'stringid') this.use(this.strings, value);
    const isNode = fieldType === 'id' || (fieldType === 'value' && toBigInt(value) % 2n !== 0n);
    if (isNode) this.use(this.nodes, value);
  }

  define(ids, id, what) {
    if (ids.has(id)) this.wrong(`${what} ${id} is there twice`);
    ids.add(id);
  }

  use(of, id) {
    this.uses.push({of, id, line: this.line});
  }

  checkUses() {
    for (const {of, id, line} of this.uses) {
      this.line = line;
      if (!of.has(id)) this.wrong(`no ${of === this.nodes ? 'node' : 'string'} ${id}`);
    }
  }

  checkTrailer(trailer, expected) {
    const what = key => `${this.name}: ${key} of the trailer`;
    this.differences.equal(trailer.type, 'hg.trailer', what('type'));
    for (const key of Object.keys(expected)) {
      this.differences.equal(trailer[key], expected[key], what(key));
    }
    const sorted = counts => JSON.stringify(Object.entries(counts).sort());
    this.differences.equal(sorted(trailer.counts ?? {}), sorted(this.counts), what('counts'));
  }
}

const differences = new Differences();
const files = process.argv.slice(2);
for (const file of files) {
  const dump = new Dump(path.basename(file), differences);
  try {
    dump.read(fs.readFileSync(file));
  } catch (error) {
    dump.wrong(error.message);
  }
}
differences.finish(`${files.length} files`);
