import { TidemarkError } from '../common/error.js';
import { EVERYTHING, textOf } from '../common/filter-text.js';
import { covers, normalFilter, unionOf } from '../common/part-filter.js';
import { filterOf, settledOf } from '../store/state.js';

// The named parts of a copy, in the store `meta`, in the order in which they were named: `{ name, filter, keepHours,
// removedAt }`. `filter` is in normal form; of a function it is the last value. `removedAt` is null, or when the part
// was removed: it is asked for `keepHours` longer. Each function is part of a transaction.

const HOUR = 3_600_000;

/**
 * Names a part, or gives the part of this name another filter. Without `mayAdd` there must be one. Throws
 * `invalid_filter`, and changes nothing, if the filter is none, or if all parts together are beyond a limit: then
 * removed parts give way first, the oldest before others. Returns whether anything is different.
 */
export async function namePart(unit, name, { filter, keepHours, mayAdd = true }) {
    const parts = await standing(unit);
    const known = parts.find(each => each.name === name) ?? null;
    if (!mayAdd && (known === null || known.removedAt !== null)) throw unknownPart(name);
    const isUserWide = unit.project === null;
    const document = unit.state.schemaVersion === null ? null : unit.schema.document;
    const { keepHours: hours = 0 } = { ...known, ...(keepHours === undefined ? {} : { keepHours }) };
    const part = { name, filter: normalFilter(filter, { document, isUserWide }), keepHours: hours, removedAt: null };
    if (JSON.stringify(part) === JSON.stringify(known)) return false;
    const after = known ? parts.map(each => (each === known ? part : each)) : [...parts, part];
    await unit.transaction.put('meta', fitting(after), 'parts');
    return true;
}

/** Removes a part. Throws `unknown_part`. */
export async function removePart(unit, name) {
    const parts = await standing(unit);
    const part = parts.find(each => each.name === name && each.removedAt === null);
    if (!part) throw unknownPart(name);
    const removed = part.keepHours > 0 ? [{ ...part, removedAt: unit.clock() }] : [];
    const after = parts.flatMap(each => (each === part ? removed : [each]));
    await unit.transaction.put('meta', after, 'parts');
}

/**
 * The parts as the app sees them, `{ name, filter, keepHours, keepUntil, isReady }`. `isReady`: the rows that are shown
 * are a settled state with everything that the part names.
 */
export async function listParts(unit) {
    const held = settledOf(unit.state) === null ? null : JSON.parse(filterOf(unit.state));
    return (await standing(unit)).map(({ name, filter, keepHours, removedAt }) => ({
        name, filter, keepHours, keepUntil: removedAt === null ? null : removedAt + keepHours * HOUR,
        isReady: held !== null && covers(held, filter),
    }));
}

/**
 * What to ask for now: `{ filter, error }`, the text of the union of all parts. `values` are the filters of functions,
 * by name, which are stored. One that can't be used leaves the last one as it is, and its `error` is told.
 */
export async function wantedFilter(unit, values) {
    let error = null;
    for (const [name, filter] of Object.entries(values)) {
        try {
            await namePart(unit, name, { filter, mayAdd: false });
        } catch (failure) {
            if (!(failure instanceof TidemarkError)) throw failure;
            if (failure.code !== 'unknown_part') error = failure;
        }
    }
    const stored = await unit.parts();
    const parts = await standing(unit);
    if (parts.length < stored.length) await unit.transaction.put('meta', parts, 'parts');
    return { filter: parts.length === 0 ? EVERYTHING : textOf(unionOf(parts.map(({ filter }) => filter))), error };
}

/** The parts without those that were kept long enough. */
async function standing(unit) {
    const now = unit.clock();
    return (await unit.parts()).filter(({ removedAt, keepHours }) =>
        removedAt === null || removedAt + keepHours * HOUR > now);
}

/** The parts of which the union is within the limits: the oldest of those that were removed give way. */
function fitting(parts) {
    try {
        unionOf(parts.map(({ filter }) => filter));
        return parts;
    } catch (error) {
        const [oldest] = parts.filter(({ removedAt }) => removedAt !== null)
            .sort((one, other) => one.removedAt - other.removedAt);
        if (!oldest) throw error;
        return fitting(parts.filter(each => each !== oldest));
    }
}

const unknownPart = name => new TidemarkError('unknown_part', `There is no part ${name}.`);
