import { element, fill } from '../elements.js';
import { named, quoted } from './links/words.js';

/**
 * The edits of this project that the server did not take, with its reasons, until the reader has seen them. They come
 * from the copy, so they are there in every window and after a restart.
 */
export class Troubles {
    _entries = '';

    constructor(context, project, plan) {
        Object.assign(this, { context, project, plan });
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
        const ends = [row.predecessor, row.successor].map(task => this.plan.node(task));
        const name = ends.every(Boolean) ? `The link of ${quoted(ends[0])} with ${quoted(ends[1])}` : `“${row.name ?? id}”`;
        const text = `${name} is not accepted: ${named(this.plan, reasonText(reasons, ''))}`;
        return trouble(text, 'Undo', () => this.context.tidemark.giveUp(collection, id));
    }
}

const trouble = (text, action, onclick) => element('div', { class: 'trouble' },
    element('p', { text }), element('button', { class: 'quiet', text: action, onclick }));

const reasonText = (reasons, code) => reasons.map(({ detail }) => detail).join(' ') || code;
