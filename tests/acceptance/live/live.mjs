// Runs known.dart in a real Dart VM, converts its snapshot, and uses DevTools' own
// code to find every object that the program is known to have.
//
// usage: node live.mjs HEAPGLOT DART WORK_DIR
import {execFileSync} from 'node:child_process';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

import {edgesOf, openSnapshot} from '../devtools.mjs';
import {Differences} from '../differences.mjs';

const number = name => ({type: 'number', name});
const string = name => ({type: 'string', name});
const native = name => ({type: 'native', name});
const object = name => ({type: 'object', name});
const same = target => ({same: target});
const absent = {absent: true};

// Paths from `known`. Steps are edges as DevTools writes them: .property,
// [element], {internal}, ->context, [[weak]]; [*] is any element.
const KNOWN = {
  '': object('Known'),
  '.inherited': string('from Base'),
  '.nothing': native('null'),
  '.yes': native('true'),
  '.no': native('false'),

  '.numbers': object('Numbers'),
  '.numbers/.zero': number('0'),
  '.numbers/.smi': number('42'),
  '.numbers/.negativeSmi': number('-7'),
  '.numbers/.largestSmi32': number('1073741823'),
  '.numbers/.smallestSmi32': number('-1073741824'),
  '.numbers/.mint': number('1073741824'),
  '.numbers/.negativeMint': number('-1073741825'),
  '.numbers/.above32Bits': number('5000000000'),
  '.numbers/.above62Bits': number('4611686018427387905'),
  '.numbers/.largest': number('9223372036854775807'),
  '.numbers/.smallest': number('-9223372036854775808'),
  '.numbers/.half': number('0.5'),
  '.numbers/.wholeDouble': number('3.0'),
  '.numbers/.negativeZero': number('-0.0'),
  '.numbers/.huge': number('1e+300'),
  '.numbers/.tiny': number('5e-324'),
  '.numbers/.nan': number('NaN'),
  '.numbers/.infinity': number('Infinity'),
  '.numbers/.negativeInfinity': number('-Infinity'),

  '.strings/.empty': string(''),
  '.strings/.ascii': string('plain text'),
  '.strings/.latin1': string('caf\u00e9 \u00ff'),
  '.strings/.controls': string('tab\tquote"backslash\\nul\u0000end'),
  '.strings/.utf16': string('\u6f22\u5b57'),
  '.strings/.emoji': string('smile \u{1f600}'),
  '.strings/.loneSurrogate': string('a\ufffdb'),
  '.strings/.long': string('x'.repeat(128)),  // the VM cuts it

  '.collections/.fixed': object('_List'),
  '.collections/.fixed/[0]': native('null'),
  '.collections/.fixed/[1]': string('middle'),
  '.collections/.fixed/[2]': native('null'),
  '.collections/.fixed/[3]': absent,
  '.collections/.growable': object('_GrowableList'),
  '.collections/.growable/[0]': string('first'),
  '.collections/.growable/[1]': number('2'),
  '.collections/.growable/[2]': native('null'),
  '.collections/.growable/[3]': absent,
  '.collections/.constList': object('_ImmutableList'),
  '.collections/.constList/[0]': number('10'),
  '.collections/.constList/[1]': number('20'),
  '.collections/.emptyList': object('_GrowableList'),
  '.collections/.emptyList/[0]': absent,
  '.collections/.stringKeys': object('_Map'),
  '.collections/.stringKeys/.alpha': number('1'),
  '.collections/.stringKeys/["beta gamma"]': number('2'),
  '.collections/.intKeys/[7]': string('seven'),
  '.collections/.intKeys/.-3': string('minus three'),
  '.collections/.intKeys/.4294967295': string('too large'),
  '.collections/.otherKeys/.1.5': string('double'),
  '.collections/.otherKeys/.true': string('bool'),
  '.collections/.otherKeys/.null': string('nothing'),
  '.collections/.objectKeys/["key 0"]/._name': string('red'),
  '.collections/.objectKeys/["value 0"]': string('red value'),
  '.collections/.objectKeys/.text': number('1'),
  '.collections/.objectKeys/["key 2"]/._name': string('blue'),
  '.collections/.objectKeys/["value 2"]': number('2'),
  '.collections/.deletedKeys/.a': number('1'),
  '.collections/.deletedKeys/.b': absent,
  '.collections/.deletedKeys/.c': number('3'),
  '.collections/.constMap': object('_ConstMap'),
  '.collections/.constMap/.const': string('entry'),
  '.collections/.set': object('_Set'),
  '.collections/.set/[0]': string('one'),
  '.collections/.set/[1]': string('three'),
  '.collections/.set/[2]': absent,
  '.collections/.constSet': object('_ConstSet'),
  '.collections/.constSet/[0]': string('only'),

  // A record's fields have no names in a snapshot. Element 0 describes them.
  '.record': object('_Record'),
  '.record/[1]': number('1'),
  '.record/[2]': string('two'),
  '.record/[3]': number('3.5'),

  '.color': object('Color'),
  '.color/.index': number('1'),
  '.color/._name': string('green'),
  '.point': object('Place'),
  '.point/.x': number('3'),
  '.point/.y': number('4'),
  '.box': object('Box'),
  '.box/.content': string('boxed'),
  '.box/{type_arguments}': {name: 'TypeArguments <String>'},
  '.type': {type: 'object shape', name: '_Type'},
  '.bytes': {...object('_Uint8List'), minSize: 1000},
  '.doubles': {...object('_Float64List'), minSize: 16},

  '.ring/.label': string('ring a'),
  '.ring/.next/.label': string('ring b'),
  '.ring/.next/.next': same('.ring'),

  '.closure': {type: 'closure', name: 'useCaptured'},
  '.closure/->context_': object('Context'),
  '.closure/->context_/[0]/.x': string('captured'),
  '.tearOff': {type: 'closure', name: 'main'},

  '.weak/[[target_]]': same('.weaklyHeld'),
  '.weaklyHeld/.label': string('weakly held'),
  '.expando/.name': string('my expando'),
  '.expando/._data/[*]/[[key_]]': same('.weaklyHeld'),
  '.expando/._data/[*]/{value_}': string('expando value'),
  '.external/{external}': {...native(/^external memory/), minSize: 50000},
};

// From the second isolate.
const WORKER = {
  '': object(/^Link \(file:.*known\.dart\)$/),  // dart:io has a Link, too
  '.label': string('in the worker'),
};

// The VM gets an empty environment, so that nothing of this machine is in its heap.
function takeSnapshot(dart, workDir) {
  const program = fileURLToPath(new URL('known.dart', import.meta.url));
  const dartheap = path.resolve(workDir, 'live.dartheap');
  execFileSync(dart, ['--disable-dart-dev', program, dartheap], {env: {}, stdio: 'inherit'});
  return dartheap;
}

function convert(heapglot, dartheap) {
  const snapshot = dartheap.replace(/dartheap$/, 'heapsnapshot');
  execFileSync(heapglot, ['convert', dartheap, '-o', snapshot, '-f', '-q'], {stdio: 'inherit'});
  return snapshot;
}

class Walker {
  constructor(snapshot) {
    this.snapshot = snapshot;
  }

  // The nodes that `step` leads to from the node with that index.
  next(nodeIndex, step) {
    const edge = this.snapshot.createEdge(0);
    return edgesOf(this.snapshot, nodeIndex)
        .filter(({edgeIndex, type}) => {
          edge.edgeIndex = edgeIndex;
          return step === '[*]' ? type === 'element' : edge.toString() === step;
        })
        .map(({node}) => node);
  }

  follow(node, steps) {
    return steps.split('/').filter(Boolean).reduce(
        (nodes, step) => nodes.flatMap(({nodeIndex}) => this.next(nodeIndex, step)), [node]);
  }

  // The value that a static field has in each isolate.
  statics(name) {
    const root = {nodeIndex: this.snapshot.rootNodeIndex};
    return this.follow(root, '[1]/[*]')
        .filter(node => node.type === 'synthetic' && node.name.startsWith('(Isolate'))
        .flatMap(({nodeIndex}) => this.next(nodeIndex, `.${name}`));
  }
}

function matches(text, expected) {
  if (expected === undefined) return true;
  return expected instanceof RegExp ? expected.test(text) : expected === text;
}

const describe = nodes =>
    nodes.map(({type, name, selfSize}) => `${type} ${JSON.stringify(name)} (${selfSize} bytes)`)
        .join(', ') || 'nothing';

function check(walker, start, steps, expected, differences) {
  const nodes = walker.follow(start, steps);
  const isRight = node => {
    if (expected.same !== undefined) {
      return walker.follow(start, expected.same).some(({id}) => id === node.id);
    }
    return matches(node.type, expected.type) && matches(node.name, expected.name) &&
        node.selfSize >= (expected.minSize ?? 0);
  };
  if (expected.absent ? nodes.length === 0 : nodes.some(isRight)) return;
  const wanted = JSON.stringify(
      expected, (_, value) => (value instanceof RegExp ? String(value) : value));
  const where = start.name + steps.replaceAll('/', '');
  differences.add(`${where}: expected ${wanted}, found ${describe(nodes)}`);
}

// Checks the static field `name` in the isolate where it has the expected class.
function checkStatic(walker, name, paths, differences) {
  const values = walker.statics(name);
  const start = values.find(value => matches(value.name, paths[''].name));
  if (!start) {
    differences.add(`static field ${name}: found ${describe(values)}`);
    return;
  }
  for (const [steps, expected] of Object.entries(paths)) {
    check(walker, start, steps, expected, differences);
  }
}

const [heapglot, dart, workDir] = process.argv.slice(2);
const {snapshot} = await openSnapshot(convert(heapglot, takeSnapshot(dart, workDir)));
const walker = new Walker(snapshot);
const differences = new Differences();
checkStatic(walker, 'known', KNOWN, differences);
checkStatic(walker, 'worker', WORKER, differences);
differences.finish(
    `${Object.keys(KNOWN).length + Object.keys(WORKER).length} known objects, fields and values`);
