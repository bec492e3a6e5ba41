import assert from 'node:assert/strict';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { openIn } from './support/open.js';

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
    const client = await openIn(tab, server);
    await client.signIn({ token: alice });
    await client.sync();
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
    await server.halt();
    for (const suffix of ['-wal', '-shm']) rmSync(`${server.database}${suffix}`, { force: true });
    copyFileSync(backup, server.database);
    await server.run();
    const next = await openIn(browser.tab(), server);
    await next.sync();
    const { results } = await server.api(alice, 'GET', `/projects/${project}/tasks/`);
    assert.deepEqual(results.map(({ id, name }) => [id, name]).sort(), [['kept', 'Mine'], ['made', 'Made']]);
    assert.deepEqual((await next.rows('tasks')).map(({ id }) => id), ['kept', 'made']);
    assert.deepEqual([next.state.unsent, next.state.setAside], [0, 0]);
    await next.close();
});
