import { optionsOf } from '../../edit/options.js';
import { pasted } from '../../edit/pasted.js';
import { headsOf } from './heads.js';

/** So many rows can be pasted at once. */
export const MOST_ROWS = 2000;

/** A start comes before the finish that is counted from it. */
const ORDER = ['name', 'start', 'days', 'end', 'percent', 'status', 'assignee'];

/**
 * What a block of cells makes of a plan. `plan` has `rows`, `columns` is the plan's, `shown` are the columns from the
 * active cell on, and `from` is the place of the active row. Rows behind the last one, and all with `isNew`, are added.
 *
 * `lines` are `{ node, cells, values, problems, level, state }`: `node` is the row that is changed, null for a new one;
 * `cells` the texts by column; `problems` sentences by column; `level` how far a new row's name is indented; `state` is
 * `new`, `changed`, `same`, or `wrong` if nothing of it is understood.
 */
export class PlanBlock {
    constructor(cells, { plan, columns, shown, from, data, isNew = false }) {
        Object.assign(this, { columns, data });
        const { heads, isNamed, leftOut } = headsOf(cells, { all: columns.all, shown });
        Object.assign(this, { heads: heads.filter(Boolean), leftOut });
        this._options = new Map();
        const rows = isNamed ? cells.slice(1) : cells;
        this.lines = rows.filter(row => row.some(text => text.trim() !== '')).map((row, place) =>
            this._line(row, heads, isNew ? null : plan.rows[from + place] ?? null));
        setLevels(this.lines.filter(({ node }) => node === null));
    }

    /** How many lines have a state. */
    count(state) {
        return this.lines.filter(each => each.state === state).length;
    }

    /** How many rows have something that is not understood. */
    get notUnderstood() {
        return this.lines.filter(({ problems }) => problems.size > 0).length;
    }

    /** “12 rows: 9 new, 3 changed, 1 not understood” */
    get summary() {
        const { length } = this.lines;
        const parts = [[this.count('new'), 'new'], [this.count('changed'), 'changed'],
            [this.count('same'), 'as they are'], [this.notUnderstood, 'not understood']];
        const said = parts.filter(([count]) => count > 0).map(([count, text]) => `${count.toLocaleString()} ${text}`);
        return `${length.toLocaleString()} ${length === 1 ? 'row' : 'rows'}: ${said.join(', ')}`;
    }

    _line(row, heads, node) {
        const line = { node, cells: new Map(), values: {}, problems: new Map(), level: 0, indent: 0 };
        heads.forEach((column, place) => column && line.cells.set(column, (row[place] ?? '').trim()));
        const nameAt = heads.findIndex(column => column?.name === 'name');
        line.indent = indentOf(row[nameAt] ?? '');
        for (const [column, text] of inOrder(line.cells)) if (text !== '') this._read(line, column, text);
        line.state = this._stateOf(line);
        return line;
    }

    _read(line, column, text) {
        const { columns, data } = this;
        const task = { ...line.node?.task ?? this._standard(), ...line.values };
        const why = columns.whyNot(column, line.node, data.who);
        const field = columns.field(column);
        const read = why ? { problem: why } : pasted(field, plainOf(column, text), this._optionsOf(column, field));
        const made = read.problem ? read : columns.valuesOf(column, task, read.value);
        if (made.problem) line.problems.set(column, made.problem);
        else Object.assign(line.values, made.values);
    }

    _stateOf({ node, values, cells, problems }) {
        if (node === null) {
            const name = [...cells.keys()].find(each => each.name === 'name') ?? this.columns.all[0];
            if (!values.name && !problems.has(name)) problems.set(name, 'A new task needs a name.');
            return values.name ? 'new' : 'wrong';
        }
        const isOther = Object.entries(values).some(([name, value]) => (node.task[name] ?? null) !== value);
        return isOther ? 'changed' : problems.size > 0 ? 'wrong' : 'same';
    }

    _standard() {
        this._standards ??= Object.fromEntries(this.columns.collection.fields.map(each => [each.name, each.standard]));
        return this._standards;
    }

    /** What a cell can be; the same for all rows. */
    _optionsOf(column, field) {
        if (!this._options.has(column)) {
            const { names, rowsOf } = this.data;
            this._options.set(column, optionsOf(field, names, rowsOf));
        }
        return this._options.get(column);
    }
}

const inOrder = cells => [...cells].sort(([one], [other]) => ORDER.indexOf(one.name) - ORDER.indexOf(other.name));

const UNITS = { d: 1, w: 5 };

/** Without what other programs write beside a number: `75 %`, `5 days?`, `2 wks`. */
function plainOf({ name }, text) {
    if (name === 'percent') return text.replace(/\s*%$/, '');
    if (name !== 'days') return text;
    const [, number, unit] = /^(\d+)\s*(d|w)(?:ays?|eeks?|ks?)?\??$/i.exec(text) ?? [];
    return number ? String(number * UNITS[unit.toLowerCase()]) : text;
}

/** How far a name stands to the right: blanks before it. Other programs write four a level, or three, or one. */
const indentOf = text => /^[\s\u00a0]*/.exec(text)[0].length;

/** The levels of new rows by their indents. None is more than one below the row before it. */
function setLevels(lines) {
    const open = [];
    for (const line of lines) {
        while (open.length > 1 && line.indent <= open.at(-2)) open.pop();
        if (open.length === 0) open.push(line.indent);
        else if (line.indent > open.at(-1)) open.push(line.indent);
        else open[open.length - 1] = line.indent;
        line.level = open.length - 1;
    }
}
