// Small heap snapshots, each with one deviation from what V8 writes.
//
// deviations() gives {name, bytes, graph}: `graph` is what the file says, a list of
// [type, name, id, selfSize, [[edge type, name or index, target ordinal], ...]], or
// null if no reader can show it correctly. A reader that opens the file must show it.

const NODE_TYPES = [
  'hidden', 'array', 'string', 'object', 'code', 'closure', 'regexp', 'number', 'native',
  'synthetic', 'concatenated string', 'sliced string', 'symbol', 'bigint', 'object shape'];
const EDGE_TYPES = ['context', 'element', 'property', 'internal', 'hidden', 'shortcut', 'weak'];
const NODE_FIELDS =
    ['type', 'name', 'id', 'self_size', 'edge_count', 'trace_node_id', 'detachedness'];
const BY_INDEX = new Set(['element', 'hidden']);
const KEYS = ['snapshot', 'nodes', 'edges', 'trace_function_infos', 'trace_tree', 'samples',
              'locations', 'strings'];

const GRAPH = [
  ['synthetic', '', 1, 0, [['element', 1, 1]]],
  ['synthetic', '(GC roots)', 3, 0, [['element', 4, 2]]],
  ['synthetic', '(Handles)', 5, 0, [['element', 0, 3], ['element', 1, 5]]],
  ['object', 'Town', 7, 32, [['property', 'mayor', 4], ['property', 'twin', 5]]],
  ['string', 'na\u00efve \u65e5', 9, 48, []],
  ['object', 'Town', 11, 32, [['property', 'mayor', 6], ['weak', 'cache', 3]]],
  ['string', 'ada', 13, 24, []],
];
const MAYOR_EDGE = 4;  // of node 3: the first edge that has a name
const TOWN = 3;        // an object
const ADA = 6;         // the node of the string "ada"

const copy = value => structuredClone(value);
const text = value => JSON.stringify(value);
const ascii = json => json.replace(
    /[^\x00-\x7f]/g, c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));

// The snapshot of a graph, as an object. `change.fields` are the node fields.
function snapshotOf(graph, change = {}) {
  const fields = change.fields ?? NODE_FIELDS;
  const nodeTypes = change.nodeTypes ?? NODE_TYPES;
  const edgeTypes = change.edgeTypes ?? EDGE_TYPES;
  const strings = ['<dummy>'];
  const stringOf = name => {
    if (!strings.includes(name)) strings.push(name);
    return strings.indexOf(name);
  };
  const nodes = [];
  const edges = [];
  for (const [type, name, id, size, out] of graph) {
    const row = {
      type: nodeTypes.indexOf(type), name: stringOf(name), id, self_size: size,
      edge_count: out.length, trace_node_id: 0, detachedness: 0,
    };
    nodes.push(...fields.map(field => row[field] ?? 5));
    for (const [edgeType, edgeName, to] of out) {
      const isIndex = BY_INDEX.has(edgeType);
      edges.push(edgeTypes.indexOf(edgeType), isIndex ? edgeName : stringOf(edgeName),
                 to * fields.length);
    }
  }
  return {
    snapshot: {
      meta: {
        node_fields: fields,
        node_types: [nodeTypes, 'string', ...fields.slice(2).map(() => 'number')],
        edge_fields: ['type', 'name_or_index', 'to_node'],
        edge_types: [edgeTypes, 'string_or_number', 'node'],
        trace_function_info_fields:
            ['function_id', 'name', 'script_name', 'script_id', 'line', 'column'],
        trace_node_fields: ['id', 'function_info_index', 'count', 'size', 'children'],
        sample_fields: ['timestamp_us', 'last_assigned_id'],
        location_fields: ['object_index', 'script_id', 'line', 'column'],
      },
      node_count: graph.length, edge_count: edges.length / 3, trace_function_count: 0,
    },
    nodes, edges, trace_function_infos: [], trace_tree: [], samples: [], locations: [], strings,
  };
}

class Cases {
  constructor() {
    this.list = [];
    this.base = ascii(text(snapshotOf(GRAPH)));
  }
  // Adds a file with these bytes or this text.
  raw(name, bytes, graph = GRAPH) {
    this.list.push({name, bytes: Buffer.from(bytes), graph});
  }
  // Adds the usual file after `change`(object), which returns its graph.
  edit(name, change, graph = GRAPH) {
    const snapshot = snapshotOf(GRAPH);
    change(snapshot);
    this.raw(name, ascii(text(snapshot)), graph);
  }
  // Adds the file of a changed graph.
  graph(name, change, options, meaning) {
    const graph = copy(GRAPH);
    const changed = change(graph) ?? graph;
    this.raw(name, ascii(text(snapshotOf(changed, options))),
             meaning === undefined ? changed : meaning);
  }
  // Adds the usual file with its text changed.
  replace(name, from, to, graph = GRAPH) {
    if (!this.base.includes(from)) throw new Error(`${name}: no ${from}`);
    this.raw(name, this.base.replace(from, () => to), graph);
  }
  // Adds the usual file with these bytes instead of `from`.
  bytes(name, from, bytes, graph = GRAPH) {
    const at = this.base.indexOf(from);
    if (at < 0) throw new Error(`${name}: no ${from}`);
    this.raw(name, Buffer.concat([
      Buffer.from(this.base.slice(0, at)), Buffer.from(bytes),
      Buffer.from(this.base.slice(at + from.length))]), graph);
  }
  // Adds the usual file with its keys in this order.
  keys(name, keys) {
    const snapshot = snapshotOf(GRAPH);
    this.raw(name, ascii(text(Object.fromEntries(keys.map(key => [key, snapshot[key]])))));
  }
}

function addLayouts(cases) {
  const indented = ascii(JSON.stringify(snapshotOf(GRAPH), null, 1));
  cases.raw('usual', cases.base);
  cases.raw('indented', indented);
  cases.raw('indented-crlf', indented.replaceAll('\n', '\r\n'));
  cases.raw('utf8', text(snapshotOf(GRAPH)));
  cases.raw('bom', '\ufeff' + cases.base);
  for (const key of ['snapshot', 'nodes', 'edges', 'strings']) {
    cases.replace(`space-before-colon-${key}`, `"${key}":`, `"${key}" :`);
  }
  cases.raw('space-behind-colons', cases.base.replace(/"(\w+)":/g, '"$1": '));
  cases.raw('no-closing-brace', cases.base.slice(0, -1));
  cases.raw('words-behind', cases.base + '\nthe end');
  cases.raw('bracket-behind', cases.base + '\n]');
  cases.raw('zeros-behind', cases.base + '\0\0\0');
  cases.raw('cut-in-snapshot', cases.base.slice(0, 100), null);
  cases.raw('cut-in-nodes', cases.base.slice(0, cases.base.indexOf('"nodes"') + 30), null);
  cases.raw('cut-in-edges', cases.base.slice(0, cases.base.indexOf('"edges"') + 30), null);
  cases.raw('cut-in-strings', cases.base.slice(0, -10), null);
}

function addKeys(cases) {
  const without = (...names) => KEYS.filter(key => !names.includes(key));
  cases.keys('edges-first', ['snapshot', 'edges', 'nodes', ...KEYS.slice(3)]);
  cases.keys('strings-first', ['strings', ...without('strings')]);
  cases.keys('strings-second', ['snapshot', 'strings', ...without('snapshot', 'strings')]);
  cases.keys('snapshot-last', [...without('snapshot'), 'snapshot']);
  cases.keys('locations-before-samples',
             [...without('samples', 'locations', 'strings'), 'locations', 'samples', 'strings']);
  for (const key of ['samples', 'locations', 'trace_function_infos', 'trace_tree']) {
    cases.keys(`no-${key}`, without(key));
  }
  for (const key of ['nodes', 'edges', 'strings']) {
    cases.keys(`no-${key}`, without(key));
    cases.list.at(-1).graph = null;
  }
  cases.replace('unknown-key-first', '{', '{"made_by":"x","version":1,');
  cases.replace('unknown-object-first', '{', '{"x":{"y":[1,2]},');
  cases.replace('unknown-key-between', ',"edges":', ',"x":{"y":[1,"z"]},"edges":');
  cases.replace('unknown-nodes-between', ',"nodes":', ',"x":{"nodes":[1,2]},"nodes":');
  addOtherPlaces(cases);
  cases.raw('unknown-word-last', cases.base.slice(0, -1) + ',"made_by":"x"}');
  cases.raw('unknown-object-last', cases.base.slice(0, -1) + ',"x":{"y":1}}');
  cases.raw('unknown-array-last', cases.base.slice(0, -1) + ',"x":[1,2]}');
}

// Keys that a parser finds, but a search for their text does not.
function addOtherPlaces(cases) {
  for (const key of KEYS) {
    cases.replace(`escaped-${key}`, `"${key}":`,
                  `"\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}":`);
  }
  const first = (name, member) => cases.replace(name, '{', `{${member},`);
  first('unknown-snapshot-first', '"x":{"snapshot":{"a":1}}');
  first('snapshot-in-a-list-first', '"x":["snapshot","y"]');
  const other = snapshotOf(GRAPH).snapshot;
  other.node_count -= 2;
  first('another-snapshot-first', `"x":{"snapshot":${text(other)}}`);
  const {strings, ...others} = snapshotOf(GRAPH);
  const strange = {strings: [...strings, 'snapshot', '<last>'], ...others};
  cases.raw('strings-first-with-snapshot', ascii(text(strange)));
  for (const key of ['edges', 'strings']) {
    cases.replace(`unknown-${key}-between`, `,"${key}":`, `,"x":{"${key}":[1,2]},"${key}":`);
  }
}

// Words and keys with the name of a table.
function addShadows(cases) {
  cases.graph('nodes-in-node_types', () => {}, {nodeTypes: [...NODE_TYPES, 'nodes']});
  cases.graph('nodes-in-edge_types', () => {}, {edgeTypes: [...EDGE_TYPES, 'nodes']});
  cases.graph('edges-in-edge_types', () => {}, {edgeTypes: [...EDGE_TYPES, 'edges']});
  cases.graph('nodes-and-edges-in-node_types', () => {},
              {nodeTypes: [...NODE_TYPES, 'nodes', 'edges']});
  cases.graph('nodes-in-node_fields', () => {}, {fields: [...NODE_FIELDS, 'nodes']});
  const snapshot = (name, member) => {
    cases.replace(`${name}-before-meta`, '{"meta"', `{${member},"meta"`);
    cases.replace(`${name}-behind-meta`, '"node_count"', `${member},"node_count"`);
  };
  for (const key of ['nodes', 'edges', 'samples', 'strings']) {
    snapshot(`${key}-as-title`, `"title":"${key}"`);
    snapshot(`${key}-in-snapshot`, `"${key}":[1,2]`);
  }
  for (const key of ['nodes', 'edges', 'locations']) {
    snapshot(`${key}-number-in-snapshot`, `"${key}":3`);
    snapshot(`${key}-nested-in-snapshot`, `"${key}":[[1],2]`);
    const objects = {number: '3', text: '"]"', list: '[1,2]', nested: '[[1],[2]]', empty: '[]',
                     texts: '["a","b"]'};
    for (const [name, value] of Object.entries(objects)) {
      const member = `"x":{"${key}":${value}}`;
      cases.replace(`${key}-${name}-first`, '{', `{${member},`);
      cases.replace(`${key}-${name}-before-strings`, '"strings"', `${member},"strings"`);
    }
    cases.replace(`${key}-as-a-word-first`, '{', `{"x":"${key}",`);
    cases.raw(`${key}-number-last`, cases.base.slice(0, -1) + `,"x":{"${key}":3}}`);
  }
}

function addMeta(cases) {
  cases.edit('unknown-in-snapshot-and-meta', ({snapshot}) => {
    snapshot.x = {y: 1};
    snapshot.meta.x_words = ['y'];
  });
  cases.edit('title-and-uid', ({snapshot}) => Object.assign(snapshot, {title: 't', uid: 1}));
  cases.edit('type_strings', ({snapshot}) => { snapshot.meta.type_strings = {0: 'x'}; });
  const fields = (name, change) => {
    const list = [...NODE_FIELDS];
    change(list);
    cases.graph(name, () => {}, {fields: list});
  };
  fields('no-trace_node_id', list => list.splice(5, 1));
  fields('no-detachedness', list => list.splice(6, 1));
  fields('no-self_size', list => list.splice(3, 1));
  fields('one-more-field-last', list => list.push('hash'));
  fields('one-more-field-between', list => list.splice(2, 0, 'hash'));
  cases.graph('fields-in-another-order', () => {},
              {fields: ['id', 'name', 'type', 'edge_count', 'self_size', ...NODE_FIELDS.slice(5)]});
  const meta = (name, change, graph) =>
      cases.edit(name, ({snapshot}) => { change(snapshot.meta); }, graph);
  meta('node_types-is-the-enumeration', meta => { meta.node_types.length = 1; });
  meta('node_types-too-long', meta => meta.node_types.push('number'));
  meta('no-node_types', meta => { delete meta.node_types; }, null);
  meta('no-edge_types', meta => { delete meta.edge_types; }, null);
  meta('no-node_fields', meta => { delete meta.node_fields; }, null);
  meta('scope_fields-without-scopes', meta => { meta.scope_fields = ['script_node_index']; });
  cases.edit('no-samples-nor-fields', snapshot => {
    delete snapshot.samples;
    delete snapshot.snapshot.meta.sample_fields;
  });
  cases.edit('no-locations-nor-fields', snapshot => {
    delete snapshot.locations;
    delete snapshot.snapshot.meta.location_fields;
  });
  cases.edit('no-trace_function_count', ({snapshot}) => { delete snapshot.trace_function_count; });
  cases.edit('least-that-there-can-be', snapshot => {
    for (const key of KEYS.slice(3, 7)) delete snapshot[key];
    const {node_fields, node_types, edge_fields, edge_types} = snapshot.snapshot.meta;
    snapshot.snapshot = {
      meta: {node_fields, node_types, edge_fields, edge_types},
      node_count: 7, edge_count: snapshot.edges.length / 3,
    };
  });
  cases.edit('extra_native_bytes', ({snapshot}) => { snapshot.extra_native_bytes = 4096; });
}

function addCounts(cases) {
  const count = (name, change) => cases.edit(name, ({snapshot}) => change(snapshot));
  count('node_count-too-large', snapshot => { snapshot.node_count += 2; });
  count('node_count-too-small', snapshot => { snapshot.node_count -= 1; });
  count('no-node_count', snapshot => { delete snapshot.node_count; });
  count('edge_count-too-large', snapshot => { snapshot.edge_count += 2; });
  count('edge_count-too-small', snapshot => { snapshot.edge_count -= 1; });
  count('no-edge_count', snapshot => { delete snapshot.edge_count; });
  count('counts-of-0', snapshot => { snapshot.node_count = snapshot.edge_count = 0; });
  cases.edit('edges-of-a-node-too-many', ({nodes}) => { nodes[4] += 1; }, null);
  cases.edit('edges-of-a-node-too-few', ({nodes}) => { nodes[2 * 7 + 4] -= 1; }, null);
  cases.graph('no-node', () => []);
  cases.graph('one-node', () => [['synthetic', '', 1, 0, []]]);
  cases.edit('last-node-not-whole', ({nodes}) => { nodes.push(3, 1); });
}

// The graph with its nodes in another order.
function reorder(graph, order) {
  return order.map(from => {
    const [type, name, id, size, edges] = graph[from];
    return [type, name, id, size, edges.map(([t, n, to]) => [t, n, order.indexOf(to)])];
  });
}

function addGraphs(cases) {
  const last = reorder(GRAPH, [1, 2, 3, 4, 5, 6, 0]);
  const middle = reorder(GRAPH, [1, 2, 0, 3, 4, 5, 6]);
  const rooted = (graph, ordinal) => {
    const snapshot = snapshotOf(graph);
    snapshot.snapshot.root_index = ordinal * 7;
    return ascii(text(snapshot));
  };
  // The last node: what refers to it, and what only it leads to.
  const leaf = (name, edges) => cases.graph(name, graph => {
    graph.push(['object', 'Last', 15, 64, edges]);
  });
  leaf('last-unreferenced', []);
  leaf('last-unreferenced-with-edge', [['property', 'twin', TOWN]]);
  leaf('last-unreferenced-with-weak-edge', [['weak', 'twin', TOWN]]);
  leaf('last-unreachable-but-its-own', [['property', 'self', 7]]);
  const chain = (name, type, more = () => {}) => cases.graph(name, graph => {
    graph.push(['string', 'bob', 15, 24, []], ['object', 'Last', 17, 64, []]);
    graph[5][4].push([type, 'last', 8]);
    graph[8][4].push(['property', 'bob', 7], ['weak', 'cache', TOWN]);
    more(graph);
  });
  chain('last-dominates', 'property');
  chain('last-dominates-and-is-held-weakly', 'weak');
  chain('last-refers', 'property', graph => graph[TOWN][4].push(['property', 'b', 7]));
  chain('last-refers-weakly', 'property', graph => { graph[8][4].shift(); });
  // What a window holds is its page's, whatever else refers to it.
  cases.graph('last-is-a-window', graph => {
    graph[0][4].push(['shortcut', 'window', 7]);
    graph.push(['object', 'Window', 15, 64, [['property', 'mayor', 4]]]);
  });
  cases.graph('middle-unreachable', graph => {
    graph.splice(ADA, 0, ['object', 'Lost', 15, 64, []]);
    graph[5][4][0][2] = 7;
  });
  cases.raw('root-last', rooted(last, 6), last);
  cases.raw('root-in-the-middle', rooted(middle, 2), middle);
  cases.raw('root-first-by-index', rooted(GRAPH, 0));
  const roots = {word: '"x"', negative: '-5', fraction: '1.5', null: 'null', beyond: '49'};
  for (const [name, root] of Object.entries(roots)) {
    cases.replace(`root-${name}`, '"node_count"', `"root_index":${root},"node_count"`);
  }
  cases.graph('garbage', graph => [
    ...graph, ['object', 'Lost', 15, 16, [['property', 'me', 7]]],
    ['object', 'Tick', 17, 16, [['property', 'tock', 9]]],
    ['object', 'Tock', 19, 16, [['property', 'tick', 8]]]]);
  cases.graph('shortcut-from-the-root',
              graph => { graph[0][4].push(['shortcut', 'Town', TOWN]); });
  cases.graph('roots-are-an-object', graph => { graph[1][0] = 'object'; });
  cases.graph('root-is-an-object', graph => { graph[0] = ['object', 'Root', 1, 8, graph[0][4]]; });
  cases.graph('unknown-node-type', graph => { graph[TOWN][0] = 'dart object'; },
              {nodeTypes: [...NODE_TYPES, 'dart object']});
  cases.graph('unknown-edge-type', graph => { graph[TOWN][4][0][0] = 'dart field'; },
              {edgeTypes: [...EDGE_TYPES, 'dart field']});
  cases.graph('few-node-types', () => {}, {nodeTypes: ['object', 'string', 'synthetic']});
  cases.graph('few-edge-types', () => {}, {edgeTypes: ['weak', 'element', 'property']});
  cases.edit('node-type-beyond', ({nodes}) => { nodes[TOWN * 7] = 99; }, null);
  cases.edit('edge-type-beyond', ({edges}) => { edges[MAYOR_EDGE * 3] = 42; }, null);
  cases.graph('class-called-Object', graph => { graph[TOWN][1] = 'Object'; });
  cases.graph('class-like-a-tag', graph => { graph[TOWN][1] = '<a b> c'; });
}

function addNumbers(cases) {
  const ids = (name, change, meaning) => cases.graph(name, graph => {
    for (const node of graph) node[2] = change(node[2]);
  }, {}, meaning);
  ids('even-ids', id => id + 1);
  ids('ids-all-7', () => 7);
  ids('ids-past-31-bits', id => id + 2 ** 31);
  ids('ids-past-32-bits', id => id + 2 ** 32);
  ids('ids-like-addresses', id => 0x7f0000000000 + id * 16);
  ids('ids-past-53-bits', id => 2 ** 60 + id * 1024);
  ids('ids-negative', id => -id);
  cases.graph('id-twice', graph => { graph[ADA][2] = graph[TOWN][2]; });
  cases.graph('size-past-32-bits', graph => { graph[TOWN][3] = 2 ** 32 + 16; });
  cases.graph('size-fraction', graph => { graph[TOWN][3] = 32.5; });
  cases.replace('size-exponent', ',32,', ',3.2e1,');
  cases.replace('number-in-quotes', ',32,', ',"32",');
  cases.replace('leading-zero', ',32,', ',032,');
  cases.replace('nested-nodes', /"nodes":\[.*?\]/.exec(cases.base)[0],
                /"nodes":\[.*?\]/.exec(cases.base)[0].replace('[', '[[').replace(']', ']]'));
  const edges = (name, change, graph) => cases.edit(name, ({edges}) => change(edges), graph);
  edges('target-no-multiple', edges => { edges[2] += 1; }, null);
  edges('target-beyond', edges => { edges[2] = 7 * 5000; }, null);
  edges('edge-name-beyond', edges => { edges[MAYOR_EDGE * 3 + 1] = 7777; }, null);
  edges('edge-fraction', edges => { edges[1] = 1.5; }, null);
  const index = (name, index) =>
      cases.graph(name, graph => { graph[2][4][1][1] = index; });
  index('index-of-32-bits', 2 ** 32 - 1);
  index('index-past-32-bits', 2 ** 32 + 1);
  index('index-negative', -8);
  const named = (name, ordinal, string) => cases.edit(
      name, ({nodes, strings}) => { nodes[ordinal * 7 + 1] = strings.length + string; }, null);
  named('object-name-beyond', TOWN, 5000);
  named('object-name-just-beyond', TOWN, 0);
  named('string-name-beyond', ADA, 5000);
}

function addStrings(cases) {
  const ada = (name, to, graph) => cases.replace(name, 'ada', to, graph);
  const meaning = string => {
    const graph = copy(GRAPH);
    graph[ADA][1] = string;
    return graph;
  };
  ada('lone-surrogate', 'a\\ud83da', meaning('a\ud83da'));
  ada('surrogate-pair', 'a\\ud83d\\ude00a', meaning('a\u{1f600}a'));
  ada('brackets', ']}]\\"]', meaning(']}]"]'));
  ada('key-in-a-string', '\\"nodes\\":[', meaning('"nodes":['));
  ada('nul', 'a\\u0000a', meaning('a\0a'));
  ada('raw-tab', 'a\ta', meaning('a\ta'));
  cases.bytes('no-utf8', 'ada', [0x61, 0xff, 0xfe, 0x61], null);
  cases.bytes('wtf8', 'ada', [0x61, 0xed, 0xa0, 0xbd, 0x61], null);
  ada('long-string', 'x'.repeat(2_000_000), meaning('x'.repeat(2_000_000)));
  cases.edit('strings-twice', ({strings}) => strings.push(...strings));
  const other = (name, value) => cases.edit(
      name, ({strings}) => { strings[strings.indexOf('Town')] = value; }, null);
  other('string-null', null);
  other('string-number', 5);
}

function tracedSnapshot(count, functionIndex) {
  const snapshot = snapshotOf(GRAPH);
  snapshot.snapshot.trace_function_count = count;
  snapshot.trace_function_infos = [0, 1, 2, 0, 0, 0, 1, 2, 1, 4, 1, 1];
  snapshot.trace_tree = [1, 0, 0, 0, [2, functionIndex, 5, 64, []]];
  return snapshot;
}

// Trees that DevTools reads, and what meta says about them.
function addTraceTrees(cases) {
  const tree = (name, tree, change = () => {}) => {
    const snapshot = {...tracedSnapshot(2, 1), trace_tree: tree};
    change(snapshot.snapshot.meta);
    cases.raw(name, ascii(text(snapshot)));
  };
  const usual = [1, 0, 0, 0, [2, 1, 5, 64, []]];
  tree('tree-of-nothing', []);
  tree('tree-without-children', [1, 0, 0, 0]);
  tree('tree-of-a-root', [1, 0, 0, 0, []]);
  tree('tree-children-null', [1, 0, 0, 0, null]);
  tree('tree-children-number', [1, 0, 0, 0, 3]);
  tree('tree-children-text', [1, 0, 0, 0, '']);
  tree('tree-children-object', [1, 0, 0, 0, {}]);
  tree('tree-child-short', [1, 0, 0, 0, [2, 1, 5]]);
  tree('tree-child-no-children', [1, 0, 0, 0, [2, 1, 5, 64]]);
  tree('tree-two-roots', [1, 0, 0, 0, [], 2, 1, 5, 64, []]);
  tree('tree-second-root-short', [1, 0, 0, 0, [], 2, 1]);
  tree('tree-in-a-list', [usual]);
  tree('tree-function-negative', [1, 0, 0, 0, [2, -1, 5, 64, []]]);
  tree('tree-function-fraction', [1, 0, 0, 0, [2, 0.5, 5, 64, []]]);
  tree('tree-function-huge', [1, 0, 0, 0, [2, 2 ** 70, 5, 64, []]]);
  tree('tree-function-text', [1, 0, 0, 0, [2, '1', 5, 64, []]]);
  tree('tree-function-null', [1, 0, 0, 0, [2, null, 5, 64, []]]);
  tree('tree-count-fraction', [1, 0, 0, 0, [2, 1, 5.5, 64, []]]);
  tree('tree-count-text', [1, 0, 0, 0, [2, 1, '5', 64, []]]);
  tree('tree-id-twice', [1, 0, 0, 0, [2, 1, 5, 64, [], 2, 1, 5, 64, []]]);
  for (const key of ['trace_node_fields', 'trace_function_info_fields']) {
    tree(`${key}-missing`, usual, meta => { delete meta[key]; });
    tree(`${key}-empty`, usual, meta => { meta[key] = []; });
    tree(`${key}-null`, usual, meta => { meta[key] = null; });
    for (const at of tracedSnapshot(2, 1).snapshot.meta[key].keys()) {
      tree(`${key}-${at}-renamed`, usual, meta => { meta[key][at] = 'z'; });
    }
  }
  tree('trace_node_fields-name-twice', usual, meta => { meta.trace_node_fields[0] = 'size'; });
  tree('trace_node_fields-in-another-order', [[[], 64, 5, 1, 2], 0, 0, 0, 1],
       meta => { meta.trace_node_fields.reverse(); });
}

// Tables that meta describes differently than V8's does.
function addTableFields(cases) {
  const table = (name, key, rows, change = () => {}) => cases.edit(name, snapshot => {
    snapshot[key].push(...rows);
    change(snapshot.snapshot.meta);
  });
  const samples = [100, 3, 200, 13];
  const location = [TOWN * 7, 1, 2, 3];
  table('samples-odd', 'samples', [100, 3, 200]);
  table('samples-of-three-odd', 'samples', [100, 3, 0],
        meta => { meta.sample_fields.push('z'); });
  table('samples-of-three-even', 'samples', [100, 3, 0, 200, 13, 0],
        meta => { meta.sample_fields.push('z'); });
  table('samples-of-one', 'samples', samples, meta => { meta.sample_fields.pop(); });
  table('samples-of-none', 'samples', samples, meta => { meta.sample_fields = []; });
  table('samples-of-none-odd', 'samples', [100], meta => { meta.sample_fields = []; });
  table('samples-undescribed', 'samples', samples, meta => { delete meta.sample_fields; });
  table('samples-undescribed-odd', 'samples', [100], meta => { delete meta.sample_fields; });
  for (const form of ['100.0', '1e2', '-100']) {
    const snapshot = snapshotOf(GRAPH);
    snapshot.samples.push(...samples);
    cases.raw(`sample-${form}`, ascii(text(snapshot)).replace('[100,', `[${form},`));
  }
  for (const key of ['sample_fields', 'location_fields', 'trace_node_fields',
                     'trace_function_info_fields']) {
    table(`${key}-null-and-no-rows`, 'samples', [], meta => { meta[key] = null; });
    table(`${key}-missing-and-no-rows`, 'samples', [], meta => { delete meta[key]; });
    table(`${key}-twice-a-name`, 'samples', [], meta => { meta[key][0] = meta[key][1]; });
    table(`${key}-word`, 'samples', [], meta => { meta[key] = 'x'; });
  }
  table('samples-null', 'samples', samples, meta => { meta.sample_fields = null; });
  // memlab never ends with locations that have no fields.
  table('locations-twice-a-name', 'locations', location,
        meta => { meta.location_fields[3] = 'line'; });
  table('locations-no-object', 'locations', location,
        meta => { meta.location_fields[0] = 'z'; });
}

// Lists of fields that are not lists.
function addOtherLists(cases) {
  const forms = {number: 3, true: true, false: false, object: {}, zero: 0, text: 'x', empty: ''};
  for (const [name, form] of Object.entries(forms)) {
    for (const key of ['sample_fields', 'location_fields', 'scope_fields']) {
      cases.edit(`${key}-${name}`, ({snapshot}) => { snapshot.meta[key] = form; });
    }
    cases.edit(`samples-of-${name}`, ({snapshot, samples}) => {
      snapshot.meta.sample_fields = form;
      samples.push(100, 3, 200, 13);
    });
  }
}

// Values that only readers with a type for each value refuse.
function addOtherTypes(cases) {
  const number = (name, key, row) => cases.edit(name, file => file[key].push(...row));
  number('sample-of-32-bits', 'samples', [2 ** 32 - 1, 3]);
  number('sample-past-32-bits', 'samples', [2 ** 32, 3]);
  number('sample-id-past-32-bits', 'samples', [100, 2 ** 32 + 1]);
  number('location-negative', 'locations', [TOWN * 7, 1, -2, 3]);
  number('location-of-32-bits', 'locations', [TOWN * 7, 1, 2 ** 32 - 1, 3]);
  number('location-past-32-bits', 'locations', [TOWN * 7, 1, 2 ** 32, 3]);
  number('function-line-negative', 'trace_function_infos', [0, 1, 2, 0, -1, 0]);
  number('function-line-of-32-bits', 'trace_function_infos', [0, 1, 2, 0, 2 ** 32 - 1, 0]);
  for (const key of ['node_types', 'edge_types']) {
    for (const [name, entry] of Object.entries({number: 3, null: null, object: {}, list: ['x'],
                                                'list-of-lists': [['x']]})) {
      cases.edit(`${key}-entry-${name}`,
                 ({snapshot}) => { snapshot.meta[key][2] = entry; });
    }
  }
  for (const [key, rows] of Object.entries({samples: '100,3', locations: '21,1,2,3',
                                            trace_function_infos: '0,1,2,0,0,0'})) {
    cases.replace(`comma-behind-${key}`, `"${key}":[`, `"${key}":[${rows},`);
  }
  cases.raw('comma-behind-nodes', cases.base.replace('],"edges"', ',],"edges"'));
  cases.raw('comma-behind-edges', cases.base.replace('],"trace_f', ',],"trace_f'));
  cases.replace('size-past-64-bits', ',32,', ',18446744073709551616,', null);
  cases.bytes('type-no-utf8', '"regexp"', Buffer.from('"reg\xffexp"', 'latin1'));
  cases.bytes('key-no-utf8', '"samples"', Buffer.from('"\xff":1,"samples"', 'latin1'));
  cases.bytes('value-no-utf8', '"samples"', Buffer.from('"x":"\xff","samples"', 'latin1'));
  cases.replace('type-half-a-surrogate', '"regexp"', '"reg\\ud800exp"');
  cases.replace('key-half-a-surrogate', '"samples"', '"\\ud800":1,"samples"');
  cases.replace('title-half-a-surrogate', '"node_count"', '"title":"\\ud800","node_count"');
}

// Counts in the forms of programs other than V8, and counts that occur twice.
function addCountForms(cases) {
  for (const form of ['7.0', '7e0', '"7"', '70e-1', '-7', '"x"', 'null', '7.5']) {
    cases.replace(`node_count-${form.replaceAll('"', '_')}`, '"node_count":7',
                  `"node_count":${form}`);
    const edges = form.replace('7', '8');
    cases.replace(`edge_count-${edges.replaceAll('"', '_')}`, '"edge_count":8',
                  `"edge_count":${edges}`);
    cases.replace(`trace_function_count-${form.replace('7', '0').replaceAll('"', '_')}`,
                  '"trace_function_count":0',
                  `"trace_function_count":${form.replace('7', '0')}`);
  }
  for (const [name, form] of Object.entries({true: true, list: [], object: {}, fraction: 1.5,
                                             negative: -1, text: '0', empty: '', false: false})) {
    cases.edit(`trace_function_count-${name}`,
               ({snapshot}) => { snapshot.trace_function_count = form; });
    cases.edit(`edge_count-${name}`, ({snapshot}) => { snapshot.edge_count = form; });
    cases.raw(`traces-of-count-${name}`, ascii(text(tracedSnapshot(form, 0))));
  }
  for (const form of ['2.0', '"2"', '2e0']) {
    cases.raw(`traces-of-count-${form.replaceAll('"', '_')}`, ascii(text(tracedSnapshot(2, 1)))
        .replace('"trace_function_count":2', `"trace_function_count":${form}`));
  }
  const twice = (key, value) => cases.replace(`${key}-twice`, `"${key}":`,
                                              `"${key}":${value},"${key}":`);
  twice('node_count', 7);
  twice('edge_count', 8);
  twice('trace_function_count', 0);
  twice('meta', '{}');
  twice('node_fields', '["type"]');
  twice('edge_fields', '["type"]');
  twice('node_types', '[["a"]]');
  twice('edge_types', '[["a"]]');
  twice('sample_fields', '[]');
  twice('location_fields', '[]');
  twice('trace_node_fields', '[]');
  twice('trace_function_info_fields', '[]');
  cases.replace('title-twice', '"node_count"', '"title":"a","title":"b","node_count"');
  cases.replace('unknown-in-meta-twice', '"node_fields"', '"x":1,"x":2,"node_fields"');
}

function addTables(cases) {
  cases.edit('location-short', ({locations}) => locations.push(TOWN * 7, 1, 2));
  cases.edit('location', ({locations}) => locations.push(TOWN * 7, 1, 2, 3));
  const traced = (name, count, functionIndex, keys = KEYS) => {
    const snapshot = tracedSnapshot(count, functionIndex);
    cases.raw(name, ascii(text(Object.fromEntries(keys.map(key => [key, snapshot[key]])))));
  };
  traced('traces', 2, 1);
  traced('trace-count-too-small', 1, 1);
  traced('trace-function-beyond', 2, 9);
  const others = KEYS.filter(key => key !== 'trace_tree');
  traced('traces-without-tree', 2, 1, others);
  traced('trace_tree-last', 2, 1, [...others, 'trace_tree']);
  traced('trace_tree-behind-samples', 2, 1,
         [...others.slice(0, 5), 'trace_tree', ...others.slice(5)]);
  cases.edit('samples', ({samples}) => samples.push(100, 3, 200, 13));
  cases.edit('like-Julia', snapshot => {
    for (const key of KEYS.slice(3, 7)) delete snapshot[key];
    for (const key of ['trace_function_info_fields', 'trace_node_fields', 'sample_fields',
                       'location_fields']) delete snapshot.snapshot.meta[key];
    delete snapshot.snapshot.trace_function_count;
    for (let node = 0; node < 7; ++node) snapshot.nodes[node * 7 + 2] += 2 ** 46;
  }, GRAPH.map(([type, name, id, ...rest]) => [type, name, id + 2 ** 46, ...rest]));
}

export function deviations() {
  const cases = new Cases();
  for (const add of [addLayouts, addKeys, addShadows, addMeta, addCounts, addGraphs, addNumbers,
                     addStrings, addTables, addTraceTrees, addTableFields, addOtherLists,
                     addOtherTypes, addCountForms]) add(cases);
  return cases.list;
}
