/**
 * Changes fields of a row. It is stored here and sent when there is a network; the server judges it from the version
 * that was edited, so nobody's value is overwritten unseen. Rows of a collection that takes no uploads are changed on
 * the server at once, if they still have the version that is shown.
 */
export async function write(tidemark, collection, row, values) {
    if (collection.isUploadable) return tidemark.update(collection.name, row.id, values);
    const path = `/${collection.name}/${encodeURIComponent(row.id)}/`;
    return tidemark.request('PATCH', path, { body: values, headers: { 'If-Match': `"${row.server_version}"` } });
}
