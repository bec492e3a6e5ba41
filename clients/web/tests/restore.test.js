import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { openIn, syncedIn } from './support/open.js';
import { restore } from './support/restored.js';

let server, alice;

before(async () => {
    server = await Server.start();
    alice = await server.user('alice');
});
after(() => server.stop());

test('what a restored server has lost, and no pull had brought back, is sent again', async () => {
    const project = await server.project(alice);
    for (const id of ['kept', 'gone']) await server.task(alice, project, { id, name: 'Old' });
    const browser = new Browser();
    const tab = browser.tab();
    const client = await syncedIn(tab, server, { token: alice });
    const backup = join(server.folder, 'backup.db');
    await server.command('backup', backup);
    await client.update('tasks', 'kept', { name: 'Mine' });
    await client.delete('tasks', 'gone');
    await client.insert('tasks', { id: 'made', project_id: project, name: 'Made' });
    const settled = new Promise(resolve => {
        client.onState(({ unsent, isSyncing }) => isSyncing && unsent === 0 && resolve());
    });
    client.sync().catch(() => {});
    await settled;
    tab.kill();
    await restore(server, backup);
    const next = await openIn(browser.tab(), server);
    await next.sync();
    const { results } = await server.api(alice, 'GET', `/projects/${project}/tasks/`);
    assert.deepEqual(results.map(({ id, name }) => [id, name]).sort(), [['kept', 'Mine'], ['made', 'Made']]);
    assert.deepEqual((await next.rows('tasks')).map(({ id }) => id), ['kept', 'made']);
    assert.deepEqual([next.state.unsent, next.state.setAside], [0, 0]);
    await next.close();
});

test('what a restored server has lost of what a pull had brought is set aside, with both values', async () => {
    const project = await server.project(alice);
    for (const id of ['same', 'edited', 'doomed', 'unsent']) await server.task(alice, project, { id, name: 'Old' });
    const client = await syncedIn(new Browser().tab(), server, { token: alice, onConflict: 'merge' });
    const backup = join(server.folder, 'second.db');
    await server.command('backup', backup);
    await client.update('tasks', 'edited', { name: 'Mine', notes: 'New' });
    await client.update('tasks', 'unsent', { notes: 'Sent' });
    await client.delete('tasks', 'doomed');
    await client.insert('tasks', { id: 'fresh', project_id: project, name: 'Fresh' });
    await client.sync();
    await client.sync();
    await restore(server, backup);
    await server.api(alice, 'PATCH', '/tasks/edited/', { name: 'Theirs' });
    await client.update('tasks', 'unsent', { name: 'Later' });
    await client.sync();
    const aside = (await client.setAside()).sort((one, other) => (one.id < other.id ? -1 : 1));
    assert.deepEqual(aside.map(({ id, status, reason, changed }) => [id, status, reason, changed.sort()]), [
        ['edited', 'updated', 'restored', ['name', 'notes']], ['fresh', 'created', 'restored', []],
        ['unsent', 'updated', 'restored', ['notes']],
    ]);
    assert.deepEqual([aside[0].values.name, aside[0].base.name, aside[1].values.name], ['Mine', 'Theirs', 'Fresh']);
    const rows = await client.rows('tasks', { project });
    assert.deepEqual(rows.map(({ id, name }) => [id, name]),
        [['doomed', 'Old'], ['edited', 'Theirs'], ['same', 'Old'], ['unsent', 'Later']]);
    assert.equal((await server.api(alice, 'GET', '/tasks/unsent/')).name, 'Later');
    await client.close();
});

test('a resync for another reason sets nothing aside', async () => {
    const project = await server.project(alice);
    for (const id of ['stays', 'goes']) await server.task(alice, project, { id, name: 'Old' });
    const client = await syncedIn(new Browser().tab(), server, { token: alice });
    await server.api(alice, 'DELETE', '/tasks/goes/');
    await server.command('purge', '--older-than', '0s');
    await client.sync();
    assert.deepEqual((await client.rows('tasks', { project })).map(({ id }) => id), ['stays']);
    assert.deepEqual(await client.setAside(), []);
    await client.close();
});
