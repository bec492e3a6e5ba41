import { folded } from '../../query/filter.js';

// Which columns a block of cells has.

/** What other programs call the columns of the plan. */
const OTHER_NAMES = {
    name: ['name', 'task name', 'title', 'summary'],
    start: ['start date', 'begin', 'from', 'planned start'],
    end: ['end', 'finish date', 'end date', 'due', 'due date', 'to'],
    days: ['duration', 'working days', 'length'],
    percent: ['% complete', 'percent complete', 'progress', '%', 'done, %', 'complete'],
    assignee: ['resource names', 'resource', 'owner', 'who', 'assigned to'],
    status: ['state'],
};

/** The column that a heading names; undefined if it names none. */
const columnOf = (heading, columns) => {
    const name = folded(heading.trim());
    return columns.find(each => folded(each.label) === name || OTHER_NAMES[each.name]?.includes(name));
};

/**
 * The columns of a block, null for one that is left out, and whether its first row names them. It does if at least two
 * cells do, and one of them is the name; otherwise the columns are those that are shown, from the active cell on.
 */
export function headsOf(cells, { all, shown }) {
    const named = cells[0].map(heading => columnOf(heading, all) ?? null);
    const known = named.filter(Boolean);
    const isDistinct = new Set(known).size === known.length;
    const isNamed = known.length > 1 && isDistinct && known.some(({ name }) => name === 'name');
    if (isNamed) return { heads: named, isNamed, leftOut: cells[0].filter((_, place) => !named[place]) };
    const width = Math.max(...cells.map(row => row.length));
    const heads = Array.from({ length: width }, (_, place) => shown[place] ?? null);
    const extra = heads.filter(each => !each).length;
    return { heads, isNamed, leftOut: extra > 0 ? [counted(extra)] : [] };
}

const counted = count => `${count} more ${count === 1 ? 'column' : 'columns'}`;
