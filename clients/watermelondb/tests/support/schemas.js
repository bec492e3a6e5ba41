import { copyFileSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BUILT_IN = new URL('../../../../Schemas/collections/', import.meta.url);

/** A folder with the files of the built-in collections. `change(name, change)` changes one, for the next start. */
export function ownSchemas() {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-schemas-'));
    for (const file of readdirSync(BUILT_IN)) copyFileSync(new URL(file, BUILT_IN), join(folder, file));
    const change = (name, change) => {
        const file = join(folder, `${name}.json`);
        writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')))));
    };
    return { folder, change };
}
