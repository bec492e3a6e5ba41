import { TidemarkError } from '../common/error.js';

/** The named parts of the copy, as the app names them in this window: see `Parts` in index.d.ts. */
export class NamedParts {
    /** Filters that are functions, by name. They are this window's, and asked when it syncs. */
    _functions = new Map();
    /** What waits until a part is ready: `{ name, resolve, reject }`. */
    _waiting = new Set();

    /** `onChanged` is told when there is something else to ask for. */
    constructor(replica, onChanged) {
        Object.assign(this, { replica, onChanged });
    }

    async add(name, filter, options = {}) {
        if (typeof name !== 'string' || name === '') throw new TypeError('A part needs a name.');
        const { keepHours, ...others } = options;
        for (const other of Object.keys(others)) throw new TypeError(`parts.add has no option ${other}.`);
        if (keepHours !== undefined && !(keepHours >= 0)) throw new TypeError('keepHours must be a number from 0.');
        await this._name(name, filter, { keepHours });
        return { name, ready: this._ready(name) };
    }

    async update(name, filter) {
        await this._name(name, filter, { mayAdd: false });
        return { name, ready: this._ready(name) };
    }

    async remove(name) {
        await this.replica.removePart(name);
        this._functions.delete(name);
        this.onChanged();
    }

    /**
     * The values of the functions, by name: what a sync asks for. Of one that throws there is none, so its last value
     * counts, and the error is told after the sync.
     */
    values() {
        const values = {};
        let error = null;
        for (const [name, filter] of this._functions) {
            try {
                values[name] = filter();
            } catch (cause) {
                error = failed(name, cause);
            }
        }
        return { values, error };
    }

    /** Something was stored, in whichever window. */
    look() {
        if (this._waiting.size === 0) return;
        this._looking = (this._looking ?? Promise.resolve()).then(() => this._look()).catch(() => {});
    }

    end() {
        this._settle(() => new TidemarkError('closed', 'This window has closed its copy.'));
    }

    async _name(name, filter, rest) {
        const isFunction = typeof filter === 'function';
        const isOther = await this.replica.namePart(name, { filter: isFunction ? filter() : filter, ...rest });
        if (isFunction) this._functions.set(name, filter);
        else this._functions.delete(name);
        if (isOther) this.onChanged();
    }

    _ready(name) {
        const ready = new Promise((resolve, reject) => this._waiting.add({ name, resolve, reject }));
        // Not every app waits for it.
        ready.catch(() => {});
        this.look();
        return ready;
    }

    async _look() {
        const parts = new Map((await this.replica.parts()).map(part => [part.name, part]));
        this._settle(({ name }) => {
            const part = parts.get(name);
            if (!part || part.keepUntil !== null) return removed(name);
            return part.isReady ? null : undefined;
        });
    }

    /** `judge` returns an error, null for what is ready, or undefined. */
    _settle(judge) {
        for (const each of [...this._waiting]) {
            const end = judge(each);
            if (end === undefined) continue;
            this._waiting.delete(each);
            if (end) each.reject(end);
            else each.resolve();
        }
    }
}

const removed = name => new TidemarkError('unknown_part', `The part ${name} was removed.`);

function failed(name, cause) {
    const detail = `The filter of the part ${name} throws: ${cause}. The last one counts.`;
    return new TidemarkError('invalid_filter', detail, { cause });
}
