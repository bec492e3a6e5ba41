// Moves of tasks and pasted blocks: what the browser's windows do, what somebody else does over REST, and what must hold
// of the order in the end.
import assert from 'node:assert/strict';
import { inOrder, Placing } from '../../../web/lib/order/index.js';
import { inPlanOrder, treeOf } from '../../lib/plan/model/tree.js';

/** What a window does, as a text that runs in the page. */
export const ACTS = `
    const { inOrder, Placing } = await import('/console/tidemark/lib/order/index.js');
    const isWithin = (tasks, id, above) => {
        for (let each = id; each; each = tasks.get(each)?.parent) if (each === above) return true;
        return false;
    };
    /** Makes room among the rows below a parent, and returns the ranks. */
    const placed = async (tasks, { id = null, parent, at }, count) => {
        const siblings = inOrder([...tasks.values()].filter(each => each.parent === parent && each.id !== id));
        const index = Math.min(at, siblings.length);
        const { ranks, reranked } = new Placing().put(siblings, index, count);
        const known = new Map(reranked.map(each => [each.id, each.rank]));
        const rows = siblings.map(row => (known.has(row.id) ? { ...row, rank: known.get(row.id) } : row));
        rows.splice(index, 0, ...ranks.map((rank, place) => ({ id: 'new' + place, rank })));
        if (inOrder(rows).some((row, place) => row !== rows[place])) throw new Error('not where it was put');
        for (const each of reranked) await tidemark.update('tasks', each.id, { rank: each.rank });
        return ranks;
    };
    const tasksByID = async () => new Map((await tidemark.rows('tasks')).map(row => [row.id, row]));
    Object.assign(acts, {
        async move(edit) {
            const tasks = await tasksByID();
            const task = tasks.get(edit.id);
            if (!task || (edit.parent !== null && !tasks.has(edit.parent))) return 'gone';
            if (isWithin(tasks, edit.parent, edit.id)) return 'moved';
            const [rank] = await placed(tasks, edit, 1);
            await tidemark.update('tasks', edit.id, { parent: edit.parent, rank });
            return task.parent === edit.parent ? 'moved' : 'stored';
        },
        async paste({ rows, parent, at }) {
            const tasks = await tasksByID();
            if (parent !== null && !tasks.has(parent)) return 'gone';
            const ranks = await placed(tasks, { parent, at }, rows.length);
            for (const [place, row] of rows.entries()) {
                await tidemark.insert('tasks', { ...row, parent, rank: ranks[place] });
            }
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

    /** A block that a window pastes. Nobody is promised that all of it is stored: the window may die in between. */
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
        const { ranks: [rank] } = new Placing({ random: campaign.random })
            .put(siblings, campaign.below(siblings.length + 1));
        campaign.counts.elsewhere += 1;
        campaign.ledger.moved(id, below);
        await campaign.server.api(campaign.token, 'PATCH', `/tasks/${id}/`, { parent: below, rank })
            .catch(error => assert.match(String(error.message), /cyclic_parent|parent_deleted|dangling|40\d/));
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
