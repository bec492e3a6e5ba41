import { TidemarkError } from '../common/error.js';
import { AGAIN, freshEntry, isUnderWay } from '../common/files/asked.js';
import { filesOf } from '../store/files.js';

// The files that a copy has, in the stores `files` and `bytes` under `[digest, project]`. An entry is
// `{ digest, project, name, preview, size, type, state, sent, reason, detail, upload, voids, added, storedAt, used }`:
// - `state`: `waiting`, `sending`, `stored` or `failed`. `reason` and `detail` are those of the last error, if one is
//   why the file has failed or waits. All but those that are stored have `unsent: 1`, for the index
// - `type`: what the server said of the bytes, or is going to say
// - `upload`: the id of an upload that goes on, of which the server has `sent` bytes; null if there is none
// - `voids`: how often the server found another digest
// - `storedAt`: when the server had the bytes; null for a file that somebody else sent
// - `used`: when it was opened last
//
// Bytes of entries that are stored are a cache, which is bounded. No others are dropped for want of room. Each function
// is part of a transaction.

const keyOf = ({ digest, project }) => [digest, project];

/** Adds a file that is to be sent. The entry of the same bytes is the same; one that has failed is tried again. */
export async function addFile(unit, { bytes, ...file }) {
    const [known, now] = [await unit.transaction.get('files', keyOf(file)) ?? null, unit.clock()];
    const entry = { ...file, ...(known && isUnderWay(known, now) ? kept(known) : freshEntry(now)) };
    entry.name ??= known?.name ?? null;
    entry.preview ??= known?.preview ?? null;
    await put(unit, entry);
    await unit.transaction.put('bytes', bytes, keyOf(file));
    return entry;
}

/** What adding a file again leaves as it is. */
const kept = ({ name, preview, ...rest }) => rest;

/**
 * Adds a file that came from the server. What is to be sent stays so: somebody here has added it. One that `isAhead` is
 * added only if none has to go for it.
 */
export async function cacheFile(unit, { bytes, ...file }, most, isAhead) {
    const known = await unit.transaction.get('files', keyOf(file));
    if (known) return put(unit, { ...known, type: file.type, used: unit.clock() });
    const taken = isAhead ? cachedBytes(await unit.transaction.all('files')) : 0;
    if (taken + file.size > most) return undefined;
    const now = unit.clock();
    await put(unit, { ...file, name: null, preview: null, ...freshEntry(now), state: 'stored', sent: file.size });
    await unit.transaction.put('bytes', bytes, keyOf(file));
    return trimCache(unit, most);
}

/** Drops what was not used for longest, until the cache has no more than so many bytes. */
export async function trimCache(unit, most) {
    const cached = cachedOf(await unit.transaction.all('files'));
    let left = cachedBytes(cached);
    for (const entry of cached.sort((one, other) => one.used - other.used)) {
        if (left <= most) return;
        left -= entry.size;
        await remove(unit, entry);
    }
}

const cachedOf = entries => entries.filter(({ state }) => state === 'stored');

/** How many bytes of these entries are a cache. */
export const cachedBytes = entries => cachedOf(entries).reduce((sum, { size }) => sum + size, 0);

/** The entry of a digest in a project, or in the project that has one; null if there is none. */
export async function findFile({ transaction }, digest, project) {
    if (project !== null) return await transaction.get('files', [digest, project]) ?? null;
    const entries = await filesOf(transaction, digest);
    return entries.find(({ state }) => state !== 'stored') ?? entries[0] ?? null;
}

/** The entry with its bytes. Notes that they were used. */
export async function useFile(unit, digest, project) {
    const entry = await findFile(unit, digest, project);
    if (entry === null) return null;
    const bytes = await bytesOfEntry(unit, entry);
    if (!bytes) return null;
    await put(unit, { ...entry, used: unit.clock() });
    return { entry, bytes };
}

export const bytesOfEntry = ({ transaction }, entry) => transaction.get('bytes', keyOf(entry));

/** What the server does not have, in the order in which it was added. */
export async function unsentEntries({ transaction }) {
    const entries = await transaction.all('files', undefined, 'unsent');
    return entries.sort((one, other) => one.added - other.added);
}

/**
 * Notes changes of an entry that is to be sent, and returns it. Null, and nothing is changed, if it is not to be sent
 * any more: it was removed, or another life of the copy has begun.
 */
export async function noteFile(unit, entry, changes, life) {
    if (unit.state.life !== life) return null;
    const known = await unit.transaction.get('files', keyOf(entry)) ?? null;
    if (known === null || known.state === 'stored') return null;
    return put(unit, { ...known, ...changes });
}

/** Lets a file that has failed be tried again. */
export async function retryFile(unit, digest, project) {
    const entry = await findFile(unit, digest, project);
    if (entry === null) throw unknownFile(digest);
    if (entry.state === 'failed') await put(unit, { ...entry, ...AGAIN });
}

/** What was added here and sent, and is still here. */
export async function sentEntries({ transaction }) {
    return (await transaction.all('files')).filter(({ state, storedAt }) => state === 'stored' && storedAt !== null);
}

/** Lets a file be sent once more, which the server has had. */
export async function sendAgain(unit, entry, life) {
    const known = await unit.transaction.get('files', keyOf(entry));
    if (unit.state.life !== life || known?.state !== 'stored') return;
    await put(unit, {
        ...known, state: 'waiting', sent: 0, reason: null, detail: null, upload: null, voids: 0, storedAt: null,
    });
}

/** Drops a file that is not stored. Returns its entry; null if there is none. */
export async function removeFile(unit, digest, project) {
    const entry = await findFile(unit, digest, project);
    if (entry === null || entry.state === 'stored') return null;
    await remove(unit, entry);
    return entry;
}

async function put({ transaction }, { unsent, ...entry }) {
    const stored = entry.state === 'stored' ? entry : { ...entry, unsent: 1 };
    await transaction.put('files', stored);
    return stored;
}

async function remove({ transaction }, entry) {
    await Promise.all(['files', 'bytes'].map(store => transaction.delete(store, keyOf(entry))));
}

const unknownFile = digest => new TidemarkError('unknown_file', `This copy knows of no file ${digest}.`);
