// What must outlive a process that is killed, in one file. It is replaced as a whole, so it is never half written.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';

/** The value that was saved last; null if there is none. */
export const loaded = file => (existsSync(file) ? deserialize(readFileSync(file)) : null);

export function save(file, value) {
    writeFileSync(`${file}.new`, serialize(value));
    renameSync(`${file}.new`, file);
}
