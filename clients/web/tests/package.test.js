import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = path => fileURLToPath(new URL(path, import.meta.url));
const json = path => JSON.parse(readFileSync(here(path), 'utf8'));

/** The files of a folder, links followed. */
function files(folder) {
    return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
        const path = join(folder, entry.name);
        return entry.isFile() ? [path] : files(path);
    });
}

test('what the docs tell to copy is whole in itself', async () => {
    const copy = mkdtempSync(join(tmpdir(), 'tidemark-web-copy-'));
    cpSync(here('../index.js'), join(copy, 'index.mjs'));
    cpSync(here('../lib'), join(copy, 'lib'), { recursive: true, dereference: true });
    cpSync(here('../package.json'), join(copy, 'package.json'));
    assert.deepEqual(Object.keys(await import(pathToFileURL(join(copy, 'index.mjs')))), ['TidemarkError', 'open']);
    rmSync(copy, { recursive: true });
});

test('nothing is imported from elsewhere, not even from the adapter', () => {
    for (const [root, folder] of [['..', '../lib'], ['../../watermelondb', '../../watermelondb/lib']]) {
        for (const file of [here(`${root}/index.js`), ...files(here(folder))]) {
            const imports = [...readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^;]*? from '(.*)';$/gms)];
            for (const [, path] of imports) {
                assert.match(path, /^\.\.?\//, file);
                const target = new URL(path, pathToFileURL(file)).href;
                assert.ok(target.startsWith(new URL(root, import.meta.url).href), `${file} imports ${path}`);
            }
        }
    }
});

test('the shared files are the adapter\'s own, since it is published alone', () => {
    assert.ok(lstatSync(here('../lib/common')).isSymbolicLink());
    assert.ok(lstatSync(here('../../watermelondb/lib/common')).isDirectory());
});

test('both clients have the same version', () => {
    assert.equal(json('../package.json').version, json('../../watermelondb/package.json').version);
});

// In a copy, since packing replaces the link for a moment.
const npm = spawnSync('npm', ['--version']).status === 0;

test('npm pack gives tarballs that import in an empty folder', { skip: !npm && 'SKIPPED: npm is missing' }, t => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-pack-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const run = (command, words, cwd) => execFileSync(command, words, { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
    const modules = join(folder, 'empty', 'node_modules');
    for (const name of ['watermelondb', 'web']) {
        cpSync(here(`../../${name}`), join(folder, name), { recursive: true, verbatimSymlinks: true });
    }
    for (const [name, exported] of [['web', ['TidemarkError', 'open']], ['watermelondb', ['createSync']]]) {
        const packed = join(modules, `tidemark-${name}`);
        mkdirSync(packed, { recursive: true });
        const tarball = run('npm', ['pack', '--silent', '--offline'], join(folder, name)).split('\n').pop();
        run('tar', ['-xzf', join(folder, name, tarball), '-C', packed, '--strip-components', '1']);
        const paths = name === 'web' ? ['', '/order', '/schedule'] : [''];
        for (const path of paths) {
            const source = `console.log(Object.keys(await import('tidemark-${name}${path}')).join())`;
            const names = run('node', ['--input-type=module', '--eval', source], join(folder, 'empty')).split(',');
            for (const each of path ? [] : exported) assert.ok(names.includes(each), `${name} exports ${names}`);
        }
        assert.ok(!files(packed).some(file => file.includes('/tests/') || file.includes('/example/')), name);
    }
    assert.ok(lstatSync(join(folder, 'web/lib/common')).isSymbolicLink(), 'packing leaves the link as it was');
});
