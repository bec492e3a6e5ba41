import { inOrder } from '../../../tidemark/lib/order/index.js';

/**
 * Tasks as a tree: a list of roots, each `{ task, parent, children, depth }`, siblings in their order. A task whose
 * parent is missing or below itself is a root, so every task is in the tree once.
 */
export function treeOf(tasks) {
    const nodes = new Map();
    for (const task of tasks) nodes.set(task.id, { task, parent: null, children: [], depth: 0 });
    const roots = [];
    for (const node of nodes.values()) {
        const parent = nodes.get(node.task.parent);
        if (!parent || isWithin(parent, node)) roots.push(node);
        else {
            node.parent = parent;
            parent.children.push(node);
        }
    }
    const sorted = inOrder(roots, taskOf);
    for (const node of nodes.values()) if (node.children.length > 1) node.children = inOrder(node.children, taskOf);
    for (const node of visibleNodes(sorted, new Set())) node.depth = node.parent ? node.parent.depth + 1 : 0;
    return { roots: sorted, nodes };
}

const taskOf = ({ task }) => task;

/** Tasks in the order of the plan, from top to bottom. */
export const inPlanOrder = tasks => visibleNodes(treeOf(tasks).roots, new Set()).map(taskOf);

/** The nodes in sight: those without a collapsed ancestor, from top to bottom. */
export function visibleNodes(roots, collapsed) {
    const open = [...roots].reverse();
    const visible = [];
    while (open.length > 0) {
        const node = open.pop();
        visible.push(node);
        if (collapsed.has(node.task.id)) continue;
        for (let place = node.children.length - 1; place >= 0; place -= 1) open.push(node.children[place]);
    }
    return visible;
}

/** Whether `parent` is below `node`, as far as parents are set: a loop is cut where it would be closed. */
export function isWithin(parent, node) {
    for (let each = parent; each; each = each.parent) if (each === node) return true;
    return false;
}
