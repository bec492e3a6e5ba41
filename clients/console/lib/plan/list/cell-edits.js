import { openEditor } from '../../edit/editor.js';
import { notify } from '../../notices.js';

/** What the user does to single cells of the plan's list. */
export class CellEdits {
    constructor(page) {
        this.page = page;
    }

    /** Opens the editor of a cell, with `typed` in place of the value if there is any. */
    edit(node, column, typed = null) {
        const { chart, columns, data } = this.page;
        const why = columns.whyNot(column, node, data.who);
        if (why) return this.say(why);
        const { task } = node;
        const value = columns.value(column, node);
        return openEditor({
            anchor: () => chart.list.anchorOf(task.id, column.name), field: columns.field(column), value, row: task,
            rows: { names: data.names, rowsOf: data.rowsOf }, start: typed,
            onKey: event => column.name === 'name' && this._indent(event, task.id),
            onSave: each => this.save(task, column, each), onEnd: move => this._moved(move),
        });
    }

    /** Stores what a cell is to have. `task` is as it was when the user began. */
    save(task, column, value) {
        const { plan, columns } = this.page;
        const node = plan.node(task.id);
        const { values, problem } = columns.valuesOf(column, node?.task ?? task, value);
        if (problem) return this.say(problem);
        return node ? this.page.change(node, values, task) : this.say('The task is not there any more.');
    }

    /** Empties a cell. */
    empty(node, column) {
        const { columns, data } = this.page;
        const field = columns.collection?.field(column.of);
        const why = columns.whyNot(column, node, data.who)
            ?? (field.isNullable && column.name !== 'end' ? null : `${column.label} can't be empty.`);
        return why ? this.say(why) : columns.value(column, node) === null || this.save(node.task, column, null);
    }

    /** The last word only: somebody who types into a closed plan is told once. */
    say(text, kind) {
        this._notice?.remove();
        this._notice = notify(text, kind);
    }

    /** In a name, Tab and Shift+Tab indent and outdent. Escape ends that. */
    _indent({ key, shiftKey }, id) {
        if (key !== 'Tab') return false;
        const node = this.page.plan.node(id);
        if (node) this.page.list.structure.shift([node], shiftKey ? -1 : 1);
        return true;
    }

    _moved(move) {
        const { list, chart } = this.page;
        if (!move) return;
        chart.list.element.focus({ preventScroll: true });
        const step = { next: 1, previous: -1 }[move] ?? 0;
        const place = Math.max(0, Math.min(list.shown.length - 1, list.cells.column + step));
        if (chart.selected) this.page.select(chart.selected, { column: place });
    }
}
