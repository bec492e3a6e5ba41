import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basesOf, Ledger } from './support/ledger.js';

// The app is killed between any two steps of a sync that pulls over an edit. It starts again, edits another column, and
// syncs. Whatever was sent has the version that its column was edited on.

/** An app whose task has `hits` edited on version 5; the server has version 7. */
async function begun(project) {
    const ledger = new Ledger({ project });
    ledger.raise(5, { title: 'Dig' });
    ledger.put('other', { title: 'Other' });
    await ledger.sync();
    ledger.edit({ hits: 6 });
    ledger.edit({ title: 'Mine' }, 'other');
    ledger.raise(7, { title: 'Dug' });
    return ledger;
}

/** Lets the app die before the step with this number. Returns whether it died. */
async function mortal(ledger, dies) {
    const { storage, database } = ledger;
    let steps = 0;
    const step = () => {
        if (++steps >= dies) throw new TypeError('the app is killed');
    };
    const touch = name => async (...args) => {
        step();
        storage[name](...args);
        step();
    };
    ledger.start({ get: storage.get, set: touch('set'), remove: touch('remove') });
    const { markSynced } = database;
    database.isKilled = () => ++steps >= dies;
    database.markSynced = (...args) => {
        step();
        markSynced.apply(database, args);
        step();
    };
    Object.assign(ledger, { onRequest: step, onAnswer: step });
    const isDead = await ledger.sync().then(() => false, () => true);
    Object.assign(database, { isKilled: null, markSynced });
    Object.assign(ledger, { onRequest: () => {}, onAnswer: () => {} });
    return isDead;
}

for (const project of ['p-1', null]) {
    test(`killed at any step, no edit gets another base, with ${project ? 'one project' : 'all projects'}`, async t => {
        let dies = 1;
        for (; ; dies++) {
            const ledger = await begun(project);
            const isDead = await mortal(ledger, dies);
            const label = `killed at step ${dies}`;
            const { server_version: version, _changed } = ledger.shown;
            const isSent = _changed === '';
            ledger.edit({ tags: '["mine"]' });
            ledger.raise(ledger.rows.get('t').server_version + 1, { title: 'Theirs' });
            ledger.start();
            await ledger.sync();
            await ledger.sync();
            const sent = ledger.bodies.flatMap(({ changes }) => changes.tasks.updated).filter(({ id }) => id === 't');
            const expected = { hits: 5, tags: version };
            for (const row of sent) {
                const [changed, oldest, others = {}] = basesOf(row);
                for (const column of changed.split(',')) {
                    const base = others[column] ?? oldest ?? row.server_version;
                    assert.equal(base, expected[column], `${column}, ${label}`);
                }
            }
            const columns = new Set(sent.flatMap(({ _changed }) => _changed.split(',')));
            assert.deepEqual([...columns].sort(), ['hits', 'tags'], label);
            assert.equal(ledger.rows.get('t').hits, 6, label);
            assert.ok(!isSent || sent[0]._changed === 'hits', label);
            const { noted, database } = ledger;
            assert.deepEqual([noted, database.hasChanges(), database.errors], [null, false, []], label);
            if (!isDead) break;
        }
        t.diagnostic(`${dies - 1} steps`);
        assert.ok(dies > 15);
    });
}
