// Runs all checks; run.sh prepares and calls it.
//
// usage: node run.mjs HEAPGLOT OUT_DIR REPOSITORY [DARTHEAP...]
// Prints a line a check, and what a failed one has said. Ends with
// "N passed, N failed".
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

import {className, countBy, expectedGraph} from './dartheap.mjs';
import {checkPairs} from './pairs.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const DART = path.join(here, 'node_modules/sass-embedded-linux-ia32/dart-sass/src/dart');
const SHOWN_CLASSES = 5;

class Checks {
  constructor() {
    this.passed = 0;
    this.failed = 0;
  }

  // Runs a program; the check is passed if it exits with 0.
  run(name, program, ...words) {
    const start = Date.now();
    const {status, error, stdout, stderr} =
        spawnSync(program, words, {encoding: 'utf8', cwd: here, maxBuffer: 1 << 28});
    const seconds = (Date.now() - start) / 1000;
    const output = [error?.message, stdout, stderr].filter(Boolean).join('\n').trim();
    return this.add(name, seconds, status === 0, output);
  }

  // What others have found out.
  add(name, seconds, isPassed, output) {
    if (isPassed) {
      ++this.passed;
      console.log(`ok    ${seconds.toFixed(1).padStart(5)} s  ${name}: ${output || 'done'}`);
    } else {
      ++this.failed;
      console.log(`FAIL  ${seconds.toFixed(1).padStart(5)} s  ${name}\n${output.replace(/^/gm, '    ')}`);
    }
    return isPassed;
  }

  node(name, script, ...words) {
    return this.run(name, process.execPath, path.join(here, script), ...words);
  }
}

const stem = file => path.basename(file).replace(/\.gz$/, '').replace(/\.\w+$/, '');

function corpusFiles(directory) {
  const files = fs.readdirSync(directory).filter(name => /\.dartheap(\.gz)?$/.test(name)).sort();
  if (files.length === 0) throw new Error(`no dartheap in ${directory}`);
  return files.map(name => path.join(directory, name));
}

// What the grid must show of a dump: its largest classes.
function largestClasses(dartheap) {
  const graph = expectedGraph(dartheap);
  const classes = countBy(graph, ordinal =>
    graph.size[ordinal] > 0 ? className(graph, ordinal) : null);
  return [...classes]
      .map(([name, {count, size}]) => ({name, count, size}))
      .sort((a, b) => b.size - a.size)
      .slice(0, SHOWN_CLASSES);
}

class Acceptance {
  constructor(heapglot, outDir) {
    this.heapglot = heapglot;
    this.outDir = outDir;
    this.checks = new Checks();
  }

  convert(dartheap, unreachable) {
    const snapshot = path.join(this.outDir, `${stem(dartheap)}-${unreachable}.heapsnapshot`);
    const isDone = this.checks.run(
        `heapglot ${stem(dartheap)} (${unreachable})`, this.heapglot, 'convert', dartheap, '-o',
        snapshot, '-f', '-q', '--unreachable', unreachable);
    return isDone ? snapshot : null;
  }

  // Readers see in the converted file what the dartheap says.
  checkReaders(dartheap, unreachable, readers) {
    const snapshot = this.convert(dartheap, unreachable);
    if (!snapshot) return;
    for (const reader of readers) {
      this.checks.node(`${reader} ${stem(dartheap)} (${unreachable})`, `expect_${reader}.mjs`,
                       dartheap, snapshot, unreachable);
    }
    fs.rmSync(snapshot);
  }

  checkFile(dartheap) {
    this.checkReaders(dartheap, 'root', ['devtools', 'memlab', 'vscode']);
    this.checkReaders(dartheap, 'keep', ['devtools']);
    this.checkReaders(dartheap, 'drop', ['devtools']);
  }

  checkPanel(dartheap) {
    const snapshot = this.convert(dartheap, 'root');
    if (!snapshot) return;
    const classes = largestClasses(dartheap);
    this.panel(snapshot, `${stem(dartheap)}-summary.png`,
               ...classes.flatMap(({name, count}) => ['--expect', `${name}=${count}`]));
    fs.rmSync(snapshot);
  }

  panel(snapshot, picture, ...options) {
    this.checks.node(`panel ${picture}`, 'memory_panel.mjs', snapshot,
                     path.join(this.outDir, picture), ...options);
  }

  // docs/examples/totals.mjs counts what `info` counts.
  checkExample(dartheap, repository) {
    const heapir = path.join(this.outDir, 'example.heapir');
    if (!this.checks.run('heapglot example.heapir', this.heapglot, 'convert', dartheap, '-o',
                         heapir, '-f', '-q')) {
      return;
    }
    // Packages are found beside a script.
    fs.copyFileSync(path.join(repository, 'docs/examples/totals.mjs'), path.join(here, 'totals.mjs'));
    const {nodes, self_size_total: size} = JSON.parse(
        spawnSync(this.heapglot, ['info', heapir, '--json'], {encoding: 'utf8'}).stdout);
    const {stdout, stderr} = spawnSync(
        process.execPath, [path.join(here, 'totals.mjs'), heapir, path.join(repository, 'proto')],
        {encoding: 'utf8'});
    this.checks.add('example in JavaScript', 0, stdout === `${nodes} objects, ${size} bytes\n`,
                    stdout + stderr);
  }

  // live.mjs leaves its files in OUT_DIR.
  checkLive() {
    if (!this.checks.node('live', 'live/live.mjs', this.heapglot, DART, this.outDir)) return;
    const dartheap = path.join(this.outDir, 'live.dartheap');
    this.checkFile(dartheap);
    const snapshot = path.join(this.outDir, 'live.heapsnapshot');
    this.panel(snapshot, 'live-retainers.png', '--expect', 'Known=1', '--expect', 'Box=1',
               '--select', 'Known');
    this.panel(snapshot, 'live-containment.png', '--containment');
  }
}

const [heapglot, outDir, repository, ...others] = process.argv.slice(2);
const corpusDir = path.join(repository, 'corpus/dartheap/good');
const acceptance = new Acceptance(heapglot, outDir);
const dartheaps = [...corpusFiles(corpusDir), ...others.map(file => path.resolve(file))];
for (const dartheap of dartheaps) acceptance.checkFile(dartheap);
const nodeCount = file => expectedGraph(file).nodeCount;
acceptance.checkPanel(dartheaps.reduce((a, b) => nodeCount(a) >= nodeCount(b) ? a : b));
acceptance.checkLive();
checkPairs(acceptance, repository);
acceptance.checkExample(dartheaps[0], repository);
for (const reader of ['devtools', 'memlab', 'vscode']) {
  acceptance.checks.node(`validate knows ${reader}`, 'predict.mjs', reader, heapglot);
}

const {passed, failed} = acceptance.checks;
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
