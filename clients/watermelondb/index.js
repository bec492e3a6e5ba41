// WatermelonDB's `synchronize()` against a Tidemark server. README.md says how to use it and why it decides as it does.
export { createSync } from './lib/sync.js';
export { TidemarkError, lost as networkError, sentenceOf } from './lib/common/error.js';
export { answerError } from './lib/common/transport.js';
export { folderStore } from './lib/files/folder-store.js';
export { memoryStorage } from './lib/storage.js';
