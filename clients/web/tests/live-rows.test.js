import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveQueries, LiveRows } from '../lib/window/live.js';
import { Copy } from './support/copy.js';
import { turns } from './support/turns.js';

// A live query as a store, as React's useSyncExternalStore and Svelte have it, and as an iterator.

/** Live tasks of a copy, and how many queries are open. */
async function live(options = {}) {
    const copy = await Copy.open();
    await copy.start();
    const queries = new LiveQueries(copy.replica, error => { throw error; });
    copy.replica.onChange = change => queries.changed(change);
    const rows = new LiveRows((...told) => queries.add('tasks', options, ...told));
    return { copy, queries, rows, replica: copy.replica, open: () => queries._queries.size };
}

const names = rows => rows.map(({ name }) => name).join();

test('a store has the same object until the rows change, and all subscribers hear of that', async () => {
    const { rows, replica, open } = await live();
    const { subscribe, getSnapshot } = rows;
    assert.equal(open(), 0, 'nobody has asked yet');
    const empty = getSnapshot();
    assert.deepEqual([empty, Object.isFrozen(empty)], [[], true]);
    const seen = [[], []];
    const stops = seen.map(list => subscribe(value => list.push(value)));
    assert.deepEqual(seen, [[empty], [empty]], 'it is told at once');
    await turns();
    const first = getSnapshot();
    assert.equal(names(first), 'p-1,q-1');
    assert.equal(open(), 1, 'one query for all');
    await replica.update('projects', 'p', { name: 'Elsewhere' });
    await turns();
    assert.equal(getSnapshot(), first);
    await replica.update('tasks', 'q-1', { name: 'New' });
    await turns();
    const second = getSnapshot();
    assert.equal(names(second), 'p-1,New');
    assert.equal(second[0], first[0]);
    for (const list of seen) assert.deepEqual(list.map(each => [empty, first, second].indexOf(each)), [0, 1, 2]);
    stops[0]();
    assert.equal(open(), 1);
    for (const stop of [...stops, ...stops]) stop();
    assert.equal(open(), 0, 'the last one ends it');
});

test('a store goes on with new subscribers after the last one has left', async () => {
    const { rows, replica, open } = await live();
    const stop = rows.subscribe(() => {});
    await turns();
    const first = rows.getSnapshot();
    stop();
    await replica.update('tasks', 'q-1', { name: 'Unheard' });
    await turns();
    assert.equal(rows.getSnapshot(), first, 'nobody reads it');
    const seen = [];
    const callback = value => seen.push(names(value));
    const again = [rows.subscribe(callback), rows.subscribe(callback)];
    await turns();
    assert.deepEqual(seen, ['p-1,q-1', 'p-1,q-1', 'p-1,Unheard', 'p-1,Unheard'], 'the same callback counts twice');
    again[0]();
    await replica.update('tasks', 'q-1', { name: 'Heard' });
    await turns();
    assert.equal(seen.length, 5);
    again[1]();
    assert.equal(open(), 0);
});

test('an iterator has the first answer, also an empty one, and merges for a slow reader', async () => {
    const { rows, replica, open } = await live({ where: { name: { prefix: 'New' } } });
    const seen = [];
    for await (const found of rows) {
        seen.push(names(found));
        if (seen.length === 1) {
            for (const name of ['New 1', 'New 2', 'New 3']) {
                await replica.update('tasks', 'q-1', { name });
                await turns();
            }
        } else {
            break;
        }
    }
    assert.deepEqual(seen, ['', 'New 3']);
    assert.equal(open(), 0, 'leaving the loop ends it');
});

test('an iterator ends when the copy is closed', async () => {
    const { rows, queries } = await live();
    const seen = [];
    const reading = (async () => {
        for await (const found of rows) seen.push(names(found));
    })();
    await turns();
    queries.end();
    await reading;
    assert.deepEqual(seen, ['p-1,q-1']);
});

test('a wiped copy has no rows', async () => {
    const { rows, replica } = await live();
    rows.subscribe(() => {});
    await turns();
    await replica.wipe();
    await turns();
    assert.deepEqual(rows.getSnapshot(), []);
});
