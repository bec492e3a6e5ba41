import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalog } from '../lib/fields/catalog.js';
import { withProgress } from '../lib/plan/progress.js';
import { catalog, schema } from './support/schema.js';

const tasks = catalog.collection('tasks');
const set = (task, values) => withProgress(tasks, { status: 'NOT_STARTED', percent_complete: 0, ...task }, values);

test('100 % and “Complete” are set together', () => {
    assert.deepEqual(set({}, { percent_complete: 100 }), { percent_complete: 100, status: 'COMPLETE' });
    assert.deepEqual(set({}, { status: 'COMPLETE' }), { status: 'COMPLETE', percent_complete: 100 });
    assert.deepEqual(set({ status: 'COMPLETE' }, { percent_complete: 100 }), { percent_complete: 100 });
});

test('they are taken back together', () => {
    const done = { status: 'COMPLETE', percent_complete: 100 };
    assert.deepEqual(set(done, { percent_complete: 60 }), { percent_complete: 60, status: 'IN_PROGRESS' });
    assert.deepEqual(set(done, { percent_complete: 0 }), { percent_complete: 0, status: 'NOT_STARTED' });
    assert.deepEqual(set(done, { status: 'NOT_STARTED' }), { status: 'NOT_STARTED', percent_complete: 0 });
    assert.deepEqual(set(done, { status: 'REVIEW' }), { status: 'REVIEW' }, 'what is reviewed may be done');
});

test('everything else stays as it is written', () => {
    assert.deepEqual(set({}, { percent_complete: 40 }), { percent_complete: 40 });
    assert.deepEqual(set({}, { status: 'ON_HOLD' }), { status: 'ON_HOLD' });
    assert.deepEqual(set({}, { status: 'NOT_STARTED', percent_complete: 100 }),
        { status: 'NOT_STARTED', percent_complete: 100 });
    assert.deepEqual(set({}, { name: 'x' }), { name: 'x' });
});

test('a schema with other words, or without them, is left alone', () => {
    const without = structuredClone(schema);
    const own = without.collections.find(({ title }) => title === 'tasks');
    own.properties.status.enum = ['OPEN', 'DONE'];
    const values = { percent_complete: 100 };
    assert.deepEqual(withProgress(new Catalog(without).collection('tasks'), {}, values), values);
    assert.deepEqual(withProgress(catalog.collection('risks'), {}, values), values);
    assert.deepEqual(withProgress(null, {}, values), values);
});
