import assert from 'node:assert/strict';
import test from 'node:test';

import { sentenceOf } from '../index.js';

const isSentence = text => /^[A-Z].* .*\.$/.test(text);

test('every code with which the server skips a row has a sentence of its own', () => {
    const codes = ['deleted', 'not_found', 'parent_deleted', 'unknown_field', 'collection_removed'];
    const sentences = codes.map(code => sentenceOf({ id: 'a', code }));
    assert.deepEqual(sentences.filter(each => !isSentence(each) || each.includes('(')), []);
    assert.equal(new Set(sentences).size, codes.length);
});

test('so has what has no code, and a code of a newer server', () => {
    const entries = [
        { id: 'a', fields: ['name'], server_version: 2, server_values: {}, client_values: {} },
        { id: 'a', field: 'sprint', from: 's', to: null },
        { id: 'a', code: 'of_tomorrow' },
        { id: 'a' },
    ];
    assert.deepEqual(entries.map(sentenceOf).filter(each => !isSentence(each)), []);
});

test('the server\'s own words come first', () => {
    assert.equal(sentenceOf({ id: 'a', code: 'deleted', detail: 'Because.' }), 'Because.');
});
