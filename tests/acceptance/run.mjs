// Runs all checks; run.sh prepares and calls it.
//
// usage: node run.mjs HEAPGLOT OUT_DIR REPOSITORY [DARTHEAP...]
// Prints a line per check, and the output of failed ones. Ends with
// "N passed, N failed".
import {execFile} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

import {className, countBy, expectedGraph} from './dartheap.mjs';
import {pairJobs} from './pairs.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const DART = path.join(here, 'node_modules/sass-embedded-linux-ia32/dart-sass/src/dart');
const SHOWN_CLASSES = 5;

// What a program prints, and whether it exits with 0.
function run(program, ...words) {
  return new Promise(resolve => {
    execFile(program, words, {cwd: here, maxBuffer: 1 << 28}, (error, stdout, stderr) => {
      // If the program ran and failed, the message repeats its output.
      const problem = typeof error?.code === 'number' ? '' : error?.message;
      resolve({isDone: !error, stdout, output: [problem, stdout, stderr].filter(Boolean).join('\n')});
    });
  });
}

// Runs all jobs, one per core at a time.
async function inParallel(jobs) {
  const queue = [...jobs];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await next();
  };
  await Promise.all(os.cpus().map(work));
}

class Checks {
  constructor() {
    this.passed = 0;
    this.failed = 0;
  }

  // Runs a program; the check is passed if it exits with 0.
  async run(name, program, ...words) {
    const start = Date.now();
    const {isDone, output} = await run(program, ...words);
    return this.add(name, (Date.now() - start) / 1000, isDone, output.trim());
  }

  // Adds the result of a check that somebody else has made.
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

// What the grid must show for a dump: its largest classes.
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

  async convert(dartheap, unreachable) {
    const snapshot = path.join(this.outDir, `${stem(dartheap)}-${unreachable}.heapsnapshot`);
    const isDone = await this.checks.run(
        `heapglot ${stem(dartheap)} (${unreachable})`, this.heapglot, 'convert', dartheap, '-o',
        snapshot, '-f', '-q', '--unreachable', unreachable);
    return isDone ? snapshot : null;
  }

  // Readers see in the converted file what the dartheap says.
  async checkReaders(dartheap, unreachable, readers) {
    const snapshot = await this.convert(dartheap, unreachable);
    if (!snapshot) return;
    for (const reader of readers) {
      await this.checks.node(`${reader} ${stem(dartheap)} (${unreachable})`, `expect_${reader}.mjs`,
                             dartheap, snapshot, unreachable);
    }
    fs.rmSync(snapshot);
  }

  async checkFile(dartheap) {
    await this.checkReaders(dartheap, 'root', ['devtools', 'memlab', 'vscode']);
    await this.checkReaders(dartheap, 'keep', ['devtools']);
    await this.checkReaders(dartheap, 'drop', ['devtools']);
  }

  async checkPanel(dartheap) {
    const snapshot = await this.convert(dartheap, 'root');
    if (!snapshot) return;
    const classes = largestClasses(dartheap);
    await this.panel(snapshot, `${stem(dartheap)}-summary.png`,
                     ...classes.flatMap(({name, count}) => ['--expect', `${name}=${count}`]));
    fs.rmSync(snapshot);
  }

  panel(snapshot, picture, ...options) {
    return this.checks.node(`panel ${picture}`, 'memory_panel.mjs', snapshot,
                            path.join(this.outDir, picture), ...options);
  }

  // docs/examples/totals.mjs counts what `info` counts.
  async checkExample(dartheap, repository) {
    const heapir = path.join(this.outDir, 'example.heapir');
    if (!await this.checks.run('heapglot example.heapir', this.heapglot, 'convert', dartheap,
                               '-o', heapir, '-f', '-q')) {
      return;
    }
    // node looks for packages beside a script.
    fs.copyFileSync(path.join(repository, 'docs/examples/totals.mjs'), path.join(here, 'totals.mjs'));
    const {nodes, self_size_total: size} =
        JSON.parse((await run(this.heapglot, 'info', heapir, '--json')).stdout);
    const {stdout, output} = await run(process.execPath, path.join(here, 'totals.mjs'), heapir,
                                       path.join(repository, 'proto'));
    this.checks.add('example in JavaScript', 0, stdout === `${nodes} objects, ${size} bytes\n`,
                    output);
  }

  // live.mjs leaves its files in OUT_DIR.
  async checkLive() {
    if (!await this.checks.node('live', 'live/live.mjs', this.heapglot, DART, this.outDir)) return;
    const dartheap = path.join(this.outDir, 'live.dartheap');
    await this.checkFile(dartheap);
    const snapshot = path.join(this.outDir, 'live.heapsnapshot');
    await this.panel(snapshot, 'live-retainers.png', '--expect', 'Known=1', '--expect', 'Box=1',
                     '--select', 'Known');
    await this.panel(snapshot, 'live-containment.png', '--containment');
  }
}

const [heapglot, outDir, repository, ...others] = process.argv.slice(2);
const corpusDir = path.join(repository, 'corpus/dartheap/good');
const acceptance = new Acceptance(heapglot, outDir);
const dartheaps = [...corpusFiles(corpusDir), ...others.map(file => path.resolve(file))];
const nodeCount = file => expectedGraph(file).nodeCount;
dartheaps.sort((a, b) => nodeCount(b) - nodeCount(a));
const [biggest] = dartheaps;
// The longest jobs come first.
await inParallel([
  ...['devtools', 'memlab', 'vscode'].map(reader => () => acceptance.checks.node(
      `validate knows ${reader}`, 'predict.mjs', reader, heapglot)),
  () => acceptance.checkLive(),
  ...pairJobs(acceptance, repository),
  ...dartheaps.map(dartheap => async () => {
    await acceptance.checkFile(dartheap);
    if (dartheap === biggest) await acceptance.checkPanel(dartheap);
  }),
  () => acceptance.checkExample(dartheaps[0], repository),
]);

const {passed, failed} = acceptance.checks;
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
