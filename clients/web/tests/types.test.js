import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tidemark } from '../../watermelondb/tests/support/server.js';

// index.d.ts and the types of a schema, checked by Debian's TypeScript (node-typescript).

const COMPILER = '/usr/share/nodejs/typescript/bin/tsc';
const skip = existsSync(COMPILER) ? false : 'there is no TypeScript';
const here = path => fileURLToPath(new URL(path, import.meta.url));
const OPTIONS = {
    strict: true, noEmit: true, target: 'es2022', module: 'es2022', moduleResolution: 'node', types: [],
};

/** What the compiler says of an app's file. */
async function checked(file) {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-types-'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(here('..'), join(folder, 'node_modules/tidemark-web'));
    cpSync(here(`types/${file}`), join(folder, file));
    writeFileSync(join(folder, 'rows.ts'), `${await tidemark('schema', '--format', 'typescript', '--all-projects')}\n`);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, files: [file] }));
    const { stdout } = spawnSync(process.execPath, [COMPILER, '-p', '.'], { cwd: folder, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    return stdout;
}

test('an app may do what the docs say, with the types of its schema and without', { skip }, async () => {
    assert.equal(await checked('right.ts'), '');
});

test('unknown collections and fields, wrong values, missing and read-only fields are mistakes', { skip }, async () => {
    assert.equal(await checked('wrong.ts'), '');
});
