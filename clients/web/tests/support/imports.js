import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const STATIC = /^(?:import|export)\b[^;]*?from\s+'([^']+)'/gms;
const ROOT = new URL('../../', import.meta.url);

/** The addresses of all modules that one of the client imports before it does anything, with its own. */
export function modulesOf(path) {
    const found = new Set();
    const open = [new URL(path, ROOT).href];
    for (let address = open.pop(); address; address = open.pop()) {
        if (found.has(address)) continue;
        found.add(address);
        for (const [, imported] of readFileSync(fileURLToPath(address), 'utf8').matchAll(STATIC)) {
            open.push(new URL(imported, address).href);
        }
    }
    return [...found];
}
