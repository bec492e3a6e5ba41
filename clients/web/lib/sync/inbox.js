import { TidemarkError } from '../common/error.js';

/** Where the server keeps the user's lost edits: of one project, or of all if it is null. */
const inboxPath = project =>
    (project === null ? '/rejected/' : `/projects/${encodeURIComponent(project)}/rejected/`);

/** All entries, the oldest first. `request` sends as `Transport.json` does. */
export async function inboxEntries(request, project) {
    const entries = [];
    for (let after = null; ;) {
        const { results, next } = await request('GET', inboxPath(project), { query: { after, limit: 500 } });
        entries.push(...results);
        if (next === null) return entries;
        after = next;
    }
}

export const dismissEntry = (request, project, entry) =>
    request('DELETE', `${inboxPath(project)}${encodeURIComponent(entry)}/`);

/**
 * Dismisses what the inbox has of places that have yielded, fields that were sent with them included: those went again.
 * What can't be dismissed now is tried again with the next sync, which it does not disturb.
 */
export async function dismissYielded({ replica, transport, scope: { project } }, yielded, signal) {
    if (yielded.length === 0) return;
    const request = (method, path, options) => transport.json(method, path, { ...options, signal });
    const known = new Set(yielded.map(({ id, batch }) => `${batch} ${id}`));
    try {
        for (const { entry, id, collection, client_batch_id: batch } of await inboxEntries(request, project)) {
            if (collection === 'tasks' && known.has(`${batch} ${id}`)) await dismissEntry(request, project, entry);
        }
        await replica.forgetYielded(yielded);
    } catch (error) {
        if (!(error instanceof TidemarkError)) throw error;
    }
}
