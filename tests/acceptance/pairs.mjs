// Converts every file of the corpus to every format, and lets readers that share
// nothing with heapglot check the results.
import {execFile, execFileSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {promisify} from 'node:util';

const run = promisify(execFile);

// The readers of each format: name, script and its arguments before the files.
// heapir is not here: tests/heapir reads it in Python.
const JUDGES = {
  dartheap: () => [['decoder', 'dartheap_output.mjs', '--made']],
  heapsnapshot: ({heapglot}) => ['devtools', 'memlab', 'vscode'].map(
      reader => [reader, 'opens.mjs', reader, heapglot]),
  netcf: () => [['grammar', 'netcf_output.mjs']],
  ndjson: ({schema}) => [['JSON Schema', 'ndjson_schema.mjs', schema],
                         ['decoder', 'ndjson_output.mjs']],
};

// Files that readers of NDJSON accept, but that no writer may write: the draft's
// version 0, and numbers as decimal text.
const LAX = /^(version0|odd-edges-first)/;

// What the Memory panel shows for a converted file: the source, a class in the
// Summary view and the number of its objects.
const PICTURES = [
  {from: 'netcf', name: 'two-snapshots-concatenated.gclog', shown: 'System.Object', count: 3},
  {from: 'ndjson', name: 'draft-all.ndjson', shown: 'startup', count: 1},
];

class Pairs {
  constructor({checks, heapglot, outDir, panel}, repository) {
    this.checks = checks;
    this.heapglot = heapglot;
    this.panel = panel;
    this.directory = path.join(outDir, 'pairs');
    this.corpus = path.join(repository, 'corpus');
    this.schema = path.join(repository, 'docs/ndjson.schema.json');
    this.formats = JSON.parse(execFileSync(heapglot, ['formats', '--json'])).formats;
  }

  async describe(file) {
    return JSON.parse((await run(this.heapglot, ['info', '--json', '-q', file])).stdout);
  }

  sources(format) {
    const directory = path.join(this.corpus, format, 'good');
    return fs.readdirSync(directory).sort().map(name => ({name, file: path.join(directory, name)}));
  }

  converted(from, name, {name: to, extensions: [extension]}) {
    return path.join(this.directory, to, `${from}-${name}${extension}`);
  }

  // Returns what is wrong with a conversion, or null.
  async convert(file, info, to, output) {
    try {
      await run(this.heapglot, ['convert', '-q', '-f', '--to', to.name, '-o', output, file]);
    } catch ({code, stderr}) {
      return `exit code ${code}: ${stderr?.trim()}`;
    }
    const expected = expectedSize(info, to.name);
    const {self_size_total: size} = await this.describe(output);
    return expected === null || size === expected ? null :
      `expected ${expected} bytes in all, found ${size}`;
  }

  // Returns the files that were made.
  async checkPair(from, to) {
    const start = Date.now();
    const made = [];
    const failures = [];
    for (const {name, file} of this.sources(from)) {
      const info = await this.describe(file);
      // The way back to a file's own format is a matter of bytes: see tests/cli.
      if (info.source?.format === to.name) continue;
      const output = this.converted(from, name, to);
      const failure = await this.convert(file, info, to, output);
      if (failure) failures.push(`${name}: ${failure}`);
      else made.push(output);
    }
    this.checks.add(`${from} to ${to.name}`, (Date.now() - start) / 1000, failures.length === 0,
                    [`${made.length} files`, ...failures].join('\n'));
    return made;
  }

  async checkTarget(to) {
    const directory = path.join(this.directory, to.name);
    fs.mkdirSync(directory, {recursive: true});
    const others = this.formats.filter(({name}) => name !== to.name);
    const made = [];
    for (const {name} of others) made.push(...await this.checkPair(name, to));
    for (const [judge, script, ...words] of JUDGES[to.name]?.(this) ?? []) {
      await this.checks.node(`${judge} reads ${to.name}`, script, ...words, ...made);
    }
    if (to.name === 'ndjson') await this.checkSchemaOfCorpus();
    if (to.name === 'heapsnapshot') await this.checkPictures(to);
    fs.rmSync(directory, {recursive: true});
  }

  async checkSchemaOfCorpus() {
    const files = this.sources('ndjson').filter(({name}) => /\.ndjson$/.test(name) && !LAX.test(name));
    await this.checks.node('JSON Schema takes the corpus', 'ndjson_schema.mjs', this.schema,
                           ...files.map(({file}) => file));
  }

  async checkPictures(to) {
    for (const {from, name, shown, count} of PICTURES) {
      await this.panel(this.converted(from, name, to), `pairs-${from}.png`, '--expect',
                       `${shown}=${count}`, '--select', shown);
    }
  }
}

// Sizes are never lost. null if they must be, or may not be exact in JavaScript.
function expectedSize({self_size_total: own, external_size_total: external}, to) {
  // External memory becomes nodes there, unless it belongs to no object.
  const size = to === 'heapsnapshot' ? own + external : own;
  // Sizes in netcf have 32 bits.
  const isTooBig = to === 'netcf' ? size >= 2 ** 32 : !Number.isSafeInteger(size);
  return isTooBig ? null : size;
}

// A job for each target, the one with the most readers first.
export function pairJobs(acceptance, repository) {
  const pairs = new Pairs({...acceptance, panel: acceptance.panel.bind(acceptance)}, repository);
  const weight = ({name}) => JUDGES[name]?.(pairs).length ?? 0;
  return pairs.formats
      .sort((a, b) => weight(b) - weight(a))
      .map(to => () => pairs.checkTarget(to));
}
