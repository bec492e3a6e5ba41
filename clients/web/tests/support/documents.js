// Answers of a made-up server.
import { Schema } from '../../lib/rows/schema.js';

const ref = (collection, onDelete, type = ['string', 'null']) =>
    ({ type, default: null, 'x-ref': { collection, 'on-delete': onDelete } });

/** Four collections. `more` has other fields for tasks. */
export const document = (version = 'v1', more = {}) => ({
    schema_version: version,
    collections: [
        { title: 'projects', 'x-uploadable-user-wide': true, required: ['name'], properties: {
            name: { type: 'string' }, calendar: ref('calendars', 'restrict') } },
        { title: 'calendars', 'x-uploadable': true, properties: { name: { type: 'string', default: 'Standard' } } },
        { title: 'tasks', 'x-uploadable': true, required: ['name'], properties: {
            name: { type: 'string' }, notes: { type: 'string', default: '' },
            short_id: { type: 'string', readOnly: true },
            parent: ref('tasks', 'cascade'), ...more } },
        { title: 'risks', 'x-uploadable': true, properties: {
            title: { type: 'string', default: '' },
            task_ids: { type: 'array', default: [], 'x-ref': { collection: 'tasks', 'on-delete': 'clear' } } } },
        { title: 'memberships', properties: { user: { type: 'integer' } } },
    ],
});

export const schema = (...args) => new Schema(document(...args), true);

export const task = (id, project_id, server_version = 1, values = {}) => ({
    id, project_id, server_version, name: id, notes: '', short_id: 'T-1', parent: null, ...values,
});

export const project = (id, server_version = 1) => ({ id, project_id: id, server_version, name: id, calendar: null });

/** A page as the server sends it. */
export const page = (changes, timestamp, rest = {}) => ({
    changes: Object.fromEntries(Object.entries(changes).map(([name, bucket]) =>
        [name, { created: [], updated: [], deleted: [], ...bucket }])),
    timestamp, has_more: false, next_cursor: null, progress: { rows: 0, total: null }, left_projects: [], heads: {},
    ...rest,
});

/** A page with more behind it. */
export const first = (changes, timestamp, rest = {}) =>
    page(changes, timestamp, { has_more: true, next_cursor: 'c-1', heads: undefined, ...rest });
