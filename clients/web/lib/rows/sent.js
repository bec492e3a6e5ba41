import { basesOf, editedOn, hasCome, seen } from './record.js';
import { only } from './values.js';

/**
 * A row as a batch has it: `{ collection, id, project_id, bucket, changed, values, base, bases, version }`. Of a new
 * row `values` are all that a client may write, of an edit only the edited ones. `base` is the oldest version that was
 * edited, null for a new row and until drains have reached it; `bases` has that of each field with another one.
 * `version` is the answer's, null before.
 */
export function sentRow(record, collection) {
    const bucket = record._status;
    const { id, project_id } = record;
    const values = bucket === 'deleted' ? {} : only(record.values, collection.fields
        .filter(field => isSent(field, record, bucket)).map(({ name }) => name));
    const changed = record._changed.filter(name => Object.hasOwn(values, name));
    const { edited: base, bases } = bucket === 'updated' && hasCome(record)
        ? editedOn(basesOf(record, changed), seen(record)) : { edited: null, bases: {} };
    return { collection: collection.name, id, project_id, bucket, changed, values, base, bases, version: null };
}

function isSent(field, { values, _changed }, bucket) {
    if (field.isReadOnly || (!field.isNullable && (values[field.name] ?? null) === null)) return false;
    return bucket === 'created' || _changed.includes(field.name);
}

/**
 * The row's element in its bucket. `_changed` limits an edit to the fields that were edited, so other people's edits of
 * the same row survive. If the server has a new row already, it limits the change to what was edited since.
 *
 * A sync pulls before it pushes, so the watermark says nothing about what the user had seen: `base_version` does, and
 * `base_versions` for fields that were edited after a later pull.
 */
export const elementOf = ({ id, project_id, bucket, changed, values, base = null, bases = {} }) => (
    bucket === 'deleted' ? id : {
        ...values, project_id, id, _changed: changed.join(','), ...(base > 0 ? { base_version: base } : {}),
        ...(Object.keys(bases).length > 0 ? { base_versions: bases } : {}),
    });

/** The request's body. A refused row does not hold up the others. */
export function bodyOf(rows, { id, since, device, onConflict }) {
    const changes = {};
    for (const row of rows) {
        changes[row.collection] ??= { created: [], updated: [], deleted: [] };
        changes[row.collection][row.bucket].push(elementOf(row));
    }
    return {
        client_batch_id: id, last_pulled_at: since, device_id: device, on_conflict: onConflict,
        on_error: 'reject_rows', changes,
    };
}
