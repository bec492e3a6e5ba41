/**
 * Writes again what a copy set aside holds, and dismisses the copy. Of a new row it makes another one, since the id may
 * be used up. Returns the row's id.
 */
export async function writeAgain(tidemark, collection, copy) {
    const id = await written(tidemark, collection, copy);
    await tidemark.dismiss(copy.number);
    return id;
}

async function written(tidemark, collection, { id, project_id, status, values, changed }) {
    if (status === 'deleted') {
        await tidemark.delete(collection.name, id);
        return id;
    }
    const writable = Object.entries(values).filter(([name, value]) => mayWrite(collection.field(name), value));
    if (status === 'created' || await tidemark.row(collection.name, id) === null) {
        return tidemark.insert(collection.name, { project_id, ...Object.fromEntries(writable) });
    }
    const edited = writable.filter(([name]) => changed.includes(name));
    await tidemark.update(collection.name, id, Object.fromEntries(edited));
    return id;
}

const mayWrite = (field, value) => field && !field.isReadOnly && (value !== null || field.isNullable);
