import { Placing } from '../../../tidemark/lib/order/index.js';
import { openEditor } from '../../edit/editor.js';
import { quoted } from '../../edit/undo/words.js';

/**
 * Types new tasks: Enter adds one and begins the next, Tab and Shift+Tab indent and outdent it, Escape ends. The one
 * that is being typed is a node of the plan, and nowhere else yet.
 */
export class Typing {
    _draft = null;

    constructor(page) {
        this.page = page;
    }

    /** Whether something is being typed. */
    get isOn() {
        return this._draft !== null;
    }

    /** At the end, on the level of the last row. */
    beginAtEnd(typed = '') {
        this._begin(this.placeAtEnd(), typed);
    }

    /** Below a row: as the first of what is open below it, otherwise behind it. */
    beginBelow(node) {
        this._begin(this.placeBelow(node));
    }

    /** A new task's place at the end. */
    placeAtEnd() {
        return { parent: this.page.plan.rows.at(-1)?.parent ?? null, before: null };
    }

    /** Once the tasks are other objects, the one that is being typed is among them again. */
    keep() {
        if (!this._draft) return;
        const { task } = this._draft;
        if (task.parent && !this.page.plan.node(task.parent)) this._place(task, this.placeAtEnd());
        else this._put(task);
    }

    /** A new task's place below a row. */
    placeBelow(node) {
        const { plan } = this.page;
        const isOpen = node.children.length > 0 && !plan.collapsed.has(node.task.id);
        if (isOpen) return { parent: node, before: node.children[0] };
        const siblings = plan.siblingsOf(node);
        return { parent: node.parent, before: siblings[siblings.indexOf(node) + 1] ?? null };
    }

    _begin(place, typed = '') {
        const { columns, list, data } = this.page;
        const why = columns.whyNot(columns.all[0], null, data.who);
        if (why) return list.edits.say(why);
        this._placing = new Placing();
        this._last = null;
        return this._open(place, typed);
    }

    _open(place, typed = '') {
        this._place(this.emptyTask(), place);
        this._edit(typed);
    }

    /** A new task, with the schema's values. */
    emptyTask() {
        const { columns: { collection }, project, context: { tidemark } } = this.page;
        const standards = Object.fromEntries(collection.fields.map(({ name, standard }) => [name, standard]));
        const id = tidemark.newID();
        return { ...standards, id, project_id: project, name: '', _status: 'created', _changed: [] };
    }

    /** Puts the draft at a place: `{ parent, before }`. */
    _place(task, place) {
        const { list: { structure }, plan } = this.page;
        const known = plan.node(task.id);
        const { ranks: [rank], reranked } = structure.ranksFor(place, [known ?? { task }], this._placing);
        this._reranked = reranked;
        this._put({ ...task, parent: place.parent?.task.id ?? null, ...rank });
    }

    _put(task) {
        const { plan } = this.page;
        this._draft = plan.put(task);
        plan.reveal(task.id);
        this.page.select(this._draft, { column: 0 });
        this.page.refresh();
    }

    _edit(typed) {
        const { chart, columns, data } = this.page;
        const { id } = this._draft.task;
        chart.drawNow();
        openEditor({
            anchor: () => chart.list.anchorOf(id, 'name'), field: columns.field(columns.all[0]), value: '',
            row: this._draft.task, rows: { names: data.names, rowsOf: data.rowsOf }, start: typed || null,
            onKey: event => this._key(event), onSave: name => this._add(name.trim()),
            onEnd: move => this._end(move),
        });
    }

    _key({ key, shiftKey }) {
        if (key !== 'Tab') return false;
        const { structure } = this.page.list;
        const place = shiftKey ? structure.outdented([this._draft]) : structure.indented([this._draft]);
        if (place) this._place(this._draft.task, place);
        return true;
    }

    /** Stores what was typed. */
    _add(name) {
        if (name === '') return;
        const { columns: { collection }, editing, project } = this.page;
        const task = { ...this._draft.task, name };
        const { id, parent, rank } = task;
        const values = { id, project_id: project, name };
        if (collection.field('parent')) values.parent = parent;
        if (collection.field('rank')) values.rank = rank;
        this._added = editing.go(`Add ${quoted(name)}`, [{ insert: values, task }, ...this._reranked]);
        this._last = id;
        this._draft = null;
    }

    /** After Enter the next one begins; otherwise what was not typed is gone. */
    _end(move) {
        const { plan, chart } = this.page;
        const isAdded = this._draft === null;
        if (isAdded && move === 'stay') return this._open(this.placeBelow(plan.node(this._last)));
        if (!isAdded) {
            const { index, task } = this._draft;
            this._draft = null;
            plan.drop(task.id);
            const node = plan.node(this._last) ?? plan.rows[Math.max(0, index - 1)] ?? null;
            if (node) this.page.select(node);
        }
        this.page.refresh();
        if (move) chart.list.element.focus({ preventScroll: true });
        return this._added;
    }
}
