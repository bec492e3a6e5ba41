// Moves of tasks and pasted blocks: what the browser's windows do, what somebody else does over REST, and what must hold
// of the order in the end.
import assert from 'node:assert/strict';
import { inOrder, Placing } from '../../../web/lib/order/index.js';
import { inPlanOrder, treeOf } from '../../lib/plan/model/tree.js';

/** What a window does, as a text that runs in the page. It goes the way that the plan's list goes, as one step. */
export const ACTS = `
    const { Placing, inOrder } = await import('/console/tidemark/lib/order/index.js');
    const { Structure } = await import('/console/lib/plan/list/structure.js');
    const { Plan } = await import('/console/lib/plan/model/plan.js');
    const { isWithin } = await import('/console/lib/plan/model/tree.js');
    /** The plan as it is now, as far as a move needs its page. */
    const planned = async () => {
        const [plan, catalog] = [new Plan(), await catalogOf(tidemark)];
        plan.setTasks(await tidemark.rows('tasks'));
        return { plan, structure: new Structure({ plan, columns: { collection: catalog.collection('tasks') } }) };
    };
    /** Makes a step. What it moves stands there as long as nobody else moves it. */
    const made = async (name, { plan, siblings, index, nodes }, changes) => {
        const values = new Map(changes.map(({ id, update, insert }) => [id, update ?? insert]));
        const rows = siblings.toSpliced(index, 0, ...nodes).map(({ task }) => ({ ...task, ...values.get(task.id) }));
        if (inOrder(rows).some((row, place) => row !== rows[place])) throw new Error('not where it was put');
        const { refused: [refused], left } = await edits.apply({ name, changes });
        if (refused) throw refused.error;
        return left;
    };
    const updated = (plan, { id, values }) => {
        const { task } = plan.node(id);
        const expected = Object.fromEntries(Object.keys(values).map(name => [name, task[name] ?? null]));
        return { collection: 'tasks', id, update: values, expected };
    };
    Object.assign(acts, {
        async move({ id, parent, at }) {
            const { plan, structure } = await planned();
            const [node, above] = [plan.node(id), plan.node(parent)];
            if (!node || (parent !== null && !above)) return 'gone';
            if (isWithin(above, node)) return 'moved';
            const siblings = (above?.children ?? plan.roots).filter(each => each !== node);
            const place = { parent: above, before: siblings[at] ?? null };
            const changes = structure.edits([node], place).map(edit => updated(plan, edit));
            const former = node.task.parent;
            const left = await made('Move', { siblings, index: Math.min(at, siblings.length), nodes: [node] }, changes);
            if (left.some(({ change }) => change.id === id)) return 'meanwhile';
            return former === parent ? 'moved' : 'stored';
        },
        async paste({ rows, parent, at }) {
            const { plan, structure } = await planned();
            const above = plan.node(parent);
            if (parent !== null && !above) return 'gone';
            const siblings = [...above?.children ?? plan.roots];
            const nodes = rows.map(row => ({ task: { ...row, parent } }));
            const place = { parent: above, before: siblings[at] ?? null };
            const { ranks, reranked } = structure.ranksFor(place, nodes, new Placing());
            const added = nodes.map(({ task }, index) =>
                ({ collection: 'tasks', id: task.id, insert: { ...task, ...ranks[index] } }));
            const changes = [...added, ...reranked.map(edit => updated(plan, edit))];
            await made('Paste', { siblings, index: Math.min(at, siblings.length), nodes }, changes);
            return 'moved';
        },
    });`;

export class Structure {
    blocks = [];

    constructor(campaign) {
        Object.assign(this, { campaign });
    }

    /** A move of a task by a window. */
    move(tasks) {
        const { campaign } = this;
        const [{ id }, parent] = [campaign.pick(tasks), this._parentIn(tasks)];
        const edit = { do: 'move', collection: 'tasks', id, parent, at: campaign.below(6), values: { parent } };
        return campaign.ledger.begin('browser', edit, [parent]);
    }

    /** A block that a window pastes. */
    paste(tasks) {
        const { campaign } = this;
        const parent = this._parentIn(tasks);
        const rows = Array.from({ length: 4 }, () => {
            const id = campaign.nextID();
            return { id, project_id: campaign.project, name: `pasted ${id}` };
        });
        this.blocks.push(rows.map(({ id }) => id));
        const edit = { do: 'paste', collection: 'tasks', id: rows[0].id, rows, parent, at: campaign.below(6) };
        return campaign.ledger.begin('browser', { ...edit, values: {} }, [parent]);
    }

    /** Somebody else moves a task, so that it is moved in two places at a time. */
    async moveElsewhere() {
        const { campaign } = this;
        const tasks = (await campaign.get(`/projects/${campaign.project}/tasks/?limit=500`)).results;
        if (tasks.length === 0) return;
        const [{ id, parent }, other] = [campaign.pick(tasks), this._parentIn(tasks)];
        const below = campaign.below(2) === 0 ? parent : other;
        const siblings = inOrder(tasks.filter(each => each.parent === below && each.id !== id));
        const rank = this._rankIn(siblings);
        campaign.counts.elsewhere += 1;
        campaign.ledger.moved(id, below);
        await campaign.server.api(campaign.token, 'PATCH', `/tasks/${id}/`, { parent: below, rank })
            .catch(error => assert.match(String(error.message), /cyclic_parent|parent_deleted|dangling|40\d/));
    }

    /** A new place among tasks. One of four times it is one that is taken: two devices may have chosen the same. */
    _rankIn(siblings) {
        const { campaign } = this;
        const taken = siblings.map(({ rank }) => rank).filter(Boolean);
        if (taken.length > 0 && campaign.below(4) === 0) return campaign.pick(taken);
        const { ranks: [rank] } = new Placing({ random: campaign.random })
            .put(siblings, campaign.below(siblings.length + 1));
        return rank;
    }

    _parentIn(tasks) {
        return this.campaign.below(3) > 0 ? null : this.campaign.pick(tasks).id;
    }

    /** `rows` are the server's tasks by id. */
    check(rows) {
        const { label } = this.campaign;
        const tasks = [...rows.values()];
        const { roots } = treeOf(tasks);
        assert.deepEqual(roots.filter(({ task }) => task.parent !== null), [], label('a task is in a ring'));
        const order = inPlanOrder(tasks);
        for (const [place, one] of this.blocks.entries()) {
            for (const other of this.blocks.slice(place + 1)) this._unmixed(order, one, other);
        }
    }

    /** A block may have been put into another one, but not each into the other. Rows that were moved don't count. */
    _unmixed(order, one, other) {
        const { label, ledger } = this.campaign;
        const parents = new Set();
        const runs = [];
        for (const { id, parent } of order) {
            const block = one.includes(id) ? 'a' : other.includes(id) ? 'b' : null;
            if (!block || ledger.isMoved(id)) continue;
            parents.add(parent);
            if (runs.at(-1) !== block) runs.push(block);
        }
        if (parents.size === 1) assert.ok(runs.length <= 3, label(`blocks mix: ${one} and ${other}`));
    }

    /** Nobody is told of a place alone: what the inbox has of a place has a copy of the row beside it. */
    async strayEntries(aside) {
        const { project } = this.campaign;
        const { results } = await this.campaign.get(`/projects/${project}/rejected/?limit=500`);
        return results.filter(({ id, field, code }) => field === 'rank' && code === 'conflict'
            && !aside.some(each => each.id === id));
    }
}
