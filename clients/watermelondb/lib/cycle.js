import { isEmpty } from './empty.js';
import { TidemarkError } from './error.js';

/** The order of pulls and pushes: by `sync()`, or by an app that calls `synchronize()` itself. */
export class Cycle {
    /** A pull was handed over to an app's own `synchronize()`, and its push has not come yet. */
    _awaitsPush = false;

    constructor({ owner, pull, push, filter, outbox, withheld, onAccessLost, turboTimeout }) {
        Object.assign(this, { owner, pull, push, filter, outbox, withheld, onAccessLost, turboTimeout });
    }

    /** Tells the app first when the project is lost to it, because it will want to save what is not sent. */
    async guarded(work) {
        try {
            return await work();
        } catch (error) {
            if (error instanceof TidemarkError && error.isAccessLost) {
                await this.onAccessLost?.(error);
                await this.outbox.clear();
            }
            throw error;
        }
    }

    // Handed to `synchronize()` by the app.

    pullAlone(args, signal, isTurbo) {
        return this.guarded(async () => {
            await this.owner.check(signal);
            // No push followed the last pull, so no row is unsent any more.
            if (this._awaitsPush) await this.push.done();
            await this.settle(signal).catch(error => {
                if (endsSync(error)) throw error;
            });
            const answer = await this.pulled(args, signal, isTurbo);
            this._awaitsPush = true;
            return answer;
        });
    }

    async pushAlone(args, signal) {
        this._awaitsPush = false;
        const { answer, error } = await this.pushed(args, signal);
        if (error) throw error;
        // The last moment: what WatermelonDB makes of the answer is not told to anybody.
        await this.push.done();
        return answer;
    }

    // With `sync()`, which knows when WatermelonDB has stored what it was told.

    async sync({ synchronize, unsafeTurbo = false, ...rest }, signal) {
        const { database } = rest;
        await this.settleFirst(synchronize, database, signal);
        const isTurbo = unsafeTurbo && await isEmpty(synchronize, database);
        try {
            await this.once(synchronize, isTurbo ? { unsafeTurbo, ...rest } : rest, signal);
        } catch (error) {
            if (!(error instanceof TidemarkError && error.needsPull)) throw error;
            await this.once(synchronize, rest, signal);
        }
    }

    async once(synchronize, rest, signal) {
        const pullChanges = args => this.guarded(async () => {
            await this.owner.check(signal);
            await this.owner.claim(rest.database, args.lastPulledAt);
            return this.pulled(args, signal, rest.unsafeTurbo);
        });
        let failure = null;
        // What was answered counts as synced, also where a later part failed.
        const pushChanges = async args => {
            const { answer, error } = await this.pushed(args, signal);
            failure = error;
            return answer;
        };
        await synchronize({ sendCreatedAsUpdated: true, ...rest, pullChanges, pushChanges });
        await this.push.done();
        await this.filter.settle();
        if (failure) throw failure;
    }

    /**
     * A `synchronize()` that pulls nothing. It tells WatermelonDB of the answers to an earlier push before any newer
     * row comes: what others edited since is then no conflict, but a pull like any other.
     */
    async settleFirst(synchronize, database, signal) {
        if (await this.outbox.isEmpty()) return;
        let isSettled = false;
        const pullChanges = args => this.guarded(async () => {
            await this.owner.check(signal);
            await this.owner.claim(database, args.lastPulledAt);
            await this.settle(signal);
            // Of a database that was reset no row is left to be told about.
            if (!args.lastPulledAt) await this.outbox.clear();
            isSettled = await this.outbox.isEmpty();
            if (isSettled) throw new TidemarkError('settled', 'There is nothing to tell WatermelonDB.');
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
     * Takes nothing for known any more, after `reset` has emptied the database: the next user may begin. In that order,
     * since a database that is left with rows must still have an owner.
     */
    async forget(reset) {
        await reset?.();
        this._awaitsPush = false;
        await this.outbox.clear();
        await this.withheld.forget();
        await this.filter.forget();
        await this.owner.forget();
    }

    async settle(signal) {
        if (!await this.outbox.isEmpty()) await this.push.settle(signal);
    }

    async pulled(args, signal, isTurbo) {
        if (!args.lastPulledAt) {
            // No row is left of what the database had before it was reset.
            await this.push.done();
            await this.withheld.forget();
        }
        return isTurbo ? this.pull.turbo(args, signal, this.turboTimeout) : this.pull.run(args, signal);
    }

    pushed(args, signal) {
        return this.guarded(async () => {
            await this.owner.check(signal);
            await this.filter.settle();
            return this.push.run(args, signal);
        });
    }
}

/** An old batch that the server does not take must not keep an app from pulling: the push will tell. */
function endsSync(error) {
    return !(error instanceof TidemarkError) || error.status === 0 || error.status === 401 || error.isAccessLost;
}
