import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Bank } from './support/bank.js';
import { startHousehold } from './support/household.js';
import { NEW, NEW_TASK } from './support/rows.js';
import { Database } from './support/standin.js';
import { synchronize } from './support/synchronize.js';

// Clients that were written for one project, with only the address changed to that of all projects: the sample of
// docs/watermelondb.md, and the snippet that TruePPM publishes.

const page = readFileSync(new URL('../../../docs/watermelondb.md', import.meta.url), 'utf8');
const [, sample] = page.match(/^```js\nimport [^\n]*\n(.*?)^```$/ms);
const [, settling] = page.match(/^```js\n(let counts.*?)^```$/ms);
const seed = new URL('../../../../shared/seeds/trueppm-offline-sync.txt', import.meta.url);

let server, alice, bob, schema, projects;

before(async () => {
    ({ server, alice, bob, schema, projects } = await startHousehold({ TIDEMARK_SYNC_PULL_PAGE_SIZE: '3' }));
});
after(() => server.stop());

/** A phone whose `sync` is the sample's. */
class StockPhone {
    database = new Database({ schema });

    constructor(token) {
        const names = ['synchronize', 'database', 'url', 'headers'];
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
        const make = new Function(...names, `${sample}; return sync`);
        this.sync = make(synchronize, this.database, `${server.url}/api/v1/sync/`, headers);
    }

    task(id) {
        return this.database.rows('tasks').get(id);
    }
}

test('the sample syncs rows of several projects', async () => {
    const ids = await projects(3, 'Dig', 'Pour');
    for (const id of ids) await server.member(id, 'bob', 'member');
    const [phone, other] = [new StockPhone(alice), new StockPhone(bob)];
    for (const each of [phone, other]) await each.sync();
    for (const id of ids) {
        phone.database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof', project_id: id });
        phone.database.create('risks', { ...NEW.risks, id: `${id}-k`, task_ids: `["${id}-new"]`, project_id: id });
        phone.database.update('tasks', `${id}-0`, { name: 'Dug' });
        phone.database.remove('tasks', `${id}-1`);
    }
    for (const each of [phone, phone, other]) await each.sync();
    assert.deepEqual([phone.database.hasChanges(), phone.database.errors, other.database.errors], [false, [], []]);
    for (const id of ids) {
        assert.deepEqual([other.task(`${id}-0`).name, other.task(`${id}-1`)], ['Dug', undefined]);
        assert.deepEqual([other.task(`${id}-new`).project_id, other.database.rows('risks').has(`${id}-k`)], [id, true]);
    }
});

test('with the sample, rows of an archived project stay unsent and those of a lost one go', async () => {
    const [id, lost] = await projects(2, 'Dig', 'Pour');
    for (const project of [id, lost]) await server.member(project, 'bob', 'member');
    const phone = new StockPhone(bob);
    await phone.sync();
    await server.api(alice, 'POST', `/projects/${id}/archive/`);
    phone.database.update('tasks', `${id}-0`, { name: 'Dug' });
    phone.database.remove('tasks', `${id}-1`);
    for (let round = 0; round < 2; round++) await phone.sync();
    const status = task => phone.database.table('tasks').get(task)?._status;
    assert.deepEqual([status(`${id}-0`), status(`${id}-1`)], ['updated', 'deleted']);
    const { results } = await server.api(alice, 'GET', `/projects/${lost}/memberships/`);
    await server.api(alice, 'DELETE', `/memberships/${results.find(({ role }) => role === 100).id}/`);
    await phone.sync();
    assert.equal(phone.task(`${lost}-0`), undefined);
    await server.api(alice, 'POST', `/projects/${id}/unarchive/`);
    await phone.sync();
    assert.deepEqual([phone.database.hasChanges(), phone.database.errors], [false, []]);
});

/** The call in the published page, without comments, whose line ends the page has lost, and without types. */
function published() {
    const text = readFileSync(seed, 'utf8');
    const code = text.slice(text.indexOf('await synchronize({')).replace(/\/\/.*?\. (?=[a-z])/g, '');
    let depth = 0;
    let end = code.indexOf('(');
    do {
        if (code[end] === '(') depth++;
        if (code[end] === ')') depth--;
        end++;
    } while (depth > 0);
    return code.slice(0, end).replace(/\b(const|let) (\w+): [^=]+ = /g, '$1 $2 = ');
}

const AsyncFunction = (async () => {}).constructor;

/** TruePPM's call with the address of all projects. */
function publishedForAll() {
    const code = published();
    assert.equal(code.split('projects/${projectId}').length, 3);
    const changed = code.replaceAll('/api/v1/projects/${projectId}/sync/', '/api/v1/sync/');
    return new AsyncFunction('synchronize', 'database', 'location', 'token', 'fetch', changed);
}

test('TruePPM\'s snippet syncs the tasks of several projects', { skip: !existsSync(seed) }, async () => {
    const ids = await projects(3, 'Dig', 'Pour', 'Build');
    const database = new Database();
    const run = publishedForAll();
    let pulls = 0;
    const relative = async (address, options = {}) => {
        if (options.method !== 'POST') pulls++;
        const answer = await fetch(new URL(address, server.url), options);
        assert.ok(answer.ok, await answer.clone().text());
        return answer;
    };
    const sync = () => run(synchronize, database, { origin: server.url }, alice, relative);
    await sync();
    for (const id of ids) {
        database.update('tasks', `${id}-0`, { name: 'Dug' });
        database.create('tasks', { ...NEW_TASK, id: `${id}-new`, name: 'Roof', project_id: id });
        database.remove('tasks', `${id}-1`);
    }
    for (let round = 0; round < 2; round++) await sync();
    assert.equal(database.hasChanges(), false);
    assert.ok(pulls > 8);
    for (const id of ids) {
        const { results } = await server.api(alice, 'GET', `/projects/${id}/tasks/`);
        assert.deepEqual(results.map(({ name }) => name).sort(), ['Build', 'Dug', 'Roof']);
        const mine = [...database.rows('tasks').values()].filter(row => row.project_id === id);
        assert.deepEqual(mine.map(({ name }) => name).sort(), ['Build', 'Dug', 'Roof']);
    }
});

test('called until a drain counts, TruePPM\'s snippet ends with a state that was', {
    skip: !existsSync(seed),
}, async () => {
    const [id] = await projects(1);
    const bank = new Bank(server, alice);
    await bank.open(id, 8);
    const [database, run, shown] = [new Database(), publishedForAll(), []];
    let writes = 3;
    const disturbed = async (address, options = {}) => {
        const isLater = new URL(address, server.url).searchParams.has('cursor');
        if (isLater && writes-- > 0) await bank.move(bank.ids[writes], bank.ids.at(-1), 5);
        return fetch(new URL(address, server.url), options);
    };
    const { watchingFetch, syncUntilSettled } = new Function('fetch',
        `${settling}; return { watchingFetch, syncUntilSettled }`)(disturbed);
    assert.ok(await syncUntilSettled(async () => {
        await run(synchronize, database, { origin: server.url }, alice, watchingFetch);
        shown.push(bank.shownBy({ database }));
    }));
    assert.notDeepEqual(shown[0], bank.whole);
    assert.deepEqual(shown.at(-1), bank.whole);
});
