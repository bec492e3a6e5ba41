import { element, fill } from '../elements.js';
import { Troubles } from '../data/troubles.js';
import { whyNot } from '../fields/access.js';
import { notify, notifyError } from '../notices.js';
import { styleSheet } from '../shell/style-sheet.js';
import { Soon } from '../soon.js';
import { reasonLines } from '../unsent/reasons.js';
import { addFiles } from './adding.js';
import { Drops } from './drops.js';
import { FileItem } from './item.js';
import { keeperOf } from './keeper.js';

const COLLECTION = 'attachments';
/** So many are listed at first, and with each press of the button. */
const LISTED = 50;

/**
 * The files of a row: those that there are, and ways to add some. Without the collection `attachments`, or a field of it
 * for such rows, there is nothing to see.
 */
export class FileSection {
    _items = new Map();
    _entries = new Map();
    _rows = null;
    _reading = 0;
    _count = LISTED;
    _stop = () => {};

    /**
     * `owner` has `context`, `catalog`, `names`, `who` and `project`. `subject` is the collection of the row. What is
     * dropped on the `area`, or pasted in it, is added; without one it is the section. `heading` is the level of its own.
     */
    constructor(owner, subject, { area = null, heading = 'h3' } = {}) {
        Object.assign(this, { owner, subject });
        styleSheet('files.css');
        keeperOf(owner.context);
        this._build(heading);
        this._repaint = new Soon(() => this._paint());
        this._troubles = new Troubles(owner.context, () => this._repaint.ask());
        this._drops = new Drops(area ?? this.element, {
            canTake: () => this._canAdd, onFiles: files => this._add(files),
            onOver: isOver => this.element.classList.toggle('dropping', isOver),
        });
        this._seen = new IntersectionObserver(entries => this._look(entries));
        const { tidemark } = owner.context;
        this._stops = [
            tidemark.files.onChange(digest => this._changed(digest)), tidemark.onState(() => this._repaint.ask()),
        ];
    }

    /** The collection of files, if this schema has it for such rows; null otherwise. */
    get collection() {
        const collection = this.owner.catalog?.collection(COLLECTION) ?? null;
        return collection && this._field(collection) && collection.field('file') ? collection : null;
    }

    /** Shows the files of this row. */
    show(row) {
        const isOther = row.id !== this._row?.id;
        this._row = row;
        if (isOther) this.close();
        if (!this._isFollowing && this.collection) this._follow(row.id);
        this._repaint.ask();
    }

    /** Shows nothing until the next row. */
    close() {
        this._stop();
        Object.assign(this, { _rows: null, _isFollowing: false, _count: LISTED });
        this._items.forEach(item => this._seen.unobserve(item.element));
        this._items.clear();
        fill(this._list);
        this._status.textContent = '';
    }

    stop() {
        this.close();
        this._seen.disconnect();
        [this._repaint, this._troubles, this._drops].forEach(each => each.stop());
        this._stops.forEach(stop => stop());
    }

    _build(heading) {
        const input = options => element('input', {
            type: 'file', hidden: true, onchange: ({ target }) => {
                this._add([...target.files]);
                target.value = '';
            }, ...options,
        });
        const [any, camera] = [input({ multiple: true }), input({ accept: 'image/*', capture: 'environment' })];
        this._ways = element('span', { class: 'file-ways' },
            element('button', {
                type: 'button', class: 'quiet file-camera', text: 'Photo …', onclick: () => camera.click(),
            }),
            element('button', {
                type: 'button', class: 'quiet', text: 'Add …', 'aria-label': 'Add files', onclick: () => any.click(),
            }), any, camera);
        this._list = element('ul', { class: 'files' });
        this._more = element('button', { type: 'button', class: 'quiet', text: 'Show more', onclick: () => {
            this._count += LISTED;
            this._paint();
        } });
        this._hint = element('p', { class: 'muted file-hint' });
        this._status = element('p', { class: 'muted file-status', role: 'status' });
        this.element = element('section', { class: 'file-section', hidden: true },
            element('div', { class: 'link-head' }, element(heading, { text: 'Files' }), this._ways),
            this._list, this._more, this._hint, this._status);
    }

    _field(collection) {
        return collection.fields.find(({ reference }) => reference === this.subject) ?? null;
    }

    get _canAdd() {
        const { collection, owner: { who } } = this;
        return collection !== null && Boolean(this._row) && isSafe() && whyNot(collection, 'create', who) === null;
    }

    _follow(id) {
        this._isFollowing = true;
        const { name } = this._field(this.collection);
        // Unsettled, as the row itself: a first sync may still run.
        const options = { refersTo: { collection: this.subject, id }, unsettled: true };
        this._stop = this.owner.context.tidemark.live(COLLECTION, options, rows => {
            this._rows = sorted(rows.filter(row => row[name] === id));
            this._readEntries();
        });
    }

    _changed(digest) {
        if (digest === null || this._rows?.some(({ file }) => file === digest)) this._readEntries();
    }

    /** Reads what this copy knows of the files. What changes meanwhile is read once more. */
    async _readEntries() {
        if (this._reading++ > 0) return;
        do {
            this._reading = 1;
            const rows = this._rows ?? [];
            const entries = await this._entriesOf(rows).catch(() => new Map());
            if (rows === this._rows) this._entries = entries;
        } while (this._reading > 1);
        this._reading = 0;
        this._repaint.ask();
    }

    async _entriesOf(rows) {
        const { files } = this.owner.context.tidemark;
        const unsent = new Map((await files.list()).filter(({ project }) => project === this.owner.project)
            .map(each => [each.digest, each]));
        const asked = rows.filter(({ file, state }) => file && (state !== 'stored' || unsent.has(file)));
        return new Map(await Promise.all(asked.map(async ({ file, project_id: project }) =>
            [file, unsent.get(file) ?? await files.state(file, { project })])));
    }

    _paint() {
        const rows = this._rows ?? [];
        const canAdd = this._canAdd;
        this.element.hidden = this.collection === null || this._rows === null || (rows.length === 0 && !canAdd);
        if (this.element.hidden) return;
        const shown = rows.slice(0, this._count);
        const before = this._items;
        this._items = new Map(shown.map(row => [row.id, before.get(row.id) ?? this._made()]));
        for (const [id, item] of before) if (!this._items.has(id)) this._seen.unobserve(item.element);
        for (const row of shown) this._items.get(row.id).show(row, this._known(row));
        this._place([...this._items.values()].map(item => item.element));
        this._list.hidden = shown.length === 0;
        this._more.hidden = shown.length === rows.length;
        this._ways.hidden = !canAdd;
        this._hint.textContent = !isSafe() ? UNSAFE : canAdd && rows.length === 0 ? HINT : '';
    }

    /** Moves no element that stands right: the focus would be lost. */
    _place(elements) {
        const { children } = this._list;
        const isRight = elements.length === children.length && elements.every((each, place) => each === children[place]);
        if (isRight) return;
        for (const child of [...children]) if (!elements.includes(child)) child.remove();
        for (const [place, each] of elements.entries()) {
            if (children[place] !== each) this._list.insertBefore(each, children[place] ?? null);
        }
    }

    _made() {
        const item = new FileItem(this);
        this._seen.observe(item.element);
        return item;
    }

    _known(row) {
        const { context, who: { user } } = this.owner;
        const reasons = reasonLines(this.collection, this._troubles.of(COLLECTION, row.id).reasons)
            .map(({ label, text }) => (label ? `${label}: ${text}` : text));
        return {
            entry: this._entries.get(row.file) ?? null, reasons,
            isOnline: context.state.isOnline, isOwn: row.created_by === user || row._status === 'created',
        };
    }

    _look(entries) {
        for (const { isIntersecting, target } of entries) {
            const item = isIntersecting && [...this._items.values()].find(each => each.element === target);
            if (!item) continue;
            this._seen.unobserve(target);
            item.seen();
        }
    }

    async _add(files) {
        if (files.length === 0 || !this._canAdd) return;
        const { collection, _row: row, owner: { context } } = this;
        const values = { [this._field(collection).name]: row.id };
        const say = text => { if (this._row?.id === row.id) this._status.textContent = text; };
        const many = place => `Adding ${place + 1} of ${files.length} …`;
        const onFile = place => say(files.length === 1 ? 'Adding the file …' : many(place));
        const request = { context, project: row.project_id, collection, values, onFile };
        try {
            const { added, problems } = await addFiles(request, files);
            say(added === 0 ? '' : added === 1 ? 'The file was added.' : `${added} files were added.`);
            if (problems.length > 0) notify(problems.slice(0, 5).join(' '), 'bad');
        } catch (error) {
            say('');
            notifyError(error);
        }
    }
}

const HINT = 'Drop files here, or paste a picture. Without a network they wait in this browser.';
const UNSAFE = 'Files can be added and opened only over https:// or on localhost.';

/** Browsers compute no digest on other pages. */
const isSafe = () => Boolean(globalThis.crypto?.subtle);

/** The newest first; what the server does not have is newer than all that it has. */
function sorted(rows) {
    const key = ({ created_at: at }) => at ?? '~';
    return rows.sort((one, other) => compared(key(other), key(one)) || compared(one.name, other.name)
        || compared(one.id, other.id));
}

const compared = (one, other) => (one < other ? -1 : Number(one > other));
