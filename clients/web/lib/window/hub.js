import { TidemarkError } from '../common/error.js';
import { Change } from '../store/change.js';
import { Leader } from './leader.js';
import { plainError } from './line.js';
import { Asked, Windows } from './windows.js';

/**
 * This window among those that have the same copy open. The one that holds the lock syncs; the others tell it of edits,
 * and hear from it what has changed.
 */
export class Hub {
    _leader = null;
    _asked = new Asked();

    /** `lineFor(state, told)` makes a line, which tells of its status and of lost projects. */
    constructor({ name, id, channel, locks, now, replica, live, status, parts, files, lineFor, signal }) {
        Object.assign(this, { name, locks, now, replica, live, status, parts, files, lineFor, signal });
        this._windows = new Windows(channel(name), id, this._handlers());
    }

    /** Waits for the lock, and syncs as long as this window has it. */
    async lead() {
        const { signal } = this;
        this._windows.post('hello');
        await this.locks.request(this.name, { signal }, async () => {
            if (signal.aborted) return;
            this._leader = new Leader({ replica: this.replica, lineFor: state => this.lineFor(state, this._told()) });
            await this._leader.follow();
            this._windows.post('leader');
            for (const number of this._asked.numbers) this._answerHere(number);
            // It may have been closed meanwhile.
            if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve));
        }).catch(error => this.status.report(error));
    }

    end() {
        this._leader?.end();
        this._asked.end(closed());
        this._windows.close();
    }

    async sync() {
        if (this.signal.aborted) throw closed();
        if (this._leader) await this._syncHere();
        else await this._asked.ask(number => this._windows.post('sync', { number }));
    }

    /** Something was edited here. */
    edited() {
        if (this._leader) this._leader.ask();
        else this._windows.post('edited');
    }

    /** A file has changed in this window. With `isNews` there is something to send. */
    filed(digest, isNews) {
        this._windows.post('file', { digest, isNews });
        this._fileHeard(digest, isNews);
    }

    /** Something was stored in this window: a `Change`. */
    changed(change) {
        this._windows.post('rows', change.message);
        this._heard(change);
    }

    /** Another session, or none, is there. */
    sessionChanged() {
        this._windows.post('session');
        this._sessionHeard();
    }

    resume() {
        this._leader?.resume();
    }

    doubt() {
        this._leader?.doubt();
    }

    _handlers() {
        return {
            rows: message => this._heard(Change.from(message)),
            edited: () => this._leader?.ask(),
            session: () => this._sessionHeard(),
            status: ({ line }) => this.status.setLine(line),
            file: ({ digest, isNews }) => this._fileHeard(digest, isNews),
            left: ({ lost }) => this._leftHeard(lost),
            hello: () => this._leader && this._windows.post('status', { line: this.status.line }),
            leader: () => this._asked.repeat(),
            sync: ({ from, number }) => this._leader && this._answer(from, number),
            synced: ({ number, error }) =>
                this._asked.answer(number, null, error && new TidemarkError(error.code, error.detail, error)),
        };
    }

    /** What a line tells goes to all windows. */
    _told() {
        return {
            onStatus: changes => {
                this.status.setLine(changed(this.status.line, changes, this.now()));
                this._windows.post('status', { line: this.status.line });
            },
            onLeft: lost => {
                this._windows.post('left', { lost });
                this._leftHeard(lost);
            },
        };
    }

    async _answer(to, number) {
        const error = await this._syncHere().then(() => null, plainError);
        this._windows.post('synced', { to, number, error });
    }

    /** Answers what this window asked of one that is gone. */
    async _answerHere(number) {
        const error = await this._syncHere().then(() => null, failure => failure);
        this._asked.answer(number, null, error);
    }

    async _syncHere() {
        const outcome = await this._leader.sync().catch(error => {
            throw error.isAborted && !this.signal.aborted ? sessionEnded() : error;
        });
        if (outcome === null) throw new TidemarkError('unauthorized', 'Sign in first.', { status: 401 });
    }

    _sessionHeard() {
        this._leader?.follow().catch(error => this.status.report(error));
        this._heard(Change.everything());
        this.files.heard(null);
    }

    _leftHeard(lost) {
        this.status.tell('left', lost);
        this.files.heard(null);
    }

    _fileHeard(digest, isNews) {
        if (isNews) this._leader?.send();
        this.files.heard(digest);
        this.status.look().catch(error => this.status.report(error));
    }

    _heard(change) {
        this.live.changed(change);
        this.parts.look();
        this.files.changed(change);
        this.status.look().catch(error => this.status.report(error));
    }
}

/** The line with these changes. When it has gone offline is known if it was online before. */
function changed(line, changes, now) {
    const { isOnline = line.isOnline } = changes;
    const offlineSince = isOnline ? null : line.isOnline ? now : line.offlineSince;
    return { ...line, ...changes, offlineSince };
}

const sessionEnded = () =>
    new TidemarkError('session_ended', 'The session has ended meanwhile, or another one has begun.');

const closed = () => new TidemarkError('closed', 'This window has closed its copy.');
