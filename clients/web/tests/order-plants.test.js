import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PROPERTIES } from './support/order.js';
import { generator } from './support/random.js';

// The properties must catch each of these mistakes: by file, `[text, replacement]`.

const PLANTS = {
    'a key by siblings': { 'key.js': [
        'const entries = siblings.map(each => new Entry(rowOf(each), each));',
        `const isCoded = siblings.every(each => /\\d/.test(rowOf(each).wbs_path ?? ''));
        const entries = siblings.map(each =>
            new Entry(isCoded ? rowOf(each) : { ...rowOf(each), wbs_path: null }, each));`,
    ] },
    'a place between equals': { 'placing.js': [
        'const [low, high] = [this.low, this.high];',
        'const [low, high] = [this.low, this.high]; if (low !== null && low >= high) return `${low}V`;',
    ], also: ['if (low === null || high === null || low < high) return;', 'return;'] },
    'blocks without a random middle': { 'placing.js': [
        'BigInt(Math.floor(random() * 2 ** 48)) * many >> 48n', 'many / 2n',
    ] },
    'a rank that ends with 0': { 'digits.js': ['DIGITS[1 + (n - 1) % 61]', 'DIGITS[(n - 1) % 61]'] },
};

const MOST_RUNS = 40;

/** A copy of the library with a mistake. */
async function planted(folder, files) {
    cpSync(fileURLToPath(new URL('../lib/order', import.meta.url)), folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const { also, ...changes } = files;
    for (const [name, change] of Object.entries(changes)) {
        let text = readFileSync(join(folder, name), 'utf8');
        for (const [old, other] of [change, also ?? []].filter(({ length }) => length > 0)) {
            assert.ok(text.includes(old), `${name} has no ${old}`);
            text = text.replace(old, () => other);
        }
        writeFileSync(join(folder, name), text);
    }
    return import(pathToFileURL(join(folder, 'index.js')));
}

for (const [mistake, files] of Object.entries(PLANTS)) {
    test(`the properties catch ${mistake}`, async () => {
        const folder = mkdtempSync(join(tmpdir(), 'tidemark-order-'));
        try {
            const library = await planted(folder, files);
            for (let seed = 1; seed <= MOST_RUNS; seed++) {
                for (const holds of Object.values(PROPERTIES)) {
                    try {
                        holds(library, generator(seed));
                    } catch {
                        return;
                    }
                }
            }
            assert.fail(`${MOST_RUNS} runs have not caught it.`);
        } finally {
            rmSync(folder, { recursive: true });
        }
    });
}
