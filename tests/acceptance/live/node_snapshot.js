require('./known.js');
var fs = require('fs');
var out = process.argv[2];
var v8 = require('v8');
if (v8.writeHeapSnapshot) v8.writeHeapSnapshot(out);
else {
  var fd = fs.openSync(out, 'w'), session = new (require('inspector').Session)();
  session.connect();
  session.on('HeapProfiler.addHeapSnapshotChunk', function (m) { fs.writeSync(fd, m.params.chunk); });
  session.post('HeapProfiler.takeHeapSnapshot', null, function () { fs.closeSync(fd); });
}
