import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalog } from '../lib/fields/catalog.js';
import { Cells } from '../lib/plan/list/cells.js';
import { Columns } from '../lib/plan/list/columns.js';
import { Structure } from '../lib/plan/list/structure.js';
import { Typing } from '../lib/plan/list/typing.js';
import { Plan } from '../lib/plan/model/plan.js';
import { schema } from './support/schema.js';

const ME = { user: 1, role: 100, isArchived: false };

/** The schema's tasks, without some fields. */
function tasksWithout(...names) {
    const own = structuredClone(schema);
    const { properties } = own.collections.find(({ title }) => title === 'tasks');
    for (const name of names) delete properties[name];
    return new Catalog(own).collection('tasks');
}

/** A plan as a text: a dot for each level. Edits are done at once. */
function planned(lines, collection = tasksWithout()) {
    const plan = new Plan();
    const above = [];
    plan.setTasks(lines.map((line, place) => {
        const depth = /^·*/.exec(line)[0].length;
        const id = line.slice(depth);
        above[depth] = id;
        return { id, name: id, parent: depth > 0 ? above[depth - 1] : null, wbs_path: String(place), short_id: id };
    }));
    const columns = new Columns({ workingDays: () => plan.workingDays, names: () => null });
    columns.setCollection(collection);
    const said = [];
    const gone = [];
    const page = {
        plan, columns, data: { who: ME }, refresh() {}, chart: { selected: null, select() {} },
        list: { cells: new Cells(plan), edits: { say: text => said.push(text) } },
        editing: {
            go(name, edits) {
                gone.push({ name, edits });
                for (const { id, values } of edits) plan.put({ ...plan.node(id).task, ...values });
            },
        },
    };
    const structure = new Structure(page);
    const rows = () => plan.rows.map(({ depth, task }) => `${'·'.repeat(depth)}${task.id}`);
    return { plan, page, structure, said, gone, rows, nodes: (...ids) => ids.map(id => plan.node(id)) };
}

test('indent goes below the sibling above, outdent behind the parent, and nothing else moves', () => {
    const { structure, rows, nodes, gone } = planned(['a', '·b', 'c', '·d', 'e']);
    structure.shift(nodes('c'), 1);
    assert.deepEqual(rows(), ['a', '·b', '·c', '··d', 'e']);
    structure.shift(nodes('c'), 1);
    assert.deepEqual(rows(), ['a', '·b', '··c', '···d', 'e']);
    structure.shift(nodes('d'), -1);
    assert.deepEqual(rows(), ['a', '·b', '··c', '··d', 'e']);
    structure.shift(nodes('b'), -1);
    assert.deepEqual(rows(), ['a', 'b', '·c', '·d', 'e']);
    assert.deepEqual(gone.map(({ edits }) => edits.length), [1, 1, 1, 1], 'no other row is written');
    structure.shift(nodes('a'), 1);
    structure.shift(nodes('a'), -1);
    assert.equal(gone.length, 4, 'there is no place for it');
});

test('rows move up and down among their siblings, several as one', () => {
    const { structure, rows, nodes } = planned(['a', 'b', 'c', '·x', 'd']);
    structure.liftAll(nodes('c'), -1);
    assert.deepEqual(rows(), ['a', 'c', '·x', 'b', 'd']);
    structure.liftAll(nodes('a', 'c'), 1);
    assert.deepEqual(rows(), ['b', 'a', 'c', '·x', 'd']);
    structure.liftAll(nodes('b'), -1);
    structure.liftAll(nodes('d'), 1);
    assert.deepEqual(rows(), ['b', 'a', 'c', '·x', 'd']);
});

test('rows are put before one that moves with them', () => {
    const { structure, rows, nodes, plan } = planned(['a', 'b', 'c', 'd']);
    structure.move(nodes('b', 'c'), { parent: null, before: plan.node('c') });
    assert.deepEqual(rows(), ['a', 'b', 'c', 'd']);
    structure.move(nodes('d', 'b'), { parent: plan.node('a'), before: null });
    assert.deepEqual(rows(), ['a', '·d', '·b', 'c']);
});

test('a schema without ranks has the parents only, and one without parents has the order only', () => {
    const unranked = planned(['a', 'b', 'c'], tasksWithout('rank'));
    unranked.structure.shift(unranked.nodes('b'), 1);
    assert.deepEqual(unranked.gone[0].edits, [{ id: 'b', values: { parent: 'a' } }]);
    unranked.structure.liftAll(unranked.nodes('c'), -1);
    assert.match(unranked.said[0], /no ranks/);
    const flat = planned(['a', 'b', 'c'], tasksWithout('parent'));
    flat.structure.shift(flat.nodes('b'), 1);
    flat.structure.liftAll(flat.nodes('c'), -1);
    assert.deepEqual(flat.rows(), ['a', 'c', 'b']);
    assert.deepEqual(flat.gone.map(({ edits }) => Object.keys(edits[0].values)), [['rank']]);
});

test('who may not edit tasks moves none', () => {
    const { structure, said, gone, nodes, page } = planned(['a', 'b']);
    page.data.who = { ...ME, role: 1 };
    structure.shift(nodes('b'), 1);
    structure.liftAll(nodes('b'), -1);
    assert.equal(gone.length, 0);
    assert.match(said.join(), /needs the role Member/);
});

test('a new task goes behind a row, or first into what is open below it', () => {
    const { page, plan } = planned(['a', '·b', 'c']);
    const typing = new Typing(page);
    const placeOf = id => {
        const { parent, before } = typing.placeBelow(plan.node(id));
        return [parent?.task.id ?? null, before?.task.id ?? null];
    };
    assert.deepEqual([placeOf('a'), placeOf('b'), placeOf('c')], [['a', 'b'], ['a', null], [null, null]]);
    plan.toggle('a', false);
    assert.deepEqual(placeOf('a'), [null, 'c']);
});
