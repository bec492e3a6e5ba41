import { TidemarkError } from '../common/error.js';
import { textOf } from '../common/filter-text.js';
import { covers, normalFilter, unionOf } from '../common/part-filter.js';
import { LongTexts } from '../long-texts.js';
import { parsed } from '../storage.js';

const HOUR = 3_600_000;

/** The parts that the app has named: see `parts` in index.d.ts. */
export class NamedParts {
    /**
     * In the order in which they were named: `{ name, filter, keepHours, removedAt }`. Of a function, `filter` is the
     * last value. `removedAt` is null, or when the part was removed: it is asked for `keepHours` longer. Undefined
     * until read.
     */
    _parts = undefined;
    /** The filters that are functions, by name. */
    _functions = new Map();
    /** Who waits until the device has a part: `{ name, resolve, reject }`. */
    _waiting = [];
    _last = Promise.resolve();
    /** Called when there is something else to ask for. */
    onChange = null;

    constructor({ storage, scope, schemas, coverage, now = Date.now }) {
        Object.assign(this, { scope, schemas, coverage, now, texts: new LongTexts(storage) });
        this.key = `${scope.prefix}parts`;
    }

    async add(name, filter, options = {}) {
        if (typeof name !== 'string' || name === '') throw new TypeError('A part needs a name.');
        const { keepHours, ...others } = options;
        for (const other of Object.keys(others)) throw new TypeError(`parts.add has no option ${other}.`);
        const isFine = keepHours === undefined || (Number.isFinite(keepHours) && keepHours >= 0);
        if (!isFine) throw new TypeError('keepHours must be a number of hours from 0.');
        return this._name(name, filter, { keepHours });
    }

    async update(name, filter) {
        return this._name(name, filter, { mayAdd: false });
    }

    remove(name) {
        return this._alone(async () => {
            const parts = await this._load();
            const part = parts.find(each => each.name === name && each.removedAt === null);
            if (!part) throw unknownPart(name);
            const removed = part.keepHours > 0 ? [{ ...part, removedAt: this.now() }] : [];
            await this._save(parts.flatMap(each => (each === part ? removed : [each])));
            this._functions.delete(name);
            this._settle(each => each.name === name, ({ reject }) => reject(unknownPart(name)));
            this.onChange?.();
        });
    }

    async list() {
        const here = await this.coverage.filter();
        const parts = (await this._load()).filter(each => this._isAsked(each));
        return parts.map(({ name, filter, keepHours, removedAt }) => ({
            name, filter, keepHours, keepUntil: removedAt === null ? null : removedAt + keepHours * HOUR,
            isReady: has(here, filter),
        }));
    }

    /**
     * What a sync asks for: `{ filter, error }`, the text of all parts together. Asks the app's functions. Of one that
     * can't be used the last value counts, and its `error` is to be told.
     */
    wanted() {
        return this._alone(async () => {
            let parts = (await this._load()).filter(each => this._isAsked(each));
            let error = null;
            for (const [name, ask] of this._functions) {
                try {
                    const filter = await this._normal(await asked(name, ask));
                    parts = fitting(parts.map(each => (each.name === name ? { ...each, filter } : each)));
                } catch (cause) {
                    error = cause;
                }
            }
            await this._save(parts);
            return { filter: textOf(unionOf(parts.map(({ filter }) => filter))), error };
        });
    }

    /** Tells those who wait for a part that is here now. */
    async tell() {
        if (this._waiting.length === 0) return;
        const ready = (await this.list()).filter(({ isReady, keepUntil }) => isReady && keepUntil === null);
        this._settle(({ name }) => ready.some(part => part.name === name), ({ resolve }) => resolve());
    }

    /** Tells those who wait that the server does not take the filter. */
    refuse(error) {
        this._settle(() => true, ({ reject }) => reject(error));
    }

    async isUsed() {
        return (await this._load()).length > 0;
    }

    async forget() {
        this._functions.clear();
        this._settle(() => true, ({ name, reject }) => reject(unknownPart(name)));
        this._parts = [];
        await this.texts.remove(this.key);
    }

    _name(name, filter, { keepHours, mayAdd = true }) {
        return this._alone(async () => {
            const parts = await this._load();
            const known = parts.find(each => each.name === name) ?? null;
            if (!mayAdd && (known === null || known.removedAt !== null)) throw unknownPart(name);
            const isFunction = typeof filter === 'function';
            const normal = await this._normal(isFunction ? await asked(name, filter) : filter);
            const part = { name, filter: normal, keepHours: keepHours ?? known?.keepHours ?? 0, removedAt: null };
            const isOther = JSON.stringify(part) !== JSON.stringify(known);
            if (isOther) await this._save(fitting([...parts.filter(each => each !== known), part]));
            if (isFunction) this._functions.set(name, filter);
            else this._functions.delete(name);
            const ready = new Promise((resolve, reject) => this._waiting.push({ name, resolve, reject }));
            // Not every app waits for it.
            ready.catch(() => {});
            await this.tell();
            if (isOther) this.onChange?.();
            return { name, ready };
        });
    }

    /** With what the server has said in this run of the app: an older answer may know less than the server does. */
    async _normal(filter) {
        const document = this.schemas.isKnown ? await this.schemas.document() : null;
        return normalFilter(filter, { document, isUserWide: this.scope.isUserWide });
    }

    _isAsked({ removedAt, keepHours }) {
        return removedAt === null || removedAt + keepHours * HOUR > this.now();
    }

    /** One after the other: each reads what the one before has stored. */
    _alone(work) {
        const run = this._last.then(work);
        this._last = run.catch(() => {});
        return run;
    }

    _settle(isMeant, settle) {
        const meant = this._waiting.filter(isMeant);
        this._waiting = this._waiting.filter(each => !meant.includes(each));
        meant.forEach(settle);
    }

    async _load() {
        this._parts ??= parsed(await this.texts.get(this.key)) ?? [];
        return this._parts;
    }

    async _save(parts) {
        const text = JSON.stringify(parts);
        if (text !== JSON.stringify(await this._load())) {
            if (parts.length) await this.texts.set(this.key, text);
            else await this.texts.remove(this.key);
        }
        this._parts = parts;
    }
}

/** The parts, if they are within the limits together. Removed ones give way first, the oldest before others. */
function fitting(parts) {
    try {
        unionOf(parts.map(({ filter }) => filter));
        return parts;
    } catch (error) {
        const removed = parts.filter(({ removedAt }) => removedAt !== null);
        if (!removed.length) throw error;
        const oldest = removed.reduce((one, other) => (other.removedAt < one.removedAt ? other : one));
        return fitting(parts.filter(each => each !== oldest));
    }
}

async function asked(name, filter) {
    try {
        return await filter();
    } catch (cause) {
        throw new TidemarkError('invalid_filter', `The filter of the part ${name} throws: ${cause}.`, { cause });
    }
}

const has = (here, filter) => here !== null && covers(JSON.parse(here), filter);

const unknownPart = name => new TidemarkError('unknown_part', `There is no part ${name}.`);

/** For an app that calls `synchronize()` itself. */
export const needsSync = () => new TidemarkError('needs_sync', 'The database has named parts, or rows of a former one. '
    + 'They need sync() of the adapter: it also removes rows that leave. Call sync() instead of synchronize().');
