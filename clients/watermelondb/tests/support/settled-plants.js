// Mistakes that the random runs must catch, each with a mix of what happens that brings it out. They are planted by
// replacing what classes have; `plant` returns what undoes it.
import { Drain } from '../../lib/drains.js';
import { Rounds } from '../../lib/rounds.js';

const replacing = (type, name, descriptor) => () => {
    const original = Object.getOwnPropertyDescriptor(type.prototype, name);
    Object.defineProperty(type.prototype, name, { configurable: true, ...descriptor });
    return () => Object.defineProperty(type.prototype, name, original);
};

const { _merge: merge, add, begin } = Rounds.prototype;
const KINDS = ['created', 'updated', 'deleted'];
const idOf = entry => entry.id ?? entry;

/** Replaces how a round's bucket joins the earlier ones, as `change(earlier, later)` says. */
const joining = change => replacing(Rounds, '_merge', {
    value(name, later) {
        if (this.changes[name]) this.changes[name] = change(this.changes[name], later);
        else merge.call(this, name, later);
    },
});

const buckets = list => Object.fromEntries(KINDS.map(kind => [kind, list(kind)]));

export const PLANTS = {
    'every drain counts': { mix: {}, plant: replacing(Drain, 'counts', { get: () => true }) },

    'a last page without the header is taken for a drain of one page': {
        mix: { headless: 1 },
        plant: replacing(Drain, 'counts', {
            get() {
                return this._head === null || this._head === this.timestamp;
            },
        }),
    },

    'the first word counts': {
        mix: { writes: 0.9 },
        plant: joining((earlier, later) => {
            const ids = new Set(KINDS.flatMap(kind => earlier[kind].map(idOf)));
            return buckets(kind => [...earlier[kind], ...later[kind].filter(entry => !ids.has(idOf(entry)))]);
        }),
    },

    'a row that a later round deletes stays': {
        mix: { writes: 0.9, closes: 0.4 },
        plant: replacing(Rounds, '_merge', {
            value(name, later) {
                merge.call(this, name, this.isEmpty || !this.changes[name] ? later : { ...later, deleted: [] });
            },
        }),
    },

    'drains are put one behind the other': {
        mix: { writes: 0.9 },
        plant: joining((earlier, later) => buckets(kind => [...earlier[kind], ...later[kind]])),
    },

    'rounds that are refused stay': {
        mix: { writes: 0.9, purges: 0.15 },
        plant: replacing(Rounds, 'begin', {
            value(since) {
                const { changes = {} } = this;
                begin.call(this, since);
                this.changes = changes;
            },
        }),
    },

    'a project that is back counts as lost': {
        mix: { losses: 0.5, projects: 4, writes: 0.9 },
        plant: replacing(Rounds, 'add', {
            value(drain) {
                const lost = [...this._lost];
                add.call(this, drain);
                this._lost = new Map([...lost, ...this._lost]);
            },
        }),
    },

    'a project that a round serves counts as kept, also if it is lost afterwards': {
        mix: { losses: 0.5, projects: 4, writes: 0.9 },
        plant: replacing(Rounds, 'add', {
            value(drain) {
                add.call(this, drain);
                this._kept = this.count === 1 ? drain.served : new Set([...this._kept, ...drain.served]);
                for (const project of this._kept) this._lost.delete(project);
            },
        }),
    },
};
