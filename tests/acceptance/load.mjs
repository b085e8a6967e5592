// Opens a heap snapshot in DevTools' own code: a peer for bench/run.py.
//
// usage: node load.mjs FILE.heapsnapshot
import {openSnapshot} from './devtools.mjs';

const {snapshot, problems} = await openSnapshot(process.argv[2]);
if (snapshot.nodeCount === 0 || problems.length > 0) {
  console.error(`${process.argv[2]}: ${problems.join('; ')}`);
  process.exit(1);
}
