import { TidemarkError } from '../common/error.js';
import { EVERYTHING, isSameFilter } from '../common/filter-text.js';

/** What one pull asks for: the filter that its watermark is good for, and the one that the next is to be good for. */
export class Asked {
    /** The server knows no parts, and has sent everything. */
    isIgnored = false;

    /**
     * `since` is where the pull begins. `filter` may be that of an earlier pull, which has to be done before `wanted`.
     * All filters are texts.
     */
    constructor({ since, was = EVERYTHING, filter, wanted = filter }) {
        Object.assign(this, { since, was, filter, wanted });
    }

    static everything(lastPulledAt) {
        return new Asked({ since: lastPulledAt || 0, filter: EVERYTHING });
    }

    get isPart() {
        return this.filter !== EVERYTHING;
    }

    get isDone() {
        return this.isIgnored || isSameFilter(this.filter, this.wanted);
    }

    /** Nothing depends on what was, so nothing of an earlier pull has to be done first. */
    beginAgain() {
        Object.assign(this, { since: 0, was: EVERYTHING, filter: this.isIgnored ? EVERYTHING : this.wanted });
    }

    /** The parameters of a request, `since` the watermark of this round. Later rounds go on with the same part. */
    query(since) {
        const was = since === this.since ? this.was : this.filter;
        if (!this.isPart && (since === 0 || was === EVERYTHING)) return {};
        const filter_was = since === 0 ? null : isSameFilter(was, this.filter) ? 'same' : was;
        return { filter: this.isPart ? this.filter : null, filter_was, left: 'left' };
    }

    /**
     * Notes whether the answer to the request after `since` was of the part. An older server ignores what it does not
     * know: the answer is of everything, and of use only if what is here is everything, too. Otherwise throws what
     * makes the pull begin at 0.
     */
    note(since, isFiltered) {
        if (isFiltered || Object.keys(this.query(since)).length === 0) return;
        const isOfUse = since === 0 || (since === this.since && this.was === EVERYTHING);
        this.isIgnored = true;
        // As if the server had said so.
        if (!isOfUse) throw new TidemarkError('since_expired', 'The server knows no parts.', { status: 410 });
        Object.assign(this, { was: EVERYTHING, filter: EVERYTHING });
    }
}
