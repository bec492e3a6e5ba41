/** Bytes that a file counts as whose row does not tell its size: it could be a photo. */
const UNTOLD = 2 ** 20;

/** The fields of a collection that name files, by its `properties` in the schema: `{ field, state, size }`, all names. */
export const blobFields = properties => Object.entries(properties)
    .filter(([, { format }]) => format === 'blob')
    .map(([field, { 'x-blob': { state, size } = {} }]) => ({ field, state, size }));

/** What a row says of the files that these fields name: `{ digest, project, state, size }` each. */
export const filesNamed = (row, fields, project = row.project_id) => fields
    .filter(({ field, state }) => row[field] && row[state])
    .map(({ field, state, size }) => ({ digest: row[field], project, state: row[state], size: row[size] ?? UNTOLD }));
