import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LinkEdits } from '../lib/plan/links/link-edits.js';
import { Plan } from '../lib/plan/model/plan.js';
import { schema } from './support/schema.js';

const TASKS = ['a', 'b'].map(id => ({ id, name: id, parent: null, planned_start: '2026-03-02' }));
let versions = 0;
const OWNER = { role: 400, isArchived: false };

/** The links of a plan of two tasks, over a schema with these collections; and the steps that were made. */
async function linksWith(collections, who = OWNER) {
    const plan = new Plan();
    plan.setTasks(TASKS);
    const steps = [];
    const document = { schema_version: `test ${++versions}`, collections };
    const context = {
        tidemark: { schema: () => Promise.resolve(document) },
        edits: { apply: step => Promise.resolve(steps.push(step)).then(() => ({ left: [] })) },
        onState(callback) {
            callback({ refused: [] });
            return () => {};
        },
    };
    const links = new LinkEdits(context, 'p', plan, who, () => {});
    await new Promise(resolve => setImmediate(resolve));
    return { plan, steps, links };
}

const without = (name, field) => schema.collections.map(each => {
    if (each.title !== name) return each;
    const { [field]: _, ...properties } = each.properties;
    return { ...each, properties };
});

test('a schema without links goes without', async () => {
    const { links } = await linksWith(schema.collections.filter(({ title }) => title !== 'dependencies'));
    assert.equal(links.collection, null);
    assert.equal(links.can('create'), false);
    assert.equal(links.whyNot, null, 'there is nothing to be said about it');
});

test('a schema whose links have no lag or no kind makes links without', async () => {
    for (const [field, rest] of [['lag', { dep_type: 'FS' }], ['dep_type', { lag: 0 }]]) {
        const { plan, steps, links } = await linksWith(without('dependencies', field));
        await links.add(plan.node('a'), plan.node('b'));
        const [{ changes: [{ insert }] }] = steps;
        assert.deepEqual(insert, { project_id: 'p', predecessor: 'a', successor: 'b', ...rest });
    }
});

test('links need a scheduler, and a project that is not archived', async () => {
    for (const [who, can, why] of [
        [{ role: 200, isArchived: false }, true, null], [{ role: 100, isArchived: false }, false, /Scheduler/],
        [{ role: 400, isArchived: true }, false, /archived/],
    ]) {
        const { links } = await linksWith(schema.collections, who);
        for (const what of ['create', 'update', 'delete']) assert.equal(links.can(what), can);
        if (why) assert.match(links.whyNot, why);
        else assert.equal(links.whyNot, null);
    }
});

test('a change writes only what is another value, over the value that was seen', async () => {
    const { plan, steps, links } = await linksWith(schema.collections);
    const link = { id: 'l', from: plan.node('a'), to: plan.node('b'), kind: 'FS', lag: 2 };
    await links.change(link, { kind: 'FS', lag: 2 });
    assert.equal(steps.length, 0);
    await links.change(link, { kind: 'SS' });
    assert.deepEqual(steps[0].changes, [
        { collection: 'dependencies', id: 'l', update: { dep_type: 'SS' }, expected: { dep_type: 'FS' } },
    ]);
});
