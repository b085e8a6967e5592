// Does the heap parser of Visual Studio Code (Rust) find in SNAPSHOT the nodes,
// sizes and classes of DARTHEAP?
//
// usage: node expect_vscode.mjs DARTHEAP SNAPSHOT [keep|root]
// (The third word is explained in expect_devtools.mjs.)
import fs from 'node:fs';

import parser from '@vscode/v8-heap-parser';

import {className, countBy, expectedGraph} from './dartheap.mjs';
import {Differences} from './differences.mjs';
import {hangUnreachable} from './unreachable.mjs';

const [dartheap, snapshotFile, unreachable = 'root'] = process.argv.slice(2);
const graph = expectedGraph(dartheap);
const differences = new Differences();

parser.init_panic_hook();
const heap = parser.decode_bytes(fs.readFileSync(snapshotFile));
// It cannot compute retained sizes where there is no edge.
const noRetained = graph.edgeCount === 0;
const groups = heap.get_class_groups(0, Number.MAX_SAFE_INTEGER, noRetained);
const nodeCount = groups.reduce((sum, group) => sum + group.children_len, 0);
if (unreachable === 'root') hangUnreachable(graph, nodeCount - graph.nodeCount);

// It has a word of its own for two types.
const OWN_NAMES = {closure: '(closure)', 'object shape': '(unknown)'};
const expected =
    countBy(graph, ordinal => OWN_NAMES[graph.type[ordinal]] ?? className(graph, ordinal));

differences.equal(heap.root_index, 0, 'root');
differences.equal(groups.length, expected.size, 'classes');
for (const group of groups) {
  const name = group.name();
  differences.equal(group.children_len, expected.get(name)?.count, `nodes of ${name}`);
  differences.equal(Number(group.self_size), expected.get(name)?.size, `self size of ${name}`);
}
differences.finish(`${graph.nodeCount} nodes, ${expected.size} classes`);
