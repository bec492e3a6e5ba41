/**
 * Tasks as a tree: a list of roots, each `{ task, parent, children, depth }`. A task whose parent is missing or below
 * itself is a root, so every task is in the tree once.
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
    sortSiblings(roots);
    for (const node of nodes.values()) sortSiblings(node.children);
    for (const node of visibleNodes(roots, new Set())) node.depth = node.parent ? node.parent.depth + 1 : 0;
    return { roots, nodes };
}

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
function isWithin(parent, node) {
    for (let each = parent; each; each = each.parent) if (each === node) return true;
    return false;
}

/** By the numbers of `wbs_path` if all siblings have them, otherwise by creation: docs/import.md, "Writing". */
function sortSiblings(siblings) {
    if (siblings.length < 2) return;
    const codes = new Map(siblings.map(node => [node, numbersOf(node.task.wbs_path)]));
    const areNumbered = siblings.every(node => codes.get(node));
    siblings.sort((one, other) =>
        (areNumbered && compareNumbers(codes.get(one), codes.get(other))) || byCreation(one.task, other.task));
}

function numbersOf(code) {
    return code && /^\d+(\.\d+)*$/.test(code) ? code.split('.').map(Number) : null;
}

function compareNumbers(one, other) {
    const length = Math.min(one.length, other.length);
    for (let place = 0; place < length; place += 1) {
        if (one[place] !== other[place]) return one[place] - other[place];
    }
    return one.length - other.length;
}

/** The server counts short ids up. A task that it has not seen yet has none, and is the newest. */
function byCreation(one, other) {
    const [left, right] = [one.short_id ?? '~', other.short_id ?? '~'];
    if (left !== right) return left < right ? -1 : 1;
    return one.id < other.id ? -1 : 1;
}
