// Takes a heap snapshot through the VM service, like tools that attach to a running
// program. The corpus has files made by it (corpus/dartheap/PROVENANCE.md).
//
// usage: node service_snapshot.mjs DART PROGRAM OUT.dartheap
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import fs from 'node:fs';

import WebSocket from 'ws';

const FLAGS = ['--enable-vm-service=0', '--disable-service-auth-codes', '--disable-dart-dev'];

// Starts the program; returns the address of its service when it is ready.
async function serviceAddress(vm) {
  let output = '';
  for await (const text of vm.stdout.setEncoding('utf8')) {
    output += text;
    const found = output.match(/listening on http:(\/\/127\.0\.0\.1:\d+\/)/);
    if (found && output.includes('READY')) return `ws:${found[1]}ws`;
  }
  throw new Error(`the program has ended: ${output}`);
}

// A binary message is: uint32 LE offset of the data, JSON, padding, data.
function snapshotChunk(message) {
  const dataAt = message.readUInt32LE(0);
  const event = message.subarray(4, dataAt).toString().replace(/[\0 ]+$/, '');
  return {data: message.subarray(dataAt), isLast: /"last":\s*true/.test(event)};
}

async function takeSnapshot(address) {
  const socket = new WebSocket(address, {perMessageDeflate: false, maxPayload: 1 << 30});
  await once(socket, 'open');
  let lastId = 0;
  const answers = new Map();
  const call = (method, params = {}) => new Promise((resolve, reject) => {
    answers.set(String(++lastId), {resolve, reject});
    socket.send(JSON.stringify({jsonrpc: '2.0', id: String(lastId), method, params}));
  });
  const chunks = [];
  const finished = new Promise(resolve => {
    socket.on('message', (message, isBinary) => {
      if (isBinary) {
        const {data, isLast} = snapshotChunk(message);
        chunks.push(data);
        if (isLast) resolve(Buffer.concat(chunks));
        return;
      }
      const {id, result, error} = JSON.parse(message);
      if (error) answers.get(id)?.reject(new Error(JSON.stringify(error)));
      else answers.get(id)?.resolve(result);
    });
  });
  const {isolates} = await call('getVM');
  await call('streamListen', {streamId: 'HeapSnapshot'});
  await call('requestHeapSnapshot', {isolateId: isolates[0].id});
  return finished;
}

const [dart, program, out] = process.argv.slice(2);
const vm = spawn(dart, [...FLAGS, program], {env: {}, stdio: ['ignore', 'pipe', 'inherit']});
fs.writeFileSync(out, await takeSnapshot(await serviceAddress(vm)));
vm.kill('SIGKILL');
process.exit(0);
