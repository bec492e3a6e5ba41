import { isDirty } from '../rows/record.js';
import { areSame } from '../rows/values.js';

/** Forgets batches: drains have delivered everything that they did. */
export async function forgetBatches(unit, condition) {
    await finishDeletions(unit, condition);
    const batches = await unit.batches();
    for (const batch of batches.all.filter(condition)) batches.remove(batch);
}

/** Removes rows whose deletion the server has answered without sending a tombstone. */
export async function finishDeletions(unit, condition) {
    const { all } = await unit.batches();
    for (const { collection, id, bucket } of all.filter(condition).flatMap(({ rows }) => rows)) {
        if (bucket !== 'deleted') continue;
        const record = await unit.rows.get(collection, id);
        if (record?._status === 'deleted') unit.rows.remove(record);
    }
    await forgetReasons(unit);
}

/** Forgets why rows were refused that have nothing unsent any more. */
async function forgetReasons({ transaction, rows }) {
    for (const { collection, id } of await transaction.all('refused')) {
        const record = await rows.get(collection, id);
        if (!record || record._status === 'synced') await transaction.delete('refused', [collection, id]);
    }
}

/** Removes the rows of collections that a new schema does not have. What is unsent in them can't be sent any more. */
export async function dropCollections(unit, former, schema) {
    const batches = await unit.batches();
    const removed = former.collections.filter(({ name }) => !schema.collection(name));
    for (const { name } of removed) for (const record of await unit.rows.of(name)) await dropRemoved(unit, record, batches);
}

/** Rows were made by the app's own schema. What they have beyond the server's stays unsent until the server has it, too. */
export async function owe(unit, brought, schema) {
    for (const record of await unit.rows.unsent()) {
        const [own, known] = [brought, schema].map(each => each.collection(record.collection));
        const names = Object.keys(record.values)
            .filter(name => !known.field(name) && !areSame(record.values[name], own.field(name)?.standard));
        unit.rows.put({ ...record, _changed: [...record._changed, ...names] });
    }
}

/** Removes such a row. What is unsent of it goes aside, and it is refused no more. */
export async function dropRemoved(unit, record, batches) {
    if (isDirty(record) && !batches.isDeletionAnswered(record)) await unit.setAside(record, 'collection_removed');
    unit.rows.remove(record);
    await unit.transaction.delete('refused', [record.collection, record.id]);
}
