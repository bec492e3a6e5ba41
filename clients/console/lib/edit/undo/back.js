import { Report } from './report.js';
import { backOf } from './turned.js';

/** So many new rows the server is asked about before they are deleted again, and so long. */
const MOST_ASKED = 50;
const LONGEST_ASKED = 3000;

/** Takes a step back: which edits that takes, and what came of them. */
export class Back {
    /** New rows that stay, with how many rows of each collection would go unseen with them. */
    _kept = new Map();

    constructor(step, catalog, waiting) {
        Object.assign(this, { step, catalog, waiting });
    }

    /** Whether there is anything to ask the server about. */
    isAsking({ state }) {
        return state.isOnline !== false && this._inserts.length > 0;
    }

    get _inserts() {
        return this.step.acts.filter(({ insert }) => insert);
    }

    /**
     * Asks the server what of others would go along with new rows that it has. If it does not answer, nobody knows; then
     * they go as they would with a deletion.
     */
    async ask(tidemark, wait) {
        const end = new AbortController();
        const stop = wait(() => end.abort(), LONGEST_ASKED);
        const groups = groupsOf(this._inserts, this.catalog);
        await Promise.all([...groups].slice(0, MOST_ASKED).map(async ([root, group]) => {
            const hidden = await hiddenWith(tidemark, root, end.signal);
            if (hidden.size > 0) group.forEach(act => this._kept.set(act, hidden));
        }));
        stop();
    }

    /** The edits that take it back, the last one first. */
    get edits() {
        this._acts ??= this.step.acts.filter(act => !act.deletion && !this._kept.has(act)).reverse()
            .map(act => ({ act, edit: isRefused(act) ? null : backOf(act, this.catalog) }));
        return this._acts.filter(({ edit }) => edit).map(({ edit }) => edit);
    }

    /** `{ report, undone }`: what came of it, and the step that does again what was taken back. */
    done(outcomes) {
        const report = new Report(this.step, false);
        const undone = [];
        for (const act of this.step.acts.filter(({ deletion }) => deletion)) undone.push(...this._deletion(act, report));
        for (const [act] of this._kept) report.keep(act, 'hidden', { row: act.made });
        const all = [...outcomes];
        for (const { act, edit } of this._acts) {
            noteRefused(act, report);
            const fields = edit && report.note(edit, all.shift());
            if (fields) undone.push(act.insert ? act : { ...act, ...narrowed(act, fields), refused: {} });
        }
        return { report, undone: { ...this.step, acts: undone.reverse() } };
    }

    static reportOf(step, edits, outcomes) {
        const report = new Report(step, true);
        edits.forEach((edit, place) => report.note(edit, outcomes[place]));
        return report;
    }

    /** The deletion if it was still waiting, as a list. */
    _deletion(act, report) {
        const { rows, deletion } = act;
        const isBack = this.waiting.cancel(deletion);
        for (const { collection, id, row } of rows) {
            if (isBack) report.rows.push({ collection, id, fields: [], row, isGone: false });
            else report.keep({ collection, id }, act.refused[''] ? 'refused' : 'deleted', { row, detail: act.refused[''] });
        }
        return isBack ? [act] : [];
    }
}

const isRefused = act => Boolean(act.insert && act.refused['']);

function noteRefused(act, report) {
    const fields = Object.keys(act.refused);
    if (fields.length === 0) return;
    const [detail] = Object.values(act.refused);
    report.keep(act, 'refused', { fields: fields.filter(Boolean), row: act.made ?? null, detail });
}

const narrowed = ({ before, after }, fields) => ({ before: only(before, fields), after: only(after, fields) });
const only = (values, names) => Object.fromEntries(names.map(name => [name, values[name]]));

/** New rows by the one of them that they go with: what refers to another new row goes with that. */
function groupsOf(inserts, catalog) {
    const byKey = new Map(inserts.map(act => [`${act.collection} ${act.id}`, act]));
    const above = act => (catalog.collection(act.collection)?.fields ?? [])
        .flatMap(({ name, reference }) => (reference ? [act.insert[name] ?? []].flat() : [])
            .map(id => byKey.get(`${reference} ${id}`))).filter(Boolean);
    const groups = new Map();
    const rootsOf = (act, way = []) => {
        const next = above(act).filter(each => !way.includes(each));
        return next.length === 0 ? [act] : next.flatMap(each => rootsOf(each, [...way, act]));
    };
    for (const act of inserts) for (const root of rootsOf(act)) groups.set(root, [...groups.get(root) ?? [], act]);
    return groups;
}

/** How many rows that the user can't see would go with a row, by collection. Empty if the server does not say. */
async function hiddenWith(tidemark, { collection, id }, signal) {
    const row = await tidemark.row(collection, id);
    if (row === null || row.server_version === 0) return new Map();
    return hiddenRows(tidemark, collection, id, { signal }).catch(() => new Map());
}

/** The same, with the error if the server can't be asked. */
export async function hiddenRows(tidemark, collection, id, options = {}) {
    const path = `/${collection}/${encodeURIComponent(id)}/`;
    const { hidden = {} } = await tidemark.request('DELETE', path, { query: { dry_run: true }, ...options });
    return new Map(Object.entries(hidden).filter(([, count]) => count > 0));
}
