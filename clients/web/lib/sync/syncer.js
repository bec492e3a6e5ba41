import { TidemarkError, invalidAnswer } from '../common/error.js';
import { EVERYTHING } from '../common/filter-text.js';
import { Answer } from '../rows/answer.js';
import { readPage } from '../rows/page.js';
import { Schema } from '../rows/schema.js';
import { keptOf } from '../store/state.js';
import { dismissYielded } from './inbox.js';
import { PullLoop } from './pull-loop.js';
import { PushLoop } from './push-loop.js';
import { WHOLE } from './whole.js';

/** The most pulls that one push may need. After these the server counts as broken. */
const MOST_PULLS = 3;

/** Syncs a copy with the server: carries out what the loops say. */
export class Syncer {
    /** No digest was compared in the life of this window. */
    _isFirst = true;
    _wanted = EVERYTHING;
    /** What the last pull has asked for. */
    _asked = WHOLE;

    /**
     * `onLeft` is told of each project that the user has lost. `partFilters` returns what filters say that are
     * functions: `{ values, error }`, by the names of their parts.
     */
    constructor({
        replica, transport, scope, pageSize = null, batchRows = undefined, onLeft = () => {},
        partFilters = () => ({ values: {}, error: null }),
    }) {
        Object.assign(this, { replica, transport, scope, pageSize, batchRows, onLeft, partFilters });
    }

    /**
     * Pulls, pushes, and pulls the result. With `isFresh`, the copy was pulled a moment ago: the push comes first.
     * Then the copy has what the caller may see, and what is unsent is held back with a reason. Throws `TidemarkError`;
     * what was done until then is kept.
     */
    async sync(signal, { isFresh = false, isRepeat = false } = {}) {
        if (!isFresh) await this.replica.retryRefused();
        const refusal = await this._orPush(() => this._want(), signal);
        const pulled = isFresh ? null : await this._orPush(() => this.pull(signal), signal);
        const outcome = { pulled, pushed: null, refusal };
        this._hasNewSchema = false;
        try {
            outcome.pushed = await this.push(signal);
        } catch (error) {
            // Whoever may not write can still read.
            if (error.status !== 403 || error.isAccessLost || error.problem === null) throw error;
            outcome.refusal = error;
        }
        if (isFresh || outcome.pushed?.batches > 0) outcome.pulled = await this.pull(signal);
        await dismissYielded(this, this._yielded, signal);
        // A new schema may take what the former one has just refused, or before. Two servers with different schemas, as
        // while one is upgraded, would make this a loop.
        return this._hasNewSchema && !isRepeat ? this.sync(signal, { isRepeat: true }) : outcome;
    }

    /** What is unsent does not wait until somebody corrects a filter, or until the code for parts can be loaded. */
    async _orPush(work, signal) {
        try {
            return await work();
        } catch (error) {
            if (['invalid_filter', 'not_loaded'].includes(error.code)) await this.push(signal);
            throw error;
        }
    }

    /** Finds out what to ask for in this sync. Returns why a filter could not be used, or null. */
    async _want() {
        const { values, error } = this.partFilters();
        const wanted = await this.replica.wantedFilter(values);
        Object.assign(this, { _wanted: wanted.filter, _asked: WHOLE });
        return error ?? wanted.error;
    }

    async pull(signal) {
        const [state, schema] = [await this.replica.state(), await this.replica.schema()];
        const { pageSize, scope: { isUserWide } } = this;
        const part = await this._part();
        const loop = new PullLoop({ state, schema, isUserWide, pageSize, part });
        const outcome = await this._run(loop, action => this._pullStep(action, loop, signal))
            .finally(() => { this._asked = loop.part; });
        this._isFirst = false;
        this._yielded = loop.state.yielded ?? [];
        return outcome;
    }

    /** What a pull asks for; `known` is what it has asked for so far. Another window may have named the first part. */
    async _part(known = WHOLE) {
        const parting = known === WHOLE ? await this.replica.parting() : null;
        if (parting === null) return known;
        const part = new parting.PartAsked(this._wanted, this._isFirst || await this.replica.hasAnswered());
        part.isOlder = this._asked.isOlder;
        return part;
    }

    /** The parameters of a pull that waits for news. */
    waitingFor(state) {
        return this._asked.waiting(state);
    }

    async push(signal) {
        for (let pulls = 0; pulls <= MOST_PULLS; pulls++) {
            const loop = new PushLoop({ isUserWide: this.scope.isUserWide, rows: this.batchRows });
            const end = await this._run(loop, action => this._pushStep(action, signal));
            if (end !== 'pull') return end;
            await this.pull(signal);
        }
        throw new TidemarkError('push_refused', 'The server keeps refusing uploads that fit its schema and watermark.');
    }

    /** Runs a loop to its end. */
    async _run(loop, step) {
        let action = loop.start();
        for (;;) {
            switch (action.do) {
                case 'finish': return action.outcome;
                case 'pull': return 'pull';
                case 'lose': throw await this._lost(action.error);
                case 'fail': throw await this._failed(action.error, loop);
                default: action = loop.handle(await step(action));
            }
        }
    }

    /** A drain that contradicts itself can't be trusted: the next pull begins a new one. */
    async _failed(error, { isBroken = false, state }) {
        if (isBroken && (state.drain || keptOf(state))) await this.replica.reset(false, state);
        return error;
    }

    async _lost(error) {
        await this.replica.lose(error.code);
        this.onLeft({ id: this.scope.project, name: null, code: error.code });
        return error;
    }

    async _pullStep(action, loop, signal) {
        switch (action.do) {
            case 'schema': return this._requested(() => this._schema(action.known, signal));
            case 'page': return this._requested(() => this._page(action, loop.schema, signal));
            case 'adopt':
                this._hasNewSchema = true;
                return { is: 'stored', state: await this.replica.adopt(action.schema) };
            case 'reset': {
                const state = await this.replica.reset(action.resync, loop.state, action.isRestored);
                return this._stored({ state }, loop);
            }
            default: return this._applied(action, loop);
        }
    }

    async _applied({ page, asked }, loop) {
        const mayAsk = loop.outcome.replaced === null;
        const receipt = await this.replica.apply(page, loop.state, asked, mayAsk).catch(error => {
            if (error.code !== 'drain_broken') throw error;
            return { error };
        });
        if (receipt?.error) return { is: 'broken', error: receipt.error };
        for (const lost of receipt?.left ?? []) this.onLeft(lost);
        return this._stored(receipt, loop);
    }

    async _stored(receipt, { part }) {
        if (receipt?.state) return { is: 'stored', ...receipt };
        return { is: 'superseded', state: await this.replica.state(), part: await this._part(part) };
    }

    async _schema(known, signal) {
        const headers = known === null ? {} : { 'If-None-Match': `"${known}"` };
        try {
            const document = await this.transport.json('GET', '/schemas/', { headers, signal });
            return { is: 'schema', schema: new Schema(document, this.scope.isUserWide) };
        } catch (error) {
            if (error.status !== 304 || known === null) throw error;
            return { is: 'schema', schema: null };
        }
    }

    /**
     * A stream is asked for once: there are pages in its place. The server takes `since` for what the device has
     * stored, and could purge what it has only kept: then it is not told which device asks.
     */
    async _page({ query, isAhead }, schema, signal) {
        const options = { query, signal, isNameless: isAhead, ...(query.stream ? { attempts: 1 } : {}) };
        const { page, head } = await this.transport.page(this.scope.path, options);
        try {
            return { is: 'page', page: readPage(page, schema, this.scope.project, { head }) };
        } catch (error) {
            if (!(error instanceof TidemarkError)) throw error;
            return { is: 'broken', error };
        }
    }

    async _pushStep(action, signal) {
        switch (action.do) {
            case 'prepare': return { is: 'prepared', batch: await this.replica.nextBatch(action.limits) };
            case 'send': return this._requested(() => this._send(action.batch, signal));
            case 'settle': return { is: 'settled', receipts: await this.replica.settle(action.batch, action.answer) };
            case 'drop': await this.replica.drop(action.batch); break;
            case 'hold': await this.replica.hold(action.batch, action.reason); break;
            default: await this.replica.retryRefused();
        }
        return { is: 'done' };
    }

    async _send({ id, body }, signal) {
        const { json, isReplayed } = await this.transport.upload(this.scope.path, { body, signal });
        if (json === null) throw invalidAnswer('The answer to an upload is empty.');
        return { is: 'answered', answer: new Answer(json, id, this.scope.project), isReplayed };
    }

    async _requested(request) {
        try {
            return await request();
        } catch (error) {
            if (!(error instanceof TidemarkError)) throw error;
            return { is: 'refused', error };
        }
    }
}
