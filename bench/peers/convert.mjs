// What one writes in an afternoon to open a Dart heap in Chrome DevTools: reads
// all of a dartheap file, puts a heapsnapshot together in arrays, and writes it.
// Checks nothing, and reads no values but strings. A peer for run.py.
//
// usage: node convert.mjs FILE.dartheap OUT.heapsnapshot
import fs from 'node:fs';

const bytes = fs.readFileSync(process.argv[2]);
let at = 8;  // after the magic

function uleb() {
  let value = 0, scale = 1;
  for (;;) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
    scale *= 128;
  }
}
function text() {
  const size = uleb();
  at += size;
  return bytes.toString('utf8', at - size, at);
}

const strings = ['', '(root)'];
const numbers = new Map(strings.map((string, i) => [string, i]));
function number(string) {
  let i = numbers.get(string);
  if (i === undefined) {
    i = strings.push(string) - 1;
    numbers.set(string, i);
  }
  return i;
}

uleb();
text();
for (let i = 0; i < 3; i++) uleb();
const classes = [{name: number('(unknown)'), fields: []}];
for (let n = uleb(); n > 0; n--) {
  uleb();
  const one = {name: number(text()), fields: []};
  for (let i = 0; i < 3; i++) text();
  for (let fields = uleb(); fields > 0; fields--) {
    uleb();
    const slot = uleb();
    one.fields[slot] = number(text());
    text();
  }
  classes.push(one);
}

function value() {
  switch (uleb()) {
    case 2: at++; return;
    case 3: uleb(); return;
    case 4: at += 8; return;
    case 5: {
      uleb();
      const size = uleb();
      at += size;
      return bytes.toString('latin1', at - size, at);
    }
    case 6: {
      uleb();
      const size = 2 * uleb();
      at += size;
      return bytes.toString('utf16le', at - size, at);
    }
    case 7: uleb(); return;
    case 8: return text();
  }
}

uleb();
const count = uleb();
const nodes = [], edges = [];
for (let i = 0; i < count; i++) {
  const of = classes[uleb()];
  const size = uleb();
  const string = value();
  const references = uleb();
  nodes.push(i === 0 ? 9 : string === undefined ? 3 : 2,
             string === undefined ? of.name : number(string),
             2 * i + 1, size, references, 0, 0);
  for (let slot = 0; slot < references; slot++) {
    const field = of.fields[slot];
    edges.push(field === undefined ? 1 : 2, field ?? slot, 7 * Math.max(0, uleb() - 1));
  }
}

const out = fs.openSync(process.argv[3], 'w');
fs.writeSync(out, JSON.stringify({
  snapshot: {
    meta: {
      node_fields: ['type', 'name', 'id', 'self_size', 'edge_count', 'trace_node_id',
                    'detachedness'],
      node_types: [['hidden', 'array', 'string', 'object', 'code', 'closure', 'regexp',
                    'number', 'native', 'synthetic']],
      edge_fields: ['type', 'name_or_index', 'to_node'],
      edge_types: [['context', 'element', 'property', 'internal', 'hidden', 'shortcut',
                    'weak']],
    },
    node_count: count, edge_count: edges.length / 3,
  },
}).slice(0, -1));
// One string for all of them would be longer than V8 allows.
for (const [name, table] of [['nodes', nodes], ['edges', edges], ['strings', strings]]) {
  fs.writeSync(out, `,"${name}":[`);
  for (let i = 0; i < table.length; i += 70000) {
    const rows = JSON.stringify(table.slice(i, i + 70000)).slice(1, -1);
    fs.writeSync(out, i > 0 ? ',' + rows : rows);
  }
  fs.writeSync(out, ']');
}
fs.writeSync(out, '}');
fs.closeSync(out);
