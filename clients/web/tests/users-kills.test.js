import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { openIn } from './support/open.js';

// A tab dies at a step of its storage or its network, while two users take turns or their copies are taken over.
// STRIDE=1 takes every step, FIRST=… begins at another one.

const STRIDE = Number(process.env.STRIDE ?? 20);
const FIRST = Number(process.env.FIRST ?? 1 + Math.floor(Math.random() * STRIDE));
/** Of the few steps at which a copy is taken over. */
const SHORT = Math.ceil(STRIDE / 4);
const USERS = ['alice', 'bob'];
let server, tokens, project;

before(async () => {
    server = await Server.start();
    tokens = { alice: await server.user('alice'), bob: await server.user('bob') };
    project = await server.project(tokens.alice);
    await server.member(project, 'bob', 'member');
});
after(() => server.stop());

/** Signs in a user whose copy has no session. */
async function ready(client, user) {
    if (!client.state.isSignedIn) await client.signIn({ token: tokens[user] });
    return client;
}

/** A browser with a copy of each user's, each with an unsent task; alice's as an earlier version of the app had it. */
async function shared(label, indexes) {
    const browser = new Browser();
    for (const user of USERS) {
        const options = user === 'alice' ? { indexes } : { user };
        const client = await ready(await openIn(browser.tab(), server, options), user);
        await client.sync();
        await add(client, `${label}-${user}`);
        await client.close();
    }
    return browser;
}

const add = (client, id) => client.insert('tasks', { id, project_id: project, name: id });

/** The next tabs send what each has stored, once, under their own name. Returns which tasks there are. */
async function check(browser, label) {
    for (const user of USERS) {
        const client = await ready(await openIn(browser.tab(), server, { user }), user);
        assert.equal(client.state.user.username, user, label);
        await client.sync();
        assert.deepEqual([client.state.unsent, client.state.setAside], [0, 0], label);
        await client.close();
    }
    const { results } = await server.api(tokens.alice, 'GET', `/projects/${project}/tasks/?limit=500`);
    const found = results.map(({ id }) => id).filter(id => id.startsWith(`${label}-`));
    for (const id of found) {
        const { results: [first, ...more] } = await server.api(tokens.alice, 'GET', `/tasks/${id}/history/`);
        assert.deepEqual([first.user.username, more], [id.split('-').at(-1), []], id);
    }
    for (const id of found) await server.api(tokens.alice, 'DELETE', `/tasks/${id}/`);
    return found;
}

/** Lets a tab die at each step of some work. `work` returns the ids of tasks that must be there. */
async function die(name, { indexes, least, first = FIRST, stride = STRIDE }, work) {
    for (let step = first; ; step += stride) {
        const label = `${name}${step}`;
        const browser = await shared(label, indexes);
        const tab = browser.tab();
        const stored = USERS.map(user => `${label}-${user}`);
        tab.killAt(step);
        const isDead = await Promise.race([work(tab, label, stored).then(() => false), tab.died.then(() => true)]);
        tab.kill();
        const found = await check(browser, label);
        for (const id of stored) assert.ok(found.includes(id), `${id} is lost`);
        if (isDead) continue;
        assert.ok(step > least, `There are only ${step} steps.`);
        return;
    }
}

test(`a tab may die at any step of a switch, a log-out and a sign-in, FIRST=${FIRST} STRIDE=${STRIDE}`, async () => {
    await die('s', { least: 150 }, async (tab, label, stored) => {
        const addTo = async (client, user) => {
            const id = `${label}-more-${user}`;
            await add(client, id);
            stored.push(id);
        };
        const bobs = await openIn(tab, server, { user: 'bob' });
        await addTo(bobs, 'bob');
        await assert.rejects(bobs.signIn({ token: tokens.alice, discard: true }), { code: 'other_user' });
        await bobs.close();
        const alices = await openIn(tab, server, { user: 'alice' });
        await addTo(alices, 'alice');
        await assert.rejects(alices.signOut(), { code: 'unsent_edits', unsent: 2 });
        assert.deepEqual(await alices.signOut({ leavingUnsent: true }), { unsent: 2, setAside: 0, files: 0 });
        await alices.close();
        const again = await openIn(tab, server, { user: 'bob' });
        await again.sync();
        await again.signOut();
        await again.close();
    });
});

for (const layout of [1, 2]) {
    const indexes = layout === 2 ? { tasks: ['name'] } : undefined;
    const steps = { indexes, least: 20, first: 1 + FIRST % SHORT, stride: SHORT };

    test(`a tab may die at any step at which a copy with layout ${layout} is taken over, FIRST=${FIRST}`, async () => {
        await die(`t${layout}-`, steps, async (tab, label) => {
            const client = await openIn(tab, server, { user: 'alice', indexes: { tasks: ['name'] } });
            assert.deepEqual((await client.unsent()).map(({ id }) => id), [`${label}-alice`]);
            await client.close();
        });
    });
}
