import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LongTexts } from '../lib/long-texts.js';
import { accepted, bucket, fakeSync, local, page, SCHEMAS } from './support/fakes.js';
import { Database } from './support/standin.js';
import { synchronize } from './support/synchronize.js';

/**
 * AsyncStorage on Android: a value of more than 2 MB is stored, and can't be read back. The app ends before the change
 * with the number `endsAt`, if there is one.
 */
class AndroidStorage {
    values = new Map();
    isBroken = false;
    changes = 0;
    endsAt = Infinity;

    async get(key) {
        if (this.isBroken) throw new Error('The disk is gone.');
        const value = this.values.get(key) ?? null;
        if (value !== null && Buffer.byteLength(value) > 2 << 20) throw new Error('Row too big to fit into CursorWindow');
        return value;
    }

    async set(key, value) {
        this._change();
        assert.equal(Buffer.from(value).toString(), value, 'the halves of a character are together');
        this.values.set(key, value);
    }

    async remove(key) {
        this._change();
        this.values.delete(key);
    }

    _change() {
        if (++this.changes >= this.endsAt) throw new Error('The app ended.');
    }

    get batches() {
        return [...this.values.keys()].filter(key => key.includes('batch'));
    }
}

const LONG = `${'\ud83d\ude00'.repeat(400_000)}a${'€'.repeat(900_000)}`;

/** A server that applies a batch once, and whose answers may be lost; and an app with this storage. */
class Setting {
    storage = new AndroidStorage();
    database = new Database();
    applied = [];
    isLossy = false;

    constructor() {
        this.start();
    }

    start() {
        const { storage } = this;
        this.adapter = fakeSync(request => this.answer(request), { storage, retry: { attempts: 1 } }).sync;
    }

    answer(request) {
        if (request.path.endsWith('/schemas/')) return SCHEMAS;
        if (request.method === 'GET') return page({ tasks: bucket() }, 7);
        const { client_batch_id: id, changes } = request.body;
        if (!this.applied.some(batch => batch.id === id)) this.applied.push({ id, changes });
        if (this.isLossy) throw new TypeError('the answer is lost');
        return accepted(request);
    }

    sync() {
        return this.adapter.sync({ synchronize, database: this.database });
    }
}

test('a batch with a row that is too long for one value is sent again under its id', async () => {
    const setting = new Setting();
    setting.database.create('tasks', { id: 't', name: LONG });
    setting.isLossy = true;
    await assert.rejects(setting.sync(), { code: 'network' });
    setting.isLossy = false;
    setting.start();
    await setting.sync();
    assert.deepEqual([setting.applied.length, setting.database.hasChanges()], [1, false]);
    assert.equal(setting.applied[0].changes.tasks.created[0].name, LONG);
    assert.deepEqual(setting.storage.batches, []);
});

test('a batch that can\'t be read counts as lost, and its rows go under a new id', async () => {
    const setting = new Setting();
    setting.database.create('tasks', { id: 't', name: LONG });
    await setting.storage.set('tidemark:p-1:batches', '["old"]');
    await setting.storage.set('tidemark:p-1:batch:old', JSON.stringify({ client_batch_id: 'old', note: LONG }));
    await setting.sync();
    assert.deepEqual([setting.applied.length, setting.database.hasChanges()], [1, false]);
    assert.deepEqual(setting.storage.batches, []);
});

test('a storage that can\'t be read at all fails the sync, and loses no batch', async () => {
    const setting = new Setting();
    setting.database.create('tasks', { id: 't', name: 'Dig' });
    setting.isLossy = true;
    await assert.rejects(setting.sync());
    setting.isLossy = false;
    setting.start();
    setting.storage.isBroken = true;
    await assert.rejects(setting.sync(), /The disk is gone/);
    setting.storage.isBroken = false;
    await setting.sync();
    assert.deepEqual([setting.applied.length, setting.storage.batches], [1, []]);
});

test('wherever the app ends, a batch is stored as a whole or not at all, and nothing of it stays', async () => {
    let ends = 0;
    for (let endsAt = 1, isEnded = true; isEnded; endsAt++) {
        const setting = new Setting();
        setting.database.create('tasks', { id: 't', name: LONG });
        Object.assign(setting.storage, { changes: 0, endsAt });
        isEnded = await setting.sync().then(() => false, () => true);
        ends += isEnded ? 1 : 0;
        setting.storage.endsAt = Infinity;
        setting.start();
        await setting.sync();
        await setting.sync();
        const ids = new Set(setting.applied.map(({ id }) => id));
        assert.equal(ids.size, setting.applied.length);
        assert.deepEqual([setting.database.hasChanges(), setting.storage.batches], [false, []], `ended at ${endsAt}`);
    }
    assert.ok(ends > 8, `${ends} places`);
});

test('a long text replaces another one as a whole, wherever the app ends', async () => {
    const texts = [LONG, LONG.replace('a', 'bb'), 'short', LONG.slice(0, 900_000)];
    for (const [before, after] of texts.flatMap(one => texts.map(other => [one, other]))) {
        for (let endsAt = 1, isEnded = true; isEnded; endsAt++) {
            const storage = new AndroidStorage();
            await new LongTexts(storage).set('key', before);
            Object.assign(storage, { changes: 0, endsAt });
            isEnded = await new LongTexts(storage).set('key', after).then(() => false, () => true);
            storage.endsAt = Infinity;
            const found = await new LongTexts(storage).get('key');
            assert.ok(found === after || (isEnded && found === before), `ended at ${endsAt}`);
            await new LongTexts(storage).remove('key');
            assert.deepEqual([...storage.values.keys()], [], `ended at ${endsAt}`);
        }
    }
});

test('what is remembered of many rows with unknown columns may be long', async () => {
    const setting = new Setting();
    setting.answer = request => {
        if (request.path.endsWith('/schemas/')) return SCHEMAS;
        if (request.method === 'GET') return page({ tasks: bucket() }, 7);
        setting.applied.push(request.body);
        const ids = request.body.changes.tasks.updated.map(({ id }) => id);
        return accepted(request, { skipped: { tasks: ids.map(id => ({ id, field: 'colour', code: 'unknown_field' })) } });
    };
    await setting.sync();
    for (const id of ['a', 'b', 'c']) {
        setting.database.table('tasks').set(id, local(id, { name: LONG, colour: 'red' }, 'updated'));
        setting.database.table('tasks').get(id)._changed = 'name,colour';
    }
    await setting.sync();
    const batches = setting.applied.length;
    setting.start();
    for (let round = 0; round < 2; round++) await setting.sync();
    assert.deepEqual([setting.applied.length, setting.database.hasChanges()], [batches, true]);
});
