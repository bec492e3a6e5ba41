import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Change } from '../lib/store/change.js';
import { LiveQueries } from '../lib/window/live.js';
import { Copy } from './support/copy.js';
import * as documents from './support/documents.js';
import { generator, seeds } from './support/random.js';
import { turns } from './support/turns.js';

/** A copy with a live query of tasks, which hears of what `tell` passes on, and the ids that each question named. */
async function live(options = {}, tell = changed => changed) {
    const copy = await Copy.open();
    await copy.start();
    const { replica } = copy;
    const [answers, asked, errors] = [[], [], []];
    const query = replica.query.bind(replica);
    replica.query = (collection, given, ids = null) => {
        asked.push(ids);
        return query(collection, given, ids);
    };
    const queries = new LiveQueries(replica, error => errors.push(error));
    replica.onChange = change => tell(change) && queries.changed(change);
    const stop = queries.add('tasks', options, rows => answers.push(rows));
    await turns();
    return { copy, replica, queries, answers, asked, errors, stop };
}

const names = rows => rows.map(({ id, name }) => `${id} ${name}`);

test('after an edit only the row is read, and the others are the same objects', async () => {
    const { replica, answers, asked } = await live();
    await replica.update('tasks', 'p-1', { name: 'Edited' });
    await turns();
    assert.deepEqual(asked, [null, ['p-1']]);
    const [before, after] = answers;
    assert.equal(after.find(({ id }) => id === 'p-1').name, 'Edited');
    assert.equal(before.find(({ id }) => id === 'q-1'), after.find(({ id }) => id === 'q-1'));
    assert.throws(() => { after[0].name = 'In place'; }, TypeError);
});

test('new rows come in the order of their ids, and rows that are gone go', async () => {
    const { replica, answers } = await live({ project: 'p' });
    for (const id of ['p-0', 'a', 'p-10', 'z', 'P']) {
        await replica.insert('tasks', { id, project_id: 'p', name: 'New' });
    }
    await replica.delete('tasks', 'a');
    await turns();
    assert.deepEqual(answers.at(-1), await replica.rows('tasks', { project: 'p' }));
    assert.deepEqual(answers.at(-1).map(({ id }) => id), ['P', 'p-0', 'p-1', 'p-10', 'z']);
});

test('a change of other rows is no question, and no reason to read everything at the next one', async () => {
    const { replica, answers, asked } = await live({ project: 'p' });
    await replica.update('tasks', 'q-1', { name: 'Elsewhere' });
    await replica.update('projects', 'p', { name: 'The project' });
    await turns();
    assert.equal(answers.length, 1);
    await replica.update('tasks', 'p-1', { name: 'Here' });
    await turns();
    assert.deepEqual(asked, [null, ['p-1']]);
});

test('whoever has missed a change reads everything at the next one, whatever that is of', async () => {
    let isHeard = true;
    const { replica, answers, asked } = await live({ project: 'p' }, () => isHeard);
    isHeard = false;
    await replica.update('tasks', 'p-1', { name: 'Unheard' });
    isHeard = true;
    await replica.update('tasks', 'q-1', { name: 'Elsewhere' });
    await turns();
    assert.deepEqual([asked, names(answers.at(-1))], [[null, null], ['p-1 Unheard']]);
});

test('a transaction that changed no row tells of those that were missed', async () => {
    let isHeard = false;
    const { replica, answers } = await live({}, () => isHeard);
    await replica.update('tasks', 'p-1', { name: 'Unheard' });
    isHeard = true;
    await replica.prepare();
    await turns();
    assert.equal(answers.at(-1).find(({ id }) => id === 'p-1').name, 'Unheard');
    await replica.prepare();
    await turns();
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
        await turns();
    }
    assert.deepEqual(answers.at(-1), await replica.rows('tasks'));
});

test('after a change of very many rows everything is read', async () => {
    const { copy, answers, asked } = await live();
    const tasks = Array.from({ length: 300 }, (_, number) => documents.task(`many-${number}`, 'p'));
    await copy.page(documents.page({ tasks: { updated: tasks } }, 200, { heads: { p: 205, q: 6 } }));
    await turns();
    assert.deepEqual([asked.at(-1), answers.at(-1).length], [null, 302]);
});

test('a window of an earlier version tells no ids, so everything is read', async () => {
    const { replica, queries, answers, asked } = await live({ project: 'p' }, () => false);
    await replica.update('tasks', 'p-1', { name: 'By an earlier version' });
    queries.changed(Change.from({ keys: ['tasks p'] }));
    await turns();
    assert.deepEqual([asked.at(-1), names(answers.at(-1))], [null, ['p-1 By an earlier version']]);
    assert.deepEqual(new Change({ revision: 3 }, new Map([['tasks p', new Set(['p-1'])]])).message.keys, ['tasks p']);
});

for (const isTold of [true, false]) {
    test(`after a wipe a query has no rows, ${isTold ? 'and hears of it' : 'even if it hears only of what came later'}`, async () => {
        let isHeard = isTold;
        const { copy, replica, answers } = await live({}, () => isHeard);
        await replica.wipe();
        await turns();
        assert.equal(answers.at(-1).length, isTold ? 0 : 2);
        isHeard = true;
        await replica.adopt(documents.schema());
        await copy.page(documents.page({ projects: { updated: [documents.project('p')] } }, 100, { heads: { p: 5 } }));
        await turns();
        assert.deepEqual(answers.at(-1), []);
    });
}

test('after an error everything is read again', async () => {
    const { replica, answers, asked, errors } = await live();
    const { query } = replica;
    replica.query = async () => { throw new Error('The storage failed.'); };
    await replica.update('tasks', 'p-1', { name: 'Once' });
    await turns();
    assert.equal(errors.length, 1);
    replica.query = query;
    await replica.update('tasks', 'q-1', { name: 'Twice' });
    await turns();
    assert.deepEqual([asked.at(-1), names(answers.at(-1))], [null, ['p-1 Once', 'q-1 Twice']]);
});

test('a change that was missed while the query ran is found', async () => {
    let isHeard = true;
    const { replica, answers } = await live({}, () => isHeard);
    const { query } = replica;
    const found = {};
    const running = new Promise(resolve => { found.isRead = resolve; });
    const held = new Promise(resolve => { found.goOn = resolve; });
    replica.query = async (...args) => {
        const answer = await query(...args);
        found.isRead();
        await held;
        return answer;
    };
    await replica.update('tasks', 'p-1', { name: 'Heard' });
    await running;
    isHeard = false;
    await replica.update('tasks', 'q-1', { name: 'Unheard' });
    isHeard = true;
    await replica.prepare();
    found.goOn();
    await turns();
    assert.deepEqual(names(answers.at(-1)), ['p-1 Heard', 'q-1 Unheard']);
});

test('an answer is one state, even if a transaction was stored that nobody has told of yet', async () => {
    const held = [];
    const { replica, queries, answers } = await live({}, change => !held.push(change));
    await replica.update('tasks', 'p-1', { name: 'First' });
    await replica.update('tasks', 'q-1', { name: 'Second' });
    await replica.update('tasks', 'p-1', { name: 'Third' });
    queries.changed(held[0]);
    await turns();
    assert.deepEqual(names(answers.at(-1)), ['p-1 Third', 'q-1 Second']);
});

test('an earlier version\'s wipe is noticed, although it counts from 0 again', async () => {
    let isHeard = true;
    const { copy, replica, answers } = await live({}, () => isHeard);
    for (let edit = 0; edit < 9; edit++) await replica.update('tasks', 'p-1', { name: `Edit ${edit}` });
    await turns();
    isHeard = false;
    await replica.wipe({ discard: true });
    await copy.database.write(async transaction => {
        const { revision, ...state } = await transaction.get('meta', 'state');
        assert.ok(revision > 9);
        await transaction.put('meta', state, 'state');
    });
    isHeard = true;
    await replica.adopt(documents.schema());
    await copy.start();
    await turns();
    assert.deepEqual(answers.at(-1), await replica.rows('tasks'));
});

test('the error of a callback is reported, and costs no more reads', async () => {
    const { replica, queries, asked, errors } = await live();
    queries.add('tasks', {}, () => { throw new Error('It can\'t draw.'); });
    await turns();
    const reads = asked.length;
    for (let turn = 0; turn < 3; turn++) await replica.prepare();
    await replica.update('projects', 'p', { name: 'The project' });
    await turns();
    assert.deepEqual([errors.length, asked.length], [1, reads]);
});

test('a callback that throws is called again at the next change', async () => {
    const { replica, queries } = await live();
    const told = [];
    const loud = new LiveQueries(replica, error => told.push(error));
    let calls = 0;
    loud.add('tasks', {}, () => {
        calls += 1;
        throw new Error('Each time.');
    });
    await turns();
    replica.onChange = change => [queries, loud].forEach(each => each.changed(change));
    await replica.update('tasks', 'p-1', { name: 'Again' });
    await turns();
    assert.deepEqual([calls, told.length], [2, 2]);
    assert.throws(() => loud.add('tasks', undefined, () => {}), TypeError);
});

const QUERIES = [
    ['tasks', {}], ['tasks', { project: 'p' }], ['tasks', { project: 'q' }],
    ['tasks', { refersTo: { collection: 'tasks', id: 'p-1' } }],
];

/** Random edits and pages. Of the messages, some are lost and some come late and in another order. */
class Run {
    shown = new Map();
    late = [];
    versions = 10;

    constructor(seed) {
        this.random = generator(seed);
    }

    below(limit) {
        return Math.floor(this.random() * limit);
    }

    async begin() {
        this.copy = await Copy.open();
        await this.copy.start();
        const { replica } = this.copy;
        const query = replica.query.bind(replica);
        replica.query = (...args) => (this.isFailing && this.below(5) === 0 ? Promise.reject(new Error('It failed.'))
            : query(...args));
        this.queries = new LiveQueries(replica, () => {});
        replica.onChange = change => this.tell(change);
        QUERIES.slice(1).forEach(each => this.add(each));
    }

    add(query) {
        this.queries.add(...query, rows => this.shown.set(query, rows));
    }

    tell(change) {
        const act = this.below(10);
        if (act < 2) return;
        if (act < 5) this.late.push(change);
        else this.queries.changed(change);
        if (this.below(2)) this.queries.changed(this.late.splice(this.below(this.late.length), 1)[0] ?? change);
    }

    async step() {
        const { replica } = this.copy;
        const id = `${'pq'[this.below(2)]}-${this.below(6)}`;
        const project_id = id[0];
        this.isFailing = this.below(4) === 0;
        const act = this.below(6);
        if (act === 0) await replica.delete('tasks', id).catch(expected);
        else if (act === 1) await this.page(id, 'pq'[this.below(2)]);
        else if (act === 2) await replica.prepare();
        else if (act < 5) await replica.insert('tasks', { id, project_id, name: id }).catch(expected);
        else await replica.update('tasks', id, { parent: 'p-1', notes: `${this.random()}` }).catch(expected);
        await turns(this.below(6));
    }

    /** The server sends the row, of whichever project. */
    page(id, project) {
        const number = 100 + (this.versions += 1);
        const task = { ...documents.task(id, project), server_version: this.versions };
        return this.copy.page(documents.page({ tasks: { updated: [task] } }, number, { heads: { p: number, q: number } }));
    }

    async end() {
        this.isFailing = false;
        this.late.forEach(change => this.queries.changed(change));
        if (this.below(2)) await turns();
        this.tell = change => this.queries.changed(change);
        await this.copy.replica.prepare();
        await turns(150);
    }
}

const expected = error => assert.ok(error.code, error);

for (const seed of seeds(592745015, ...Array.from({ length: 40 }, (_, number) => number + 1))) {
    test(`whatever is lost on the way, the next message brings everything, seed ${seed}`, async () => {
        const run = new Run(seed);
        await run.begin();
        for (let step = 0; step < 40; step++) {
            if (step === 20) run.add(QUERIES[0]);
            await run.step();
        }
        await run.end();
        for (const query of QUERIES) {
            assert.deepEqual(run.shown.get(query), await run.copy.replica.rows(...query), JSON.stringify(query));
        }
    });
}
