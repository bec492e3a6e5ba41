import { TidemarkError } from '../common/error.js';
import { clearFiles, unsentFiles } from './files.js';
import { firstState, stepped } from './state.js';

// Whose copy it is: who begins a session on it, and what ends with one. Each function is part of a transaction.

/** The stores whose content belongs to a user, apart from those that only some copies have. */
const CONTENT = ['meta', 'rows', 'digests', 'batches', 'refused', 'aside'];

/** A user's name, as a key: names differ in more than upper and lower case, and never change. */
export const folded = name => name.normalize().toLowerCase();

const areSame = (one, other) => one.id === other.id && one.username === other.username;

/** Throws `other_user` if somebody else has begun on the copy that was opened as this user's. */
export function checkOwner(owner, user) {
    if (user === null || owner === null || folded(owner.username) === folded(user)) return;
    throw otherUser(`${owner.username} has signed in on this copy, which was that of ${user}. Open it again.`);
}

/** See `Replica.begin`. */
export async function beginSession(unit, session, { discard = false, adopt = false, owner: expected = null }, replica) {
    const { state: { owner }, transaction } = unit;
    if (expected !== null && ![owner?.id, session.user.id].every(id => id === expected)) {
        throw otherUser('Somebody else has signed in meanwhile, or nobody is signed in.');
    }
    if (replica.user !== null) refuseOthers(session.user, owner, replica.user);
    const former = await transaction.get('meta', 'session') ?? null;
    const isOther = owner ? !areSame(owner, session.user) : !adopt && await isBegun(unit);
    if (isOther) await wipe(unit, discard, replica);
    unit.state = stepped(unit.state, { owner: session.user });
    await transaction.put('meta', { ...session, life: unit.state.life }, 'session');
    return former;
}

/** Ends the session, and wipes everything unless the copy `isLeft`. Returns the session, and what was not sent. */
export async function endSession(unit, { discard = false, isLeft = false }, replica) {
    const session = await unit.transaction.get('meta', 'session') ?? null;
    const left = await leftIn(unit);
    if (isLeft) await unit.transaction.delete('meta', 'session');
    else await wipe(unit, discard, replica);
    return { session, left };
}

/** Wipes everything, the session included. Throws `unsent_edits` or `unclaimed_edits` if that would lose something. */
export async function wipe(unit, discard, replica) {
    const left = await leftIn(unit);
    const isLosing = left.unsent + left.setAside + left.files > 0;
    if (isLosing && !discard) throw unsentEdits(left, unit.state.owner, replica.user);
    const batches = await unit.batches();
    for (const batch of batches.all) batches.remove(batch);
    // Those that were named before anybody signed in belong to the user who does.
    const parts = unit.state.owner === null ? await unit.parts() : [];
    await Promise.all(CONTENT.map(store => unit.transaction.clear(store)));
    if (unit.rows.hasOutside) await unit.transaction.clear('outside');
    await clearFiles(unit);
    if (parts.length > 0) await unit.transaction.put('meta', parts, 'parts');
    await unit.rows.entries?.clear();
    const { step, revision, indexes } = unit.state;
    const first = firstState({ life: replica.newID(), device: replica.newID() });
    unit.state = { ...first, step: step + 1, revision, ...(indexes && { indexes }) };
    unit.rows.changed.set('*', null);
}

/** How many rows are unsent, without deletions that only wait for their tombstones. */
export async function unsentCount(unit) {
    const [all, batches] = [await unit.transaction.count('rows', undefined, 'unsent'), await unit.batches()];
    const deleted = batches.answered.flatMap(({ rows }) => rows).filter(({ bucket }) => bucket === 'deleted');
    const records = await Promise.all(deleted.map(({ collection, id }) => unit.rows.get(collection, id)));
    return all - records.filter(record => record?._status === 'deleted').length;
}

/** What the server does not have. */
const leftIn = async unit => ({
    unsent: await unsentCount(unit), setAside: await unit.transaction.count('aside'), files: await unsentFiles(unit),
});

const isBegun = async unit => await unsentCount(unit) + await unsentFiles(unit) > 0;

function refuseOthers(signedIn, owner, user) {
    if (owner ? areSame(owner, signedIn) : folded(signedIn.username) === folded(user)) return;
    const [whose, who] = [owner?.username ?? user, signedIn.username];
    const done = `This is the copy of ${whose}, and ${who} has signed in.`;
    throw otherUser(`${done} Nothing has changed. Open the copy of ${who}.`);
}

const otherUser = detail => new TidemarkError('other_user', detail);

function unsentEdits(left, owner, user) {
    const code = owner ? 'unsent_edits' : 'unclaimed_edits';
    const detail = !owner ? claiming(left) : user !== null ? leaving(left) : losing(left);
    return Object.assign(new TidemarkError(code, detail), left);
}

function losing(left) {
    const { things, isOne, them } = what(left);
    return `${things} ${isOne ? 'has' : 'have'} not reached the server. Send ${them} first, or discard ${them}.`;
}

function claiming(left) {
    const { things, isOne, them } = what(left);
    return `${things} ${isOne ? 'was' : 'were'} made here before anybody signed in. Keep ${them} as yours, or discard `
        + `${them}.`;
}

function what({ unsent, setAside, files }) {
    const isOne = unsent + setAside + files === 1;
    const edits = unsent + setAside > 0 ? [counted(unsent + setAside, 'edit')] : [];
    const things = [...edits, ...(files > 0 ? [counted(files, 'file')] : [])].join(' and ');
    return { things, isOne, them: isOne ? 'it' : 'them' };
}

const counted = (count, noun) => (count === 1 ? `1 ${noun}` : `${count} ${noun}s`);

/** In the words of the Swift client. */
function leaving({ unsent, setAside, files }) {
    const aside = unsent > 0 ? `${setAside} set aside` : `${counted(setAside, 'edit')} set aside`;
    const sent = [
        ...(unsent > 0 ? [`${counted(unsent, 'edit')} not sent yet`] : []), ...(setAside > 0 ? [aside] : []),
        ...(files > 0 ? [`${counted(files, 'file')} not sent yet`] : []),
    ];
    const rest = sent.length > 1 ? `, and ${sent.at(-1)}` : '';
    return `${(rest ? sent.slice(0, -1) : sent).join(', ')}${rest}. Sync first, or leave them behind.`;
}
