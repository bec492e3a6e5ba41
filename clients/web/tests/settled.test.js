import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Bank } from './support/bank.js';
import { Browser } from './support/browser.js';
import { openIn } from './support/open.js';
import { turns } from './support/turns.js';

// What is shown is always a state that was, whatever others write between the pages of a pull.

let server, alice;

before(async () => {
    server = await Server.start();
    alice = await server.user('alice');
});
after(() => server.stop());

/**
 * A client of a bank. Three moves come after each answer to a pull, and then everything that is shown is looked at.
 * `network` may stand for the server's answers.
 */
class Watched {
    wrong = [];
    looks = 0;
    isWriting = false;
    /** The queries of pulls, and how many uploads there were before each. */
    pulls = [];
    uploads = 0;
    /** What live queries were told, without and with `unsettled`. */
    told = { settled: [], unsettled: [] };

    static async open(bank, { network = fetch, ...options } = {}) {
        const watched = new Watched();
        const browser = new Browser();
        const project = bank.isOfOne ? bank.projects[0] : null;
        Object.assign(watched, { bank, network, browser, options: { pageSize: 2, project, ...options } });
        watched.client = await watched.window();
        await watched.client.signIn({ token: alice });
        watched.client.live('tasks', {}, rows => {
            watched.told.settled.push(rows);
            watched._look(rows, 'live');
        });
        watched.client.live('tasks', { unsettled: true }, rows => watched.told.unsettled.push(rows));
        return watched;
    }

    window(options = {}) {
        const fetch = (address, init) => this._fetch(address, init);
        return openIn(this.browser.tab(), server, { fetch, ...this.options, ...options });
    }

    async _fetch(address, init) {
        const { pathname, search } = new URL(address);
        const isPull = init.method === 'GET' && pathname.endsWith('/sync/');
        if (isPull) this.pulls.push(Object.fromEntries(new URLSearchParams(search)));
        else if (init.method === 'POST' && pathname.endsWith('/sync/')) this.uploads++;
        const answer = await this.network(address, init);
        if (!isPull) return answer;
        for (let write = 0; this.isWriting && write < 3; write++) await this.bank.move();
        await turns();
        if (this.client.state.settled !== null) await this.look();
        return answer;
    }

    /** Looks at the rows in both windows. */
    async look() {
        this._look(await this.client.rows('tasks'), 'rows');
    }

    _look(rows, where) {
        this.looks++;
        const wrong = this.bank.wrong(rows);
        if (wrong) this.wrong.push(`${where}: ${wrong}`);
    }

    get streams() {
        return this.pulls.filter(({ stream }) => stream === 'true').length;
    }
}

for (const projects of [1, 3]) {
    const form = projects === 1 ? 'one project' : 'all projects';

    test(`a delta of several pages is shown when nothing was written while it came, in ${form}`, async () => {
        const bank = await Bank.open(server, alice, { projects });
        const watched = await Watched.open(bank);
        await watched.client.sync();
        const first = watched.client.state.settled;
        for (let write = 0; write < 9; write++) await bank.move();
        watched.isWriting = true;
        await watched.client.sync();
        watched.isWriting = false;
        await turns();
        await watched.look();
        assert.deepEqual(watched.wrong, []);
        assert.ok(watched.looks > 8, `${watched.looks} looks`);
        assert.ok(watched.client.state.settled > first);
        assert.equal(watched.streams, 1, 'after three drains that did not count');
        await watched.client.close();
    });

    test(`a first sync is told when a drain counts, in ${form}`, async () => {
        const bank = await Bank.open(server, alice, { projects });
        const watched = await Watched.open(bank);
        watched.isWriting = true;
        await watched.client.sync();
        watched.isWriting = false;
        await turns();
        await watched.look();
        assert.deepEqual(watched.wrong, []);
        const { settled, unsettled } = watched.told;
        assert.ok(settled.length > 0 && unsettled.length > settled.length);
        assert.deepEqual(settled.at(-1), unsettled.at(-1));
        await watched.client.close();
    });
}

/** A proxy that drops the header. */
const dropping = async (address, init) => {
    const answer = await fetch(address, init);
    return { status: answer.status, headers: new Headers(), text: () => answer.text() };
};

test('without the header a delta of several pages is shown when a stream has come', async () => {
    const bank = await Bank.open(server, alice);
    const watched = await Watched.open(bank, { network: dropping });
    await watched.client.sync();
    for (let write = 0; write < 9; write++) await bank.move();
    watched.isWriting = true;
    await watched.client.sync();
    watched.isWriting = false;
    await turns();
    await watched.look();
    assert.deepEqual([watched.wrong, watched.streams], [[], 1]);
    await watched.client.close();
});

/** A server without a stream to spare, or something on the way that cuts them. */
const STREAMS = {
    'are refused': () => new Response(JSON.stringify({ code: 'busy', detail: 'Busy.' }),
        { status: 503, headers: { 'Retry-After': '100' } }),
    'are cut': () => new Response('{"changes":'),
};

for (const [what, answer] of Object.entries(STREAMS)) {
    test(`if streams ${what} and others write all the time, a pull ends, what is unsent goes, and the next one settles`, async () => {
        const bank = await Bank.open(server, alice);
        const network = async (...request) => (request[0].includes('stream=true') ? answer() : fetch(...request));
        const watched = await Watched.open(bank, { network });
        await watched.client.sync();
        const { settled } = watched.client.state;
        for (let write = 0; write < 9; write++) await bank.move();
        const [id] = bank.points.keys();
        await watched.client.update('tasks', id, { name: 'Mine' });
        watched.isWriting = true;
        await watched.client.sync();
        watched.isWriting = false;
        await turns();
        await watched.look();
        assert.deepEqual([watched.wrong, watched.client.state.settled], [[], settled], 'eight rounds');
        assert.deepEqual([watched.client.state.unsent, watched.uploads], [0, 1]);
        assert.equal((await watched.client.row('tasks', id)).name, 'Mine', 'it lies on top');
        assert.equal(watched.streams, 13, 'in each round after the third');
        await watched.client.sync();
        await watched.look();
        assert.equal(bank.newest(await watched.client.rows('tasks')), bank.writes);
        assert.deepEqual([watched.wrong, (await watched.client.row('tasks', id)).name], [[], 'Mine']);
        await watched.client.close();
    });
}

test('an answer that is cut costs one page', async () => {
    const bank = await Bank.open(server, alice);
    const watched = await Watched.open(bank);
    await watched.client.sync();
    for (let write = 0; write < 9; write++) await bank.move();
    const { length } = watched.pulls;
    watched.network = async (...request) => (watched.pulls.length > length + 2 ? new Response('{"cha') : fetch(...request));
    await assert.rejects(watched.client.sync(), { code: 'invalid_answer' });
    const { cursor } = watched.pulls.at(-1);
    watched.network = fetch;
    await watched.client.sync();
    assert.equal(watched.pulls[length + 4].cursor, cursor, 'after two attempts');
    await watched.look();
    assert.deepEqual([watched.wrong, bank.newest(await watched.client.rows('tasks'))], [[], bank.writes]);
    await watched.client.close();
});

test('all windows show the same states, also one that is opened between two pages', async () => {
    const bank = await Bank.open(server, alice);
    const watched = await Watched.open(bank);
    await watched.client.sync();
    const windows = [await watched.window()];
    const told = [];
    windows[0].live('tasks', {}, rows => told.push(rows));
    watched.network = async (...request) => {
        for (const window of windows) watched._look(await window.rows('tasks'), 'another window');
        if (windows.length < 4) windows.push(await watched.window());
        return fetch(...request);
    };
    for (let write = 0; write < 9; write++) await bank.move();
    watched.isWriting = true;
    await watched.client.sync();
    watched.isWriting = false;
    await turns();
    assert.deepEqual([windows.length, watched.wrong, told.map(rows => bank.wrong(rows)).filter(Boolean)], [4, [], []]);
    assert.deepEqual(told.at(-1), await windows[3].rows('tasks'));
    for (const window of [watched.client, ...windows]) await window.close();
});
