import { Comparison } from './comparison.js';
import { Cycle } from './cycle.js';
import { Device } from './device.js';
import { Former } from './former.js';
import { Listening } from './listening.js';
import { Parts } from './parts.js';
import { Pulls } from './pulls.js';
import { withKey } from './repeated.js';
import { Scope } from './scope.js';
import { memoryStorage } from './storage.js';
import { Transport } from './transport.js';

/** See index.d.ts. Create one for each local database, since WatermelonDB keeps one watermark in each. */
export function createSync(options) {
    const { url, project = null, token, formerProject = null, onAccessLost = null, turboTimeout = 600000 } = options;
    for (const [name, value] of Object.entries({ url, token })) {
        if (!value) throw new TypeError(`createSync needs ${name}.`);
    }
    if (project === '') throw new TypeError('The project is empty. Leave it out to sync all projects.');
    const scope = new Scope(project);
    const device = new Device(options, scope.prefix);
    const transport = new Transport({ ...options, device });
    const onLeft = scope.isUserWide ? onAccessLost : null;
    const shared = { ...options, storage: options.storage ?? memoryStorage(), transport, onLeft };
    const partsOf = scope => new Parts(scope, shared);
    const parts = partsOf(scope);
    const former = new Former({ owner: parts.owner, scope, formerProject, partsOf, device, onLeft });
    const pulls = new Pulls();
    const cycle = new Cycle(parts, { former, device, pulls, onAccessLost, turboTimeout });
    const comparison = new Comparison(parts, transport, device);
    const alone = new OneAtATime(({ signal = options.signal, ...rest }) =>
        pulls.watch(() => cycle.sync(rest, signal)));
    const heard = { transport, scope, filter: parts.filter, pulls, now: options.now ?? Date.now };

    return {
        pullChanges: args => pulls.watch(() => cycle.pullAlone(args, options.signal, false)),
        pullChangesTurbo: args => pulls.watch(() => cycle.pullAlone(args, options.signal, true)),
        pushChanges: args => cycle.pushAlone(args, options.signal),
        sync: args => alone.run(args),
        listen: (args = {}) => {
            const listening = new Listening(heard, { signal: options.signal, ...args });
            return Object.fromEntries(['stop', 'pause', 'resume'].map(name => [name, () => listening[name]()]));
        },
        compare: ({ synchronize, database, signal = options.signal }) =>
            alone.after(() => comparison.run(synchronize, database, signal)),
        forget: reset => alone.after(() => cycle.forget(reset)),
        request: (method, apiPath, { signal = options.signal, headers, ...rest } = {}) => cycle.guarded(() =>
            transport.json(method, apiPath, { signal, headers: withKey(method, headers), ...rest })),
    };
}

/**
 * Two calls of `synchronize()` at the same time would push everything twice. A call during another one waits
 * and then runs itself, since its edits may have come too late for the other. All waiting calls share one run,
 * with the arguments of the first.
 */
class OneAtATime {
    _running = null;
    _waiting = null;

    constructor(work) {
        this.work = work;
    }

    run(args) {
        if (!this._running && !this._waiting) return this._start(() => this.work(args));
        this._waiting ??= this._running.catch(() => {}).then(() => {
            this._waiting = null;
            return this._start(() => this.work(args));
        });
        return this._waiting;
    }

    /** Runs something else when nothing is running. Later calls wait for it. */
    async after(work) {
        while (this._running) await this._running.catch(() => {});
        return this._start(work);
    }

    _start(work) {
        this._running = work().finally(() => {
            this._running = null;
        });
        return this._running;
    }
}
