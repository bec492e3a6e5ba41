import { Cycle } from './cycle.js';
import { Device } from './device.js';
import { CollectionFilter } from './filter.js';
import { Outbox } from './outbox.js';
import { Owner } from './owner.js';
import { Pull } from './pull.js';
import { Push } from './push.js';
import { withKey } from './repeated.js';
import { Schemas } from './schemas.js';
import { memoryStorage } from './storage.js';
import { Transport } from './transport.js';
import { Withheld } from './withheld.js';

/** See index.d.ts. Create one for each local database, since WatermelonDB keeps one watermark in each. */
export function createSync(options) {
    const {
        url, project, token, storage = memoryStorage(), collections = null, uploadable = null, deviceId = null,
        localColumns = {},
        onConflict = 'overwrite', onError = 'repair', pageSize = null, batchRows = 500, turboTimeout = 600000,
        onProgress = null, onReport = null, onAccessLost = null,
    } = options;
    for (const [name, value] of Object.entries({ url, project, token })) {
        if (!value) throw new TypeError(`createSync needs ${name}.`);
    }
    const prefix = `tidemark:${project}:`;
    const device = new Device(options, prefix);
    const transport = new Transport({ ...options, device });
    const schemas = new Schemas(transport);
    const path = `/projects/${encodeURIComponent(project)}/sync/`;
    const filter = new CollectionFilter(collections, storage, `${prefix}collections`);
    const outbox = new Outbox(storage, prefix);
    const withheld = new Withheld(storage, prefix);
    const modes = { encoding: 'watermelondb', on_conflict: onConflict, on_error: onError };
    if (deviceId) modes.device_id = deviceId;
    const pull = new Pull({ transport, path, schemas, filter, outbox, pageSize, onProgress });
    const push = new Push({
        transport, path, schemas, outbox, withheld, uploadable, localColumns, batchRows, modes, onProgress, onReport,
    });
    const owner = new Owner(transport, storage, project, prefix);
    const cycle = new Cycle({ owner, device, pull, push, filter, outbox, withheld, onAccessLost, turboTimeout });

    const alone = new OneAtATime(({ signal = options.signal, ...rest }) => cycle.sync(rest, signal));

    return {
        pullChanges: args => cycle.pullAlone(args, options.signal, false),
        pullChangesTurbo: args => cycle.pullAlone(args, options.signal, true),
        pushChanges: args => cycle.pushAlone(args, options.signal),
        sync: args => alone.run(args),
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
