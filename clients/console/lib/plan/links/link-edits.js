import { whenCatalog } from '../../data/catalog.js';
import { whyNot } from '../../fields/access.js';
import { notify } from '../../notices.js';
import { whyNotLinked } from '../model/links.js';
import { brokenText, linkText, quoted, whyNotText } from './words.js';

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
        const found = whyNotLinked(this.plan.links, from, to, kind);
        return found && whyNotText(found, from, to);
    }

    /** What is wrong with a link, as a sentence: what the server has refused, or what its dates break; null if not. */
    problemOf(link) {
        const reasons = this._refused.get(link.id);
        if (reasons) return `The server refuses it: ${reasons.map(each => this._reason(each)).join(' ')}`;
        return link.broken && brokenText(link, this.plan);
    }

    /** What an arrow says under the mouse. */
    words(link) {
        return [`${quoted(link.from)} → ${quoted(link.to)}`, linkText(link), null, this.problemOf(link)];
    }

    isWrong(link) {
        return this._refused.has(link.id) || link.broken !== null;
    }

    /** Resolves to the id of the new link; null if it can't be, which is said. */
    async add(from, to, kind = 'FS', lag = 0) {
        const why = this.whyNotLinked(from, to, kind);
        if (why) return void notify(why) ?? null;
        const values = {
            project_id: this.project, predecessor: from.task.id, successor: to.task.id,
            ...this.hasKinds && { dep_type: kind }, ...this.hasLags && { lag },
        };
        return this._tried(() => this.context.tidemark.insert('dependencies', values));
    }

    change({ id }, values) {
        return this._tried(() => this.context.tidemark.update('dependencies', id, values));
    }

    /** A link that the server has never had is gone; of another one it is told. */
    remove({ id }) {
        return this._tried(() => this.context.tidemark.delete('dependencies', id));
    }

    async _tried(work) {
        try {
            return await work();
        } catch (error) {
            notify(`The link was not changed: ${error.detail ?? error}`, 'bad');
            return null;
        }
    }

    /** The server names tasks by their ids. */
    _reason({ detail }) {
        return detail.replace(/[\w-]+/g, word => this.plan.node(word) ? quoted(this.plan.node(word)) : word);
    }
}
