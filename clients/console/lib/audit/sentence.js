import { ROLES } from '../fields/catalog.js';

// What an entry of the audit list says, as a list of parts: texts, and `{ user }`, `{ project }`, `{ name }` or
// `{ code }` for what is shown in its own way. The actor stands before it.

const count = (number, unit) => `${Number(number).toLocaleString()} ${unit}${Number(number) === 1 ? '' : 's'}`;
const role = value => ROLES.get(value) ?? (value === undefined || value === null ? 'member' : `role ${value}`);
const name = value => ({ name: value });

/** “2 sessions and 1 token”; empty for none. */
function ended({ sessions = 0, tokens = 0 }) {
    const parts = [sessions > 0 && count(sessions, 'session'), tokens > 0 && count(tokens, 'token')];
    return parts.filter(Boolean).join(' and ');
}

const afterwards = (details, verb) => {
    const text = ended(details);
    return text === '' ? '' : ` and ${verb} ${text}`;
};

const token = ({ name: called, token: id }) => (called ? name(called) : { code: `token ${id ?? ''}`.trim() });

/** By action: the parts of the sentence, made of `user`, `project` and the details. */
const SENTENCES = new Map(Object.entries({
    user_added: ({ user, details }) => ['added ', user, details.superuser && ' as a superuser',
        details.password === false && ', without a password'],
    user_renamed: ({ user, details: { before, after } }) => ['renamed ', user,
        before !== undefined && [' from ', name(before)], after !== undefined && [' to ', name(after)]],
    user_disabled: ({ user, details }) => ['disabled ', user, afterwards(details, 'ended')],
    user_enabled: ({ user }) => ['enabled ', user],
    user_removed: ({ user, details }) => ['removed ', user,
        details.projects > 0 && ` from ${count(details.projects, 'project')}`, afterwards(details, 'revoked')],
    password_changed: ({ isOneself, user, details }) => ['changed ', isOneself ? 'their own password'
        : ['the password of ', user], afterwards(details, 'ended')],
    password_set: ({ user, details }) => ['set the password of ', user, afterwards(details, 'ended')],
    identity_linked: ({ user, details: { issuer, subject } }) => ['linked ', user, ' to an outside identity',
        subject !== undefined && [', ', name(subject)], issuer !== undefined && [' at ', name(issuer)]],
    token_created: ({ isOneself, user, details }) => ['made the ', details.read_only && 'read-only ', 'access token ',
        token(details), !isOneself && [' for ', user],
        details.expires_at && [', which expires on ', { at: details.expires_at }]],
    token_revoked: ({ isOneself, user, details }) => ['revoked the access token ', token(details),
        !isOneself && [' of ', user]],
    session_revoked: ({ isOneself, user }) => ['ended a session of ', isOneself ? 'their own' : user],
    credentials_revoked: ({ isOneself, user, details }) => ['revoked ', ended(details) || 'all sessions and tokens',
        isOneself ? ' of their own' : [' of ', user]],
    device_forgotten: ({ isOneself, user, details }) => ['forgot the device ', { code: details.device ?? '?' },
        !isOneself && [' of ', user]],
    member_added: ({ user, project, details }) => ['added ', user, ' to ', project, ` as ${role(details.role)}`],
    role_changed: ({ user, project, details: { before, after } }) => ['made ', user, ` ${role(after)} of `, project,
        before !== undefined && `, before ${role(before)}`],
    member_removed: ({ isOneself, user, project, details }) => (isOneself ? ['left ', project]
        : ['removed ', user, details.role !== undefined && ` (${role(details.role)})`, ' from ', project]),
    project_created: ({ project }) => ['created the project ', project],
    project_archived: ({ project }) => ['archived the project ', project],
    project_unarchived: ({ project }) => ['took the project ', project, ' out of the archive'],
    project_deleted: ({ project }) => ['deleted the project ', project],
    backup_made: ({ details }) => ['made a backup', details.file && [', ', { code: details.file }]],
    checked: ({ details }) => ['checked the database', details.verdict && `: ${details.verdict}`],
    purged: ({ project, details }) => ['purged old tombstones', project && [' of ', project],
        details.rows > 0 && `: ${count(details.rows, 'row')}`],
    restored: () => ['declared the database a restored copy'],
    promoted: () => ['declared that a standby was promoted'],
    schema_pruned: () => ['removed fields and collections that the schema no longer has'],
    copied: () => ['copied the database'],
}));

/** Details that a sentence has told, by action; what is left is shown as it is. */
const TOLD = new Set(['superuser', 'password', 'before', 'after', 'sessions', 'tokens', 'projects', 'issuer', 'subject',
    'name', 'token', 'read_only', 'expires_at', 'device', 'role', 'session', 'file', 'verdict', 'rows']);

/** All actions that have a sentence. */
export const ACTIONS = [...SENTENCES.keys()];

/** The parts of an entry's sentence. An action of a later version is shown by its name. */
export function sentenceOf(entry) {
    const { action, actor, user_id: id, username, project_id: projectID, details } = entry;
    const user = id === null ? { name: 'somebody' } : { user: id, name: username ?? `user ${id}` };
    const project = projectID === null ? null : { project: projectID, name: details.name ?? null };
    const isOneself = id !== null && id === actor.user_id;
    const made = SENTENCES.get(action)?.({ user, project: project ?? { name: 'a project' }, isOneself, details })
        ?? [{ code: action }, id !== null && [' ', user], project && [' in ', project]];
    return joined(made.flat(Infinity).filter(part => ![false, null, undefined, ''].includes(part)));
}

/** What the sentence has not told: pairs of a name and a value. */
export function restOf({ action, details }) {
    const isKnown = SENTENCES.has(action);
    return Object.entries(details).filter(([key]) => !isKnown || !TOLD.has(key))
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
