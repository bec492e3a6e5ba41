import { quoted } from '../../edit/undo/words.js';
import { counted } from '../../fields/names.js';

/**
 * Which cells of the list are chosen: the active one, and a block from where the choice began to it. The row of the
 * active cell is the chart's selected node.
 */
export class Cells {
    /** The place of the active cell among the columns. */
    column = 0;
    /** Whether the row that adds a task is the active one. */
    isAtEnd = false;
    /** Where a block began: `{ id, column }`; null for the active cell alone. */
    _from = null;

    constructor(plan) {
        this.plan = plan;
    }

    /** The active cell alone. */
    single() {
        this._from = null;
    }

    /** From here on moves of the active cell choose a block. */
    extend(node) {
        this._from ??= { id: node.task.id, column: this.column };
    }

    get isBlock() {
        return this._from !== null;
    }

    /** The block from its first to its last row and column, both included. `node` is the active row. */
    block(node) {
        const from = this._from && this.plan.indexOf(this._from.id);
        const row = from === null || from < 0 ? node.index : from;
        const column = this._from?.column ?? this.column;
        return {
            top: Math.min(row, node.index), bottom: Math.max(row, node.index),
            left: Math.min(column, this.column), right: Math.max(column, this.column),
        };
    }

    /** The rows of the block. */
    nodes(node) {
        const { top, bottom } = this.block(node);
        return this.plan.rows.slice(top, bottom + 1);
    }

    /** The rows of the block without those that are below another one of it: what moves as a whole. */
    tops(node) {
        const chosen = new Set(this.nodes(node));
        return [...chosen].filter(({ parent }) => !isWithinOneOf(parent, chosen));
    }
}

/** Whether a task, or one above it, is one of these. */
export function isWithinOneOf(node, nodes) {
    for (let each = node; each; each = each.parent) if (nodes.has(each)) return true;
    return false;
}

/** How a step names tasks: “Walls”, or 3 tasks. */
export const namesOf = nodes => (nodes.length === 1 ? quoted(nodes[0].task.name) : counted(nodes.length, 'tasks'));
