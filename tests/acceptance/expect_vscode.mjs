// Checks that the heap parser of Visual Studio Code (Rust) finds in SNAPSHOT the
// nodes, sizes and classes of DARTHEAP.
//
// usage: node expect_vscode.mjs DARTHEAP SNAPSHOT [keep|root]
// (expect_devtools.mjs explains the third argument.)
import fs from 'node:fs';

import parser from '@vscode/v8-heap-parser';

import {className, countBy, expectedGraph} from './dartheap.mjs';
import {Differences} from './differences.mjs';
import {finishGraph} from './unreachable.mjs';

const [dartheap, snapshotFile, unreachable = 'root'] = process.argv.slice(2);
const graph = expectedGraph(dartheap);
const differences = new Differences();

function classGroups() {
  parser.init_panic_hook();
  try {
    const heap = parser.decode_bytes(fs.readFileSync(snapshotFile));
    differences.equal(heap.root_index, 0, 'root');
    return heap.get_class_groups(0, Number.MAX_SAFE_INTEGER, /* no_retained= */ false);
  } catch (error) {
    differences.add(`the parser has failed: ${error.message}`);
    return differences.finish();
  }
}

const groups = classGroups();
const nodeCount = groups.reduce((sum, group) => sum + group.children_len, 0);
finishGraph(graph, unreachable, nodeCount);

// The parser has its own names for two types.
const OWN_NAMES = {closure: '(closure)', 'object shape': '(unknown)'};
const expected =
    countBy(graph, ordinal => OWN_NAMES[graph.type[ordinal]] ?? className(graph, ordinal));

differences.equal(groups.length, expected.size, 'classes');
for (const group of groups) {
  const name = group.name();
  differences.equal(group.children_len, expected.get(name)?.count, `nodes of ${name}`);
  differences.equal(Number(group.self_size), expected.get(name)?.size, `self size of ${name}`);
}
differences.finish(`${graph.nodeCount} nodes, ${expected.size} classes`);
