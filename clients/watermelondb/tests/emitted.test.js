import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Phone } from './support/phone.js';
import { Server, tidemark } from './support/server.js';

/** The checks of WatermelonDB's `appSchema` and `tableSchema` that concern names. */
function tableSchema({ name, columns }) {
    assert.match(name, /^[a-zA-Z_]\w*$/);
    for (const { name: column, type, isOptional } of columns) {
        assert.match(column, /^(?!(id|_status|_changed|rowid|oid|sqlite_.*|__.*)$)[a-zA-Z_]\w*$/);
        assert.ok(['string', 'number', 'boolean'].includes(type));
        if (['created_at', 'updated_at'].includes(column)) assert.ok(type === 'number' && !isOptional, column);
    }
    const entries = columns.map(({ name, type, isOptional = false }) => [name, { type, isOptional }]);
    return [name, Object.fromEntries(entries)];
}

test('an app built from the printed schema stores every column', async () => {
    const printed = await tidemark('schema', '--format', 'watermelondb');
    const body = printed.replace(/^import .*$/m, '')
        .replace('export const tables', 'const tables')
        .replace('export default', 'return');
    const { version, tables } = new Function('appSchema', 'tableSchema', body)(schema => schema, tableSchema);
    const schema = Object.fromEntries(tables);
    assert.equal(version, 1);
    const server = await Server.start();
    try {
        const token = await server.user('alice');
        assert.deepEqual(schema, await server.schema(token));
        const project = await server.project(token);
        await server.task(token, project, { id: 't-1', name: 'Dig', modified_at: '2026-01-05T00:00:00Z' });
        const phone = new Phone(server, project, token, { schema });
        await phone.sync();
        assert.equal(phone.task('t-1').modified_at, Date.UTC(2026, 0, 5));
        assert.equal(phone.database.rows('calendars').values().next().value.exceptions, '[]');
    } finally {
        await server.stop();
    }
});
