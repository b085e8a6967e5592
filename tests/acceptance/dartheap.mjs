// What a dartheap must look like as a V8 heap snapshot.
//
// A second, independent reading of the format: nothing here is shared with
// heapglot. readDartheap() decodes the file (layout: readers/dartheap/README.md),
// expectedGraph() says which V8 nodes and edges must come out of it.
import fs from 'node:fs';
import zlib from 'node:zlib';

const TAG = {none: 0, null: 1, bool: 2, int: 3, double: 4, latin1: 5, utf16: 6, length: 7, name: 8};

// ------------------------------------------------------------------ decoding

export class Cursor {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  byte() {
    if (this.at >= this.bytes.length) throw new Error(`the file ends at ${this.at}`);
    return this.bytes[this.at++];
  }

  raw(size) {
    if (this.at + size > this.bytes.length) throw new Error(`the file ends after ${this.at}`);
    this.at += size;
    return this.bytes.subarray(this.at - size, this.at);
  }

  // Sizes, counts and ids: exact up to 2^53.
  uleb() {
    let value = 0;
    for (let scale = 1;; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw new Error(`a number above 2^53 at ${this.at}`);
      if (byte < 128) return value;
    }
  }

  // Totals, which may be anything that a word of the VM holds.
  word() {
    let value = 0n;
    for (let shift = 0n;; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      if (value >= 1n << 64n) throw new Error(`a number above 2^64 at ${this.at}`);
      if (byte < 128) return value;
    }
  }

  // A _Mint is written in SLEB128, every other integer in ULEB128 as the bits of
  // a word. DevTools' exports have all in ULEB128; such a _Mint can be recognized
  // where SLEB128 would have been shorter, or by a tenth group of 1.
  integer(isMint) {
    let bits = 0n;
    const groups = [];
    do {
      groups.push(this.byte());
      bits |= BigInt(groups.at(-1) & 127) << BigInt(7 * (groups.length - 1));
    } while (groups.at(-1) >= 128);
    if (!isMint) return bits;
    const [last, before] = [groups.at(-1), groups.at(-2) ?? 0];
    const isUleb = (last === 127 && before & 64) || (last === 1 && groups.length === 10);
    return BigInt.asIntN(isUleb ? 64 : 7 * groups.length, bits);
  }

  string() {
    return this.raw(this.uleb()).toString('utf8');
  }
}

export function readClass(cursor) {
  cursor.uleb();  // flags
  const name = cursor.string();
  cursor.string();  // library name
  const uri = cursor.string();
  cursor.string();  // reserved
  const fields = [];
  for (let left = cursor.uleb(); left > 0; --left) {
    cursor.uleb();  // flags
    const index = cursor.uleb();
    fields.push({index, name: cursor.string()});
    cursor.string();  // reserved
  }
  return {name, uri, fields};
}

// A _Smi stays unsigned until the word size of the VM is known.
function readData(cursor, tag, cls) {
  switch (tag) {
    case TAG.none:
    case TAG.null:
      return null;
    case TAG.bool:
      return cursor.uleb() !== 0;
    case TAG.int:
      return cursor.integer(cls?.name === '_Mint');
    case TAG.double:
      return cursor.raw(8).readDoubleLE();
    case TAG.latin1:
      cursor.uleb();  // full length
      return cursor.raw(cursor.uleb()).toString('latin1');
    case TAG.utf16:
      cursor.uleb();  // full length
      return cursor.raw(2 * cursor.uleb()).toString('utf16le');
    case TAG.length:
      return cursor.uleb();
    case TAG.name:
      return cursor.string();
    default:
      throw new Error(`data tag ${tag} before ${cursor.at}`);
  }
}

// Objects are columns, so that a million of them fit: object `id` (1-based, as
// in the file) has its row at that index, and its references are in `refs`
// from firstRef[id] up to firstRef[id + 1].
export function readObjects(cursor, classes) {
  const count = cursor.uleb();
  const objects = {
    count,
    classId: new Uint32Array(count + 1),
    size: new Float64Array(count + 1),
    tag: new Uint8Array(count + 1),
    data: new Array(count + 1).fill(null),
    firstRef: new Uint32Array(count + 2),
    refs: [],
  };
  for (let id = 1; id <= count; ++id) {
    objects.classId[id] = cursor.uleb();
    objects.size[id] = cursor.uleb();
    objects.tag[id] = cursor.uleb();
    objects.data[id] = readData(cursor, objects.tag[id], classes[objects.classId[id]]);
    for (let left = cursor.uleb(); left > 0; --left) objects.refs.push(cursor.uleb());
    objects.firstRef[id + 1] = objects.refs.length;
  }
  return objects;
}

// Objects of a 64-bit VM are aligned to 16 bytes, those of a 32-bit VM to 8. A
// _Smi is the two's complement of a word, a _Mint is already signed.
function signIntegers({count, classId, size, tag, data}, classes) {
  const bits = size.some(bytes => bytes % 16 === 8) ? 32 : 64;
  for (let id = 1; id <= count; ++id) {
    if (tag[id] !== TAG.int || classes[classId[id]]?.name === '_Mint') continue;
    data[id] = BigInt.asIntN(bits, data[id]);
  }
}

export function readBytes(file) {
  const bytes = fs.readFileSync(file);
  return bytes.readUInt16BE() === 0x1f8b ? zlib.gunzipSync(bytes) : bytes;
}

// Reads FILE, plain or gzipped. Classes are 1-based, as in the file.
export function readDartheap(file) {
  const cursor = new Cursor(readBytes(file));
  if (cursor.raw(8).toString('latin1') !== 'dartheap') throw new Error('not a dartheap');
  cursor.uleb();  // flags
  cursor.string();  // name of the isolate
  for (let i = 0; i < 3; ++i) cursor.uleb();  // sizes
  const classes = [null];
  for (let left = cursor.uleb(); left > 0; --left) classes.push(readClass(cursor));
  cursor.uleb();  // reference count
  const objects = readObjects(cursor, classes);
  signIntegers(objects, classes);
  const externals = [];
  for (let left = cursor.uleb(); left > 0; --left) {
    externals.push({holder: cursor.uleb(), size: cursor.uleb(), name: cursor.string()});
  }
  return {classes, objects, externals};
}

// ------------------------------------------------------- knowledge about Dart

const ROOT_CLASSES = new Set(['Root', 'Read-Only Pages', 'Isolate']);

const CODE_CLASSES = new Set([
  'Bytecode', 'Code', 'CodeSourceMap', 'CompressedStackMaps', 'ExceptionHandlers', 'Function',
  'ICData', 'Instructions', 'InstructionsSection', 'InstructionsTable', 'LocalVarDescriptors',
  'MegamorphicCache', 'MonomorphicSmiableCall', 'ObjectPool', 'PcDescriptors', 'Script',
  'SingleTargetCache', 'SubtypeTestCache', 'UnlinkedCall',
]);

const TYPE_CLASSES = new Set(['_FunctionType', '_RecordType', '_Type', '_TypeParameter']);

const STRING_CLASSES = new Set([
  '_ExternalOneByteString', '_ExternalTwoByteString', '_OneByteString', '_TwoByteString',
]);

const LIST_CLASSES = new Set(['_ImmutableList', '_List']);

// Up to 2.18 maps and sets had other names.
const SET_CLASSES = new Set([
  '_CompactImmutableLinkedHashSet', '_CompactLinkedHashSet', '_ConstSet', '_LinkedHashSet', '_Set',
]);
const MAP_CLASSES = new Set([
  '_CompactLinkedHashMap', '_ConstMap', '_InternalImmutableLinkedHashMap',
  '_InternalLinkedHashMap', '_LinkedHashMap', '_Map',
]);

const WEAK_SLOTS = new Set([
  'FinalizerEntry.detach_', 'FinalizerEntry.finalizer_', 'FinalizerEntry.value_',
  '_WeakProperty.key_', '_WeakReference.target_', '_WeakReferenceImpl.target_',
]);

const CONTEXT_SLOTS = new Set(['Context.parent_', '_Closure.context_']);

// Class names that DevTools would rename or regroup.
const RESERVED_NAMES = new Set(['Array', 'Object']);

const isVm = cls => cls.uri === '';
const isCore = cls => cls.uri.startsWith('dart:');

// V8 type of the instances of a class, if their data does not decide.
function nodeTypeOf(cls) {
  if (isVm(cls)) {
    if (ROOT_CLASSES.has(cls.name)) return 'synthetic';
    if (CODE_CLASSES.has(cls.name)) return 'code';
    if (cls.name === 'Class' || cls.name === 'TypeArguments') return 'object shape';
    return cls.name === 'Context' ? 'object' : 'hidden';
  }
  if (isCore(cls)) {
    if (cls.name === '_Closure') return 'closure';
    if (TYPE_CLASSES.has(cls.name)) return 'object shape';
    if (cls.name === '_LibraryPrefix') return 'hidden';
  }
  return 'object';
}

// What the references of an instance mean beyond its own fields.
function roleOf(cls) {
  if (isVm(cls)) return cls.name === 'WeakArray' ? 'weak array' : 'plain';
  if (!isCore(cls)) return 'plain';
  if (LIST_CLASSES.has(cls.name)) return 'list';
  if (cls.name === '_GrowableList') return 'growable';
  if (SET_CLASSES.has(cls.name)) return 'set';
  return MAP_CLASSES.has(cls.name) ? 'map' : 'plain';
}

function slotEdgeType(cls, field) {
  const slot = `${cls.name}.${field}`;
  if (field === 'type_arguments') return 'internal';
  if (!isVm(cls) && !isCore(cls)) return 'property';
  if (WEAK_SLOTS.has(slot)) return 'weak';
  if (CONTEXT_SLOTS.has(slot)) return 'context';
  return field.endsWith('_') ? 'internal' : 'property';
}

const NO_CLASS = {
  name: '', uri: '', fields: [], shown: '(no class)', type: 'hidden', role: 'plain',
  isString: false, slots: [], slotNames: new Map(),
};

// Adds to each class what the builder needs to know about its instances.
function describeClasses(classes) {
  const uses = new Map();
  for (const {name} of classes.slice(1)) uses.set(name, (uses.get(name) ?? 0) + 1);
  for (const cls of classes.slice(1)) {
    const isAmbiguous = uses.get(cls.name) > 1 || RESERVED_NAMES.has(cls.name);
    cls.shown = isAmbiguous && cls.uri ? `${cls.name} (${cls.uri})` : cls.name;
    if (cls.name === '') cls.shown = '(unnamed class)';
    cls.type = nodeTypeOf(cls);
    cls.role = roleOf(cls);
    cls.isString = isCore(cls) && STRING_CLASSES.has(cls.name);
    cls.slots = [];  // by index of the reference
    cls.slotNames = new Map();  // name -> index of the reference
    const isIsolate = isVm(cls) && cls.name === 'Isolate';
    for (const {index, name} of cls.fields) {
      // In an isolate, a slot of the field table without a static field.
      if (!name && isIsolate) continue;
      if (cls.slots[index]?.name) continue;  // 2.17 names some slots twice
      cls.slots[index] = {type: slotEdgeType(cls, name), name};
      cls.slotNames.set(name, index);
    }
  }
}

// --------------------------------------------------------- the expected graph

export function doubleText(value) {
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

// No way to write lone surrogates suits every reader.
const wellFormed = text => text.replace(/\p{Surrogate}/gu, '\ufffd');

// The graph, in columns: node `ordinal` has its edges at firstEdge[ordinal] up
// to firstEdge[ordinal + 1].
class Graph {
  constructor(objectCount) {
    this.objectCount = objectCount;
    this.type = [];
    this.name = [];
    this.size = [];
    this.firstEdge = [0];
    this.edgeType = [];
    this.edgeName = [];
    this.edgeTo = [];
  }

  get nodeCount() {
    return this.type.length;
  }

  get edgeCount() {
    return this.edgeType.length;
  }

  // The edges of a node are added before the node itself.
  addEdge(type, name, to) {
    this.edgeType.push(type);
    this.edgeName.push(typeof name === 'string' ? wellFormed(name) : name);
    this.edgeTo.push(to);
  }

  // Appends an edge to those of a node that has been added.
  insertEdge(from, type, name, to) {
    const at = this.firstEdge[from + 1];
    this.edgeType.splice(at, 0, type);
    this.edgeName.splice(at, 0, name);
    this.edgeTo.splice(at, 0, to);
    for (let i = from + 1; i < this.firstEdge.length; ++i) ++this.firstEdge[i];
  }

  // Adds a child to the root, which has been added already.
  hangFromRoot(ordinal) {
    this.insertEdge(0, 'element', this.firstEdge[1] + 1, ordinal);
  }

  // VS Code's parser cannot handle a last node with edges.
  endInLeaf() {
    const last = this.nodeCount - 1;
    const isBehindObjects = last > Math.max(this.objectCount, 1);
    if (isBehindObjects && this.firstEdge[last] === this.firstEdge[last + 1]) return;
    this.addNode('synthetic', '(end)', 0);
    this.hangFromRoot(last + 1);
  }

  addNode(type, name, size) {
    this.type.push(type);
    this.name.push(wellFormed(name));
    this.size.push(size);
    this.firstEdge.push(this.edgeType.length);
  }
}

class Builder {
  constructor({classes, objects, externals}) {
    this.classes = classes;
    this.objects = objects;
    this.externals = externals;
    this.graph = new Graph(objects.count);
    this.hasOmitted = false;
    this.hasDangling = false;
    describeClasses(classes);
    this.placeExtraNodes();
  }

  // Object ids are ordinals; other nodes come after the objects.
  placeExtraNodes() {
    const {count, refs} = this.objects;
    this.firstExternal = Math.max(count, 1) + 1;  // (GC roots) is always there
    this.heldBy = new Map();  // object -> ordinals
    this.externals.forEach(({holder}, i) => {
      if (!this.heldBy.has(holder)) this.heldBy.set(holder, []);
      this.heldBy.get(holder).push(this.firstExternal + i);
    });
    const see = ref => {
      if (ref === 0) this.hasOmitted = true;
      else if (ref > count) this.hasDangling = true;
    };
    refs.forEach(see);
    this.externals.forEach(({holder}) => see(Number(holder)));
    this.omitted = this.firstExternal + this.externals.length;
    this.dangling = this.omitted + (this.hasOmitted ? 1 : 0);
  }

  classOf(id) {
    const classId = this.objects.classId[id];
    if (classId === 0) return NO_CLASS;
    return this.classes[classId] ?? {...NO_CLASS, shown: '(undefined class)'};
  }

  refCount(id) {
    return this.objects.firstRef[id + 1] - this.objects.firstRef[id];
  }

  ref(id, index) {
    return this.objects.refs[this.objects.firstRef[id] + index];
  }

  // The object in the named slot, or 0.
  slot(id, name) {
    const index = this.classOf(id).slotNames.get(name);
    const target = index < this.refCount(id) ? this.ref(id, index) : 0;
    return target <= this.objects.count ? target : 0;
  }

  ordinal(ref) {
    if (ref === 0) return this.omitted;
    return ref <= this.objects.count ? ref : this.dangling;
  }

  build() {
    const {graph, objects} = this;
    graph.addEdge('element', 1, 1);
    graph.addNode('synthetic', '', 0);
    if (objects.count === 0) graph.addNode('synthetic', '(GC roots)', 0);
    for (let id = 1; id <= objects.count; ++id) this.addObject(id);
    for (const {name, size} of this.externals) {
      graph.addNode('native', name ? `external memory (${name})` : 'external memory', size);
    }
    if (this.hasOmitted) this.addStandIn('(omitted)', ref => ref === 0);
    if (this.hasDangling) this.addStandIn('(dangling reference)', ref => ref > objects.count);
    return graph;
  }

  // Adds a node in place of missing objects, as target and as holder.
  addStandIn(name, isItsHolder) {
    let edges = 0;
    this.externals.forEach(({holder}, i) => {
      if (isItsHolder(holder)) this.graph.addEdge('element', ++edges, this.firstExternal + i);
    });
    this.graph.addNode('synthetic', name, 0);
    this.graph.hangFromRoot(this.graph.nodeCount - 1);
  }

  addObject(id) {
    this.addReferences(id);
    this.addItems(id);
    for (const ordinal of this.heldBy.get(id) ?? []) {
      this.graph.addEdge('internal', 'external', ordinal);
    }
    const [type, name] = this.typeAndName(id);
    this.graph.addNode(type, name, this.objects.size[id]);
  }

  typeAndName(id) {
    const cls = this.classOf(id);
    if (id === 1) return ['synthetic', '(GC roots)'];
    if (cls.type === 'synthetic') return ['synthetic', `(${this.classAndName(id)})`];
    const text = this.valueText(id);
    if (text !== null) return [this.valueType(id), text];
    if (cls.type === 'closure') return ['closure', this.functionName(id) ?? cls.shown];
    return [cls.type, cls.type === 'object' ? cls.shown : this.classAndName(id)];
  }

  classAndName(id) {
    const {shown} = this.classOf(id);
    const name = this.objects.tag[id] === TAG.name ? this.objects.data[id] : '';
    return name ? `${shown} ${name}` : shown;
  }

  functionName(id) {
    const target = this.slot(id, 'function_');
    return target && this.objects.tag[target] === TAG.name ? this.objects.data[target] : null;
  }

  isString(id) {
    const tag = this.objects.tag[id];
    return tag === TAG.latin1 || tag === TAG.utf16 ||
        (tag === TAG.name && this.classOf(id).isString);
  }

  valueType(id) {
    if (this.isString(id)) return 'string';
    const tag = this.objects.tag[id];
    return tag === TAG.int || tag === TAG.double ? 'number' : 'native';
  }

  // The text of a string, number, boolean or null; null for everything else.
  valueText(id) {
    if (this.isString(id)) return this.objects.data[id];
    switch (this.objects.tag[id]) {
      case TAG.null:
        return 'null';
      case TAG.bool:
      case TAG.int:
        return String(this.objects.data[id]);
      case TAG.double:
        return doubleText(this.objects.data[id]);
      default:
        return null;
    }
  }

  addReferences(id) {
    const {role, fields, slots} = this.classOf(id);
    const count = this.refCount(id);
    for (let i = 0; i < count; ++i) {
      const to = this.ordinal(this.ref(id, i));
      if (slots[i]) this.graph.addEdge(slots[i].type, slots[i].name, to);
      else if (role === 'weak array') this.graph.addEdge('weak', 'element', to);
      else this.graph.addEdge('element', i >= fields.length ? i - fields.length : i, to);
    }
  }

  // Adds a container's items, so that users need not look into its data_.
  addItems(id) {
    const {role} = this.classOf(id);
    if (role !== 'growable' && role !== 'set' && role !== 'map') return;
    const list = this.slot(id, 'data_');
    if (!list || this.objects.tag[id] !== TAG.length || this.classOf(list).role !== 'list') return;
    const skip = this.classOf(list).fields.length;
    const count = Math.min(this.objects.data[id], Math.max(0, this.refCount(list) - skip));
    const items = Array.from({length: count}, (_, i) => this.ref(list, skip + i));
    // A deleted item of a hash table is the table itself.
    if (role === 'map') this.addEntries(items, list);
    else this.addElements(role === 'set' ? items.filter(item => item !== list) : items);
  }

  addElements(items) {
    items.forEach((item, i) => this.graph.addEdge('element', i, this.ordinal(item)));
  }

  addEntries(items, deleted) {
    for (let i = 0, pair = 0; i + 1 < items.length; i += 2) {
      const [key, value] = [items[i], this.ordinal(items[i + 1])];
      if (key === deleted) continue;
      const text = key > 0 && key <= this.objects.count ? this.valueText(key) : null;
      if (text === null) {
        this.graph.addEdge('property', `key ${pair}`, this.ordinal(key));
        this.graph.addEdge('property', `value ${pair}`, value);
      } else if (this.isIndex(key)) {
        this.graph.addEdge('element', Number(text), value);
      } else {
        this.graph.addEdge('property', text, value);
      }
      ++pair;
    }
  }

  isIndex(id) {
    const {tag, data} = this.objects;
    return tag[id] === TAG.int && data[id] >= 0n && data[id] < 0xffffffffn;
  }
}

// The V8 heap snapshot that FILE must become.
export function expectedGraph(file) {
  return new Builder(readDartheap(file)).build();
}

// ---------------------------------------------------- what follows from it

// The name that DevTools has for the class of a node ("Constructor" column).
export function className(graph, ordinal) {
  switch (graph.type[ordinal]) {
    case 'object':
    case 'native':
      return graph.name[ordinal];
    case 'hidden':
      return '(system)';
    case 'code':
      return '(compiled code)';
    case 'closure':
      return 'Function';
    default:
      return `(${graph.type[ordinal]})`;
  }
}

// DevTools and memlab store the numbers of the file in 32 bits.
export const size32 = size => size % 2 ** 32;

export const totalSize = graph => graph.size.reduce((sum, size) => sum + size, 0);

// Map from `keyOf(ordinal)` to {count, size}; ordinals without a key are left out.
export function countBy(graph, keyOf) {
  const groups = new Map();
  for (let ordinal = 0; ordinal < graph.nodeCount; ++ordinal) {
    const key = keyOf(ordinal);
    if (key === null) continue;
    if (!groups.has(key)) groups.set(key, {count: 0, size: 0});
    const group = groups.get(key);
    ++group.count;
    group.size += graph.size[ordinal];
  }
  return groups;
}

export const NO_DISTANCE = -5;  // DevTools' own number; it shows "-"

// Number of steps from `start`, by ordinal, over edges that keep their targets.
// With `distance`, nodes that have one already are left alone.
export function distances(graph, start = 0,
                          distance = new Int32Array(graph.nodeCount).fill(NO_DISTANCE)) {
  const queue = [start];
  distance[start] = 0;
  for (let next = 0; next < queue.length; ++next) {
    const from = queue[next];
    for (let edge = graph.firstEdge[from]; edge < graph.firstEdge[from + 1]; ++edge) {
      const to = graph.edgeTo[edge];
      if (graph.edgeType[edge] === 'weak' || distance[to] !== NO_DISTANCE) continue;
      distance[to] = distance[from] + 1;
      queue.push(to);
    }
  }
  return distance;
}
