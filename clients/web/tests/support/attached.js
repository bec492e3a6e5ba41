import assert from 'node:assert/strict';
import { sha256 } from './files.js';
import { until } from './open.js';

/** Adds a file, and a row that names it. */
export async function attach(client, project, bytes, row = {}) {
    const { digest, size } = await client.files.add(bytes);
    const id = await client.insert('attachments', { project_id: project, name: 'Photo', file: digest, ...row });
    return { digest, size, id };
}

/** Resolves when a file of a copy has a state. */
export const comesTo = (client, digest, state) =>
    until(async () => (await client.files.state(digest))?.state === state, `${digest} is ${state}`);

export const stored = (client, digest) => comesTo(client, digest, 'stored');

/** Puts a file of somebody's on the server, with a row that names it. Returns the digest and the row's id. */
export async function putFile(server, token, project, bytes, row = {}) {
    const digest = sha256(bytes);
    const address = `${server.url}/api/v1/projects/${project}/files/${digest}/`;
    const { status } = await fetch(address, { method: 'PUT', headers: { Authorization: `Bearer ${token}` }, body: bytes });
    assert.ok([200, 201].includes(status), `${status}`);
    const values = { name: 'Photo', file: digest, ...row };
    const { id } = await server.api(token, 'POST', `/projects/${project}/attachments/`, values);
    return { digest, id };
}
