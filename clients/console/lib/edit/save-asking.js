import { askWhich } from './meanwhile.js';

/**
 * Saves a field of a row, from the value `before`, which the user saw. If it has another one by now, the user is asked
 * which one is to stand. `options` are those of `edits.save`.
 */
export async function saveAsking(edits, { collection, row, field, names }, before, value, options) {
    const { meanwhile } = await edits.save(collection, row.id, field, before, value, options);
    const theirs = meanwhile?.[field.name] ?? null;
    if (meanwhile && await askWhich(field, theirs, value, names)) {
        await edits.save(collection, row.id, field, theirs, value, { ...options, isForced: true });
    }
}
