import { textOf } from './text.js';

const VERBS = { create: 'Creating', update: 'Changing', delete: 'Deleting' };
const ROLES = { ANYONE: 0, VIEWER: 1, MEMBER: 100, SCHEDULER: 200, ADMIN: 300, OWNER: 400 };

/**
 * What the server may refuse in an edit, by the rows that are here. They may be older than a promotion, or fewer than
 * the server's, so it is no reason to refuse anything. `schema` is a collection's; `edit` is
 * `{ id, project_id, values, before }`: the row's values, and those of before, null for a new row. Its `verb` is
 * `create`, `update` or `delete`. `rows` looks for rows, as their values with `id` and `project_id`:
 * - `find(collection, id)`: one; null if it is not here
 * - `of(collection, project, reference)`: those of a project; with `reference`, `{ field, collection, id }`, only those
 *   that refer to the row
 * - `user`: the user's id; null for nobody's
 * - `memberships`: the name of their collection
 *
 * Returns `{ field, code, pointer, detail }` each, as the server words it.
 */
export async function doubts(schema, edit, rows) {
    const members = await rows.of(rows.memberships, edit.project_id);
    const mine = members.find(({ user }) => user === rows.user);
    const changed = edit.verb === 'delete' ? [] : changesIn(schema, edit);
    return [
        ...await ofProject(schema, edit, rows),
        ...ofRole(schema, edit, changed, rows.user, mine),
        ...await ofReferences(edit, changed, rows, members),
        ...changed.length > 0 ? await ofKeys(schema, edit, rows) : [],
    ];
}

const doubt = (field, code, detail, rest = {}) =>
    ({ field, code, pointer: field === null ? '' : `/${field}`, detail, ...rest });

/** The fields that an edit changes. In a new row, a default is no change. */
function changesIn({ properties }, { values, before }) {
    return Object.entries(properties).filter(([name, field]) => {
        const known = before ? before[name] : field.default;
        return !field.readOnly && values[name] !== known && textOf(values[name]) !== textOf(known);
    });
}

async function ofProject(schema, { project_id, verb }, rows) {
    if (schema['x-scope'] === 'project' && verb !== 'update') return [];
    const project = await rows.find('projects', project_id);
    return project?.is_archived ? [doubt(null, 'project_archived', 'The project is archived. An owner can unarchive it.')]
        : [];
}

/** Whether the roles let the author of a row do this, or those whom it lists, and the user is one of them. */
function mayWithoutRole({ properties, 'x-roles': roles, 'x-visibility': sight }, { verb, before }, user) {
    const may = who => (roles[who] ?? []).includes(verb);
    const isIn = name => [before?.[name] ?? []].flat().includes(user);
    const authors = Object.keys(properties).filter(name => properties[name]['x-value'] === 'caller');
    return may('author') && authors.some(isIn) || may('listed') && (sight?.listed ?? []).some(isIn);
}

function ofRole(schema, edit, changed, user, mine) {
    const { title, 'x-roles': roles } = schema;
    if (!mine || !roles) return [];
    const isBelow = role => mine.role < (ROLES[role] ?? 0);
    const { [edit.verb]: needed } = roles;
    if (isBelow(needed) && !mayWithoutRole(schema, edit, user)) {
        const what = `${VERBS[edit.verb]} ${title}`;
        const own = Object.keys(ROLES).find(role => ROLES[role] === mine.role);
        return [doubt(null, 'forbidden', `${what} needs the role ${needed} or above; yours is ${own}.`)];
    }
    const isAuthor = ({ 'x-author': author }) => author && (edit.before === null || edit.before[author] === user);
    return changed.filter(([, field]) => isBelow(field['x-role']) && !isAuthor(field))
        .map(([name, field]) =>
            doubt(name, 'field_forbidden', `Writing ${name} needs the role ${field['x-role']} or above.`));
}

async function ofReferences(edit, changed, rows, members) {
    const found = [];
    for (const [name, field] of changed) {
        // Who has left may stay in a list that gets others.
        const kept = field['x-user']?.['on-leave'] === 'keep' ? [edit.before?.[name] ?? []].flat() : [];
        const ids = [edit.values[name] ?? []].flat().filter(id => !kept.includes(id));
        const missing = await missingIn(field, ids, edit, rows, members);
        if (missing === undefined) continue;
        const code = field['x-user'] ? 'unknown_user' : 'unknown_reference';
        found.push(doubt(name, code, `${name} refers to ${textOf(missing)}, which is not in this project.`));
    }
    return found;
}

/** The first of the ids that is not here; undefined if all are. */
async function missingIn({ 'x-ref': reference, 'x-user': user }, ids, { project_id }, rows, members) {
    // Of a project that was made here, the members come with the server's answer.
    if (user && members.length > 0) return ids.find(id => !members.some(member => member.user === id));
    if (!reference) return undefined;
    for (const id of ids) {
        const row = await rows.find(reference.collection, id);
        if (row?.project_id !== project_id) return id;
    }
    return undefined;
}

async function ofKeys(schema, { id, project_id, values, before }, rows) {
    const found = [];
    for (const { fields, where = {} } of schema['x-unique'] ?? []) {
        const key = keyOf(values, fields, where);
        if (key === null || (before && keyOf(before, fields, where) === key)) continue;
        const others = await rows.of(schema.title, project_id, referenceIn(schema, fields, values));
        const other = others.find(row => row.id !== id && keyOf(row, fields, where) === key);
        if (!other) continue;
        const detail = `Another row already has this ${fields.join(', ')}.`;
        found.push(doubt(fields[fields.length - 1], 'not_unique', detail, { existing: other.id }));
    }
    return found;
}

/** A row's unique key; null if the row does not count. */
function keyOf(row, fields, where) {
    const isCounted = fields.every(name => (row[name] ?? null) !== null)
        && Object.entries(where).every(([name, value]) => textOf(row[name]) === textOf(value));
    return isCounted ? textOf(fields.map(name => row[name])) : null;
}

/** A reference in the key, by which rows are found without reading all of them. */
function referenceIn({ properties }, fields, values) {
    const field = fields.find(name => typeof values[name] === 'string' && properties[name]['x-ref']);
    return field && { field, collection: properties[field]['x-ref'].collection, id: values[field] };
}
