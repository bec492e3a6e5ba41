import { openEditor } from '../edit/editor.js';
import { openMenu } from '../edit/menu.js';
import { removeRow } from '../edit/delete-row.js';
import { saveAsking } from '../edit/save-asking.js';
import { changeOf } from '../edit/undo/words.js';
import { element, fill, icon } from '../elements.js';
import { whyNot, whyNotEdit } from '../fields/access.js';
import { visible } from '../fields/format.js';
import { notifyError } from '../notices.js';
import { bytesText } from '../storage/words.js';
import { instant } from '../times.js';
import { blobOfPreview } from './preview.js';
import { download, openFile, pictureOf, showPicture } from './shown.js';
import { stateOf } from './states.js';

const SHEET = 'M4 1.5h5l3 3v10H4zM9 1.5v3h3';
/** What is larger is not read for its small picture. */
const LARGEST = 16 * 2 ** 20;

/** A file in the list of a row's files. It stays the same element as long as it is shown, so the focus stays in it. */
export class FileItem {
    /** What the small picture was made of, so it is made once. */
    _pictured = null;
    _isSeen = false;

    /** `section` has `owner` and `collection`. */
    constructor(section) {
        this.section = section;
        const button = (kind, onclick, more) => element('button', { type: 'button', class: kind, onclick, ...more });
        const show = () => showPicture(this._context, this._row);
        this._picture = button('quiet file-picture', show, { hidden: true });
        this._icon = element('span', { class: 'file-picture muted' }, icon(SHEET));
        this._name = button('link file-name', () => this._download());
        this._facts = element('p', { class: 'muted file-facts' });
        this._state = element('p', { class: 'file-state' });
        this._bar = element('progress', { max: 1, 'aria-hidden': 'true', hidden: true });
        this._retry = button('again', () => this._again(), { text: 'Try again' });
        this._more = button('quiet round file-more', () => this._openMenu(), { text: '⋯', 'aria-haspopup': 'menu' });
        const text = [this._name, this._facts, this._bar, this._state, this._retry];
        this.element = element('li', { class: 'file' }, this._picture, this._icon,
            element('div', { class: 'file-text' }, text), this._more);
    }

    /** `known` is what this browser knows of the file, and the server's reasons: see states.js. */
    show(row, known) {
        const name = visible(row.name) || row.id;
        const author = row.created_by === null ? '' : this.section.owner.names.user(row.created_by);
        const state = stateOf(row, { ...known, author });
        const key = JSON.stringify([row, state, author]);
        Object.assign(this, { _row: row, _known: known });
        if (key !== this._key) this._paint(name, author, state);
        this._key = key;
        this._lookForPicture();
    }

    /** The element has come into sight. */
    seen() {
        this._isSeen = true;
        this._lookForPicture();
    }

    _paint(name, author, state) {
        const { size, created_at: at } = this._row;
        fill(this._name, element('span', { dir: 'auto', text: name }));
        this._name.disabled = !this._canOpen;
        this._name.setAttribute('aria-label', `Download ${name}`);
        this._picture.setAttribute('aria-label', `Show ${name}`);
        this._more.setAttribute('aria-label', `More for ${name}`);
        const facts = [size === null ? null : bytesText(size), author || null, at && instant(at)].filter(Boolean);
        fill(this._facts, facts.flatMap((each, place) => (place > 0 ? [' · ', each] : [each])));
        this._state.className = `file-state ${state.kind}`;
        if (this._state.textContent !== state.text) this._state.textContent = state.text;
        this._bar.hidden = state.share === null;
        if (state.share !== null) this._bar.value = state.share;
        this._retry.hidden = !state.canRetry;
    }

    get _context() {
        return this.section.owner.context;
    }

    /** Whether the bytes are here or on the server. */
    get _canOpen() {
        const { _row: { file, state }, _known: { entry } } = this;
        return Boolean(file) && (state === 'stored' || entry !== null);
    }

    get _isClaimed() {
        const { media_type: type, size } = this._row;
        return /^image\/(jpeg|png|webp|gif)$/.test(type) && size <= LARGEST;
    }

    /** The row's own small picture first. Without one, the file itself, if it is in sight and says that it is one. */
    _lookForPicture() {
        const { preview, file, state } = this._row;
        const canRead = this._isSeen && this._canOpen && this._isClaimed;
        const source = preview ?? (canRead ? `${file} ${state} ${this._context.state.isOnline}` : null);
        if (source === null || source === this._pictured || this._hasRead === file) return;
        this._pictured = source;
        this._take(source, preview === null ? this._read(file) : blobOfPreview(preview));
    }

    async _read(file) {
        const blob = await openFile(this._context, this._row);
        this._hasRead = file;
        return blob;
    }

    async _take(source, making) {
        const blob = await making.catch(() => null);
        const picture = blob && await pictureOf(blob);
        if (this._pictured !== source) return;
        fill(this._picture, picture);
        this._picture.hidden = !picture;
        this._icon.hidden = Boolean(picture);
    }

    _download() {
        return download(this._context, this._row);
    }

    async _again() {
        const { file: digest, project_id: project } = this._row;
        await this._context.tidemark.files.retry(digest, { project }).catch(notifyError);
        this._name.focus();
    }

    _openMenu() {
        const { owner: { who }, collection } = this.section;
        const row = this._own(who);
        const field = collection.field('name');
        const canShow = !this._picture.hidden && this._canOpen;
        const items = [
            canShow && { text: 'Show', work: () => showPicture(this._context, this._row) },
            this._canOpen && { text: 'Download', work: () => this._download() },
            !whyNotEdit(collection, field, row, who) && { text: 'Rename …', work: () => this._rename(field) },
            !whyNot(collection, 'delete', who, row) && { text: 'Delete', work: () => this._delete() },
        ].filter(Boolean);
        openMenu(this._more, `More for ${visible(this._row.name)}`, items.length > 0 ? items
            : [{ text: 'Nothing can be done with it', why: 'It is not on the server yet.', work: () => {} }]);
    }

    /** The server says who has added a row. One that it does not have is the user's. */
    _own({ user }) {
        return this._row._status === 'created' ? { ...this._row, created_by: user } : this._row;
    }

    _rename(field) {
        const { owner: { names, context }, collection } = this.section;
        const row = this._row;
        openEditor({
            anchor: () => this._name, field, value: row.name, row, rows: { names, rowsOf: () => undefined },
            onSave: value => saveAsking(context.edits, { collection, row, field, names }, row.name, value,
                { name: changeOf(field, row.name) }).catch(notifyError),
            onEnd: move => move && this._name.focus(),
        });
    }

    async _delete() {
        const { context } = this.section.owner;
        await removeRow(context.edits, this.section.collection, this._row, this._row.name).catch(notifyError);
    }
}
