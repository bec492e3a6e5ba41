import { Placing } from '../../../tidemark/lib/order/index.js';
import { namesOf } from './cells.js';

/** Where tasks stand: indent, outdent, move up and down, and to any place. */
export class Structure {
    constructor(page) {
        this.page = page;
    }

    /** Why tasks can't be moved, as a sentence; null if they can. */
    whyNot() {
        const { columns, data } = this.page;
        return columns.whyNot({ of: 'name' }, null, data.who)
            ?? (this._has('rank') ? null : 'This server’s schema has no ranks, so the order can’t be changed.');
    }

    /** Whether the schema has a field of tasks. */
    _has(name) {
        return Boolean(this.page.columns.collection?.field(name));
    }

    // Places among siblings: `{ parent, before }`, nodes or null. `before` is null for the end.

    /** Below the sibling above; null if there is none. */
    indented(nodes) {
        const siblings = this.page.plan.siblingsOf(nodes[0]);
        const above = siblings[siblings.indexOf(nodes[0]) - 1];
        return above && this._has('parent') ? { parent: above, before: null } : null;
    }

    /** Behind the parent; null for a task that has none. */
    outdented([{ parent }]) {
        if (!parent) return null;
        const siblings = this.page.plan.siblingsOf(parent);
        return { parent: parent.parent, before: siblings[siblings.indexOf(parent) + 1] ?? null };
    }

    /** One place up or down among the siblings; null at their end. */
    lifted(nodes, step) {
        const siblings = this.page.plan.siblingsOf(nodes[0]);
        const places = nodes.map(each => siblings.indexOf(each));
        const place = step < 0 ? Math.min(...places) - 1 : Math.max(...places) + 2;
        if (place < 0 || place > siblings.length) return null;
        return { parent: nodes[0].parent, before: siblings[place] ?? null };
    }

    // Moves of what is in the plan.

    /** Indents or outdents tasks. */
    shift(nodes, step) {
        const why = this.page.columns.whyNot({ of: 'name' }, null, this.page.data.who);
        if (why || nodes.length === 0) return why && this.page.list.edits.say(why);
        const place = step > 0 ? this.indented(nodes) : this.outdented(nodes);
        const name = step > 0 ? 'Indent' : 'Outdent';
        return place ? this.move(nodes.filter(({ parent }) => parent === nodes[0].parent), place, name) : undefined;
    }

    /** Moves the chosen tasks up or down. */
    lift(node, step) {
        return this.liftAll(this.page.list.cells.tops(node), step);
    }

    /** Moves tasks up or down: those with the same parent as the first. */
    liftAll(tops, step) {
        const why = this.whyNot();
        if (why || tops.length === 0) return why && this.page.list.edits.say(why);
        const nodes = tops.filter(({ parent }) => parent === tops[0].parent);
        const place = this.lifted(nodes, step);
        return place ? this.move(nodes, place) : undefined;
    }

    /** Moves tasks to a place, in one edit. */
    move(nodes, place, verb = 'Move') {
        const { plan, editing, chart } = this.page;
        const done = editing.go(`${verb} ${namesOf(nodes)}`, this.edits(nodes, place));
        for (const { task } of nodes) plan.reveal(task.id);
        this.page.refresh();
        if (chart.selected) chart.select(chart.selected);
        return done;
    }

    /** The edits that move tasks to a place. A server without ranks has the parents only. */
    edits(nodes, { parent, before }, placing = new Placing()) {
        const { ranks, reranked } = this.ranksFor({ parent, before }, nodes, placing);
        const above = this.parentOf(parent?.task.id ?? null);
        return [
            ...nodes.map(({ task }, place) => ({ id: task.id, values: { ...above, ...ranks[place] } })),
            ...reranked,
        ];
    }

    /** The parent as a value to write; nothing if the schema has none. */
    parentOf(id) {
        return this._has('parent') ? { parent: id } : {};
    }

    /** Ranks for tasks at a place, as values, and the edits of neighbours that need others. */
    ranksFor({ parent, before, children = parent?.children ?? this.page.plan.roots }, nodes, placing) {
        if (!this._has('rank')) return { ranks: nodes.map(() => ({})), reranked: [] };
        const moved = new Set(nodes);
        const siblings = children.filter(each => !moved.has(each));
        const rest = before ? children.slice(children.indexOf(before)).find(each => !moved.has(each)) : null;
        const index = rest ? siblings.indexOf(rest) : siblings.length;
        const { ranks, reranked } = placing.put(siblings.map(({ task }) => task), index, nodes.length);
        return {
            ranks: ranks.map(rank => ({ rank })),
            reranked: reranked.map(({ id, rank }) => ({ id, values: { rank } })),
        };
    }
}
