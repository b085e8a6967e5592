// What bundle_devtools.mjs takes from chrome-devtools-frontend, unmodified.
export * from 'chrome-devtools-frontend/front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.ts';
export * from 'chrome-devtools-frontend/front_end/entrypoints/heap_snapshot_worker/HeapSnapshotLoader.ts';
export {ComparatorConfig, HeapSnapshotProgressEvent} from
    'chrome-devtools-frontend/front_end/models/heap_snapshot/HeapSnapshotModel.ts';
