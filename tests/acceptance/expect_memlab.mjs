// Checks that memlab finds in SNAPSHOT the nodes, edges, sizes and classes of
// DARTHEAP.
//
// usage: node expect_memlab.mjs DARTHEAP SNAPSHOT [keep|root]
// (expect_devtools.mjs explains the third argument.)
import core from '@memlab/core';

import {countBy, expectedGraph, size32, totalSize} from './dartheap.mjs';
import {Differences} from './differences.mjs';
import {finishGraph} from './unreachable.mjs';

const [dartheap, snapshotFile, unreachable = 'root'] = process.argv.slice(2);
const graph = expectedGraph(dartheap);
const differences = new Differences();

core.config.muteConsole = true;
const heap = await core.utils.getSnapshotFromFile(snapshotFile, {verbose: false});
finishGraph(graph, unreachable, heap.nodes.length);
graph.size = graph.size.map(size32);

// Classes of objects; all others by their type.
const key = (type, name) => (type === 'object' || type === 'native' ? `${type} ${name}` : type);
const expected = countBy(graph, ordinal => key(graph.type[ordinal], graph.name[ordinal]));
const actual = new Map();
let size = 0;
heap.nodes.forEach(node => {
  const group = key(node.type, node.name);
  if (!actual.has(group)) actual.set(group, {count: 0, size: 0});
  ++actual.get(group).count;
  actual.get(group).size += node.self_size;
  size += node.self_size;
});

differences.equal(heap.nodes.length, graph.nodeCount, 'nodes');
differences.equal(heap.edges.length, graph.edgeCount, 'edges');
differences.equal(size, totalSize(graph), 'total self size');
differences.equal(actual.size, expected.size, 'classes');
for (const [name, group] of expected) {
  differences.equal(actual.get(name)?.count, group.count, `nodes of ${name}`);
  differences.equal(actual.get(name)?.size, group.size, `self size of ${name}`);
}
differences.finish(`${graph.nodeCount} nodes, ${graph.edgeCount} edges, ${expected.size} classes`);
