import { TidemarkError, invalidAnswer } from '../common/error.js';
import { asked } from '../rows/page.js';
import { keptOf, positionOf, settledOf } from '../store/state.js';
import { WHOLE } from './whole.js';

/** The most restarts and resyncs of one pull. After these the server counts as broken. */
const MOST_RESTARTS = 5;
/** The most drains that do not count in one pull. What is unsent must not wait for ever. */
const MOST_ROUNDS = 8;
/** After so many drains that did not count, the next one is asked for as a stream: it is read at once. */
const PAGED_ROUNDS = 3;

/**
 * The pull protocol as a state machine on values: `start` and `handle` take what happened and return what to do next.
 * It does no I/O and reads no clock.
 *
 * A drain counts if nothing was written while it ran: only then all its pages are of one commit. Until one counts, the
 * next one begins at once, from where the last one ended.
 *
 * | action | is answered by |
 * |---|---|
 * | `{ do: 'schema', known }`: `known` is the version here | `{ is: 'schema', schema }`, null if it is that one |
 * | `{ do: 'adopt', schema }` | `{ is: 'stored', state }` |
 * | `{ do: 'page', query, isAhead }`: with `isAhead`, the query's `since` is not the watermark | `{ is: 'page', page }` |
 * | `{ do: 'apply', page, asked }`: store it with its cursor | `{ is: 'stored', state, differing, left, dropped }` |
 * | `{ do: 'reset', resync, isRestored }`: drop the drain, perhaps the watermark | `{ is: 'stored', state }` |
 * | `{ do: 'lose', error }`, `{ do: 'finish', outcome }`, `{ do: 'fail', error }` | nothing: the pull is over |
 *
 * Every request can also be answered by `{ is: 'refused', error }`, and a page by `{ is: 'broken', error }` if it can't be
 * understood, or contradicts those before it. `{ is: 'superseded', state, part }`: another window has changed the state,
 * and nothing was stored. `part` is as below.
 *
 * The schema is requested before the first page, so no row comes with a field that the copy does not have.
 *
 * If the copy is to hold another part than the one that its watermark is good for, a pending drain is finished first:
 * see `PartAsked`.
 */
export class PullLoop {
    /** `settled`: the commit that the copy has; null if no drain counted. `rounds`: the drains that did not. */
    outcome = {
        rows: 0, deleted: 0, dropped: 0, pages: 0, resynced: false, replaced: null, differing: null, left: [],
        settled: null, rounds: 0,
    };
    _restarts = 0;
    _page = null;
    /** The drain can't be trusted: it has to begin again. An answer that was cut is no reason. */
    isBroken = false;
    /** A stream was asked for, and whether it was refused in this round. */
    _isStream = false;
    _isRefused = false;

    /**
     * Continues from a state and its schema. `isUserWide`: all projects, so no refusal is about one of them. `part`:
     * see `PartAsked`.
     */
    constructor({ state, schema, isUserWide, pageSize = null, part = WHOLE }) {
        Object.assign(this, { schema, isUserWide, pageSize, part });
        this._find(state);
    }

    /** Takes over what an earlier pull, or another window, has left. */
    _find(state) {
        this.state = state;
        this._resume();
    }

    _resume() {
        const { asked = null, replaced = this.outcome.replaced } = keptOf(this.state) ?? {};
        /** What the present drain replaces, because it differs. */
        this._asked = asked;
        this.outcome.replaced = replaced;
        this._page = null;
    }

    start() {
        this._isAfterSchema = false;
        return { do: 'schema', known: this.schema?.version ?? null };
    }

    handle(event) {
        switch (event.is) {
            case 'schema': return this._adopt(event.schema);
            case 'page': return this._apply(event.page);
            case 'stored': return this._stored(event);
            case 'superseded': return this._superseded(event);
            case 'broken': return this._broken(event.error);
            default: return this._refused(event.error);
        }
    }

    _adopt(schema) {
        this.schema = schema ?? this.schema;
        this._isAfterSchema = true;
        return this.schema.version === this.state.schemaVersion ? this._next() : { do: 'adopt', schema: this.schema };
    }

    _next() {
        const { state, _asked: differing } = this;
        if (this.part.isObsolete(state)) return { do: 'reset', resync: false, isRestored: false };
        const { since, drain } = positionOf(state);
        const part = this._part = this.part.query(state, this.part.mustCompare || differing !== null);
        if (part === null) return { do: 'reset', resync: true, isRestored: false };
        const migration = differing && JSON.stringify({ tables: differing.collections, projects: differing.projects });
        this._isAfterSchema = false;
        this._isStream = drain === null && this._wantsStream;
        const form = this._isStream ? { stream: true } : { cursor: drain?.cursor ?? null, page_size: this.pageSize };
        const query = { since, cursor: null, ...form, migration, ...part };
        return { do: 'page', query, isAhead: since > state.since };
    }

    get _wantsStream() {
        const rounds = Math.max(this.outcome.rounds, keptOf(this.state)?.rounds ?? 0);
        return rounds >= PAGED_ROUNDS && !this._isRefused;
    }

    _apply(answer) {
        const isOfPart = Object.keys(this._part).length > 0;
        if (isOfPart && !answer.isFiltered) this.part.isOlder = true;
        const isUsable = !this.part.isOlder || !isOfPart || this.part.isOfEverything(this.state);
        if (!isUsable) return { do: 'reset', resync: true, isRestored: false };
        const isAsAsked = isOfPart && answer.isFiltered;
        const page = isAsAsked ? asked(answer, this.part.goal(this.state), this._part.digest === true) : answer;
        const error = this._contradiction(page);
        if (error) return this._broken(invalidAnswer(`The answer to a pull can't be used: ${error}.`));
        this._page = page;
        return { do: 'apply', page, asked: this._asked };
    }

    _contradiction({ timestamp, nextCursor, hasLeft }) {
        const { since, drain } = positionOf(this.state);
        if (timestamp < since) return '`timestamp` is below `since`';
        if (this.isUserWide && !drain && !hasLeft) return '`left_projects` is missing';
        if (drain && timestamp !== drain.timestamp) return '`timestamp` changed within one drain';
        return drain && nextCursor === drain.cursor ? '`next_cursor` does not move' : null;
    }

    _stored({ state, differing = null, left = [], dropped = 0 }) {
        const before = this.state;
        this.state = state;
        if (state.since < before.since) this.outcome.resynced = true;
        const page = this._page;
        if (page === null) return this._afterReset();
        this._page = null;
        this._count(page, left, dropped);
        if (page.nextCursor !== null) return this._next();
        return state.since === 0 ? this._voided() : this._drained(differing);
    }

    /** The end of the drain showed that the server's history is another one by now. Everything is read again. */
    _voided() {
        this._asked = null;
        return ++this._restarts > MOST_RESTARTS ? this._giveUp('it contradicts itself') : this.start();
    }

    /** What differs is replaced, once in a pull. After a drain that does not count, another one follows. */
    _drained(differing) {
        if (differing && !this.outcome.replaced) {
            this.outcome.replaced = this._asked = differing;
            return this._next();
        }
        this.outcome.differing = differing;
        this._asked = null;
        this._isRefused = false;
        const isSettled = settledOf(this.state) !== null && keptOf(this.state) === null;
        if (!this.part.isReached(this.state)) return this._next();
        if (!isSettled && ++this.outcome.rounds < MOST_ROUNDS) return this._next();
        if (isSettled) this.outcome.settled = this.state.since;
        return { do: 'finish', outcome: this.outcome };
    }

    /** After `adopt` the schema is current. After `reset` a changed schema may be the cause. */
    _afterReset() {
        this._asked = this.outcome.replaced = null;
        return this._isAfterSchema ? this._next() : this.start();
    }

    /** Another window may have named the first part. */
    _superseded({ state, part = this.part }) {
        this.part = part;
        this._find(state);
        return ++this._restarts > MOST_RESTARTS ? this._giveUp('other windows pull all the time') : this.start();
    }

    _refused(error) {
        const { drain, since } = positionOf(this.state);
        // The former part is refused: the schema may be another one by now. The one that is wanted may be in order.
        const isOfBefore = error.status === 400 && error.code === 'invalid_filter' && this.part.isOfBefore(this.state);
        const resync = error.isResync || isOfBefore;
        if (this._isStream && error.isTemporary) return this._inPages();
        if (error.isAccessLost && !this.isUserWide) return { do: 'lose', error };
        if (!resync && !(error.status === 400 && error.code === 'invalid_cursor')) return { do: 'fail', error };
        const hasCause = drain !== null || (resync && since > 0);
        if (!hasCause || ++this._restarts > MOST_RESTARTS) return this._giveUp(error.detail);
        return { do: 'reset', resync, isRestored: resync && error.code === 'since_ahead' };
    }

    /** There is no stream to spare, or something on the way does not let one through. */
    _inPages() {
        this._isRefused = true;
        return this._next();
    }

    _giveUp(why) {
        const detail = `The server keeps refusing to begin a pull: ${why}`;
        return this._broken(new TidemarkError('drain_broken', detail, { status: 200 }));
    }

    _broken(error) {
        this.isBroken = true;
        return { do: 'fail', error };
    }

    _count({ changes }, left, dropped) {
        const { outcome } = this;
        outcome.pages++;
        outcome.dropped += dropped;
        outcome.left.push(...left);
        for (const { created, updated, deleted, left } of changes) {
            outcome.rows += created.length + updated.length;
            outcome.deleted += deleted.length + left.length;
        }
    }
}
