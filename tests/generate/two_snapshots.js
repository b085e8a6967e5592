// Takes two snapshots of one process; in between, objects come, go and grow.
const v8 = require('v8');
class Gone { constructor(i) { this.name = 'gone ' + i; } }
class Come { constructor(i) { this.name = 'come ' + i; } }
class Stays { constructor(i) { this.next = null; } }
globalThis.stays = new Stays();
globalThis.gone = Array.from({length: 200}, (_, i) => new Gone(i));
v8.writeHeapSnapshot('before.heapsnapshot');
globalThis.gone = null;
globalThis.come = Array.from({length: 300}, (_, i) => new Come(i));
v8.writeHeapSnapshot('after.heapsnapshot');
