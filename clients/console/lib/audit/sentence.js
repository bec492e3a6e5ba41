import { ROLES } from '../fields/catalog.js';
import { spanText } from '../storage/words.js';

// What an entry of the audit list says, as a list of parts: texts, and `{ user }`, `{ project }`, `{ name }`,
// `{ code }` or `{ at }` for what is shown in its own way. The actor stands before it.

const count = (number, unit) => `${Number(number).toLocaleString()} ${unit}${Number(number) === 1 ? '' : 's'}`;
const role = value => ROLES.get(value) ?? (value === undefined || value === null ? 'a member' : `role ${value}`);
const name = value => ({ name: value });

/** “ and ended 2 sessions and 1 token”; empty for none. */
function ended({ sessions = 0, tokens = 0 }, before = '') {
    const parts = [sessions > 0 && count(sessions, 'session'), tokens > 0 && count(tokens, 'token')].filter(Boolean);
    return parts.length === 0 ? '' : before + parts.join(' and ');
}

const token = ({ name: called, token: id }) =>
    (called ? ['the access token ', name(called)]
        : id === undefined ? 'an access token' : ['the access token ', { code: `${id}` }]);

const soundness = sound => (sound === undefined || sound === null ? '' : sound ? ': it is sound' : ': it is damaged');

/**
 * By action: the details that its sentence tells, and its parts, made of `user`, `project`, `details` and `isOneself`,
 * which says that the actor's own account is meant.
 */
const SENTENCES = new Map(Object.entries({
    user_added: [['superuser', 'password'], ({ user, details }) => ['added ', user,
        details.superuser === true && ' as a superuser', details.password === false && ', without a password']],
    user_renamed: [['before', 'after'], ({ user, details: { before, after } }) => ['renamed ', user,
        before !== undefined && [' from ', name(before)], after !== undefined && [' to ', name(after)]]],
    user_disabled: [['sessions', 'tokens'], ({ user, details }) => ['disabled ', user, ended(details, ' and ended ')]],
    user_enabled: [[], ({ user }) => ['enabled ', user]],
    user_removed: [['projects', 'sessions', 'tokens'], ({ user, details }) => ['removed ', user,
        details.projects > 0 && ` from ${count(details.projects, 'project')}`, ended(details, ' and revoked ')]],
    password_changed: [['sessions', 'tokens'], ({ isOneself, user, details }) => ['changed ',
        isOneself ? 'their own password' : ['the password of ', user], ended(details, ' and ended ')]],
    password_set: [['sessions', 'tokens'], ({ user, details }) => ['set the password of ', user,
        ended(details, ' and ended ')]],
    identity_linked: [['issuer', 'subject'], ({ user, details: { issuer, subject } }) => ['linked ', user,
        ' to an outside identity', subject !== undefined && [', ', name(subject)],
        issuer !== undefined && [' at ', name(issuer)]]],
    token_created: [['token', 'name', 'read_only', 'expires_at'], ({ isOneself, user, details }) => ['made ',
        token(details), !isOneself && [' for ', user], details.read_only === true && ', which may only read',
        details.expires_at && [', which expires on ', { at: details.expires_at }]]],
    token_revoked: [['token', 'name', 'read_only', 'expires_at'], ({ isOneself, user, details }) => ['revoked ',
        token(details), !isOneself && [' of ', user]]],
    session_revoked: [['session'], ({ isOneself, user }) => ['ended a session of ', isOneself ? 'their own' : user]],
    credentials_revoked: [['sessions', 'tokens'], ({ isOneself, user, details }) => ['revoked ',
        ended(details) || 'all sessions and tokens', ' of ', isOneself ? 'their own' : user]],
    device_forgotten: [['device'], ({ isOneself, user, details }) => ['forgot ',
        details.device ? ['the device ', { code: details.device }] : 'a device', !isOneself && [' of ', user]]],
    member_added: [['role'], ({ user, project, details }) => ['added ', user, ' to ', project,
        ` as ${role(details.role)}`]],
    role_changed: [['before', 'after'], ({ user, project, details: { before, after } }) => ['made ', user,
        ` ${role(after)} of `, project, before !== undefined && `, before ${role(before)}`]],
    member_removed: [['role'], ({ isOneself, user, project, details }) => (isOneself ? ['left ', project]
        : ['removed ', user, details.role !== undefined && ` (${role(details.role)})`, ' from ', project])],
    project_created: [['name'], ({ project }) => ['created the project ', project]],
    project_archived: [['name'], ({ project }) => ['archived the project ', project]],
    project_unarchived: [['name'], ({ project }) => ['took the project ', project, ' out of the archive']],
    project_deleted: [['name'], ({ project }) => ['deleted the project ', project]],
    rows_imported: [[], ({ project }) => ['imported rows into ', project]],
    backup_made: [['file'], ({ details }) => ['made a backup', details.file && [': ', { code: details.file }]]],
    checked: [['sound', 'backup'], ({ details: { sound, backup } }) => ['checked ',
        backup ? ['the backup ', { code: backup }] : 'the database', soundness(sound)]],
    purged: [['older_than_seconds', 'tombstones', 'projects'], ({ details }) => ['purged ',
        details.tombstones === undefined ? 'tombstones' : count(details.tombstones, 'tombstone'),
        details.projects > 0 && ` of ${count(details.projects, 'project')}`,
        details.older_than_seconds > 0 && `, older than ${spanText(details.older_than_seconds)}`]],
    restored: [[], () => ['declared the database a restored copy']],
    promoted: [[], () => ['declared that a standby was promoted, and nothing was lost']],
    schema_pruned: [[], () => ['removed fields and collections that the schema no longer has']],
    copied: [['source'], ({ details }) => ['copied the database',
        details.source && [' from ', { code: details.source }]]],
}));

/** All actions that have a sentence. */
export const ACTIONS = [...SENTENCES.keys()];

/** The parts of an entry's sentence. An action of a later version is shown by its name. */
export function sentenceOf(entry) {
    const { action, actor, user_id: id, username, project_id: projectID, details } = entry;
    const user = id === null ? { name: 'somebody' } : { user: id, name: username ?? `user ${id}` };
    const project = projectID === null ? null : { project: projectID, name: details.name ?? null };
    const isOneself = id !== null && id === actor.user_id;
    const [, make] = SENTENCES.get(action) ?? [];
    const parts = make?.({ user, project: project ?? { name: 'a project' }, isOneself, details })
        ?? [{ code: action }, id !== null && [' ', user], project && [' in ', project]];
    return joined(parts.flat(Infinity).filter(part => ![false, null, undefined, ''].includes(part)));
}

/** What the sentence has not told: pairs of a name and a value. */
export function restOf({ action, details }) {
    const [told] = SENTENCES.get(action) ?? [[]];
    return Object.entries(details).filter(([key, value]) => !told.includes(key) && value !== null)
        .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]);
}

/** Where it came from, in words: the credential, and the address. */
export function originOf({ credential, address }) {
    const [kind, id = ''] = credential.split(/:(.*)/s);
    const words = {
        session: 'a session', token: `access token ${id}`, identity: 'an outside identity', command: 'the command line',
    };
    return [words[kind] ?? credential, address && (kind === 'command' ? `on ${address}` : `from ${address}`)]
        .filter(Boolean).join(' ');
}

/** What an action is called in a list to choose from. */
export function actionText(action) {
    const text = action.replaceAll('_', ' ');
    return text[0].toUpperCase() + text.slice(1);
}

/** Texts beside each other are one. */
function joined(parts) {
    const result = [];
    for (const part of parts) {
        if (typeof part === 'string' && typeof result.at(-1) === 'string') result.push(result.pop() + part);
        else result.push(part);
    }
    return result;
}
