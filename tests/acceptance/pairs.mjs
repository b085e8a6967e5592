// Every file of the corpus goes to every format, and what comes out is put in
// front of readers that share nothing with heapglot.
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

// Who reads a file of a format: name, script and its words before the files.
// heapir is not here: tests/heapir reads it in Python.
const JUDGES = {
  dartheap: () => [['decoder', 'dartheap_output.mjs', '--made']],
  heapsnapshot: ({heapglot}) => ['devtools', 'memlab', 'vscode'].map(
      reader => [reader, 'opens.mjs', reader, heapglot]),
  netcf: () => [['grammar', 'netcf_output.mjs']],
  ndjson: ({schema}) => [['JSON Schema', 'ndjson_schema.mjs', schema],
                         ['decoder', 'ndjson_output.mjs']],
};

// What the Memory panel shows of a converted file: source, class in the Summary
// view and how many objects it has.
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
    this.formats = this.ask('formats', '--json').formats;
    this.sources = new Map(this.formats.map(({name}) => [name, this.describeCorpus(name)]));
  }

  ask(...words) {
    const {status, stdout, stderr} = spawnSync(this.heapglot, words, {encoding: 'utf8'});
    if (status !== 0) throw new Error(`heapglot ${words.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  }

  describe(file) {
    return this.ask('info', '--json', '-q', file);
  }

  describeCorpus(format) {
    const directory = path.join(this.corpus, format, 'good');
    return fs.readdirSync(directory).sort().map(name => {
      const file = path.join(directory, name);
      return {name, file, info: this.describe(file)};
    });
  }

  converted(from, name, {name: to, extensions: [extension]}) {
    return path.join(this.directory, to, `${from}-${name}${extension}`);
  }

  // Returns what is wrong with a conversion, or null.
  convert(source, to, output) {
    const words = ['convert', '-q', '-f', '--to', to.name, '-o', output, source.file];
    const {status, stderr} = spawnSync(this.heapglot, words, {encoding: 'utf8'});
    if (status !== 0) return `exit code ${status}: ${stderr.trim()}`;
    const expected = expectedSize(source.info, to.name);
    const {self_size_total: size} = this.describe(output);
    return expected === null || size === expected ? null :
      `expected ${expected} bytes in all, found ${size}`;
  }

  // Returns the files that were made.
  checkPair(from, to) {
    const start = Date.now();
    const made = [];
    const failures = [];
    for (const source of this.sources.get(from)) {
      // The way back to its own format is a matter of bytes: tests/cli.
      if (source.info.source?.format === to.name) continue;
      const output = this.converted(from, source.name, to);
      const failure = this.convert(source, to, output);
      if (failure) failures.push(`${source.name}: ${failure}`);
      else made.push(output);
    }
    this.checks.add(`${from} to ${to.name}`, (Date.now() - start) / 1000, failures.length === 0,
                    [`${made.length} files`, ...failures].join('\n'));
    return made;
  }

  checkTarget(to) {
    const directory = path.join(this.directory, to.name);
    fs.mkdirSync(directory, {recursive: true});
    const others = this.formats.filter(({name}) => name !== to.name);
    const made = others.flatMap(({name}) => this.checkPair(name, to));
    for (const [judge, script, ...words] of JUDGES[to.name]?.(this) ?? []) {
      this.checks.node(`${judge} reads ${to.name}`, script, ...words, ...made);
    }
    if (to.name === 'heapsnapshot') this.checkPictures(to);
    fs.rmSync(directory, {recursive: true});
  }

  checkPictures(to) {
    for (const {from, name, shown, count} of PICTURES) {
      this.panel(this.converted(from, name, to), `pairs-${from}.png`, '--expect',
                 `${shown}=${count}`, '--select', shown);
    }
  }
}

// Sizes never get lost; null if they must, or may not be exact in JavaScript.
function expectedSize({self_size_total: own, external_size_total: external}, to) {
  // External memory becomes nodes there, but for what is of no object.
  const size = to === 'heapsnapshot' ? own + external : own;
  // A size of netcf is of 32 bits.
  const isTooBig = to === 'netcf' ? size >= 2 ** 32 : !Number.isSafeInteger(size);
  return isTooBig ? null : size;
}

export function checkPairs(acceptance, repository) {
  const pairs = new Pairs({...acceptance, panel: acceptance.panel.bind(acceptance)}, repository);
  for (const to of pairs.formats) pairs.checkTarget(to);
}
