// What must hold of edits that are judged here, for the real code and for planted mistakes.
import assert from 'node:assert/strict';
import { Schema } from '../../lib/rows/schema.js';
import { valueVectors } from '../../../watermelondb/tests/support/values.js';
import { Copy } from './copy.js';
import * as documents from './documents.js';

const VECTORS = valueVectors();

/** A copy without rows but a project, of a server with these collections, in an app that brought a schema or none. */
export async function copyOf(document, { brought = null, rows = {}, head = 100, ...options } = {}) {
    const schema = new Schema(document, true);
    const copy = await Copy.open(undefined, { schema: brought, adopts: schema, ...options });
    const project = { id: 'p', project_id: 'p', server_version: 1 };
    const changes = { projects: { updated: [{ ...project, ...rows.project }] } };
    for (const [name, some] of Object.entries(rows.others ?? {})) {
        changes[name] = { updated: some.map(row => ({ project_id: 'p', server_version: 1, ...row })) };
    }
    await copy.page(documents.page(changes, head, { heads: { p: 5 } }), { schema });
    return copy;
}

/** A schema of one collection, `notes`, beside those that every server has. */
export const notes = (properties, more = {}, version = 'v1') => ({
    schema_version: version,
    collections: [
        { title: 'projects', 'x-scope': 'project', 'x-uploadable-user-wide': true, properties: {
            name: { type: 'string', default: '' }, is_archived: { type: 'boolean', default: false, readOnly: true } } },
        { title: 'memberships', 'x-scope': 'membership', properties: {
            user: { type: 'integer' }, role: { type: 'integer' } } },
        { title: 'notes', 'x-uploadable': true, properties: { text: { type: 'string', default: '' }, ...properties },
            'x-roles': { create: 'MEMBER', update: 'MEMBER', delete: 'MEMBER' }, ...more },
    ],
});

const session = { access: 'a', refresh: null, expiresAt: null, isOver: false, user: { id: 7 } };

export const PROPERTIES = {
    async 'the client refuses what the server refuses, in its words'() {
        const { collections, cases, halves } = VECTORS;
        const others = {};
        const all = [...cases, ...halves].filter(({ sent }) => !['project_id', 'id'].some(name => name in sent));
        for (const { collection, stored } of all) if (stored) (others[collection] ??= []).push(stored);
        const copy = await copyOf({ schema_version: 'v1', collections }, { rows: { others } });
        for (const [number, { name, collection, stored, sent, errors, isByList }] of all.entries()) {
            const edit = stored ? copy.replica.update(collection, stored.id, sent)
                : copy.replica.insert(collection, { id: `new-${number}`, project_id: 'p', ...sent });
            const found = await edit.then(() => [], error => error.errors);
            if (!isByList || found.length > 0) assert.deepEqual(found, errors, name);
        }
    },

    async 'a value is refused only if the app\'s schema and the server\'s both refuse it'() {
        const [old, other] = [['OPEN'], ['OPEN', 'PAUSED']].map(each => ({ word: { type: 'string', enum: each, default: 'OPEN' } }));
        for (const [brought, fetched] of [[other, old], [old, other]]) {
            const copy = await copyOf(notes(fetched), { brought: notes(brought, {}, 'v0') });
            await copy.replica.insert('notes', { id: 'n', project_id: 'p', word: 'PAUSED' });
            await assert.rejects(copy.replica.update('notes', 'n', { word: 'GONE' }), { code: 'not_in_enum' });
            assert.equal((await copy.row('n', 'notes')).word, 'PAUSED');
        }
    },

    async 'no edit is refused for a role that the copy knows'() {
        const document = notes({ secret: { type: 'string', default: '', 'x-role': 'ADMIN' } });
        const memberships = [{ id: 'm', user: 7, role: 1 }];
        const copy = await copyOf(document, { rows: { others: { memberships } } });
        await copy.replica.begin(session);
        const [done] = await copy.replica.edit([
            { collection: 'notes', id: 'n', insert: { project_id: 'p', text: 'Mine' } }]);
        assert.deepEqual([done.error, done.warnings.map(({ code }) => code)], [null, ['forbidden']]);
        assert.equal(done.warnings[0].detail, 'Creating notes needs the role MEMBER or above; yours is VIEWER.');
        assert.equal((await copy.next()).body.changes.notes.created[0].text, 'Mine');
    },
};
