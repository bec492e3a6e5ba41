import { areSame } from './step.js';

/**
 * Notes at the acts of steps what the server did not take of them: there is nothing to take back then, even if somebody
 * else writes the same value later.
 */
export class Refusals {
    /** The number of the last copy set aside that was looked at; null before the first look. */
    _seen = null;
    _last = Promise.resolve();

    /** `acts()` returns the acts of all steps. */
    constructor(tidemark, acts) {
        Object.assign(this, { tidemark, acts });
        this._stop = tidemark.onState(({ setAside }) => this._hear(setAside));
    }

    /** Resolves when everything is noted that was set aside by now. */
    look() {
        this._last = this._last.catch(() => {}).then(() => this._look());
        return this._last;
    }

    _hear(count) {
        if (count === this._count) return;
        this._count = count;
        this.look().catch(() => {});
    }

    async _look() {
        const copies = this._count > 0 ? await this.tidemark.setAside() : [];
        const known = this._seen;
        this._seen = Math.max(known ?? 0, ...copies.map(({ number }) => number));
        if (known === null) return;
        for (const copy of copies.filter(({ number }) => number > known)) this._note(copy);
    }

    _note(copy) {
        for (const act of this.acts()) {
            if (act.collection === copy.collection && act.id === copy.id) note(act, copy);
        }
    }
}

function note(act, { status, changed, values, reason }) {
    if (act.after) {
        const names = changed.filter(name => Object.hasOwn(act.after, name) && areSame(act.after[name], values[name]));
        for (const name of names) act.refused[name] = reason;
    } else if (status === (act.insert ? 'created' : 'deleted')) act.refused[''] = reason;
}
