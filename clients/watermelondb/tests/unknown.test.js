import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStorage } from '../index.js';
import { accepted, bucket, fakeSync, page, problem } from './support/fakes.js';
import { Database } from './support/standin.js';
import { synchronize } from './support/synchronize.js';

// Columns that the app has and the server does not have, at present or ever.

/** A server with one task, whose tasks have these fields, and an app that has all of them and more. */
class Setting {
    fields = ['name'];
    storage = memoryStorage();
    database = new Database();
    reports = [];
    uploads = [];
    row = { id: 't', name: 'Dig' };
    head = 1;

    constructor(options = {}) {
        this.options = options;
        this.start();
    }

    start() {
        const { storage } = this;
        const options = { storage, onReport: report => this.reports.push(report.skipped.tasks), ...this.options };
        this.adapter = fakeSync(request => this.answer(request), { retry: { attempts: 1 }, ...options }).sync;
    }

    sync() {
        return this.adapter.sync({ synchronize, database: this.database });
    }

    answer(request) {
        if (request.path.endsWith('/schemas/')) {
            const properties = Object.fromEntries(this.fields.map(name => [name, { type: 'string' }]));
            return { body: { collections: [{ title: 'tasks', 'x-uploadable': true, properties }] } };
        }
        if (request.method === 'POST') return this.take(request);
        const since = Number(request.query.since);
        if (since > 0 && this.isRestored) return problem(409, 'since_ahead');
        if (since >= this.head) return page({ tasks: bucket() }, this.head);
        return page({ tasks: this.isGone ? bucket([], since > 0 ? ['t'] : []) : bucket([this.row]) }, this.head);
    }

    /** Applies a request as the server does: by `_changed`, or by what differs from the default of its type. */
    take(request) {
        const { created, updated } = request.body.changes.tasks;
        const skipped = [];
        for (const { id, _changed, ...row } of [...created, ...updated]) {
            const columns = created.length ? Object.keys(row).filter(column => row[column]) : _changed.split(',');
            this.uploads.push(columns.join(','));
            for (const field of columns) {
                if (!this.fields.includes(field)) skipped.push({ id, field, code: 'unknown_field' });
                else if (id === 't') this.row = { ...this.row, [field]: row[field] };
            }
        }
        this.head++;
        if (this.isLossy) throw new TypeError('the answer is lost');
        return accepted(request, { skipped: skipped.length ? { tasks: skipped } : {} });
    }

    edit(values) {
        this.database.update('tasks', 't', values);
    }

    /** Somebody else edits the row. */
    others(values) {
        Object.assign(this, { row: { ...this.row, ...values }, head: this.head + 1 });
    }

    get shown() {
        return this.database.rows('tasks').get('t');
    }

    get status() {
        return this.shown._status;
    }
}

test('an edit of a column that the server lacks stays unsent, is reported once, and is sent when it exists', async () => {
    const setting = new Setting();
    await setting.sync();
    setting.edit({ name: 'Dug', colour: 'red' });
    for (let sync = 0; sync < 3; sync++) await setting.sync();
    assert.deepEqual(setting.uploads, ['name,colour']);
    assert.deepEqual(setting.reports, [[{ id: 't', field: 'colour', code: 'unknown_field' }]]);
    assert.equal(setting.status, 'updated');

    setting.fields.push('colour');
    setting.start();
    await setting.sync();
    assert.deepEqual([setting.uploads.at(-1), setting.status, setting.row.colour], ['colour', 'synced', 'red']);
    await setting.sync();
    assert.equal(setting.uploads.length, 2);
});

test('it is sent too if the first push with it fails', async () => {
    const setting = new Setting();
    await setting.sync();
    setting.edit({ name: 'Dug', colour: 'red' });
    await setting.sync();
    setting.fields.push('colour');
    setting.start();
    const take = setting.take;
    setting.take = () => ({ status: 502 });
    await assert.rejects(setting.sync());
    setting.take = take;
    await setting.sync();
    await setting.sync();
    assert.deepEqual([setting.uploads, setting.status], [['name,colour', 'colour'], 'synced']);
});

test('meanwhile others may edit the accepted columns, and the row ends as the server has it', async () => {
    const setting = new Setting();
    await setting.sync();
    setting.edit({ name: 'Dug', colour: 'red' });
    await setting.sync();
    setting.others({ name: 'Newer' });
    await setting.sync();
    assert.deepEqual([setting.row.name, setting.shown.name, setting.shown._changed], ['Newer', 'Newer', 'colour']);
    setting.fields.push('colour');
    setting.start();
    await setting.sync();
    await setting.sync();
    assert.deepEqual(setting.row, { id: 't', name: 'Newer', colour: 'red' });
    assert.equal(setting.database.rows('tasks').get('t').name, 'Newer');
});

test('every column of such a row that was sent follows the others, edited again or not', async () => {
    const setting = new Setting();
    setting.fields.push('notes');
    await setting.sync();
    setting.edit({ name: 'Dug', colour: 'red' });
    await setting.sync();
    for (const round of [1, 2, 3]) {
        setting.edit({ notes: `mine ${round}` });
        await setting.sync();
        setting.others({ name: `theirs ${round}`, notes: `theirs ${round}` });
        await setting.sync();
        const { name, notes, colour, _changed } = setting.shown;
        assert.deepEqual([name, notes, colour, _changed], [`theirs ${round}`, `theirs ${round}`, 'red', 'colour']);
    }
    assert.deepEqual(setting.uploads, ['name,colour', 'notes', 'notes', 'notes']);
});

test('what is not sent yet still wins, and a value that was sent before is a new edit', async () => {
    const setting = new Setting();
    await setting.sync();
    setting.edit({ name: 'Dug', colour: 'red' });
    await setting.sync();
    setting.others({ name: 'Theirs' });
    setting.edit({ name: 'Mine' });
    await setting.sync();
    assert.deepEqual([setting.row.name, setting.shown.name], ['Mine', 'Mine']);
    setting.others({ name: 'Theirs' });
    await setting.sync();
    assert.equal(setting.shown.name, 'Theirs');
    setting.edit({ name: 'Mine' });
    await setting.sync();
    assert.deepEqual([setting.row.name, setting.uploads], ['Mine', ['name,colour', 'name', 'name']]);
});

for (const isRestored of [false, true]) {
    test(`of a row that went and came back${isRestored ? ', after a restore' : ''}, nothing is remembered`, async () => {
        const setting = new Setting();
        await setting.sync();
        setting.edit({ name: 'Dug', colour: 'red' });
        await setting.sync();
        Object.assign(setting, { isGone: true, isRestored, head: setting.head + 1 });
        await setting.sync();
        assert.equal(setting.shown, undefined);
        Object.assign(setting, { isGone: false, isRestored: false, head: setting.head + 1 });
        await setting.sync();
        setting.edit({ name: 'Again' });
        await setting.sync();
        assert.deepEqual([setting.row.name, setting.status], ['Again', 'synced']);
    });
}

test('the app\'s own conflict resolver decides last', async () => {
    const setting = new Setting();
    await setting.sync();
    setting.edit({ name: 'Dug', colour: 'red' });
    await setting.sync();
    setting.others({ name: 'Theirs' });
    const seen = [];
    const conflictResolver = (table, local, remote, resolved) => {
        seen.push([table, local.name, remote.name, resolved.name]);
        return { ...resolved, name: `${resolved.name}!` };
    };
    await setting.adapter.sync({ synchronize, database: setting.database, conflictResolver });
    assert.deepEqual([seen, setting.shown.name], [[['tasks', 'Dug', 'Theirs', 'Theirs']], 'Theirs!']);
});

test('an app that calls synchronize() itself hands over the adapter\'s resolver', async () => {
    const setting = new Setting();
    const { pullChanges, pushChanges, conflictResolver } = setting.adapter;
    const sync = () => synchronize({
        database: setting.database, sendCreatedAsUpdated: true, pullChanges, pushChanges, conflictResolver,
    });
    await sync();
    setting.edit({ name: 'Dug', colour: 'red' });
    await sync();
    setting.others({ name: 'Theirs' });
    await sync();
    assert.deepEqual([setting.shown.name, setting.row.name], ['Theirs', 'Theirs']);
});

test('a later edit of such a row is sent alone', async () => {
    const setting = new Setting();
    await setting.sync();
    setting.edit({ name: 'Dug', colour: 'red' });
    await setting.sync();
    setting.edit({ name: 'Dug again' });
    await setting.sync();
    setting.edit({ colour: 'blue' });
    await setting.sync();
    await setting.sync();
    assert.deepEqual(setting.uploads, ['name,colour', 'name', 'colour']);
    assert.deepEqual([setting.row.name, setting.status], ['Dug again', 'updated']);
});

test('a new row with such a column stays unsent, and is sent once', async () => {
    const setting = new Setting();
    setting.database.create('tasks', { id: 'n', name: 'Roof', colour: 'red' });
    for (let sync = 0; sync < 3; sync++) await setting.sync();
    assert.deepEqual(setting.uploads, ['name,colour']);
    assert.equal(setting.database.rows('tasks').get('n')._status, 'created');
    setting.database.remove('tasks', 'n');
    setting.take = accepted;
    await setting.sync();
    assert.equal(setting.database.hasChanges(), false);
});

test('so does one whose answer was lost', async () => {
    const setting = new Setting();
    await setting.sync();
    setting.edit({ name: 'Dug', colour: 'red' });
    setting.isLossy = true;
    await assert.rejects(setting.sync());
    setting.isLossy = false;
    for (let sync = 0; sync < 3; sync++) {
        setting.start();
        await setting.sync();
    }
    assert.deepEqual([setting.uploads, setting.status], [['name,colour', 'name,colour'], 'updated']);
});

test('columns declared local are not sent and hold nothing up', async () => {
    const setting = new Setting({ localColumns: { tasks: ['draft'] } });
    await setting.sync();
    setting.edit({ draft: 'x' });
    await setting.sync();
    assert.deepEqual([setting.uploads, setting.status], [[], 'synced']);
    setting.edit({ draft: 'y', name: 'Dug' });
    setting.database.create('tasks', { id: 'n', name: 'Roof', draft: 'z' });
    await setting.sync();
    assert.deepEqual([setting.reports, setting.database.hasChanges()], [[], false]);
    assert.equal(setting.database.rows('tasks').get('n').draft, 'z');
    assert.ok(setting.uploads.every(columns => !columns.includes('draft')));
});

test('if a server does not mention unknown columns, the row counts as synced', async () => {
    const setting = new Setting();
    await setting.sync();
    setting.take = accepted;
    setting.edit({ name: 'Dug', colour: 'red' });
    await setting.sync();
    assert.deepEqual([setting.status, setting.reports], ['synced', []]);
});
