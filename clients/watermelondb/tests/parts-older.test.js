import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../index.js';
import { SCHEMAS, accepted, bucket, failing, fakeSync, page, problem } from './support/fakes.js';
import { Database } from './support/standin.js';
import { synchronize } from './support/synchronize.js';

// What is asked for with parts, and servers that do not know them, or not always.

const MINE = { tasks: [{ assignee: 1 }] };
const [MINE_TEXT, DONE_TEXT] = ['{"tasks":[{"assignee":1}]}', '{"tasks":[{"status":"COMPLETE"}]}'];
const DONE = JSON.parse(DONE_TEXT);

/** A page of a part. */
function filtered(changes, ...rest) {
    const answer = page(changes, ...rest);
    return { ...answer, body: { ...answer.body, filtered: true } };
}

const task = (id, rest = {}) => ({ id, name: id, ...rest });
const leaving = (ids, updated = []) => ({ ...bucket(updated), left: ids });

/** An app on a server that answers its pulls one after the other with these. */
class App {
    database = new Database();
    storage = memoryStorage();
    answers = [];

    constructor() {
        this.start();
    }

    start() {
        const options = { storage: this.storage, retry: { attempts: 1 } };
        const { sync, requests } = fakeSync(request => this.answer(request), options);
        Object.assign(this, { adapter: sync, requests });
    }

    answer(request) {
        if (request.path.endsWith('/schemas/')) return SCHEMAS;
        if (request.method === 'POST') return accepted(request);
        assert.ok(this.answers.length, `a pull that nobody expected: ${JSON.stringify(request.query)}`);
        return this.answers.shift();
    }

    async sync(...answers) {
        this.requests.length = 0;
        this.answers = answers;
        await this.adapter.sync({ synchronize, database: this.database });
        assert.deepEqual(this.answers, []);
        return this.requests.map(({ query }) => query).filter(({ encoding }) => encoding)
            .map(({ since, filter = '', filter_was = '', left = '' }) => [since, filter, filter_was, left].join(' '));
    }

    get tasks() {
        return [...this.database.rows('tasks').keys()].sort().join(' ');
    }
}

/** An app with the part `mine` at 5. */
async function mine() {
    const app = new App();
    await app.adapter.parts.add('mine', MINE);
    assert.deepEqual(await app.sync(filtered({ tasks: bucket([task('a')]) }, 5)), [`0 ${MINE_TEXT}  left`]);
    return app;
}

test('requests say what is asked for and what was', async () => {
    const app = await mine();
    assert.deepEqual(await app.sync(filtered({ tasks: leaving(['a'], [task('b')]) }, 6)), [`5 ${MINE_TEXT} same left`]);
    assert.equal(app.tasks, 'b');
    await app.adapter.parts.update('mine', DONE);
    const pages = [filtered({ tasks: leaving([], [task('c')]) }, 7, 'next'), filtered({ tasks: leaving(['b']) }, 7)];
    assert.deepEqual(await app.sync(...pages), Array(2).fill(`6 ${DONE_TEXT} ${MINE_TEXT} left`));
    assert.equal(app.tasks, 'c');
    await app.adapter.parts.remove('mine');
    assert.deepEqual(await app.sync(filtered({ tasks: bucket([task('d')]) }, 8)), [`7  ${DONE_TEXT} left`]);
    assert.deepEqual(await app.sync(page({ tasks: bucket([task('e')]) }, 9)), ['8   ']);
    assert.equal(app.tasks, 'c d e');
});

test('later rounds of a pull go on with the part, and of a row the last word counts', async () => {
    const app = await mine();
    await app.adapter.parts.update('mine', DONE);
    const asked = await app.sync(
        filtered({ tasks: leaving(['a'], [task('b'), task('c')]) }, 6, null, 7),
        filtered({ tasks: leaving(['b'], [task('a')]) }, 7, null, 8), filtered({ tasks: leaving(['x']) }, 8));
    const same = [6, 7].map(since => `${since} ${DONE_TEXT} same left`);
    assert.deepEqual(asked, [`5 ${DONE_TEXT} ${MINE_TEXT} left`, ...same]);
    assert.equal(app.tasks, 'a c');
    // From 0, what left in a later round was never there.
    const fresh = new App();
    await fresh.adapter.parts.add('mine', MINE);
    const first = filtered({ tasks: bucket([task('a'), task('b')]) }, 6, null, 7);
    await fresh.sync(first, filtered({ tasks: leaving(['b']) }, 7));
    assert.equal(fresh.tasks, 'a');
});

test('WatermelonDB gets no ids that left', async () => {
    const app = await mine();
    const seen = [];
    app.answers = [filtered({ tasks: leaving(['a']) }, 6)];
    const spying = args => synchronize({
        ...args, pullChanges: async each => {
            const answer = await args.pullChanges(each);
            seen.push(answer.changes);
            return answer;
        },
    });
    await app.adapter.sync({ synchronize: spying, database: app.database });
    assert.deepEqual(seen, [{ tasks: bucket() }]);
});

test('an older server sends everything from 0, and is not asked for the part again in that sync', async () => {
    const app = new App();
    const { ready } = await app.adapter.parts.add('mine', MINE);
    const first = page({ tasks: bucket([task('a'), task('b')]) }, 5, null, 6);
    const asked = await app.sync(first, page({ tasks: bucket([task('c')]) }, 6));
    assert.deepEqual(asked, [`0 ${MINE_TEXT}  left`, '5   ']);
    await ready;
    assert.equal(app.tasks, 'a b c');
    // The watermark is good for everything.
    assert.deepEqual(await app.sync(page({ tasks: bucket([task('d')]) }, 7)), [`6 ${MINE_TEXT} {} left`]);
    assert.equal(app.tasks, 'a b c d');
    // The server is updated.
    assert.deepEqual(await app.sync(filtered({ tasks: leaving(['b', 'c']) }, 8)), [`7 ${MINE_TEXT} {} left`]);
    assert.equal(app.tasks, 'a d');
});

test('a server that has become older is pulled from 0, and what it sends above that is dropped', async () => {
    const app = await mine();
    app.database.update('tasks', 'a', { name: 'Mine' });
    const all = page({ tasks: bucket([task('a'), task('b')]) }, 6);
    const asked = await app.sync(page({ tasks: bucket([task('x')]) }, 6), all);
    assert.deepEqual(asked, [`5 ${MINE_TEXT} same left`, '0   ']);
    assert.equal(app.tasks, 'a b');
    assert.equal(app.database.rows('tasks').get('a').name, 'Mine');
});

test('pages of two servers, one of them older, are no drain', async () => {
    const app = await mine();
    const rest = [filtered({ tasks: leaving(['a']) }, 6)];
    await app.sync(filtered({ tasks: bucket() }, 6, 'next'), page({ tasks: bucket([task('x')]) }, 6), ...rest);
    assert.equal(app.tasks, '');
    const later = filtered({ tasks: bucket([task('b')]) }, 7, null, 8);
    await app.sync(later, page({ tasks: bucket([task('x')]) }, 8), page({ tasks: bucket([task('b'), task('y')]) }, 8));
    assert.equal(app.tasks, 'b y');
});

test('a watermark for which the server knows no former filter is begun again', async () => {
    const app = await mine();
    assert.deepEqual(await app.sync(problem(410, 'since_expired'), filtered({ tasks: bucket([task('b')]) }, 6)),
        [`5 ${MINE_TEXT} same left`, `0 ${MINE_TEXT}  left`]);
    assert.equal(app.tasks, 'b');
});

test('ids in left that are none are refused', async () => {
    const app = await mine();
    for (const left of ['a', [1], [null]]) {
        const wrong = filtered({ tasks: { ...bucket(), left } }, 6);
        await assert.rejects(app.sync(wrong), failing({ code: 'invalid_answer' }));
    }
    await assert.rejects(app.sync(...Array(4).fill(filtered({ tasks: leaving(['b'], [task('b')]) }, 6))),
        failing({ code: 'drain_broken' }));
});

test('a collection that is new among `collections` replaces no row with an unsent edit', async () => {
    const app = await mine();
    app.database.table('links').set('l-1', { id: 'l-1', task: 'a', _status: 'updated', _changed: 'task' });
    app.database.table('links').set('l-2', { id: 'l-2', task: 'a', _status: 'synced', _changed: '' });
    app.storage.set('tidemark:p-1:collections', '["tasks"]');
    await app.sync(filtered({ tasks: bucket(), links: bucket([{ id: 'l-3', task: 'a' }]) }, 6));
    assert.deepEqual([...app.database.rows('links').keys()].sort(), ['l-3']);
    const [upload] = app.requests.filter(({ method }) => method === 'POST');
    assert.deepEqual(upload.body.changes.links.updated.map(({ id }) => id), ['l-1']);
});
