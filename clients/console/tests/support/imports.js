import { readFileSync } from 'node:fs';
import { join } from 'node:path/posix';
import { files } from './front.js';

const STATIC = /^(?:import|export)\b[^;]*?from\s+'([^']+)'/gms;

/** The names of all files that are fetched before these pages are shown: what they import, and what that imports. */
export const filesBefore = (...pages) => closureOf('app.js', 'lib/shell/whole.js', ...pages);

/** Those that a new browser needs to ask for a name and a password. */
export const filesOfSignIn = () => closureOf('app.js');

function closureOf(...open) {
    const all = files();
    const found = new Set([...all.keys()].filter(name => /\.(css|html|svg)$/.test(name) || name === 'theme.js'));
    while (open.length > 0) {
        const name = open.pop();
        if (found.has(name)) continue;
        found.add(name);
        for (const [, path] of readFileSync(all.get(name), 'utf8').matchAll(STATIC)) {
            open.push(join(name, '..', path));
        }
    }
    return [...found].map(name => [name, all.get(name)]);
}
