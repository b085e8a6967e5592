// Checks that `heapglot validate` predicts what READER makes of a file.
//
// usage: node predict.mjs devtools|memlab|vscode HEAPGLOT [WORK_DIR]
// Writes the files of deviations.mjs, opens each with READER's own code, and compares
// the verdict of `validate --json` with the result: "fails" if it does not open,
// "wrong" if it shows something else than the file says, else "ok". Prints each
// difference; exits with 1 if their share is above MAX_WRONG_SHARE.
import {execFile, spawnSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';

import {deviations} from './deviations.mjs';

// At least 90 of 96 verdicts must be right.
const MAX_WRONG_SHARE = 6 / 96;
// Any of these files takes DevTools less than a second.
const DEVTOOLS_MS = 10_000;

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// ------------------------------------------------------------------- DevTools

// DevTools waits forever if its second thread has died.
function openInDevtools(file, graph) {
  const tired = new Promise(resolve => { setTimeout(resolve, DEVTOOLS_MS, 'fails'); });
  return Promise.race([tired, openInDevtoolsAtLast(file, graph)]);
}

async function openInDevtoolsAtLast(file, graph) {
  const {edgesOf, openSnapshot} = await import('./devtools.mjs');
  let snapshot;
  try {
    ({snapshot} = await openSnapshot(file));
    snapshot.aggregatesWithFilter({});
  } catch (error) {
    return 'fails';
  }
  return graph && devtoolsShows(snapshot, graph, edgesOf) ? 'ok' : 'wrong';
}

function devtoolsShows(snapshot, graph, edgesOf) {
  if (snapshot.nodeCount !== graph.length) return false;
  const width = snapshot.nodeFieldCount;
  const retainers = graph.map(() => []);
  for (const [from, [, , , , edges]] of graph.entries()) {
    for (const [type, , to] of edges) {
      if (type !== 'weak') retainers[to].push(from);
    }
  }
  const shows = ([type, name, id, size, edges], ordinal) => {
    const index = ordinal * width;
    const node = snapshot.createNode(index);
    const found = edgesOf(snapshot, index)
        .map(edge => [edge.type, String(edge.name), edge.node.nodeIndex / width]);
    return same([node.type(), node.rawName(), node.id(), node.selfSize()],
                [type, name, id, size]) &&
        same(found, edges.map(([type, name, to]) => [type, String(name), to])) &&
        same(devtoolsRetainers(snapshot, index, width), retainers[ordinal].sort()) &&
        // This is how the panel finds an object again.
        snapshot.nodeIndexForId(id) === index &&
        snapshot.getLocation(index)?.columnNumber !== undefined ===
            (snapshot.getLocation(index) !== null);
  };
  const sizes = Object.values(snapshot.aggregatesWithFilter({}))
      .reduce((sum, {self}) => sum + self, 0);
  return graph.every(shows) && sizes === graph.reduce((sum, node) => sum + node[3], 0);
}

function devtoolsRetainers(snapshot, index, width) {
  const found = [];
  for (const iterator = snapshot.createNode(index).retainers(); iterator.hasNext();
       iterator.next()) {
    const edge = iterator.item();
    if (edge.type() !== 'weak') found.push(edge.node().nodeIndex / width);
  }
  return found.sort();
}

// ----------------------------------------------------------------- in processes

async function openInMemlab(file, graph) {
  const {default: core} = await import('@memlab/core');
  core.config.muteConsole = true;
  const heap = await core.utils.getSnapshotFromFile(file, {verbose: false});
  if (!graph || heap.nodes.length !== graph.length) return 'wrong';
  const ids = graph.map(([, , id]) => id);
  const shows = ([type, name, id, size, edges], ordinal) => {
    const node = heap.nodes.get(ordinal);
    const found = node.references.map(
        edge => [edge.type, String(edge.name_or_index), edge.toNode?.id]);
    return same([node.type, node.name, node.id, node.self_size], [type, name, id, size]) &&
        same(found, edges.map(([type, name, to]) => [type, String(name), ids[to]]));
  };
  return graph.every(shows) ? 'ok' : 'wrong';
}

async function openInVscode(file, graph) {
  const {default: parser} = await import('@vscode/v8-heap-parser');
  parser.init_panic_hook();
  const heap = parser.decode_bytes(fs.readFileSync(file));
  const groups = heap.get_class_groups(0, 1e9, /* no_retained= */ false);
  const sum = what => groups.reduce((sum, group) => sum + Number(what(group)), 0);
  const found = [sum(group => group.children_len), sum(group => group.self_size)];
  return graph && same(found, [graph.length, graph.reduce((all, node) => all + node[3], 0)])
      ? 'ok' : 'wrong';
}

const OPEN = {devtools: openInDevtools, memlab: openInMemlab, vscode: openInVscode};

// The verdicts of a process that opens the files of `cases` from `first` on; fewer
// if it ends early.
async function openSome(reader, cases, first) {
  const script = fileURLToPath(import.meta.url);
  const files = cases.slice(first).map(({file}) => file);
  const run = promisify(execFile)(
      process.execPath, [script, '--open', reader, String(first), ...files],
      {timeout: 120_000, maxBuffer: 1 << 28});
  const {stdout} = await run.catch(error => error);
  return [...stdout.matchAll(/^verdict (\w+)$/gm)].map(([, verdict]) => verdict);
}

async function openAll(reader, cases) {
  const verdicts = [];
  if (reader === 'devtools') {
    for (const {file, graph} of cases) verdicts.push(await openInDevtools(file, graph));
    return verdicts;
  }
  // These readers exit or trap on a bad file: another process takes the next one.
  while (verdicts.length < cases.length) {
    verdicts.push(...await openSome(reader, cases, verdicts.length));
    if (verdicts.length < cases.length) verdicts.push('fails');
  }
  return verdicts;
}

// ------------------------------------------------------------------ comparison

function predict(heapglot, reader, files) {
  const {stdout, error} = spawnSync(
      heapglot, ['validate', '--from', 'heapsnapshot', '--json', ...files],
      {encoding: 'utf8', maxBuffer: 1 << 28});
  if (error) throw error;
  return JSON.parse(stdout).files.map(found => ({
    verdict: found.readers[reader],
    rules: found.findings.map(({rule}) => rule.replace('heapsnapshot.', '')).join(' '),
  }));
}

async function main(reader, heapglot, directory) {
  const work = directory ?? fs.mkdtempSync(path.join(os.tmpdir(), 'deviations-'));
  fs.mkdirSync(work, {recursive: true});
  const cases = deviations();
  for (const one of cases) {
    one.file = path.join(work, `${one.name}.heapsnapshot`);
    fs.writeFileSync(one.file, one.bytes);
  }
  const predicted = predict(heapglot, reader, cases.map(({file}) => file));
  const measured = await openAll(reader, cases);
  const wrong = cases
      .map(({name}, i) => ({name, is: measured[i], ...predicted[i]}))
      .filter(({is, verdict}) => is !== verdict);
  for (const {name, is, verdict, rules} of wrong) {
    console.log(`${name}: is ${is}, predicted ${verdict} (${rules})`);
  }
  const count = verdict => measured.filter(is => is === verdict).length;
  console.log(`${cases.length - wrong.length} of ${cases.length} verdicts of ${reader} are ` +
              `right; ${count('ok')} ok, ${count('wrong')} wrong, ${count('fails')} fail`);
  if (directory === undefined) fs.rmSync(work, {recursive: true});
  process.exit(wrong.length > MAX_WRONG_SHARE * cases.length ? 1 : 0);
}

const [first, ...words] = process.argv.slice(2);
if (first === '--open') {
  const [reader, number, ...files] = words;
  const cases = deviations().slice(Number(number));
  for (const [i, file] of files.entries())
    fs.writeSync(1, `verdict ${await OPEN[reader](file, cases[i].graph)}\n`);
  process.exit(0);
} else {
  await main(first, ...words);
}
