import { blobFields } from '../common/files/named.js';
import { sendAgain, sentEntries } from './stored.js';

/**
 * Files whose rows say that the server does not have them any more, as after a restore, and whose bytes are here. Only
 * those that were added on this copy, for rows that its user has made: whoever set the field sends the bytes, and nobody
 * sends some because somebody else names them. Lets them be sent again, and returns their digests.
 */
export async function filesToSendAgain(replica, life) {
    const { entries, owner, document } = await replica.readFiles(async unit => ({
        entries: await sentEntries(unit), owner: unit.state.owner?.id, document: unit.schema?.document,
    }));
    if (entries.length === 0 || !document) return [];
    const lost = new Set();
    for (const { title, blobs, authors } of document.collections.map(fieldsOf)) {
        if (blobs.length === 0 || authors.length === 0) continue;
        for (const row of await replica.rows(title)) {
            if (row._status === 'created' || !authors.some(name => row[name] === owner)) continue;
            const names = blobs.filter(({ state }) => row[state] === 'pending').map(({ field }) => field);
            for (const name of names) lost.add(keyOf(row.project_id, row[name]));
        }
    }
    const again = entries.filter(({ project, digest }) => lost.has(keyOf(project, digest)));
    await replica.writeFiles(unit => Promise.all(again.map(entry => sendAgain(unit, entry, life))));
    return again.map(({ digest }) => digest);
}

const keyOf = (project, digest) => `${project} ${digest}`;

/** The fields of a collection that name files, with those that say how they stand, and those that name who added a row. */
function fieldsOf({ title, properties }) {
    const fields = Object.entries(properties);
    return {
        title,
        blobs: blobFields(properties).filter(({ state }) => state),
        authors: fields.filter(([, field]) => field['x-value'] === 'caller').map(([name]) => name),
    };
}
