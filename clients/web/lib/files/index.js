// All that is about files. It is loaded by a copy that has some, or for the first one: many pages have none.
export { CopyFiles } from './copy-files.js';
