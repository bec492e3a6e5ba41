import { takenBack } from '../rows/record.js';
import { firstThatFit, inOrder } from '../rows/order.js';
import { bodyOf, sentRow } from '../rows/sent.js';
import { dropRemoved } from './forget.js';

/**
 * The batch to send: the one that has no answer yet, otherwise a new one of the unsent rows that are not held back. It
 * is stored before anybody can send it. Null if there is nothing to send. The text `pull` if there is no watermark: a
 * batch could not say which state its edits are based on.
 */
export async function nextBatch(unit, limits, { newID, onConflict }) {
    const batches = await unit.batches();
    if (batches.waiting) return { ...batches.waiting, epoch: unit.state.epoch };
    if (unit.state.since === 0 || !unit.schema) return 'pull';
    const rows = firstThatFit(inOrder(await sendable(unit, batches), unit.schema), limits);
    if (rows.length === 0) return null;
    const { since, device, epoch } = unit.state;
    const id = newID();
    const batch = { id, body: bodyOf(rows, { id, since, device, onConflict }), rows, answer: null, parts: {} };
    const number = await unit.transaction.put('batches', batch);
    return { ...batch, number, epoch };
}

/** The unsent rows that may go into a batch now. */
async function sendable(unit, batches) {
    const held = new Set((await unit.transaction.keys('refused')).map(key => key.join(' ')));
    const rows = [];
    for (const record of await unit.rows.unsent()) {
        const collection = unit.schema.collection(record.collection);
        // In a copy of an earlier version of this module: see `adopt`.
        if (!collection) await dropRemoved(unit, record, batches);
        if (!collection || held.has(`${record.collection} ${record.id}`)) continue;
        if (batches.isDeletionAnswered(record)) continue;
        if (!collection.isUploadable) await unit.hold(record, [notUploadable(collection.name)]);
        else rows.push(...await sentOrAside(unit, record, collection));
    }
    return rows;
}

/** Edits of fields that no client may write any more go aside. */
async function sentOrAside(unit, record, collection) {
    const sent = sentRow(record, collection);
    if (sent.bucket !== 'updated' || sent.changed.length > 0) return [sent];
    const isKnown = record._changed.some(name => collection.field(name));
    await unit.setAside(record, isKnown ? 'read_only_field' : 'unknown_field');
    unit.rows.put(takenBack(record));
    return [];
}

const notUploadable = name => ({
    field: null, code: 'collection_not_uploadable', existing: null,
    detail: `The server takes no edits of ${name} from devices at present.`,
});
