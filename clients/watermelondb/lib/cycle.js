import { TidemarkError } from './common/error.js';
import { EVERYTHING } from './common/filter-text.js';
import { isEmpty } from './empty.js';
import { Asked } from './part/asked.js';
import { needsSync } from './part/named-parts.js';
import { editsOf } from './unsent.js';

/** Runs pulls and pushes in order, for `sync()` or for an app that calls `synchronize()` itself. */
export class Cycle {
    /** A pull was handed to the app's own `synchronize()`, and its push has not come yet. */
    _awaitsPush = false;

    /** A former scope that the app's own `synchronize()` is about to leave. */
    _leaving = null;

    constructor(parts, { former, device, pulls, onAccessLost }) {
        const { owner, scope, pull, push, filter, named, coverage, outbox, withheld, bases, files } = parts;
        Object.assign(this, { parts, owner, scope, pull, push, filter, named, coverage, outbox, withheld, bases });
        Object.assign(this, { files, former, device, pulls, onAccessLost });
    }

    /**
     * Runs `work`. If the user has lost the project, calls the app first: it will want to save what is not sent. In the
     * user-wide scope, a refusal concerns one project of many, and `Pull` calls the app.
     */
    async guarded(work) {
        try {
            return await work();
        } catch (error) {
            if (error instanceof TidemarkError && error.isAccessLost && !this.scope.isUserWide) {
                await this.onAccessLost?.(error);
                await this.outbox.clear();
                await this.files.drop(this.scope.project);
            }
            throw error;
        }
    }

    // For apps that call `synchronize()` themselves.

    pullAlone(args, signal, isTurbo) {
        return this.guarded(async () => {
            const step = await this.stepOut(args, signal);
            if (step) return step;
            await this.owner.check(signal);
            if (await this.named.isUsed() || !await this.coverage.isPlain(args.lastPulledAt)) throw needsSync();
            // Nobody learns which watermark comes of this.
            await this.coverage.forget();
            // No push followed the last pull, so no row is left unsent. Nor is one of a database that was reset.
            if (this._awaitsPush) await this.push.done();
            if (this._awaitsPush || !args.lastPulledAt) await this.bases.forget();
            await this.settle(signal).catch(error => {
                if (endsSync(error)) throw error;
            });
            const answer = await this.pulled(args, signal, isTurbo);
            // This much is stored surely. What the answer has may never be.
            this.pulls.offer(answer.experimentalStrategy === 'replacement' ? 0 : args.lastPulledAt ?? 0);
            this.pulls.settle();
            this._awaitsPush = true;
            return answer;
        });
    }

    /** The next step out of a former scope, if there is one to leave. */
    async stepOut(args, signal) {
        this._leaving = null;
        for (const leaving of await this.former.at(args.lastPulledAt)) {
            const answer = await leaving.pull(args, signal);
            if (answer) {
                this._leaving = leaving;
                return answer;
            }
            await leaving.done();
        }
        return null;
    }

    async pushAlone(args, signal) {
        const leaving = this._leaving;
        if (leaving) {
            const { answer, error } = await leaving.push(args, signal);
            if (error) throw error;
            await leaving.done();
            return answer;
        }
        this._awaitsPush = false;
        const { answer, error } = await this.pushed(args, signal);
        if (error) throw error;
        // This is the last chance: nobody learns what WatermelonDB does with the answer.
        await this.push.done();
        await this.bases.dropAnswered(answer);
        return answer;
    }

    // For `sync()`, which knows when WatermelonDB has stored what it received.

    async sync({ synchronize, unsafeTurbo = false, ...rest }, signal) {
        const { database } = rest;
        for (const leaving of await this.former.of(database)) await this.leave(leaving, synchronize, database, signal);
        await this.settleFirst(synchronize, database, signal);
        const { filter: wanted, error: failure } = await this.named.wanted();
        // A part is small, and in pages it shows whether the server knows parts.
        const isTurbo = unsafeTurbo && wanted === EVERYTHING && await isEmpty(synchronize, database);
        const asked = await this.twice(synchronize, isTurbo ? { unsafeTurbo, ...rest } : rest, wanted, signal);
        // It had to do an earlier pull first, of another part.
        if (!asked.isDone) await this.twice(synchronize, rest, wanted, signal);
        await this.parts.schemas.bring(signal);
        if (failure) throw failure;
    }

    /** Runs `once`, and once more if the push needs a newer pull. Returns what the last one asked for. */
    async twice(synchronize, rest, wanted, signal) {
        try {
            return await this.once(synchronize, rest, wanted, signal);
        } catch (error) {
            if (error.code === 'invalid_filter') this.named.refuse(error);
            if (!(error instanceof TidemarkError && error.needsPull)) throw error;
        }
        const { unsafeTurbo, ...others } = rest;
        return this.once(synchronize, others, wanted, signal);
    }

    /** Runs as many `synchronize()` as it takes to leave a former scope. */
    async leave(leaving, synchronize, database, signal) {
        while (!leaving.isLeft) {
            let failure = null;
            const pullChanges = async args => {
                const answer = await leaving.pull(args, signal);
                if (!answer) throw new TidemarkError('settled', 'Nothing is left in the former scope.');
                return answer;
            };
            const pushChanges = async args => {
                const { answer, error } = await leaving.push(args, signal);
                failure = error;
                return answer;
            };
            try {
                await synchronize({ database, sendCreatedAsUpdated: true, pullChanges, pushChanges });
            } catch (error) {
                if (!leaving.isLeft) throw error;
            }
            await leaving.done();
            if (failure) throw failure;
        }
    }

    async once(synchronize, rest, wanted, signal) {
        const { database } = rest;
        const edits = () => editsOf(synchronize, database);
        let asked = Asked.everything(0);
        const pullChanges = args => this.guarded(async () => {
            await this.owner.check(signal);
            await this.owner.claim(database, args.lastPulledAt);
            asked = await this.coverage.asked(args.lastPulledAt, wanted);
            const answer = await this.pulled({ ...args, asked, database }, signal, rest.unsafeTurbo);
            // Before WatermelonDB stores the rows: the app may end any time after that.
            await this.bases.update(edits, answer.changes);
            this.pulls.offer(answer.timestamp);
            return answer;
        });
        let failure = null;
        let hasEdits = false;
        // Answered rows count as synced, even if a later part failed.
        const pushChanges = async args => {
            hasEdits = true;
            await this.coverage.settle();
            const { answer, error } = await this.pushed(args, signal);
            failure = error;
            return answer;
        };
        const conflictResolver = this.bases.resolver(rest.conflictResolver);
        try {
            await synchronize({ sendCreatedAsUpdated: true, ...rest, conflictResolver, pullChanges, pushChanges });
        } catch (error) {
            // Nothing can be pushed before the pull is stored.
            if (hasEdits) await this.cleared(database);
            throw error;
        }
        this.pulls.settle();
        await this.push.done();
        await this.filter.settle();
        if (!hasEdits) await this.withheld.prune([]);
        await this.bases.update(edits);
        await this.cleared(database);
        if (failure) throw failure;
        return asked;
    }

    /** Ends a pull that is stored: the rows that left go, and those who wait for their part are told. */
    async cleared(database) {
        await this.coverage.settle();
        await this.coverage.sweep(database);
        await this.named.tell();
    }

    /**
     * Runs a `synchronize()` that pulls nothing. It delivers the answers to an earlier push before any newer row
     * arrives. Other people's later edits are then no conflict, but an ordinary pull.
     */
    async settleFirst(synchronize, database, signal) {
        if (await this.outbox.isEmpty()) return;
        let isSettled = false;
        const pullChanges = args => this.guarded(async () => {
            await this.owner.check(signal);
            await this.owner.claim(database, args.lastPulledAt);
            await this.settle(signal);
            // A database that was reset has no rows left that need the answers.
            if (!args.lastPulledAt) await this.outbox.clear();
            isSettled = await this.outbox.isEmpty();
            if (isSettled) throw new TidemarkError('settled', 'All answers are delivered already.');
            return { changes: {}, timestamp: args.lastPulledAt };
        });
        const pushChanges = async args => (await this.pushed(args, signal)).answer;
        try {
            await synchronize({ database, sendCreatedAsUpdated: true, pullChanges, pushChanges });
            await this.push.done();
        } catch (error) {
            if (!isSettled && endsSync(error)) throw error;
        }
    }

    /**
     * Forgets everything, after `reset` has emptied the database. Then another user may begin. The order matters: a
     * database that still has rows must have an owner.
     */
    async forget(reset) {
        await this.files.stop();
        await reset?.();
        this._awaitsPush = false;
        await this.parts.forget();
        await this.device.forget();
        this.pulls.forget();
    }

    async settle(signal) {
        if (!await this.outbox.isEmpty()) await this.push.settle(signal);
    }

    async pulled(args, signal, isTurbo) {
        if (!args.lastPulledAt) {
            // The database was reset, so it has none of its former rows.
            await this.push.done();
            await this.withheld.forget();
        }
        await this.withheld.load();
        await this.bases.begin();
        if (isTurbo) return this.pull.turbo(args, signal);
        const began = this.files.now();
        const answer = await this.pull.run(args, signal);
        await this.withheld.dropGone(answer);
        await this.files.hear(answer.changes, began, signal);
        return answer;
    }

    pushed(args, signal) {
        return this.guarded(async () => {
            await this.bases.keep(args.changes);
            await this.owner.check(signal);
            await this.filter.settle();
            return this.push.run(args, signal);
        });
    }
}

/**
 * Whether an error while settling ends the sync. If the server only refuses an old batch, the app must still be able
 * to pull; the push will report it.
 */
function endsSync(error) {
    return !(error instanceof TidemarkError) || error.status === 0 || error.status === 401 || error.isAccessLost;
}
