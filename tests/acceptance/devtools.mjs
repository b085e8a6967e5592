// Opens a heap snapshot as the Memory panel of Chrome DevTools does: the same
// code, chunks of the same size, a second thread for dominators.
import fs from 'node:fs';
import {Worker} from 'node:worker_threads';

import {
  ComparatorConfig, HeapSnapshotLoader, HeapSnapshotProgressEvent,
} from './build/devtools.mjs';

const CHUNK_BYTES = 10_000_000;  // as DevTools' ChunkedFileReader

async function feed(loader, file) {
  const decoder = new TextDecoder();
  for await (const chunk of fs.createReadStream(file, {highWaterMark: CHUNK_BYTES})) {
    loader.write(decoder.decode(chunk, {stream: true}));
  }
  loader.write(decoder.decode());
  loader.close();
  await loader.parsingComplete;
}

// Returns DevTools' JSHeapSnapshot, and `problems`: everything that it reported or
// wrote to the console. Throws if DevTools would refuse the file.
export async function openSnapshot(file) {
  const problems = [];
  const dispatcher = {
    sendEvent(name, data) {
      if (name !== HeapSnapshotProgressEvent.Update) problems.push(`${name}: ${data}`);
    },
  };
  const {warn, error} = console;
  console.warn = console.error = (...words) => problems.push(words.join(' '));
  const {port1, port2} = new MessageChannel();
  const second = new Worker(new URL('devtools_second_thread.mjs', import.meta.url),
                            {workerData: port2, transferList: [port2]});
  try {
    const loader = new HeapSnapshotLoader(dispatcher);
    await feed(loader, file);
    return {snapshot: await loader.buildSnapshot(port1), problems};
  } finally {
    Object.assign(console, {warn, error});
    port1.close();
    await second.terminate();
  }
}

// All edges of a node, as the grid shows them when the node is expanded.
export function edgesOf(snapshot, nodeIndex) {
  const provider = snapshot.createEdgesProvider(nodeIndex);
  return provider.isEmpty() ? [] : provider.serializeItemsRange(0, Infinity).items;
}

// The first row of the Retainers pane for a node; null if there is none.
export function nearestRetainer(snapshot, nodeIndex) {
  const provider = snapshot.createRetainingEdgesProvider(nodeIndex);
  if (provider.isEmpty()) return null;
  provider.sortAndRewind(new ComparatorConfig('!edgeDistance', true, '!edgeName', true));
  return provider.serializeItemsRange(0, 1).items[0];
}
