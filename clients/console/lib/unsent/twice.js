// An edit that this browser set aside is also in the server's list of lost edits, once for each field. It is shown once.

/** Whether an entry of the server's list is of the edit that a copy set aside holds. */
export function isOf(entry, { collection, id, changed, values }) {
    if (entry.collection !== collection || entry.id !== id) return false;
    if (entry.field === null) return true;
    return changed.includes(entry.field) && (entry.cut === true || isSame(entry.sent, values[entry.field]));
}

/** The entries that no copy shows already. */
export const notShownBy = (copies, entries) => entries.filter(entry => !copies.some(copy => isOf(entry, copy)));

/** Dismisses what the server's list has of a copy. Without a network it stays there, for later. */
export async function settleInbox(tidemark, copy) {
    try {
        const entries = await tidemark.inbox();
        for (const { entry } of entries.filter(each => isOf(each, copy))) await tidemark.dismissFromInbox(entry);
    } catch (error) {
        if (error.status === undefined) throw error;
    }
}

const isSame = (one, other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
