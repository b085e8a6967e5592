// Checks every byte of dartheap files that heapglot wrote.
//
// usage: node dartheap_output.mjs [--made] FILE...
//
// --made: the files were made from other formats. Then they must contain nothing
// that Dart's official reader cannot read or shows wrongly: every reference and
// class id leads somewhere, field i of a class is reference i of its objects,
// the reference count is right, every object has a hash, object 1 is the root.
// Files that a VM wrote have all of these oddities, which are counted.
//
// A class or field may lack a name if its source does.
//
// Prints a line per file, with --made only for wrong ones; exits with 1 if any is.
import path from 'node:path';

import {Cursor, readBytes, readClass, readObjects} from './dartheap.mjs';

class Problems {
  constructor() {
    this.counts = new Map();
  }

  add(problem, count = 1) {
    if (count > 0) this.counts.set(problem, (this.counts.get(problem) ?? 0) + count);
  }

  toString() {
    return [...this.counts].map(([problem, count]) => `${count} ${problem}`).join(', ');
  }
}

function readHeader(cursor) {
  if (cursor.raw(8).toString('latin1') !== 'dartheap') throw new Error('not a dartheap');
  cursor.uleb();  // flags
  cursor.string();  // name
  const [shallowSize, capacity, externalSize] = [cursor.word(), cursor.word(), cursor.word()];
  return {shallowSize, capacity, externalSize};
}

function readExternals(cursor) {
  const externals = [];
  for (let left = cursor.uleb(); left > 0; --left) {
    externals.push({holder: cursor.uleb(), size: cursor.word(), name: cursor.string()});
  }
  return externals;
}

function checkClasses(classes, problems) {
  for (const cls of classes.slice(1)) {
    cls.fields.forEach(({index}, i) => {
      if (index !== i) problems.add('fields out of order');
    });
  }
}

function checkObjects({count, classId, firstRef, refs}, classes, problems) {
  if (count === 0) problems.add('objects missing: there is no root');
  else if (classes[classId[1]]?.name !== 'Root') problems.add('root of another class than Root');
  for (let id = 1; id <= count; ++id) {
    const cls = classes[classId[id]];
    if (classId[id] === 0) problems.add('objects without a class');
    else if (!cls) problems.add('objects of a class that does not exist');
    const references = firstRef[id + 1] - firstRef[id];
    if (cls && cls.fields.some(({index}) => index >= references))
      problems.add('objects with fewer references than fields');
  }
  for (const to of refs) if (to > count) problems.add('references beyond the last object');
}

// The number of bytes left, without leftovers (docs/leftovers.md): a heapir, its
// size, and a magic number.
function behind(cursor) {
  const rest = cursor.bytes.subarray(cursor.at);
  if (rest.length < 16 || rest.toString('latin1', rest.length - 8) !== 'HGLEFT01')
    return rest.length;
  return rest.length - 16 - Number(rest.readBigUInt64LE(rest.length - 16));
}

function check(file, isMade) {
  const problems = new Problems();
  const cursor = new Cursor(readBytes(file));
  const header = readHeader(cursor);
  const classes = [null];
  for (let left = cursor.uleb(); left > 0; --left) classes.push(readClass(cursor));
  const referenceCount = cursor.uleb();
  const objects = readObjects(cursor, classes);
  const externals = readExternals(cursor);
  checkClasses(classes, problems);
  checkObjects(objects, classes, problems);
  problems.add('too many in the reference count',
      Math.abs(referenceCount - objects.refs.length));
  problems.add('holders of external memory beyond the last object',
      externals.filter(({holder}) => holder > objects.count).length);
  const nameless = classes.slice(1).filter(({name}) => name === '').length;
  // VMs before 2020 wrote no hashes.
  const left = cursor.bytes.length - cursor.at;
  if (left === 0 && objects.count > 0) {
    problems.add('section of hashes missing');
  } else {
    for (let id = 1; id <= objects.count; ++id) cursor.uleb();
    problems.add('bytes behind the end', behind(cursor));
  }
  const isRight = !isMade || problems.counts.size === 0;
  if (isMade && isRight) return true;
  console.log(`${isRight ? 'ok' : 'FAIL'} ${path.basename(file)}: ` +
      `${classes.length - 1} classes, ${objects.count} objects, ${objects.refs.length} ` +
      `references, ${header.shallowSize} bytes` +
      (nameless > 0 ? `, ${nameless} classes without a name` : '') +
      (problems.counts.size > 0 ? `; ${problems}` : ''));
  return isRight;
}

const words = process.argv.slice(2);
const isMade = words[0] === '--made';
let isRight = true;
const files = isMade ? words.slice(1) : words;
for (const file of files) {
  try {
    if (!check(file, isMade)) isRight = false;
  } catch (error) {
    console.log(`FAIL ${path.basename(file)}: ${error.message}`);
    isRight = false;
  }
}
if (isMade && isRight) console.log(`${files.length} files`);
process.exitCode = isRight ? 0 : 1;
