import { quoted } from '../edit/undo/words.js';
import { settleInbox } from './twice.js';

/**
 * Writes again what a copy set aside holds, and dismisses the copy, also in the server's list. Of a new row it makes
 * another one, since the id may be used up. Returns the row's id. The copy of a deletion stays until the row is deleted.
 */
export async function writeAgain(edits, collection, copy) {
    const change = await changeOf(edits.tidemark, collection, copy);
    const called = collection.nameField && copy.values[collection.nameField.name];
    const name = `Write ${called ? quoted(called) : `the ${collection.singular}`} again`;
    const { ids: [id], deletion } = await edits.apply({ name, changes: [change] });
    const dismiss = async () => {
        await edits.tidemark.dismiss(copy.number);
        settleInbox(edits.tidemark, copy);
    };
    if (deletion) deletion.over.then(isDone => isDone && dismiss());
    else await dismiss();
    return id;
}

async function changeOf(tidemark, known, { id, project_id, status, values, changed }) {
    const { name: collection } = known;
    if (status === 'deleted') return { collection, id, delete: true };
    const writable = Object.entries(values).filter(([name, value]) => mayWrite(known.field(name), value));
    if (status === 'created' || await tidemark.row(collection, id) === null) {
        return { collection, insert: { project_id, ...Object.fromEntries(writable) } };
    }
    return { collection, id, update: Object.fromEntries(writable.filter(([name]) => changed.includes(name))) };
}

const mayWrite = (field, value) => field && !field.isReadOnly && (value !== null || field.isNullable);
