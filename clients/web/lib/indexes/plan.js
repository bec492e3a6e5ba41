import { ABOVE, compareKeys, keyOf } from './keys.js';
import { boundsOf } from './question.js';

/**
 * How a question is answered by an index: from the entries between `lower` and `upper`. `isOrdered`: they are in the
 * order of the answer. `isExact`: all of their rows are in it.
 */
class Plan {
    constructor(index, question) {
        const { equal, ranges, order } = question;
        const isEqual = ({ name }) => equal.has(name);
        const first = index.fields.findIndex(field => !isEqual(field));
        this.index = index;
        this.equals = first < 0 ? index.fields : index.fields.slice(0, first);
        const [next = null, ...rest] = index.fields.slice(this.equals.length);
        this.ranged = next && ranges.has(next.name) ? next : null;
        const wanted = order.filter(field => !isEqual(field));
        const others = next ? [next, ...rest].filter(field => !isEqual(field)) : [];
        this.isOrdered = wanted.length === others.length
            && others.every(({ name, isDescending }, place) =>
                name === wanted[place].name && isDescending === wanted[place].isDescending);
        this.isExact = equal.size === this.equals.length && ranges.size === (this.ranged ? 1 : 0);
        Object.assign(this, this._range(question));
    }

    /** Whether it reads less than all rows. */
    isOfUse({ limit }) {
        // The rows of a project are found without an index.
        const narrows = this.ranged !== null || this.equals.some(({ name }) => name !== 'project_id');
        return narrows || (this.isOrdered && limit !== null);
    }

    /** What is best comes first. */
    rank({ limit }) {
        const isBounded = this.isOrdered && this.isExact && limit !== null;
        return [Number(isBounded), this.equals.length, Number(this.ranged !== null), Number(this.isOrdered)];
    }

    _range({ equal, ranges }) {
        const prefix = [this.index.number, ...this.equals.map(({ name, isDescending }) =>
            keyOf(equal.get(name), isDescending))];
        if (this.ranged === null) return { lower: prefix, upper: [...prefix, ABOVE] };
        const { lower, upper } = boundsOf(ranges.get(this.ranged.name), this.ranged.isDescending);
        return {
            lower: lower ? [...prefix, lower.key, ...(lower.isOpen ? [ABOVE] : [])] : prefix,
            upper: upper ? [...prefix, upper.key, ...(upper.isOpen ? [] : [ABOVE])] : [...prefix, ABOVE],
        };
    }
}

/** The best plan with a collection's indexes; null if all rows have to be read. */
export function planFor(question, indexes) {
    const plans = indexes.map(index => new Plan(index, question)).filter(plan => plan.isOfUse(question));
    return plans.sort((one, other) => compareKeys(other.rank(question), one.rank(question)))[0] ?? null;
}

/** The fields of an index that answers the question without all rows; null if there can be none. */
export function indexFor({ equal, ranges, order, limit }) {
    const equals = [...equal.keys()].filter(name => isIndexed(name));
    const others = order.filter(({ name }) => !equal.has(name))
        .map(({ name, isDescending }) => `${isDescending ? '-' : ''}${name}`);
    const ranged = [...ranges.keys()].filter(name => isIndexed(name)).slice(0, 1);
    const isSame = ranged.length > 0 && others[0]?.replace(/^-/, '') === ranged[0];
    const rest = ranged.length > 0 && !isSame ? ranged : limit !== null || isSame ? others : [];
    const fields = [...equals, ...rest];
    return fields.length > 0 && `${fields}` !== 'project_id' ? fields : null;
}

const isIndexed = name => name !== 'server_version' && !name.startsWith('_');
