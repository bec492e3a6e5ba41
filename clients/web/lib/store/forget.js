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
