import { whenCatalog } from '../../data/catalog.js';
import { whyNot } from '../../fields/access.js';
import { notify } from '../../notices.js';
import { whyNotLinked } from '../model/links.js';
import { brokenText, linkText, named, quoted, whyNotText } from './words.js';

/** What one may do with the links of a plan, and does. Each link is a row of `dependencies`. */
export class LinkEdits {
    /** Null as long as it is not known, and for schemas without links. */
    collection = null;
    _refused = new Map();

    /** `onChange()` is called when other links can be made, or others are refused. */
    constructor(context, project, plan, editing, onChange) {
        Object.assign(this, { context, project, plan, editing });
        this._stops = [
            whenCatalog(context, catalog => {
                this.collection = catalog.collection('dependencies') ?? null;
                onChange();
            }, () => {}),
            context.onState(({ refused }) => {
                this._refused = new Map(refused.filter(({ collection }) => collection === 'dependencies')
                    .map(({ id, reasons }) => [id, reasons]));
                onChange();
            }),
        ];
    }

    stop() {
        this._stops.forEach(stop => stop());
    }

    get hasKinds() {
        return Boolean(this.collection?.field('dep_type'));
    }

    get hasLags() {
        return Boolean(this.collection?.field('lag'));
    }

    /** Whether the reader's role allows this: `create`, `update` or `delete`. The server judges again. */
    can(what) {
        return this.collection !== null && whyNot(this.collection, what, this.editing) === null;
    }

    /** Why links can't be changed, as a sentence; null if they can. */
    get whyNot() {
        return this.collection && whyNot(this.collection, 'update', this.editing);
    }

    /** Why these two can't be linked so, as a sentence; null if they can. */
    whyNotLinked(from, to, kind) {
        if (kind !== 'FS' && !this.hasKinds) return 'A link leads from the end of a task to the start of another one.';
        // They may be other objects by now.
        const [before, after] = [from, to].map(({ task }) => this.plan.node(task.id));
        if (!before || !after) return 'One of the two tasks is not there any more.';
        const found = whyNotLinked(this.plan.links, before, after, kind);
        return found && whyNotText(found, before, after);
    }

    /** What is wrong with a link, as a sentence: what the server has refused, or what its dates break; null if not. */
    problemOf(link) {
        const reasons = this._refused.get(link.id);
        if (reasons) return `The server refuses it: ${reasons.map(({ detail }) => named(this.plan, detail)).join(' ')}`;
        return link.broken ? brokenText(link, this.plan) : null;
    }

    /** What an arrow says under the mouse. */
    words(link) {
        return [`${quoted(link.from)} → ${quoted(link.to)}`, linkText(link), null, this.problemOf(link)];
    }

    isWrong(link) {
        return this._refused.has(link.id) || Boolean(link.broken);
    }

    /** Links two tasks, or says why they can't be linked. */
    async add(from, to, kind = 'FS', lag = 0) {
        const why = this.whyNotLinked(from, to, kind);
        if (why) return void notify(why);
        const insert = {
            project_id: this.project, predecessor: from.task.id, successor: to.task.id,
            ...this.hasKinds && { dep_type: kind }, ...this.hasLags && { lag },
        };
        await this._apply(`Link ${quoted(from)} with ${quoted(to)}`, { insert });
    }

    /** Changes what is another kind or lag now. What somebody else has changed meanwhile stays. */
    async change(link, { kind = link.kind, lag = link.lag }) {
        const before = { dep_type: link.kind, lag: link.lag };
        const update = { ...kind !== link.kind && { dep_type: kind }, ...lag !== link.lag && { lag } };
        const expected = Object.fromEntries(Object.keys(update).map(name => [name, before[name]]));
        if (Object.keys(update).length === 0) return;
        const { left = [] } = await this._apply(`Change ${nameOf(link)}`, { id: link.id, update, expected }) ?? {};
        if (left.length > 0) notify('Somebody else has changed the link meanwhile. Yours was left out.', 'stays');
    }

    remove(link) {
        return this._apply(`Delete ${nameOf(link)}`, { id: link.id, delete: true });
    }

    async _apply(name, change) {
        try {
            return await this.context.edits.apply({ name, changes: [{ collection: 'dependencies', ...change }] });
        } catch (error) {
            notify(`The link was not changed: ${error.detail ?? error}`, 'bad');
            return null;
        }
    }
}

const nameOf = ({ from, to }) => `the link of ${quoted(from)} with ${quoted(to)}`;
