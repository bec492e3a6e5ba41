import { ROLES } from '../fields/catalog.js';

// Who may do what with members: docs/protocol.md, “Roles”. The server decides; this shows only what it would allow.

const ADMIN = 300;
export const OWNER = 400;

/** The roles that somebody with this role may grant, the lowest first. */
export function grantable(role) {
    if (role === OWNER) return [...ROLES.keys()];
    return role === ADMIN ? [...ROLES.keys()].filter(each => each < ADMIN) : [];
}

/** Whether somebody may change the role of a member: `mine` and `theirs` are roles. */
export const mayChange = (mine, theirs) => mine === OWNER || (mine === ADMIN && theirs < ADMIN);

/** Whether somebody may remove a member. Everybody may leave. */
export const mayRemove = (mine, theirs, isOneself) => isOneself || mayChange(mine, theirs);

/** The members of a project, by role and then by name; `rows` are its memberships. */
export function ordered(rows, nameOf) {
    return [...rows].map(row => ({ row, name: nameOf(row.user) }))
        .sort((one, other) => other.row.role - one.row.role || one.name.localeCompare(other.name)
            || one.row.user - other.row.user);
}
