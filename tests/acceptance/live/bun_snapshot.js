import './known.js';
import { writeHeapSnapshot } from 'v8';
writeHeapSnapshot(process.argv[2]);
