// The second thread of devtools.mjs.
import {workerData} from 'node:worker_threads';

import {SecondaryInitManager} from './build/devtools.mjs';

new SecondaryInitManager(workerData);
