import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EditJudge } from '../lib/store/judging.js';
import { Judging } from '../lib/common/values/judging.js';
import { Schema } from '../lib/rows/schema.js';
import { Copy } from './support/copy.js';
import * as documents from './support/documents.js';
import { PROPERTIES, copyOf, notes } from './support/judged.js';
import { replacing } from './support/plants.js';

for (const [what, holds] of Object.entries(PROPERTIES)) test(what, holds);

const { errors } = Judging.prototype;

/** Mistakes that the properties must catch. */
const PLANTS = {
    'a value is judged by the server\'s schema alone': replacing(Judging, 'errors', function judged(collection, ...row) {
        return errors.call({ schemas: name => this.schemas(name).slice(-1), _judge: each => this._judge(each) },
            collection, ...row);
    }),
    'a value is judged by the app\'s schema alone': replacing(Judging, 'errors', function judged(collection, ...row) {
        return errors.call({ schemas: name => this.schemas(name).slice(0, 1), _judge: each => this._judge(each) },
            collection, ...row);
    }),
    'an edit is refused for an old role': replacing(EditJudge, 'warnings', async () => {
        throw new TypeError('Your role does not allow it.');
    }),
};

for (const [mistake, plant] of Object.entries(PLANTS)) {
    test(`it is caught when ${mistake}`, async () => {
        const undo = plant();
        try {
            const results = await Promise.allSettled(Object.values(PROPERTIES).map(holds => holds()));
            assert.ok(results.some(({ status }) => status === 'rejected'));
        } finally {
            undo();
        }
    });
}

test('what an older version of the app stored stays and is sent, and an edit of it can be taken back', async () => {
    const copy = await copyOf(notes({ word: { type: 'string', maxLength: 3, default: '' } }),
        { rows: { others: { notes: [{ id: 'n', text: 'T', word: 'longer' }] } } });
    const { replica } = copy;
    await replica.update('notes', 'n', { text: 'Mine', word: 'longer' });
    await replica.update('notes', 'n', { word: 'new' });
    await assert.rejects(replica.update('notes', 'n', { word: 'long' }), { code: 'too_long' });
    await replica.update('notes', 'n', { word: 'longer' });
    assert.equal((await copy.next()).body.changes.notes.updated[0].text, 'Mine');
});

test('all that is wrong with a row is told at once', async () => {
    const copy = await copyOf(notes({ size: { type: 'integer', maximum: 3, default: 1 } }));
    await assert.rejects(copy.replica.insert('notes', { id: 'n', project_id: 'p', size: 4, colour: 'red' }), error => {
        assert.deepEqual([error.code, error.detail, error.errors], ['unknown_field',
            'notes has no field colour. 2 problems in all, see errors; nothing was stored.', [
                { field: 'colour', code: 'unknown_field', pointer: '/colour', detail: 'notes has no field colour.' },
                { field: 'size', code: 'out_of_range', pointer: '/size', detail: 'size must be at most 3.' },
            ]]);
        return true;
    });
});

const ref = (collection, more = {}) =>
    ({ type: ['string', 'null'], default: null, 'x-ref': { collection, 'on-delete': 'clear' }, ...more });

test('what others must say is a warning, and the edit is stored', async () => {
    const document = notes({
        parent: ref('notes'), owner: { type: ['integer', 'null'], default: null, 'x-user': { 'on-leave': 'keep' } },
        secret: { type: 'string', default: '', 'x-role': 'ADMIN' }, key: { type: ['string', 'null'], default: null },
    }, { 'x-unique': [{ fields: ['key'] }, { fields: ['parent', 'owner'], where: { text: 'W' } }] });
    const others = {
        memberships: [{ id: 'm', user: 7, role: 100 }],
        notes: [{ id: 'a', text: 'W', parent: 'a', owner: 7, secret: '', key: 'K' }],
    };
    const copy = await copyOf(document, { rows: { project: { is_archived: true }, others } });
    await copy.replica.begin({ access: 'a', refresh: null, expiresAt: null, isOver: false, user: { id: 7 } });
    const warned = async edit => {
        const [{ error, warnings }] = await copy.replica.edit([{ collection: 'notes', ...edit }]);
        assert.equal(error, null);
        return warnings.map(({ field, code, existing }) => [field, code, ...existing ? [existing] : []]);
    };
    const archived = [null, 'project_archived'];
    assert.deepEqual(await warned({ id: 'b', insert: { project_id: 'p', parent: 'a', owner: 7 } }), [archived]);
    assert.deepEqual(await warned({ id: 'b', update: { parent: 'gone', owner: 8, secret: 'S', key: 'K' } }), [
        archived, ['secret', 'field_forbidden'], ['parent', 'unknown_reference'], ['owner', 'unknown_user'],
        ['key', 'not_unique', 'a'],
    ]);
    assert.deepEqual(await warned({ id: 'b', update: { parent: 'a', owner: 7, text: 'W' } }),
        [archived, ['owner', 'not_unique', 'a']]);
    assert.deepEqual(await warned({ id: 'b', update: { key: 'L' } }), [archived]);
    assert.deepEqual(await warned({ id: 'b', delete: true }), [archived]);
});

test('if the module that judges can\'t be loaded, an edit is stored, and the next one tries again', async () => {
    let isOnline = false;
    const judge = async brought => (isOnline ? new EditJudge(brought) : null);
    const copy = await copyOf(notes({ size: { type: 'integer', maximum: 3, default: 1 } }), { judge });
    await copy.replica.insert('notes', { id: 'n', project_id: 'p', size: 4 });
    await assert.rejects(copy.replica.update('notes', 'n', { size: 5n }), TypeError);
    isOnline = true;
    await assert.rejects(copy.replica.update('notes', 'n', { size: 5 }), { code: 'out_of_range' });
});

test('edits of a collection are refused only if the app\'s schema and the server\'s both take none', async () => {
    const closed = { 'x-uploadable': false };
    const rows = { others: { notes: [{ id: 'n', text: 'T' }] } };
    const opened = (fetched, brought) => copyOf(notes({}, fetched), { brought: notes({}, brought, 'v0'), rows });
    for (const [fetched, brought] of [[closed, {}], [{}, closed]]) {
        const { replica } = await opened(fetched, brought);
        await replica.insert('notes', { id: 'new', project_id: 'p', text: 'New' });
        await replica.update('notes', 'n', { text: 'Mine' });
        assert.deepEqual((await replica.unsent()).map(({ id }) => id), ['n', 'new']);
        await replica.delete('notes', 'n');
    }
    const { replica } = await opened(closed, closed);
    const code = 'collection_not_uploadable';
    await assert.rejects(replica.insert('notes', { id: 'new', project_id: 'p', text: 'New' }), { code });
    await assert.rejects(replica.update('notes', 'n', { text: 'Mine' }), { code });
    await assert.rejects(replica.delete('notes', 'n'), { code });
});

test('an edit that the server takes none of so far waits with the reason, and goes as soon as it does', async () => {
    const brought = notes({}, {}, 'v2');
    const copy = await copyOf(notes({}, { 'x-uploadable': false }), { brought });
    await copy.replica.insert('notes', { id: 'n', project_id: 'p', text: 'Mine' });
    assert.equal(await copy.next(), null);
    const { refused, unsent } = await copy.replica.status();
    assert.deepEqual([refused.map(({ id, reasons: [{ code }] }) => [id, code]), unsent],
        [[['n', 'collection_not_uploadable']], 1]);
    await copy.replica.adopt(new Schema(brought, true));
    await copy.replica.retryRefused();
    assert.equal((await copy.next()).body.changes.notes.created[0].text, 'Mine');
});

test('a field that the server lacks so far is sent as soon as it has it', async () => {
    const brought = notes({ colour: { type: 'string', default: '' } }, {}, 'v2');
    const rows = { others: { notes: [{ id: 'n', text: 'T' }] } };
    const copy = await copyOf(notes({}), { brought, rows });
    await copy.replica.insert('notes', { id: 'new', project_id: 'p', colour: 'red' });
    await copy.replica.update('notes', 'n', { colour: 'blue' });
    const schema = new Schema(brought, true);
    await copy.replica.adopt(schema);
    const changes = { projects: { updated: [{ id: 'p', project_id: 'p', server_version: 1 }] },
        notes: { updated: [{ id: 'n', project_id: 'p', server_version: 1, text: 'T', colour: '' }] } };
    await copy.page(documents.page(changes, 110, { heads: { p: 6 } }), { schema });
    const { created, updated } = (await copy.next()).body.changes.notes;
    assert.deepEqual([created[0].colour, updated[0].colour], ['red', 'blue']);
});

test('what a server without the field can\'t have is set aside, also of a row from before the first pull', async () => {
    const brought = notes({ colour: { type: 'string', default: '' }, size: { type: 'integer', default: 1 } }, {}, 'v2');
    const copy = await Copy.open(undefined, { schema: brought, adopts: null });
    await copy.replica.insert('projects', { id: 'p', name: 'P' });
    await copy.replica.insert('notes', { id: 'n', project_id: 'p', text: 'T', colour: 'red' });
    const schema = new Schema(notes({}), true);
    await copy.replica.adopt(schema);
    await copy.page(documents.page({}, 100), { schema });
    const batch = await copy.next();
    assert.deepEqual(batch.body.changes.notes.created.map(({ text, colour }) => [text, colour]), [['T', undefined]]);
    await copy.answer(batch, { p: 101 });
    assert.equal(await copy.next(), null);
    const [{ reason, changed, values }] = await copy.replica.setAside();
    assert.deepEqual([reason, changed, values.colour], ['unknown_field', ['colour'], 'red']);
});
