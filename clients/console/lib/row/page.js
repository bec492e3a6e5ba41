import { chip, element, empty, fill, loading, problem } from '../elements.js';
import { whenCatalog } from '../data/catalog.js';
import { ProjectRows } from '../data/project-rows.js';
import { Troubles } from '../data/troubles.js';
import { tellWho, whoIn } from '../data/who.js';
import { removeRow } from '../edit/delete-row.js';
import { finishEditor } from '../edit/editor.js';
import { goesWith } from '../edit/goes-with.js';
import { saveAsking } from '../edit/save-asking.js';
import { UndoButtons } from '../edit/undo/buttons.js';
import { changeOf } from '../edit/undo/words.js';
import { whyNot } from '../fields/access.js';
import { textOf } from '../fields/format.js';
import { Names } from '../fields/row-name.js';
import { FileSection } from '../files/section.js';
import { STATE_TEXTS, stateOf, wrongFields } from '../grid/row-model.js';
import { notifyError } from '../notices.js';
import { pathTo } from '../routes.js';
import { Soon } from '../soon.js';
import { TroubleStrip } from '../unsent/strip.js';
import { RowFields } from './fields.js';
import { History } from './history.js';
import { References } from './references.js';

/** One row: its fields, what it refers to and what refers to it, how it stands with the server, and its history. */
export function open(context, { collection, id }) {
    const box = element('div', { class: 'row-page' }, loading('Loading the row …'));
    const opening = new Opening(context, box, collection, id);
    return { element: box, title: 'Row', close: () => opening.stop() };
}

/** Waits for the row: a link may be older than the copy, or the first sync not done. */
class Opening {
    constructor(context, box, name, id) {
        Object.assign(this, { context, box, name, id });
        this._stopCatalog = whenCatalog(context, catalog => this._begin(catalog), error => fill(box, problem(error)));
    }

    stop() {
        this._isOver = true;
        this._stopCatalog();
        this._stopState?.();
        this._page?.stop();
    }

    _begin(catalog) {
        const collection = catalog.collection(this.name);
        if (!collection) return fill(this.box, empty('There is no such collection', this.name));
        this._stopState = this.context.onState(() => this._look(catalog, collection));
        return undefined;
    }

    async _look(catalog, collection) {
        if (this._page || this._isOver) return;
        const row = await this.context.tidemark.row(this.name, this.id);
        if (this._page || this._isOver) return;
        if (row) {
            this._page = new RowPage(this.context, catalog, collection, row);
            fill(this.box, this._page.element);
            this._page.begin();
        } else if (this.context.state.isComplete) {
            fill(this.box, empty('The row is not here',
                `This browser has no ${collection.singular} with the id “${this.id}”. `
                + 'It may be deleted, or you are not a member of its project.',
                element('a', { class: 'button', href: '#/projects', text: 'All projects' })));
        }
    }
}

class RowPage {
    constructor(context, catalog, collection, row) {
        Object.assign(this, { context, catalog, collection, row, project: row.project_id });
        this._repaint = new Soon(() => this._show());
        this.rows = new ProjectRows(context.tidemark, this.project, () => this._repaint.ask());
        this.names = new Names(catalog, this.rows.rowsOf);
        this.troubles = new Troubles(context, () => this._repaint.ask());
        this._undo = new UndoButtons(context.edits);
        this._stopReport = context.edits.onReport(report => this._follow(report));
        this.strip = new TroubleStrip(this);
        this._fields = new RowFields(this);
        this._references = new References(this, row.id);
        this._files = new FileSection(this, collection.name, { heading: 'h2' });
        this._history = new History(this, row.id);
        this._head = element('header', { class: 'row-head' });
        this.element = element('div', { class: 'row-columns' },
            element('div', { class: 'row-main' }, this._head, this.strip.element, this._fields.element),
            element('div', { class: 'row-side' }, this._files.element, this._references.element, this._history.element));
    }

    begin() {
        const { catalog, collection } = this;
        const referring = catalog.referringTo(collection.name)
            .flatMap(each => [...catalog.neededToName(each.collection.name)]);
        const needed = [...catalog.neededToName(collection.name), ...referring, ...tellWho(catalog)];
        this.rows.follow(new Set([collection.name, ...needed]));
    }

    stop() {
        finishEditor();
        const parts = [this._repaint, this.rows, this.troubles, this._files, this._references, this._history, this._undo];
        parts.forEach(each => each.stop());
        this._stopReport();
    }

    get who() {
        return whoIn(this.context, this.catalog, this.rows.rowsOf, this.project);
    }

    shown = (field, row) => textOf(field, row[field.name] ?? null, this.names);

    async save(row, field, before, value) {
        const { collection, names, context: { edits } } = this;
        const name = changeOf(field, names.of(collection.name, row));
        const { values: more, others } = goesWith(collection, row, { [field.name]: value }, this.rows.rowsOf);
        try {
            await saveAsking(edits, { collection, row, field, names }, before, value, { name, more, others });
            await this.rows.look(collection.name, row.id);
        } catch (error) {
            notifyError(error);
        }
    }

    _show() {
        const rows = this.rows.rowsOf(this.collection.name);
        if (!rows || !tellWho(this.catalog).every(name => this.rows.rowsOf(name))) return;
        const row = rows.get(this.row.id);
        if (!row) return this._gone();
        this.row = row;
        const trouble = this.troubles.of(this.collection.name, row.id);
        this._showHead(stateOf(row, trouble));
        this.strip.show(row);
        this._fields.show(row, wrongFields(trouble));
        this._files.show(row);
        this._references.show(row);
        this._history.show(row);
        this._history.refresh();
    }

    _showHead(state) {
        const { collection, project, names, row, rows } = this;
        const name = names.of(collection.name, row);
        document.title = `${name} · Tidemark`;
        const why = whyNot(collection, 'delete', this.who, row);
        const shown = JSON.stringify([state, name, why, rows.rowsOf('projects')?.get(project)?.name]);
        if (shown === this._shownHead) return;
        this._shownHead = shown;
        fill(this._head,
            element('nav', { class: 'crumbs', 'aria-label': 'Where this is' },
                element('a', { href: `#${pathTo('/plan/:project', { project })}`, dir: 'auto',
                    text: names.row('projects', project) }),
                element('span', { class: 'muted', 'aria-hidden': 'true', text: '/' }),
                element('a', { href: tableLink(project, collection.name, row.id), text: collection.title })),
            element('div', { class: 'row-title' }, element('h1', { dir: 'auto', text: name }),
                chip(STATE_TEXTS[state], STATE_KINDS[state]),
                element('code', { text: row.id }), this._undo.element,
                element('button', { type: 'button', class: 'danger', text: 'Delete', disabled: why !== null,
                    title: why, onclick: () => this._delete() })));
    }

    async _delete() {
        const { collection, row, names, context, project } = this;
        try {
            if (!await removeRow(context.edits, collection, row, names.of(collection.name, row))) return;
            context.replace(pathTo('/plan/:project/:collection', { project, collection: collection.name }));
        } catch (error) {
            notifyError(error);
        }
    }

    /** What an undo or redo has changed of the row is there at once. */
    _follow({ rows }) {
        const { collection, row } = this;
        if (rows.some(each => each.collection === collection.name && each.id === row.id)) {
            this.rows.look(collection.name, row.id);
        }
    }

    _gone() {
        const { collection, project } = this;
        fill(this.element, empty('The row is gone',
            `Somebody has deleted this ${collection.singular}, or you can't see it any more.`,
            element('a', { class: 'button', href: tableLink(project, collection.name), text: collection.title })));
    }
}

const STATE_KINDS = { synced: 'good', unsent: 'accent', refused: 'bad', aside: 'warning' };

function tableLink(project, collection, row = null) {
    const path = pathTo('/plan/:project/:collection', { project, collection });
    return row === null ? `#${path}` : `#${path}?row=${encodeURIComponent(row)}`;
}
