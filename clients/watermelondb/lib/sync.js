import { BatchIDs } from './batches.js';
import { TidemarkError } from './error.js';
import { CollectionFilter } from './filter.js';
import { Pull } from './pull.js';
import { Push } from './push.js';
import { Schemas } from './schemas.js';
import { memoryStorage } from './storage.js';
import { Transport } from './transport.js';

/** What index.d.ts says. One for each local database, since WatermelonDB keeps one watermark in each. */
export function createSync(options) {
    const {
        url, project, token, storage = memoryStorage(), collections = null, uploadable = null, deviceId = null,
        onConflict = 'overwrite', onError = 'repair', pageSize = null, batchRows = 500, turboTimeout = 600000,
        onProgress = null, onReport = null, onAccessLost = null,
    } = options;
    for (const [name, value] of Object.entries({ url, project, token })) {
        if (!value) throw new TypeError(`createSync needs ${name}.`);
    }
    const transport = new Transport(options);
    const schemas = new Schemas(transport);
    const path = `/projects/${encodeURIComponent(project)}/sync/`;
    const filter = new CollectionFilter(collections, storage, `tidemark:${project}:collections`);
    const batches = new BatchIDs(storage, `tidemark:${project}:batches`);
    const modes = { encoding: 'watermelondb', on_conflict: onConflict, on_error: onError };
    if (deviceId) modes.device_id = deviceId;
    const pull = new Pull({ transport, path, schemas, filter, pageSize, onProgress });
    const push = new Push({ transport, path, schemas, batches, uploadable, batchRows, modes, onProgress, onReport });

    /** Tells the app first when the project is lost to it, because it will want to save what is not sent. */
    const guarded = async work => {
        try {
            return await work();
        } catch (error) {
            if (error instanceof TidemarkError && error.isAccessLost) await onAccessLost?.(error);
            throw error;
        }
    };
    const pullWith = signal => args => guarded(() => pull.run(args, signal));
    const turboWith = signal => args => guarded(() => pull.turbo(args, signal, turboTimeout));
    const pushWith = signal => args => guarded(async () => {
        await filter.settle();
        return push.run(args, signal);
    });

    /** `synchronize`, once more where the first push only needed a newer pull. */
    const run = async ({ synchronize, signal = options.signal, ...rest }) => {
        const pullChanges = rest.unsafeTurbo ? turboWith(signal) : pullWith(signal);
        const pushChanges = pushWith(signal);
        const once = () => synchronize({ sendCreatedAsUpdated: true, ...rest, pullChanges, pushChanges });
        try {
            await once();
        } catch (error) {
            if (!(error instanceof TidemarkError && error.needsPull)) throw error;
            await once();
        }
        await filter.settle();
    };

    return {
        pullChanges: pullWith(options.signal),
        pullChangesTurbo: turboWith(options.signal),
        pushChanges: pushWith(options.signal),
        sync: oneAtATime(run),
        request: (method, apiPath, { signal = options.signal, ...rest } = {}) =>
            guarded(() => transport.json(method, apiPath, { signal, ...rest })),
    };
}

/**
 * Two `synchronize()` at once push everything twice. A call while one runs waits for it and then runs itself, since the
 * edits it is meant for may have come too late; all calls that wait share that run, with the arguments of the first.
 */
function oneAtATime(run) {
    let running = null;
    let waiting = null;
    const start = args => {
        running = run(args).finally(() => {
            running = null;
        });
        return running;
    };
    return args => {
        if (!running && !waiting) return start(args);
        if (!waiting) {
            waiting = running.catch(() => {}).then(() => {
                waiting = null;
                return start(args);
            });
        }
        return waiting;
    };
}
