import { Placing } from '../../../tidemark/lib/order/index.js';
import { optionsOf } from '../../edit/options.js';
import { pasted } from '../../edit/pasted.js';
import { cellsOf } from '../../grid/tab-text.js';
import { withProgress } from '../progress.js';
import { MOST_ROWS, PlanBlock } from './plan-block.js';
import { askForText, previewBlock } from './preview.js';

/** Pastes texts into a plan: a value into a cell, or a block of cells. */
export class Pasting {
    constructor(page) {
        this.page = page;
    }

    /** Where the browser does not let a page read the clipboard, or it has no text, one pastes into a field. */
    async pasteFromButton() {
        const text = await navigator.clipboard?.readText?.().catch(() => '') || await askForText();
        if (text) await this.paste(text);
    }

    /** Pastes from the active cell on; more than a cell is shown before. */
    async paste(text) {
        const { columns, data, list, plan, chart } = this.page;
        const why = columns.whyNot(columns.all[0], null, data.who) ?? whyNot(text);
        if (why) return list.edits.say(why);
        const cells = cellsOf(text);
        const node = chart.selected;
        const isCell = cells.length === 1 && cells[0].length === 1 && node;
        if (isCell) return this._write(node, list.column, cells[0][0]);
        const read = isNew => new PlanBlock(cells, {
            plan, columns, data, shown: list.shown.slice(node ? list.cells.column : 0), from: node?.index ?? Infinity,
            isNew,
        });
        const block = await previewBlock(read, columns, node);
        chart.list.element.focus({ preventScroll: true });
        if (!block) return undefined;
        const present = node && plan.node(node.task.id);
        return this._apply(block, block.isNew && present ? list.typing.placeBelow(present) : list.typing.placeAtEnd());
    }

    /** Writes a text into a cell, if it can be a value. */
    _write(node, column, text) {
        const { columns, data, list: { edits } } = this.page;
        const field = columns.field(column);
        const { value, problem } = pasted(field, text, optionsOf(field, data.names, data.rowsOf, node.task),
            columns.value(column, node));
        const why = columns.whyNot(column, node, data.who) ?? problem;
        return why ? edits.say(why) : edits.save(node.task, column, value);
    }

    /** Stores a block in one go. */
    async _apply(block, place) {
        const { columns: { collection }, editing } = this.page;
        const changed = block.lines.filter(({ state }) => state === 'changed').map(({ node: { task }, values }) =>
            ({ id: task.id, values: withProgress(collection, task, values) }));
        const { edits: added, reranked } = this._added(block.lines.filter(({ state }) => state === 'new'), place);
        const done = editing.go(`Paste ${block.summary}`, [...changed, ...added, ...reranked]);
        const [first] = [...added.map(({ task }) => task.id), ...changed.map(({ id }) => id)];
        this.page.goTo(first);
        return done;
    }

    /** The edits that add lines at a place, parents before what is below them. */
    _added(lines, place) {
        const { list: { structure } } = this.page;
        const placing = new Placing();
        const tasks = lines.map(line => ({ ...this._newTask(line), line }));
        const groups = groupsOf(tasks);
        const { ranks, reranked } = structure.ranksFor(place, groups.get(null) ?? [], placing);
        for (const [above, group] of groups) {
            const its = above === null ? ranks : structure.ranksFor({ children: [] }, group, placing).ranks;
            group.forEach((each, at) => Object.assign(each.task,
                structure.parentOf(above === null ? place.parent?.task.id ?? null : above.task.id), its[at]));
        }
        return { edits: tasks.map(({ task, names }) => ({ insert: only(task, names), task })), reranked };
    }

    _newTask({ values }) {
        const { columns: { collection }, list: { typing }, project } = this.page;
        const all = withProgress(collection, {}, values);
        const task = { ...typing.emptyTask(), ...all };
        return { task, names: ['id', 'project_id', 'parent', 'rank', ...Object.keys(all)], project };
    }
}

/** The new tasks by the one that they are below, null for those on the first level. */
function groupsOf(tasks) {
    const groups = new Map();
    const open = [];
    for (const each of tasks) {
        open.length = each.line.level;
        const above = open.at(-1) ?? null;
        if (!groups.has(above)) groups.set(above, []);
        groups.get(above).push(each);
        open.push(each);
    }
    return groups;
}

const only = (task, names) => Object.fromEntries(names.filter(name => name in task).map(name => [name, task[name]]));

function whyNot(text) {
    const rows = text.split(/\r\n?|\n/).length;
    if (text.trim() === '') return 'The clipboard has no text.';
    return rows > MOST_ROWS + 1 ? `The clipboard has ${rows.toLocaleString()} rows. At most `
        + `${MOST_ROWS.toLocaleString()} can be pasted at once.` : null;
}
