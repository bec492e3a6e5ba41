import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Change } from '../lib/store/change.js';
import { LiveQueries } from '../lib/window/live.js';
import { Copy } from './support/copy.js';
import * as documents from './support/documents.js';

/** A copy with a live query of tasks, which hears of what `tell` passes on, and the ids that each question named. */
async function live(options = {}, tell = changed => changed) {
    const copy = await Copy.open();
    await copy.start();
    const { replica } = copy;
    const [answers, asked, errors] = [[], [], []];
    const query = replica.query.bind(replica);
    replica.query = (collection, given, ids) => {
        asked.push(ids);
        return query(collection, given, ids);
    };
    const queries = new LiveQueries(replica, error => errors.push(error));
    replica.onChange = change => tell(change) && queries.changed(change);
    const stop = queries.add('tasks', options, rows => answers.push(rows));
    await answered();
    return { copy, replica, queries, answers, asked, errors, stop };
}

/** A query has had its turns. */
async function answered() {
    for (let turn = 0; turn < 30; turn++) await new Promise(resolve => setImmediate(resolve));
}

const names = rows => rows.map(({ id, name }) => `${id} ${name}`);

test('after an edit only the row is read, and the others are the same objects', async () => {
    const { replica, answers, asked } = await live();
    await replica.update('tasks', 'p-1', { name: 'Edited' });
    await answered();
    assert.deepEqual(asked, [null, ['p-1']]);
    const [before, after] = answers;
    assert.equal(after.find(({ id }) => id === 'p-1').name, 'Edited');
    assert.equal(before.find(({ id }) => id === 'q-1'), after.find(({ id }) => id === 'q-1'));
    assert.throws(() => { after[0].name = 'In place'; }, TypeError);
});

test('new rows come in the order of their ids, and rows that are gone go', async () => {
    const { replica, answers, asked } = await live({ project: 'p' });
    for (const id of ['p-0', 'a', 'p-10', 'z', 'P']) {
        await replica.insert('tasks', { id, project_id: 'p', name: 'New' });
    }
    await replica.delete('tasks', 'a');
    await answered();
    assert.deepEqual(answers.at(-1), await replica.rows('tasks', { project: 'p' }));
    assert.deepEqual(answers.at(-1).map(({ id }) => id), ['P', 'p-0', 'p-1', 'p-10', 'z']);
    assert.deepEqual(asked.filter(ids => ids === null).length, 1);
});

test('a change of other rows is no question, and no reason to read everything at the next one', async () => {
    const { replica, answers, asked } = await live({ project: 'p' });
    await replica.update('tasks', 'q-1', { name: 'Elsewhere' });
    await replica.update('projects', 'p', { name: 'The project' });
    await answered();
    assert.equal(answers.length, 1);
    await replica.update('tasks', 'p-1', { name: 'Here' });
    await answered();
    assert.deepEqual(asked, [null, ['p-1']]);
});

test('whoever has missed a change reads everything at the next one, whatever that is of', async () => {
    let isHeard = true;
    const { replica, answers, asked } = await live({ project: 'p' }, () => isHeard);
    isHeard = false;
    await replica.update('tasks', 'p-1', { name: 'Unheard' });
    isHeard = true;
    await replica.update('tasks', 'q-1', { name: 'Elsewhere' });
    await answered();
    assert.deepEqual([asked, names(answers.at(-1))], [[null, null], ['p-1 Unheard']]);
});

test('a transaction that changed no row tells of those that were missed', async () => {
    let isHeard = false;
    const { replica, answers } = await live({}, () => isHeard);
    await replica.update('tasks', 'p-1', { name: 'Unheard' });
    isHeard = true;
    await replica.prepare();
    await answered();
    assert.equal(answers.at(-1).find(({ id }) => id === 'p-1').name, 'Unheard');
    await replica.prepare();
    await answered();
    assert.equal(answers.length, 2);
});

test('changes that come in another order lose nothing', async () => {
    const held = [];
    const { replica, queries, answers } = await live({}, change => !held.push(change));
    await replica.update('tasks', 'p-1', { name: 'First' });
    await replica.update('tasks', 'q-1', { name: 'Second' });
    await replica.update('tasks', 'p-1', { name: 'Third' });
    for (const change of [...held].reverse()) {
        queries.changed(change);
        await answered();
    }
    assert.deepEqual(answers.at(-1), await replica.rows('tasks'));
});

test('after a change of very many rows everything is read', async () => {
    const { copy, answers, asked } = await live();
    const tasks = Array.from({ length: 300 }, (_, number) => documents.task(`many-${number}`, 'p'));
    await copy.page(documents.page({ tasks: { updated: tasks } }, 200, { heads: { p: 205, q: 6 } }));
    await answered();
    assert.deepEqual([asked.at(-1), answers.at(-1).length], [null, 302]);
});

test('a window of an earlier version tells no ids, so everything is read', async () => {
    const { replica, queries, answers, asked } = await live({ project: 'p' }, () => false);
    await replica.update('tasks', 'p-1', { name: 'By an earlier version' });
    queries.changed(Change.from({ keys: ['tasks p'] }));
    await answered();
    assert.deepEqual([asked.at(-1), names(answers.at(-1))], [null, ['p-1 By an earlier version']]);
    assert.deepEqual(new Change(3, new Map([['tasks p', new Set(['p-1'])]])).message.keys, ['tasks p']);
});

for (const isTold of [true, false]) {
    test(`after a wipe nothing of before is known, ${isTold ? 'told' : 'untold'}`, async () => {
        let isHeard = isTold;
        const { copy, replica, answers } = await live({}, () => isHeard);
        await replica.wipe();
        await answered();
        assert.equal(answers.at(-1).length, isTold ? 0 : 2);
        isHeard = true;
        await replica.adopt(documents.schema());
        await copy.page(documents.page({ projects: { updated: [documents.project('p')] } }, 100, { heads: { p: 5 } }));
        await answered();
        assert.deepEqual(answers.at(-1), []);
    });
}

test('after an error everything is read again', async () => {
    const { replica, answers, asked, errors } = await live();
    const { query } = replica;
    replica.query = async () => { throw new Error('The storage failed.'); };
    await replica.update('tasks', 'p-1', { name: 'Once' });
    await answered();
    assert.equal(errors.length, 1);
    replica.query = query;
    await replica.update('tasks', 'q-1', { name: 'Twice' });
    await answered();
    assert.deepEqual([asked.at(-1), names(answers.at(-1))], [null, ['p-1 Once', 'q-1 Twice']]);
});
