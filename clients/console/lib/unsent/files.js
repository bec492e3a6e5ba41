import { ask } from '../dialog.js';
import { chip, element, fill } from '../elements.js';
import { visible } from '../fields/format.js';
import { stateOf } from '../files/states.js';
import { notifyError } from '../notices.js';
import { bytesText } from '../storage/words.js';

/** Files that the server does not have, whether or not a row names them. */
export class UnsentFiles {
    _number = 0;

    /** `onChange()` is told when there are others. */
    constructor(context, onChange) {
        Object.assign(this, { context, onChange });
        this.element = element('div', { class: 'edits', hidden: true });
        const look = () => this._look().catch(notifyError);
        this._stops = [context.tidemark.files.onChange(look), context.onState(look)];
    }

    stop() {
        this._stops.forEach(stop => stop());
        this._number = Infinity;
    }

    async _look() {
        const number = ++this._number;
        const files = await this.context.tidemark.files.list();
        if (number !== this._number) return;
        const { isOnline } = this.context.state;
        const stand = entry => stateOf({ file: entry.digest }, { entry, isOnline });
        const shown = files.map(entry => ({ entry, state: stand(entry) }));
        const key = JSON.stringify(shown);
        if (key === this._key) return;
        this._key = key;
        this.element.hidden = files.length === 0;
        fill(this.element, element('section', { class: 'edit-list' },
            element('h2', {}, 'Files', element('span', { class: 'muted', text: ` ${files.length}` })),
            element('p', { class: 'muted', text: 'These are in this browser only, until the server has them.' }),
            shown.map(each => this._card(each))));
        this.onChange();
    }

    _card({ entry, state: { kind, text, canRetry } }) {
        const { digest, project, size } = entry;
        const name = visible(entry.name ?? '') || digest;
        const isBad = kind === 'failed';
        return element('article', { class: isBad ? 'edit-card bad' : 'edit-card' },
            element('header', {}, chip(isBad ? 'Not taken' : 'Waits', isBad ? 'bad' : ''),
                element('h3', {}, element('span', { dir: 'auto', text: name })),
                element('span', { class: 'muted', text: bytesText(size) })),
            element('p', { class: isBad ? 'form-problem' : 'muted', text }),
            element('div', { class: 'actions' },
                canRetry && element('button', { type: 'button', text: 'Try again',
                    onclick: () => this._do(files => files.retry(digest, { project })) }),
                element('button', { type: 'button', class: 'quiet', text: 'Remove …',
                    onclick: () => this._remove(entry, name) })));
    }

    async _remove({ digest, project }, name) {
        const text = `“${name}” is in this browser only. A row that names it stays, without its file.`;
        if (await ask({ title: 'Remove this file?', text, action: 'Remove' })) {
            this._do(files => files.remove(digest, { project }));
        }
    }

    _do(work) {
        return work(this.context.tidemark.files).catch(notifyError);
    }
}
