// What a member may change. The server decides; this spares people edits that it would refuse for certain.

const RANKS = new Map([['ANYONE', 0], ['VIEWER', 1], ['MEMBER', 100], ['SCHEDULER', 200], ['ADMIN', 300],
    ['OWNER', 400]]);

const rankOf = role => RANKS.get(role) ?? 0;

/**
 * Why a field can't be edited, as a sentence; null if it can. `who` is `{ role, user, isArchived }`: the role's number,
 * null for somebody who is no member. `row` is null for a new one.
 */
export function whyNotEdit(collection, field, row, who) {
    if (field.isReadOnly) return `Only the server writes ${field.label}.`;
    return whyNot(collection, row ? 'update' : 'create', who, row) ?? whyNotField(collection, field, row, who);
}

/**
 * Why rows can't be created, changed or deleted (`what` is the member of `x-roles`); null if they can. With a row, its
 * author may do more, and those whom it lists.
 */
export function whyNot(collection, what, { role, user, isArchived }, row = null) {
    if (collection.scope === 'membership') return 'Members are added, changed and removed on the page of members.';
    if (collection.scope === 'project' && what === 'create') return 'This table has one project only.';
    if (isArchived) return 'The project is archived. An owner can unarchive it.';
    // Whoever is named in a suggestion may answer it, whatever their role.
    const needed = what === 'update' && collection.rules.includes('suggestion-states') ? 0
        : rankOf(collection.roles[what]);
    if ((role ?? 0) >= needed || role !== null && mayWithoutRole(collection, what, row, user)) return null;
    return `This needs the role ${roleWord(collection.roles[what])}.`;
}

/** Whether the roles let the author of a row do this, or those whom it lists, and the user is one of them. */
function mayWithoutRole({ roles, fields, document }, what, row, user) {
    const may = who => row !== null && (roles[who] ?? []).includes(what);
    const isIn = name => [row[name] ?? []].flat().includes(user);
    const authors = fields.filter(field => field.document['x-value'] === 'caller').map(({ name }) => name);
    return may('author') && authors.some(isIn) || may('listed') && (document['x-visibility']?.listed ?? []).some(isIn);
}

function whyNotField(collection, field, row, { role, user }) {
    const needed = field.document['x-role'];
    if (needed === undefined || (role ?? 0) >= rankOf(needed)) return null;
    const author = field.document['x-author'];
    if (author !== undefined && (row === null || row[author] === user)) return null;
    return `${field.label} needs the role ${roleWord(needed)}.`;
}

const roleWord = role => role[0] + role.slice(1).toLowerCase();
