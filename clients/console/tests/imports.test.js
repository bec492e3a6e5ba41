import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { files, withoutComments } from './support/front.js';
import { filesBefore } from './support/imports.js';

const text = name => readFileSync(files().get(name), 'utf8');
const modules = [...files().keys()].filter(name => name.endsWith('.js'));

test('every file that is imported is served', () => {
    const pages = [...text('lib/pages.js').matchAll(/import\('\.\/([^']+)'\)/g)].map(([, path]) => `lib/${path}`);
    assert.ok(pages.length > 1);
    for (const [name, path] of filesBefore(...pages)) assert.ok(path, name);
});

test('what the first plan does not need comes after it', () => {
    const first = filesBefore('lib/projects/page.js', 'lib/plan/page.js').map(([name]) => name);
    assert.ok(first.includes('lib/edit/edits.js') && first.includes('tidemark/lib/store/replica.js'));
    const late = /\/lib\/(parts|indexes)\/|^lib\/files\/|part-filter|\/undo\/(back|later|sentences|turned)\.|\/pasted\./;
    assert.deepEqual(first.filter(name => late.test(name)), []);
});

test('the page names only files that are served, and nothing of it is inline', () => {
    const page = text('index.html');
    for (const [, name] of page.matchAll(/(?:src|href)="([^"]+)"/g)) assert.ok(files().has(name), name);
    assert.doesNotMatch(page, /<style|\sstyle=|\son\w+=|<script>/);
});

test('text never becomes HTML or code', () => {
    const sinks = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|setHTML/;
    for (const name of modules) assert.doesNotMatch(text(name), sinks, name);
});

test('the console\'s own files name no other host', () => {
    const known = ['http://www.w3.org/2000/svg', 'http://localhost:'];
    for (const name of [...files().keys()].filter(each => !each.startsWith('tidemark/'))) {
        const code = text(name).replace(/^\s*(\/\/|\*|\/\*).*$/gm, '');
        for (const [address] of code.matchAll(/https?:\/\/[\w.-]+[^'"\s$]*/g)) {
            assert.ok(known.includes(address), `${name}: ${address}`);
        }
    }
});

test('pages edit through the edit layer, so everything can be taken back', () => {
    const own = modules.filter(name => name.startsWith('lib/') && !['lib/data/write.js', 'lib/edit/edits.js'].includes(name));
    for (const name of own) assert.doesNotMatch(text(name), /tidemark\.(insert|update|delete|edit)\(/, name);
});

test('no text has several lines, so the server can leave out comments and indentation', () => {
    for (const name of modules) {
        const left = withoutComments(text(name));
        assert.equal(left.split('\n').length, text(name).split('\n').length, name);
        assert.doesNotMatch(left, /^ *\* |\*\/$/m, `${name}: no comment begins behind code and goes on in the next line`);
        for (const [number, line] of left.split('\n').entries()) {
            const isWhole = line.replace(/\\./g, '').split('`').length % 2 === 1;
            assert.ok(isWhole, `${name}:${number + 1} begins a text that goes on`);
        }
    }
});
