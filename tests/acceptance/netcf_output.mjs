// Checks that files are GC logs of the .NET Compact Framework, in the strict form.
//
// usage: node netcf_output.mjs LOG...
// A reader that shares nothing with heapglot: every line follows the grammar, each
// domain is closed as it was opened, and types and objects are defined once.
// Undefined references are counted, not refused: a dump may have such, and 0 is a
// reference that was left out. Prints what is wrong and exits with 1 if anything is.
import fs from 'node:fs';
import path from 'node:path';

import {Differences} from './differences.mjs';

const HEX = '(0|[1-9a-f][0-9a-f]{0,7})';
const LINES = {
  a: new RegExp(`^a 2 (?<name>.*?)(?: (?<time>${HEX}))?$`),
  t: new RegExp(`^t ${HEX} (?<name>.+)$`),
  o: new RegExp(`^o ${HEX} ${HEX} ${HEX}( ${HEX})*$`),
  r: new RegExp(`^r ${HEX} (?:[0-35] ${HEX}|4 ${HEX} ${HEX})$`),
  c: new RegExp(`^c (?<name>.*?)(?: (?<time>${HEX}))?$`),
};

class Domain {
  constructor(opening) {
    this.opening = opening;
    this.types = new Set();
    this.objects = new Set();
    this.usedTypes = [];
    this.usedObjects = [];
  }

  undefinedUses() {
    return this.usedTypes.filter(id => !this.types.has(id)).length +
        this.usedObjects.filter(id => id !== '0' && !this.objects.has(id)).length;
  }
}

class Log {
  constructor(name, differences) {
    this.name = name;
    this.differences = differences;
    this.domain = null;
    this.domains = 0;
    this.undefinedUses = 0;
    this.line = 0;
  }

  wrong(what) {
    this.differences.add(`${this.name}:${this.line}: ${what}`);
  }

  add(text) {
    ++this.line;
    const match = LINES[text[0]]?.exec(text);
    if (!match) return this.wrong(`no such line: ${JSON.stringify(text.slice(0, 80))}`);
    const letter = text[0];
    if (letter === 'a') return this.open(text.slice(4));
    if (!this.domain) return this.wrong('outside a domain');
    if (letter === 'c') return this.close(text.slice(2));
    const [, id, type, , ...references] = text.split(' ');
    const {types, objects, usedTypes, usedObjects} = this.domain;
    if (letter === 't') return this.define(types, id, 'type');
    if (letter === 'r') return usedObjects.push(id);
    this.define(objects, id, 'object');
    usedTypes.push(type);
    usedObjects.push(...references);
  }

  define(ids, id, what) {
    if (ids.has(id)) this.wrong(`${what} ${id} is there twice`);
    ids.add(id);
  }

  open(opening) {
    if (this.domain) this.wrong('the domain before is open');
    this.domain = new Domain(opening);
    ++this.domains;
  }

  close(closing) {
    if (closing !== this.domain.opening) this.wrong('closed by another name or time');
    this.undefinedUses += this.domain.undefinedUses();
    this.domain = null;
  }

  end() {
    if (this.domain) this.wrong('the last domain is open');
    if (this.domains === 0) this.wrong('no domain');
  }
}

const differences = new Differences();
const files = process.argv.slice(2);
let undefinedUses = 0;
for (const file of files) {
  const text = fs.readFileSync(file, 'latin1');
  const log = new Log(path.basename(file), differences);
  if (!text.endsWith('\n')) log.wrong('no newline at the end');
  for (const line of text.slice(0, -1).split('\n')) log.add(line);
  log.end();
  undefinedUses += log.undefinedUses;
}
differences.finish(`${files.length} files, ${undefinedUses} references to what they do not define`);
