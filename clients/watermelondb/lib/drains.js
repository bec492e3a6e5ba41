import { TidemarkError, invalidAnswer } from './common/error.js';
import { Pages } from './common/pages.js';
import { isOfOneCommit } from './common/transport.js';

/** How often a drain restarts before the pull fails. A change of role or of the server's schema causes a restart. */
const RESTARTS = 3;

/** One drain, and whether it counts: whether all that it has is of one commit. */
export class Drain extends Pages {
    _head = null;
    /** Whether the server has understood that only a part is wanted. */
    isFiltered = false;

    /** Adds a page. `head` is the server's head at that moment; null if it is not known. */
    add(page, head) {
        super.add(page);
        this._head = head;
        const isFiltered = page.filtered === true;
        if (this.count > 1 && isFiltered !== this.isFiltered) throw ofTwoServers();
        this.isFiltered = isFiltered;
    }

    get counts() {
        return isOfOneCommit(this._head, this.timestamp, this.count === 1);
    }
}

const ofTwoServers = () =>
    new TidemarkError('drain_broken', 'Only some pages are of the part: there are two servers.', { status: 200 });

/** Runs drains: in pages, or as a stream. */
export class Drains {
    /** `streamTimeout` is the milliseconds that a stream may take. */
    constructor({ transport, scope, streamTimeout }) {
        Object.assign(this, { transport, scope, streamTimeout });
    }

    /**
     * All pages. `options` has what the transport takes, and `onPage`, which is called with the drain so far and each
     * page. Starts again from page 1 if the server no longer knows the cursor.
     */
    async paged(query, options) {
        for (let restarts = 0; ; restarts++) {
            try {
                return await this._pages(query, options);
            } catch (error) {
                if (!['invalid_cursor', 'drain_broken'].includes(error.code) || restarts === RESTARTS) throw error;
            }
        }
    }

    /** The same in one answer. Null if the server has no stream to spare, or if the stream breaks. */
    async streamed(query, options) {
        const asked = { ...query, stream: true, page_size: null };
        try {
            const drain = new Drain();
            const page = await this._add(drain, asked, { ...options, timeout: this.streamTimeout, attempts: 1 });
            return page.has_more ? null : drain;
        } catch (error) {
            if (!error.isTemporary && error.code !== 'drain_broken') throw error;
            return null;
        }
    }

    async _pages(query, options) {
        const drain = new Drain();
        for (let cursor = null; ;) {
            const page = await this._add(drain, { ...query, cursor }, options);
            if (!page.has_more) return drain;
            if (page.next_cursor === cursor) throw invalidAnswer('A page leads to itself.');
            cursor = page.next_cursor;
        }
    }

    async _add(drain, query, { onPage, ...options }) {
        const { page, head } = await this.transport.page(this.scope.path, { ...options, query });
        drain.add(page, head);
        onPage(drain, page);
        return page;
    }
}
