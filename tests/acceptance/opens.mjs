// Checks that READER opens heap snapshots, and finds in them what heapglot reports.
//
// usage: node opens.mjs devtools|memlab|vscode HEAPGLOT SNAPSHOT...
// For snapshots converted from any format: nodes, edges and the sum of sizes are
// those of `heapglot info`, and DevTools' Summary view includes all nodes. DevTools
// reports nothing, not even unreachable nodes. Prints the differences and exits with
// 1 if there are any.
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import {Differences} from './differences.mjs';

async function openInDevtools(file, differences) {
  const {openSnapshot} = await import('./devtools.mjs');
  const {snapshot, problems} = await openSnapshot(file);
  for (const problem of problems) differences.add(`${path.basename(file)}: ${problem}`);
  // DevTools keeps only one of two classes that look the same.
  const shown = Object.values(snapshot.aggregatesWithFilter({}))
      .reduce((sum, {self}) => sum + self, 0);
  // DevTools' total includes memory outside of V8, which belongs to no node.
  const outside = snapshot.profile.snapshot.extra_native_bytes ?? 0;
  const size = snapshot.updateStaticData().totalSize - outside;
  differences.equal(shown, size, `size of all classes of ${path.basename(file)}`);
  return {
    nodes: snapshot.nodeCount,
    edges: snapshot.containmentEdges.length / snapshot.edgeFieldsCount,
    size,
  };
}

async function openInMemlab(file) {
  const {default: core} = await import('@memlab/core');
  core.config.muteConsole = true;
  const heap = await core.utils.getSnapshotFromFile(file, {verbose: false});
  let size = 0;
  heap.nodes.forEach(node => {
    size += node.self_size;
  });
  return {nodes: heap.nodes.length, edges: heap.edges.length, size};
}

async function openInVscode(file) {
  const {default: parser} = await import('@vscode/v8-heap-parser');
  parser.init_panic_hook();
  const bytes = fs.readFileSync(file);
  // The parser reads no file with a tree of traces, not even V8's own: `validate`
  // says so (heapsnapshot.trace.nested).
  if (!bytes.includes('"trace_tree":[]')) return {};
  const heap = parser.decode_bytes(bytes);
  const groups = heap.get_class_groups(0, Number.MAX_SAFE_INTEGER, /* no_retained= */ false);
  return {size: groups.reduce((sum, group) => sum + Number(group.self_size), 0)};
}

const READERS = {devtools: openInDevtools, memlab: openInMemlab, vscode: openInVscode};

function describe(heapglot, file) {
  const {stdout} = spawnSync(heapglot, ['info', '--json', file], {encoding: 'utf8'});
  const {nodes, edges, self_size_total: size} = JSON.parse(stdout);
  return {nodes, edges, size};
}

const [reader, heapglot, ...files] = process.argv.slice(2);
const differences = new Differences();
for (const file of files) {
  const name = path.basename(file);
  try {
    const expected = describe(heapglot, file);
    const found = await READERS[reader](file, differences);
    for (const [what, count] of Object.entries(found)) {
      // Each reader cuts sizes above 4 GiB in its own way.
      if (what === 'size' && expected.size >= 2 ** 32) continue;
      differences.equal(count, expected[what], `${what} of ${name}`);
    }
  } catch (error) {
    differences.add(`${name}: ${error.message ?? error}`);
  }
}
differences.finish(`${files.length} files`);
