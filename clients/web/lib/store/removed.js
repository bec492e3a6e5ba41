import { isDirty } from '../rows/record.js';

/** Removes the rows of collections that a new schema does not have. What is unsent in them can't be sent any more. */
export async function dropCollections(unit, former, schema) {
    const batches = await unit.batches();
    const removed = former.collections.filter(({ name }) => !schema.collection(name));
    for (const { name } of removed) for (const record of await unit.rows.of(name)) await dropRemoved(unit, record, batches);
}

/** Removes such a row. What is unsent of it goes aside, and it is refused no more. */
export async function dropRemoved(unit, record, batches) {
    if (isDirty(record) && !batches.isDeletionAnswered(record)) await unit.setAside(record, 'collection_removed');
    unit.rows.remove(record);
    await unit.transaction.delete('refused', [record.collection, record.id]);
}
