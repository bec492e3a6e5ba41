import { Device } from '../common/device.js';
import { TidemarkError } from '../common/error.js';
import { Listening } from '../common/listening.js';
import { OneAtATime } from '../common/one-at-a-time.js';
import { Pulls } from '../common/pulls.js';
import { Syncer } from '../sync/syncer.js';

/** Milliseconds in which a server that is there answers that it is. */
const PATIENCE = 3000;

/** How the window that syncs is connected with the server, in one session. */
export class Line {
    _end = new AbortController();
    /** A sync of this line has succeeded, so what is unsent can be sent at once. */
    _isFresh = false;
    _pulls = new Pulls();
    _listening = null;
    _makingBeside = null;
    /** The app has asked for a sync, and may keep other files since the last one. */
    _isAsked = false;

    /**
     * `onStatus` is told `{ isSyncing, isOnline, error }`, each member when it changes. `transport` is made with the
     * device. `besideFor` makes what is done for files, or resolves to null as long as there is nothing.
     */
    constructor({ replica, scope, transportWith, state, options, onStatus, onLeft, partFilters, besideFor }) {
        Object.assign(this, { replica, onStatus, besideFor, _life: state.life, _isListening: options.listen ?? true });
        /** What a pull that waits says of the part. */
        this._part = {};
        const { deviceName, appVersion, pageSize, batchRows, listen = true } = options;
        this._device = new Device({ deviceId: state.device, deviceName, appVersion }, '');
        const transport = this._transport = transportWith(this._device);
        this._syncer = new Syncer({ replica, transport, scope, pageSize, batchRows, onLeft, partFilters });
        this._runner = new OneAtATime(() => this._watched(this._isFresh));
        if (listen) this._listening = this._listen(transport, scope, options.now);
    }

    end() {
        this._end.abort();
        this._listening?.stop();
    }

    /** Asks for a sync soon. It is repeated until it succeeds, if this line listens. */
    ask() {
        this._listening?.ask();
    }

    /** There is a file to send. */
    send() {
        if (this._isListening) this._send(true);
    }

    /** Another network may be there. */
    resume() {
        this._listening?.resume();
        this.send();
    }

    /** Files are sent and read beside the syncs. Whatever becomes of them, the syncs go on; the next one tries again. */
    async _send(isNews, isAll = false) {
        if (this._end.signal.aborted) return;
        const { _life: life, _transport: transport, _end: { signal }, _isListening: isPersistent } = this;
        this._makingBeside ??= this.besideFor({ life, transport, signal, isPersistent });
        const beside = await this._makingBeside.catch(() => null);
        if (beside === null) this._makingBeside = null;
        else beside.wake(isNews, isAll);
    }

    /**
     * Resolves to whether the server answers, and tells if it does not: events have stopped, or the browser says that
     * there is no network. That it does is told by the sync that follows.
     */
    async isThere() {
        const limit = new AbortController();
        const isLate = this._transport.wait(PATIENCE, limit.signal).then(() => false);
        const isAnswered = this._transport.open('/health/', { signal: limit.signal }).then(({ ok }) => ok);
        const isThere = await Promise.race([isAnswered, isLate]).catch(() => false);
        limit.abort();
        if (!isThere && !this._end.signal.aborted) this.onStatus({ isOnline: false });
        return isThere;
    }

    /** Syncs now, refused rows included. Throws `TidemarkError`. */
    sync() {
        this._isFresh = false;
        this._isAsked = true;
        return this._runner.run();
    }

    _listen(transport, scope, now) {
        const isThere = () => this.isThere();
        const filter = { asked: null, part: () => this._part };
        const parts = { transport, scope, filter, pulls: this._pulls, now, isThere };
        return new Listening(parts, {
            appState: null, signal: this._end.signal,
            onChange: () => this._settled(),
            onError: error => this.onStatus({ error: plainError(error) }),
        });
    }

    /** An error that goes away by itself leads to another attempt, after a while. */
    async _settled() {
        const { pulled } = await this._runner.run();
        if (pulled?.settled === null) throw unsettled();
    }

    async _watched(isFresh) {
        this.onStatus({ isSyncing: true });
        this._send(false);
        try {
            const outcome = await this._pulls.watch(() => this._synced(isFresh));
            this._isFresh = true;
            this._send(false, this._isAsked);
            this._isAsked = false;
            this.onStatus({ isSyncing: false, isOnline: true, error: plainError(outcome.refusal) });
            return outcome;
        } catch (error) {
            this._isFresh = false;
            const isOnline = error.status > 0;
            this.onStatus({ isSyncing: false, isOnline, error: error.isAborted ? null : plainError(error) });
            throw error;
        }
    }

    async _synced(isFresh) {
        const outcome = await this._syncer.sync(this._end.signal, { isFresh });
        const state = await this.replica.state();
        const { since, compared } = state;
        this._part = this._syncer.waitingFor(state);
        this._device.comparison = compared;
        this._pulls.offer(since);
        this._pulls.settle();
        return outcome;
    }
}

const unsettled = () => new TidemarkError('unsettled', 'No drain counted.', { status: 503 });

/** An error as a message between windows. */
export const plainError = error => (error
    ? { code: error.code ?? 'failed', detail: error.detail ?? `${error.message ?? error}`, status: error.status ?? 0 }
    : null);
