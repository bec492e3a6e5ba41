import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Judge } from '../lib/common/values/judge.js';
import { valueVectors } from './support/values.js';

const { collections, cases, halves } = valueVectors();
const judges = new Map(collections.map(each => [each.title, new Judge(each)]));

test('values are judged as the server judges them', () => {
    const counts = { accepted: 0, refused: 0 };
    for (const { name, collection, stored, sent, errors, isByList } of [...cases, ...halves]) {
        const found = judges.get(collection).errors(sent, stored);
        if (!isByList || found.length > 0) assert.deepEqual(found, errors, name);
        counts[errors.length > 0 ? 'refused' : 'accepted'] += 1;
    }
    assert.ok(counts.accepted > 200 && counts.refused > 300, JSON.stringify(counts));
});
