import { TidemarkError } from './error.js';
import { Pages } from './pages.js';

/** Seconds that the server may hold a pull. Proxies give up after 60. */
const HELD = 25;
/** Seconds after these, for the way. */
const GRACE = 20;
/** Milliseconds between pulls that the server did not hold. Grows from the first to the last. */
const [SHORTEST, LONGEST] = [5000, 30000];

/**
 * Pulls that the server holds until there is something. The answer is one row or none, and is dropped: the app's own
 * pull gets everything.
 *
 * These pulls do not name the device. The server would take their `since` for what the device has stored, and could
 * purge what it has yet to pull.
 */
export class HeldPulls {
    /** Whether the server has answered. */
    wasAlive = false;
    /** Everything up to here was told. Null if that is not known. */
    _told = null;
    _pause = SHORTEST;

    /**
     * `reached` returns the number that the app has pulled up to. `onNews` is called with one that it has to reach.
     * `filter.part` returns the parameters of a part, `{ filter, filter_was: 'same', left: 'deleted' }`, or none.
     */
    constructor({ transport, scope, filter, now, reached, onNews }) {
        Object.assign(this, { transport, scope, filter, now, reached, onNews });
    }

    /** One pull, with the pause after it that a server needs that does not hold pulls. */
    async run(signal) {
        const since = Math.max(this._told ?? 0, this.reached());
        if (since > 0) return this._hold(since, signal);
        // The app has not pulled yet, so what it pulls has to begin after this.
        const { timestamp } = await this._page({ since: 0 }, signal);
        this._told = timestamp;
        this.onNews(timestamp);
    }

    async _hold(since, signal) {
        const begun = this.now();
        this._told = since;
        const page = await this._page({ since, wait: HELD, ...this.filter.part?.() }, signal).catch(error => {
            if (error.isResync) this._told = null;
            throw error;
        });
        this._told = page.timestamp;
        if (page.hasNews) this.onNews(page.timestamp);
        if (page.timestamp > since && page.hasNews || this.now() - begun >= (HELD - 1) * 1000) {
            this._pause = SHORTEST;
            return;
        }
        await this.transport.wait(this._pause, signal);
        this._pause = Math.min(2 * this._pause, LONGEST);
    }

    async _page(query, signal) {
        const collections = this.filter.asked?.join(',') ?? null;
        const asked = { ...query, encoding: 'watermelondb', page_size: 1, collections };
        const page = await this._inTime(signal, inTime =>
            this.transport.get(this.scope.path, { query: asked, signal: inTime }));
        const pages = new Pages();
        pages.add(page);
        this.wasAlive = true;
        return { timestamp: page.timestamp, hasNews: pages.rows > 0 || page.has_more || pages.left.length > 0 };
    }

    async _inTime(signal, work) {
        const [cut, late] = [new AbortController(), new TidemarkError('timeout', 'A held pull has no answer.')];
        const stop = () => cut.abort();
        if (signal.aborted) stop();
        signal.addEventListener('abort', stop);
        let isLate = false;
        this.transport.wait((HELD + GRACE) * 1000, cut.signal).then(() => {
            isLate = true;
            stop();
        }, () => {});
        try {
            return await work(cut.signal);
        } catch (error) {
            throw isLate ? late : error;
        } finally {
            signal.removeEventListener('abort', stop);
            stop();
        }
    }
}
