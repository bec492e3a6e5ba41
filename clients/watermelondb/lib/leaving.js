import { TidemarkError } from './common/error.js';

/**
 * The way of a database out of its former scope: from one project to all of them, or back. What is unsent goes to the
 * endpoint that it was made for, before the first pull in the new scope replaces the rows: a batch that has no answer
 * under its own id, then all other edits.
 *
 * Each call of `synchronize()` with `pull` and `push` is one step. None of them pulls anything.
 */
export class Leaving {
    isLeft = false;
    isCertain = false;
    _awaitsPush = false;
    _hasUnsent = false;

    /**
     * `parts` are those of the former scope, `owner`, `files` and `scope` those of the new one. `evidence` says why the database
     * should have been in the former scope:
     * - `known`: it was, the adapter has noted it or the app says so
     * - `watermark`: it was if its watermark is of that kind
     * - `batches`: there are batches without an answer, whoever's; only these are sent
     */
    constructor({ parts, evidence, owner, files, scope, onLeft }) {
        Object.assign(this, { parts, evidence, owner, files, scope, onLeft });
    }

    /** What to return to WatermelonDB; null if there is nothing left to do. */
    async pull({ lastPulledAt }, signal) {
        const { scope, outbox, push, owner } = this.parts;
        const isOfFormer = scope.gave(lastPulledAt);
        if (this.evidence === 'watermark' && !isOfFormer) return this.leave();
        this.isCertain = this.evidence !== 'batches';
        await this.owner.check(signal, this.isCertain ? owner : null);
        if (!this.isCertain && await owner.user() !== await this.owner.user()) return this.leave();
        if (this._hasUnsent) throw unsentElsewhere();
        try {
            // If no push followed the last step, nothing is unsent.
            if (!this._awaitsPush) await push.settle(signal);
        } catch (error) {
            if (!this.isGone(error)) throw error;
            await this.loseProject(error);
            return this.leave();
        }
        const isOver = this._awaitsPush || (!this.isCertain && await outbox.isEmpty());
        if (isOfFormer && !isOver) {
            this._awaitsPush = true;
            return { changes: {}, timestamp: lastPulledAt };
        }
        // Otherwise the database has none of the rows of these batches: it was reset.
        await outbox.clear();
        return this.leave();
    }

    /** Returns `{ answer, error }`, like `Push.run`. */
    async push(args, signal) {
        this._awaitsPush = false;
        // With answers to old batches, all other rows wait for the next step.
        const isLast = !this.isCertain || await this.parts.outbox.isEmpty();
        const { answer, error } = await this.sent(args, signal);
        if (error && !isFinal(error)) return { answer, error };
        const isUnsent = ([name, id]) => answer.experimentalRejectedIds[name]?.includes(id);
        this._hasUnsent = isLast && (await this.elsewhere(args.changes, signal)).some(isUnsent);
        this.isLeft = isLast && !this._hasUnsent;
        return { answer, error: null };
    }

    async sent(args, signal) {
        try {
            return await this.parts.push.run(args, signal);
        } catch (error) {
            if (this.isGone(error)) await this.loseProject(error);
            else if (!isFinal(error)) throw error;
            return { answer: { experimentalRejectedIds: idsOf(args.changes) }, error };
        }
    }

    /** Cleans up after WatermelonDB has received the answer. */
    async done() {
        await this.parts.push.done();
        if (!this.isLeft || !this.isCertain) return;
        await this.files.takeOver(this.parts.files);
        await this.parts.forget();
    }

    leave() {
        this.isLeft = true;
        return null;
    }

    /** The former scope is a project that the user has no more. Its batches can't be sent. */
    isGone({ code }) {
        return !this.parts.scope.isUserWide && GONE.includes(code);
    }

    async loseProject(error) {
        if (error.isAccessLost) await this.onLeft?.(this.parts.scope.project, error.code);
        await this.parts.outbox.clear();
        await this.parts.files.drop(this.parts.scope.project);
    }

    /**
     * The edits, as `[collection, id]`, that would be lost with the rows of other projects when all rows are replaced
     * by those of one project. Nobody knows the project of a deleted row.
     */
    async elsewhere(changes, signal) {
        if (this.scope.isUserWide) return [];
        const collections = await this.parts.schemas.collections(signal);
        return Object.entries(changes).filter(([name]) => collections.has(name))
            .flatMap(([name, { created, updated, deleted }]) => [
                ...created.filter(row => row.project_id && row.project_id !== this.scope.project).map(({ id }) => id),
                ...updated.filter(row => row.project_id !== this.scope.project).map(({ id }) => id), ...deleted,
            ].map(id => [name, id]));
    }
}

const GONE = ['not_found', 'not_a_member', 'membership_revoked', 'project_deleted'];

/** Whether the same edits would be refused again. Then they can only stay unsent. */
const isFinal = error =>
    error instanceof TidemarkError && error.status >= 400 && error.status !== 401 && !error.isTemporary;

const idsOf = changes => Object.fromEntries(Object.entries(changes).map(([name, { created, updated, deleted }]) =>
    [name, [...created, ...updated].map(({ id }) => id).concat(deleted)]));

const unsentElsewhere = () => new TidemarkError('other_project',
    'The local database has edits in other projects that could not be sent. Sync it without a project, or reset it.');
