import { element, fill } from '../elements.js';

/**
 * The edits of this project that the server did not take, with its reasons, until the reader has seen them. They come
 * from the copy, so they are there in every window and after a restart.
 */
export class Troubles {
    _entries = '';

    constructor(context, project) {
        Object.assign(this, { context, project });
        this.element = element('div', { class: 'plan-troubles', role: 'alert' });
        this._stop = context.onState(({ setAside, refused }) => this._look(`${setAside} ${JSON.stringify(refused)}`));
    }

    stop() {
        this._stop();
    }

    async _look(state) {
        if (state === this._entries) return;
        this._entries = state;
        const { tidemark } = this.context;
        const aside = (await tidemark.setAside()).filter(({ project_id: project }) => project === this.project);
        const refused = await this._refused();
        fill(this.element, [...aside.map(each => this._aside(each)), ...refused.map(each => this._refusedRow(each))]);
    }

    async _refused() {
        const { tidemark } = this.context;
        const rows = await Promise.all(this.context.state.refused.map(async each =>
            ({ ...each, row: await tidemark.row(each.collection, each.id) })));
        return rows.filter(({ row }) => row?.project_id === this.project);
    }

    _aside({ number, values, id, reason, reasons }) {
        const text = `Your edit of “${values.name ?? id}” was not taken: ${reasonText(reasons, reason)}`;
        return trouble(text, 'Dismiss', () => this.context.tidemark.dismiss(number));
    }

    _refusedRow({ collection, id, row, reasons }) {
        const text = `“${row.name ?? id}” is not accepted: ${reasonText(reasons, '')}`;
        return trouble(text, 'Undo', () => this.context.tidemark.giveUp(collection, id));
    }
}

const trouble = (text, action, onclick) => element('div', { class: 'trouble' },
    element('p', { text }), element('button', { class: 'quiet', text: action, onclick }));

const reasonText = (reasons, code) => reasons.map(({ detail }) => detail).join(' ') || code;
