import { removeRow } from '../edit/delete-row.js';
import { openEditor } from '../edit/editor.js';
import { areSame } from '../edit/edits.js';
import { goesWith } from '../edit/goes-with.js';
import { saveAsking } from '../edit/save-asking.js';
import { optionsOf } from '../edit/options.js';
import { pasted, whyBlock } from '../edit/pasted.js';
import { Stayed } from '../edit/undo/stayed.js';
import { changeOf } from '../edit/undo/words.js';
import { openRowMenu } from './row-menu.js';
import { whyNot, whyNotEdit } from '../fields/access.js';
import { pathTo } from '../routes.js';
import { notify } from '../notices.js';

/** What the user does to the rows of a table. */
export class CellEdits {
    constructor(table) {
        this.table = table;
        this._edits = table.context.edits;
        this._stayed = new Stayed(this._edits, () => table.here);
        this._stop = this._edits.onReport(report => this._follow(report));
    }

    stop() {
        this._stop();
        this._stayed.stop();
    }

    /** Opens the editor of a cell, with `typed` in place of the value if there is any. A box is just switched. */
    edit(row, field, typed) {
        const { table: { grid, collection, names, rows, who } } = this;
        const why = whyNotEdit(collection, field, row, who);
        if (why) return this._say(why);
        const value = row[field.name] ?? null;
        const isBox = field.kind === 'boolean' && !field.isNullable;
        if (isBox) return typed === null && this._save(row, field, value, !value);
        return openEditor({
            anchor: () => grid.cellOf(row.id, field.name), field, value, row, start: typed,
            rows: { names, rowsOf: rows.rowsOf }, onSave: each => this._save(row, field, value, each),
            onEnd: move => this._moved(move),
        });
    }

    /** Keys on a cell: Delete empties it, Ctrl+Enter opens the row's page, Ctrl+Delete deletes the row. */
    key(event, row, field) {
        const isFar = event.ctrlKey || event.metaKey;
        if (isFar && event.key === 'Enter') this.table.context.go(rowPath(this.table.collection.name, row.id));
        else if (isFar && event.key === 'Delete') this.remove(row);
        else if (!isFar && ['Delete', 'Backspace'].includes(event.key) && field) this._empty(row, field);
        else return false;
        return true;
    }

    copy(row, field, clipboard) {
        clipboard.setData('text/plain', this.table.shown(field, row));
        this._say('Copied.');
    }

    /** Takes the clipboard's text for the value, if it can be one. */
    paste(row, field, clipboard) {
        const { table: { collection, names, rows: { rowsOf }, who } } = this;
        const text = clipboard.getData('text/plain');
        const before = row[field.name] ?? null;
        const read = pasted(field, text, optionsOf(field, names, rowsOf, row), before);
        const why = whyNotEdit(collection, field, row, who) ?? whyBlock(field, text, hasTable(clipboard))
            ?? read.problem;
        if (why) return this._say(why);
        return areSame(before, read.value) || this._save(row, field, before, read.value);
    }

    menu(row, anchor) {
        const { collection, context, who } = this.table;
        openRowMenu(anchor, {
            onOpen: () => context.go(rowPath(collection.name, row.id)),
            onDelete: () => this.remove(row), whyNotDelete: whyNot(collection, 'delete', who, row),
        });
    }

    /** Deletes the row; after ten seconds, so it can be taken back. */
    async remove(row) {
        const { table: { collection, names, grid, who } } = this;
        const why = whyNot(collection, 'delete', who, row);
        if (why) return this._say(why);
        await this._trying(() => removeRow(this._edits, collection, row, names.of(collection.name, row)));
        return grid.focus();
    }

    /** Shows what an undo or redo has changed. */
    async _follow({ rows }) {
        const { table: { collection, grid } } = this;
        const own = rows.filter(each => each.collection === collection.name);
        await Promise.all(own.slice(0, MOST_LOOKED).map(({ id }) => this._look(id)));
        const first = own.find(({ isGone }) => !isGone);
        if (first) this.table.goTo(first.id, first.fields[0], move => this._stayed.go(move));
    }

    _moved(move) {
        if (move === 'next') this.table.grid.step(1);
        else if (move === 'previous') this.table.grid.step(-1);
        else if (move) this.table.grid.focus();
    }

    _save(row, field, before, value) {
        const { table: { collection, names, rows } } = this;
        const name = changeOf(field, names.of(collection.name, row));
        const { values: more, others } = goesWith(collection, row, { [field.name]: value }, rows.rowsOf);
        const end = rows.hold(collection.name, row.id, more);
        const edit = { collection, row, field, names };
        return this._trying(() => saveAsking(this._edits, edit, before, value, { name, more, others })).finally(end);
    }

    _look(id) {
        return this.table.rows.look(this.table.collection.name, id);
    }

    _empty(row, field) {
        const { table: { collection, who } } = this;
        const before = row[field.name] ?? null;
        const nothing = emptyOf(field);
        const why = whyNotEdit(collection, field, row, who)
            ?? (nothing === undefined ? `${field.label} can't be empty.` : null);
        if (why) return this._say(why);
        return areSame(before, nothing) || this._save(row, field, before, nothing);
    }

    /** The last word only: somebody who types into a closed table is told once. */
    _say(text, kind) {
        this._notice?.remove();
        this._notice = notify(text, kind);
    }

    async _trying(work) {
        try {
            await work();
        } catch (error) {
            this._say(error.detail ?? String(error), 'bad');
        }
        this.table.refresh();
    }
}

/** So many rows are looked at after an undo; more of them come with the collection. */
const MOST_LOOKED = 20;

/** Looked at as a text only: the page parses no HTML. */
const hasTable = clipboard => /<table[\s>]/i.test(clipboard.getData('text/html'));

/** The value of an empty field; undefined for one that can't be empty. */
function emptyOf({ isNullable, isRequired, type, kind }) {
    if (isNullable) return null;
    if (isRequired) return undefined;
    return { array: [], string: kind === 'text' || kind === 'long text' ? '' : undefined }[type];
}

export const rowPath = (collection, id) => pathTo('/row/:collection/:id', { collection, id });
