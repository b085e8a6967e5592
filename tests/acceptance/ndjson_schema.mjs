// Checks NDJSON heap dumps line by line against the JSON Schema, with ajv.
//
//   node ndjson_schema.mjs SCHEMA FILE...
//
// Prints failures: the file, the line, the place in the record, the reason (at most
// ten lines per file). Exits with 0 if there are none, 1 otherwise.
import fs from 'node:fs';
import readline from 'node:readline';
import Ajv2020 from 'ajv/dist/2020.js';

const MAX_SHOWN = 10;

async function check(validate, file) {
  const lines = readline.createInterface(
      {input: fs.createReadStream(file), crlfDelay: Infinity});
  let number = 0;
  let failures = 0;
  const fail = (text) => {
    if (++failures <= MAX_SHOWN) console.log(`${file}:${number}: ${text}`);
  };
  for await (const line of lines) {
    ++number;
    let record;
    try {
      record = JSON.parse(line);
    } catch (error) {
      fail(error.message);
      continue;
    }
    if (validate(record)) continue;
    const {instancePath, message} = validate.errors[0];
    fail(`${instancePath || 'the record'} ${message}: ${line.slice(0, 120)}`);
  }
  if (number === 0) fail('no line');
  if (failures > MAX_SHOWN) console.log(`${file}: ${failures} lines fail`);
  return failures === 0;
}

const [schema, ...files] = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node ndjson_schema.mjs SCHEMA FILE...');
  process.exit(2);
}
const ajv = new Ajv2020({strict: false});
const validate = ajv.compile(JSON.parse(fs.readFileSync(schema, 'utf8')));
let ok = true;
for (const file of files) ok = await check(validate, file) && ok;
if (ok) console.log(`${files.length} files`);
process.exitCode = ok ? 0 : 1;
