import { Scope } from './common/scope.js';
import { Leaving } from './leaving.js';

/** Finds the scopes that a database was in before, and in which something may be unsent. */
export class Former {
    /** By name, for an app that calls `synchronize()` itself: it takes several calls to leave a scope. */
    _leavings = new Map();

    /** `partsOf` makes the parts of a scope. */
    constructor({ owner, files, scope, formerProject, partsOf, device, onLeft }) {
        Object.assign(this, { owner, files, scope, formerProject, partsOf, device, onLeft });
    }

    /** The ways out that this database has to take before it is synced. */
    async of(database) {
        const known = await this.owner.claimed(database);
        const former = known ?? (this.scope.isUserWide ? this.formerScope() : new Scope(null));
        const leavings = [];
        const isOther = former && former.isUserWide !== this.scope.isUserWide;
        if (isOther && (known || await this.isUsed(former))) {
            const isKnown = known || this.scope.isUserWide;
            if (isKnown) await this.device.inherit(former.prefix);
            leavings.push(this.leaving(former, isKnown ? 'known' : 'watermark'));
        }
        return [...leavings, ...await this.forgotten(database, former)];
    }

    /** The same for an app that calls `synchronize()` itself. */
    async at(lastPulledAt) {
        if (this.scope.gave(lastPulledAt)) this._leavings.clear();
        for (const leaving of await this.of(null)) {
            const { name } = leaving.parts.scope;
            if (!this._leavings.has(name)) this._leavings.set(name, leaving);
        }
        return [...this._leavings.values()].filter(({ isLeft }) => !isLeft);
    }

    formerScope() {
        return this.formerProject ? new Scope(this.formerProject) : null;
    }

    /** Whether this storage was used in the scope. */
    async isUsed(scope) {
        return await this.partsOf(scope).owner.user() !== null;
    }

    /**
     * Projects with batches that have no answer, unless another database or another user has them. The rows may be in
     * this database, if its name is not known.
     */
    async forgotten(database, former) {
        if (!this.scope.isUserWide) return [];
        const found = [];
        for (const project of await this.owner.projects()) {
            const { owner, outbox } = this.partsOf(new Scope(project));
            if (project === former?.project || await outbox.isEmpty()) continue;
            const name = await owner.database();
            if (!name || name === database?.adapter?.dbName) found.push(this.leaving(new Scope(project), 'batches'));
        }
        return found;
    }

    leaving(former, evidence) {
        const { owner, files, scope, onLeft } = this;
        return new Leaving({ parts: this.partsOf(former), evidence, owner, files, scope, onLeft });
    }
}
