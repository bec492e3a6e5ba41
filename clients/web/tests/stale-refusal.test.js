import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Server } from '../../watermelondb/tests/support/server.js';
import { Browser } from './support/browser.js';
import { syncedIn } from './support/open.js';

// The server refuses a row, and the answer is lost. When the batch is sent again, the reason is gone, but the server
// answers what it has answered.

let server;

before(async () => { server = await Server.start(); });
after(() => server.stop());

for (const attempts of [1, 2]) {
    test(`a refusal from before an answer was lost is asked again, ${attempts} attempts at a request`, async () => {
        const alice = await server.user(`alice${attempts}`);
        const project = await server.project(alice);
        const tab = new Browser().tab();
        let lost = 0;
        tab.fetch = network => async (address, options) => {
            const response = await network(address, options);
            if (options.method !== 'POST' || lost > 0) return response;
            lost += 1;
            const sprint = { id: `s-${project}`, name: 'One', start_date: '2026-06-01', finish_date: '2026-06-12' };
            await server.api(alice, 'POST', `/projects/${project}/sprints/`, sprint);
            throw new TypeError('the answer is lost');
        };
        const client = await syncedIn(tab, server, { token: alice, retry: { attempts } });
        await client.insert('tasks', { id: `t-${project}`, project_id: project, name: 'Dig', sprint: `s-${project}` });
        const first = client.sync();
        if (attempts === 1) await assert.rejects(first, { code: 'network' });
        await first.catch(() => client.sync());
        assert.deepEqual([await client.unsent(), await client.refused()], [[], []]);
        assert.equal((await server.api(alice, 'GET', `/tasks/t-${project}/`)).sprint, `s-${project}`);
        await client.close();
    });
}
