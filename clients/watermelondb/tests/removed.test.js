import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { memoryStorage } from '../index.js';
import { NEW } from './support/rows.js';
import { Phone } from './support/phone.js';
import { ownSchemas } from './support/schemas.js';
import { Server } from './support/server.js';
import { synchronize } from './support/synchronize.js';

// A server that removes a collection (`x-removed`), and brings it back.

let server, schemas, alice, tables;

before(async () => {
    schemas = ownSchemas();
    server = await Server.start({}, { schemas: schemas.folder });
    alice = await server.user('alice');
    tables = await server.schema(alice);
});
after(async () => {
    await server.stop();
    rmSync(schemas.folder, { recursive: true });
});

async function restart(isRemoved) {
    await server.halt();
    // Attachments refer to risks.
    for (const name of ['risks', 'attachments']) {
        schemas.change(name, document => ({ ...document, 'x-removed': isRemoved }));
    }
    await server.run();
}

const risk = (id, title) => ({ ...NEW.risks, id, title });
const codes = phone => phone.reports.splice(0).flatMap(({ rejected }) =>
    Object.values(rejected).flat().map(({ id, code }) => `${id} ${code}`)).sort();

for (const collections of [undefined, ['projects', 'tasks', 'risks']]) {
    for (const restarts of [false, true]) {
        const how = `${collections ? 'of named collections' : 'of all collections'}${restarts ? ', restarted' : ''}`;
        test(`edits in a removed collection are reported and stay, others go; a phone ${how}`, async () => {
            await restart(false);
            const project = await server.project(alice);
            const id = name => `${project}-${name}`;
            const storage = memoryStorage();
            const schema = { ...tables, photos: { caption: { type: 'string' } } };
            const start = () => new Phone(server, project, alice, { schema, storage, collections, retry: { attempts: 1 } });
            let phone = start();
            const { database } = phone;
            await phone.sync();
            database.create('risks', risk(id('known'), 'Rain'));
            await phone.sync();
            await phone.sync();
            database.update('risks', id('known'), { title: 'Hail' });
            database.create('risks', risk(id('new'), 'Snow'));
            database.create('tasks', { ...NEW.tasks, id: id('dig'), name: 'Dig' });
            database.create('photos', { id: 'own', caption: 'The app alone has photos' });
            await restart(true);
            if (restarts) {
                phone = start();
                phone.database = database;
            }
            for (let round = 0; round < 2; round++) {
                await phone.sync();
                assert.deepEqual(codes(phone), [`${id('known')} collection_removed`, `${id('new')} collection_removed`]);
            }
            assert.equal((await server.api(alice, 'GET', `/tasks/${id('dig')}/`)).name, 'Dig');
            const { isSame } = await phone.adapter.compare({ synchronize, database });
            assert.equal(isSame, true);
            const unsent = () => phone.adapter.unsent({ synchronize, database });
            assert.deepEqual(await unsent(), { risks: [id('new'), id('known')] });
            await restart(false);
            phone = start();
            phone.database = database;
            for (let round = 0; round < 3; round++) await phone.sync();
            assert.deepEqual([codes(phone), await unsent(), database.errors], [[], {}, []]);
            const { results } = await server.api(alice, 'GET', `/projects/${project}/risks/`);
            assert.deepEqual(results.map(({ title }) => title).sort(), ['Hail', 'Snow']);
        });
    }
}

test('an app that names only collections that the server does not have is told so', async () => {
    await restart(true);
    const project = await server.project(alice);
    const phone = new Phone(server, project, alice, { collections: ['risks'], retry: { attempts: 1 } });
    await assert.rejects(phone.sync(), { code: 'unknown_collection' });
});

test('the first sync in turbo leaves out a collection that the server does not have yet, and gets it later', async () => {
    await restart(true);
    const project = await server.project(alice);
    await server.task(alice, project, { id: `${project}-0`, name: 'Dig' });
    const storage = memoryStorage();
    const start = () => new Phone(server, project, alice, { schema: tables, storage, collections: ['tasks', 'risks'] });
    const phone = start();
    await phone.sync({ unsafeTurbo: true });
    assert.equal(phone.database.rows('tasks').size, 1);
    await restart(false);
    await server.api(alice, 'POST', `/projects/${project}/risks/`, { title: 'Rain', probability: 2, impact: 4 });
    const later = start();
    later.database = phone.database;
    await later.sync();
    assert.deepEqual([...later.database.rows('risks').values()].map(({ title }) => title), ['Rain']);
});
