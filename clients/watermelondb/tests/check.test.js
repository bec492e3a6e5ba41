import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createSync, memoryStorage } from '../index.js';
import { URL_BASE } from './support/fakes.js';
import { Phone } from './support/phone.js';
import { Server } from './support/server.js';
import { Database } from './support/standin.js';
import { valueVectors } from './support/values.js';

const { collections, cases, halves } = valueVectors();
const VECTORS = { schema_version: 'v1', collections };
const document = name => collections.find(({ title }) => title === name);

let server, folder, alice, project;

before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidemark-values-'));
    for (const each of collections) writeFileSync(join(folder, `${each.title}.json`), JSON.stringify(each));
    server = await Server.start({}, { schemas: folder });
    alice = await server.user('alice');
    project = await server.project(alice);
    await server.api(alice, 'POST', `/projects/${project}/links/`, { id: 'there' });
});
after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
});

/** The value as WatermelonDB has it in a column. */
function column(value, { type, format } = {}) {
    if (value !== null && typeof value === 'object') return JSON.stringify(value);
    const isInstant = [type].flat().includes('string') && format === 'date-time' && typeof value === 'string';
    const milliseconds = isInstant && value.includes('T') ? Date.parse(value) : NaN;
    return Number.isNaN(milliseconds) ? value : milliseconds;
}

const columns = (row, name) => Object.fromEntries(Object.entries(row)
    .map(([field, value]) => [field, column(value, document(name).properties[field])]));

const offline = options => createSync({
    url: URL_BASE, project: 'p-1', token: 't', retry: { attempts: 1 },
    fetch: async () => { throw new TypeError('There is no network.'); }, ...options,
});

const told = errors => errors.map(({ field, code, detail }) => `${field} ${code} ${detail}`).sort();

test('a form is told what the server says to the same row in an upload', async () => {
    const sync = offline({ schema: collections });
    const foreign = ['unknown_field', 'read_only_field'];
    let refused = 0;
    for (const [number, { name, collection, stored, sent, isByList }] of [...cases, ...halves].entries()) {
        if (stored !== null) continue;
        const [id, row] = [`new-${number}`, columns(sent, collection)];
        const changes = { [collection]: { created: [{ ...row, id }], updated: [], deleted: [] } };
        const { rejected } = await server.api(alice, 'POST', `/projects/${project}/sync/`, {
            client_batch_id: crypto.randomUUID(), encoding: 'watermelondb', on_error: 'reject_rows', changes,
        });
        const { errors } = await sync.check(collection, row);
        const own = errors.filter(({ code }) => !foreign.includes(code));
        // Beside half a surrogate pair a request to REST is told of nothing else, and neither is a form.
        const expected = told(rejected[collection] ?? [])
            .filter(each => !own.some(({ detail }) => / half a /.test(detail)) || / half a /.test(each));
        if (!isByList) assert.deepEqual(told(own), expected, `${name}: ${JSON.stringify(row)}`);
        refused += rejected[collection] ? 1 : 0;
    }
    assert.ok(refused > 250, `${refused}`);
});

test('of a row that is here, only what changes is judged, by its form in the database', async () => {
    const sync = offline({ schema: VECTORS });
    const database = new Database();
    database.create('owned', { id: 'o', title: 'too long a title', kind: 'A', fixed: 'x', modified_at: null });
    const codes = async row => (await sync.check('owned', row, { database })).errors.map(({ code }) => code);
    const row = database.rows('owned').get('o');
    assert.deepEqual(await codes({ ...row, kind: 'B', modified_at: Date.UTC(2026, 0, 5) }), []);
    assert.deepEqual(await codes({ id: 'o', title: 'another long title' }), ['too_long']);
    assert.deepEqual(await codes({ id: 'o', fixed: 'y', modified_at: 1e20 }), ['read_only_field', 'wrong_type']);
});

const notes = (properties, more = {}) => ({ schema_version: JSON.stringify(properties), collections: [
    { title: 'projects', properties: { is_archived: { type: 'boolean', readOnly: true } } },
    { title: 'people', 'x-scope': 'membership', properties: { user: { type: 'integer' }, role: { type: 'integer' } } },
    { title: 'notes', 'x-roles': { create: 'MEMBER', update: 'MEMBER', delete: 'MEMBER' }, properties, ...more },
] });

/** An adapter whose server answers with a schema, until it is offline. */
function connected(answer, options = {}) {
    const state = { isOnline: true, storage: memoryStorage() };
    state.open = () => createSync({
        url: URL_BASE, project: 'p-1', token: 't', retry: { attempts: 1 }, storage: state.storage,
        fetch: async address => {
            if (!state.isOnline) throw new TypeError('There is no network.');
            const body = address.includes('/auth/me/') ? { id: 7 } : answer;
            return { status: 200, headers: new Headers(), text: async () => JSON.stringify(body) };
        }, ...options,
    });
    return state;
}

test('the first sync brings the schema, also one that pulls named collections and pushes nothing', async () => {
    const phone = new Phone(server, project, alice, { collections: ['links'] });
    await phone.sync();
    const { errors } = await phone.adapter.check('wishes', {});
    assert.deepEqual(errors.map(({ code }) => code), ['unknown_collection']);
    await phone.sync();
    assert.equal(phone.requests.filter(({ address }) => address.endsWith('/schemas/')).length, 1);
});

const unsentOf = sync => sync.unsent({ database: new Database(), synchronize: async () => {} });

test('a value is refused only if the app\'s schema and the server\'s last one both refuse it', async () => {
    const [old, other] = [['OPEN'], ['OPEN', 'PAUSED']].map(each => ({ word: { type: 'string', enum: each } }));
    for (const [brought, fetched] of [[old, other], [other, old], [null, old]]) {
        const state = connected(notes(fetched), brought ? { schema: notes(brought) } : {});
        await unsentOf(state.open());
        state.isOnline = false;
        // The app starts again without a network.
        const sync = state.open();
        const codes = async word => (await sync.check('notes', { word })).errors.map(({ code }) => code);
        assert.deepEqual(await codes('PAUSED'), brought ? [] : ['not_in_enum']);
        assert.deepEqual(await codes('GONE'), ['not_in_enum']);
        await sync.forget();
        assert.deepEqual(await state.open().check('notes', { word: 'GONE' }).then(({ errors }) => errors.length),
            brought ? 1 : 0);
    }
});

test('without any schema nothing is refused; a collection that no schema has is', async () => {
    assert.deepEqual(await offline().check('notes', { text: 7 }), { errors: [], warnings: [] });
    const { errors } = await offline({ schema: notes({}) }).check('wishes', {});
    assert.deepEqual(errors.map(({ code, detail }) => [code, detail]),
        [['unknown_collection', 'There is no collection wishes.']]);
});

test('what others must say is a warning', async () => {
    const text = { type: ['string', 'null'], default: null };
    const fields = {
        parent: { ...text, 'x-ref': { collection: 'notes', 'on-delete': 'clear' } }, key: text,
        secret: { type: 'string', default: '', 'x-role': 'ADMIN' },
    };
    const state = connected(notes(fields, { 'x-unique': [{ fields: ['key'] }] }));
    const sync = state.open();
    const database = new Database();
    await sync.compare({ synchronize: async () => {}, database });
    database.create('projects', { id: 'p-1', is_archived: true });
    database.create('people', { id: 'm', user: 7, role: 100 });
    database.create('notes', { id: 'a', parent: null, key: 'K', secret: '' });
    const warned = async row => {
        const { errors, warnings } = await sync.check('notes', row, { database });
        assert.deepEqual(errors, []);
        return warnings.map(({ field, code, existing }) => [field, code, ...existing ? [existing] : []]);
    };
    const archived = [null, 'project_archived'];
    assert.deepEqual(await warned({ parent: 'a', key: 'L' }), [archived]);
    assert.deepEqual(await warned({ parent: 'gone', key: 'K', secret: 'S' }), [
        archived, ['secret', 'field_forbidden'], ['parent', 'unknown_reference'], ['key', 'not_unique', 'a'],
    ]);
    assert.deepEqual(await warned({ id: 'a', key: 'K' }), [archived]);
    database.update('people', 'm', { role: 1 });
    assert.deepEqual(await warned({ id: 'a', key: 'L' }), [archived, [null, 'forbidden']]);
});

test('an author may do more than the role says', async () => {
    const roles = { create: 'VIEWER', update: 'ADMIN', delete: 'ADMIN', author: ['update'] };
    const fields = {
        text: { type: 'string', default: '' },
        author: { type: ['integer', 'null'], readOnly: true, 'x-value': 'caller' },
    };
    const sync = connected(notes(fields, { 'x-roles': roles })).open();
    const database = new Database();
    await sync.compare({ synchronize: async () => {}, database });
    database.create('people', { id: 'm', user: 7, role: 1 });
    database.create('notes', { id: 'mine', text: '', author: 7 });
    database.create('notes', { id: 'other', text: '', author: 8 });
    const codes = async id =>
        (await sync.check('notes', { id, text: 'T' }, { database })).warnings.map(({ code }) => code);
    assert.deepEqual([await codes('mine'), await codes('other')], [[], ['forbidden']]);
});
