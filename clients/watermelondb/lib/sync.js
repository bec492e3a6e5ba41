import { Device } from './common/device.js';
import { Listening } from './common/listening.js';
import { OneAtATime } from './common/one-at-a-time.js';
import { checkOptions } from './common/options.js';
import { Pulls } from './common/pulls.js';
import { withKey } from './common/repeated.js';
import { Scope } from './common/scope.js';
import { Transport } from './common/transport.js';
import { Check } from './check.js';
import { Comparison } from './comparison.js';
import { Cycle } from './cycle.js';
import { Former } from './former.js';
import { Parts } from './parts.js';
import { memoryStorage } from './storage.js';
import { Unsent } from './unsent.js';

const OPTIONS = [
    'url', 'project', 'schema', 'token', 'formerProject', 'storage', 'deviceId', 'deviceName', 'appVersion', 'collections',
    'uploadable', 'localColumns', 'onConflict', 'onError', 'pageSize', 'batchRows', 'timeout', 'turboTimeout', 'retry',
    'signal', 'fileStore', 'fileCacheBytes', 'keep', 'onProgress', 'onReport', 'onAccessLost', 'fetch', 'wait', 'random', 'now',
];

/** See index.d.ts. Create one for each local database, since WatermelonDB keeps one watermark in each. */
export function createSync(options) {
    checkOptions('createSync', options, OPTIONS);
    const { url, project = null, token, formerProject = null, onAccessLost = null } = options;
    for (const [name, value] of Object.entries({ url, token })) {
        if (!value) throw new TypeError(`createSync needs ${name}.`);
    }
    if (options.fileStore && !options.storage) {
        throw new TypeError('createSync needs a storage that lasts beside fileStore, or it would lose files.');
    }
    const scope = new Scope(project);
    const device = new Device(options, scope.prefix);
    const transport = new Transport({ ...options, device });
    const onLeft = scope.isUserWide ? onAccessLost : null;
    const shared = { ...options, storage: options.storage ?? memoryStorage(), transport, onLeft };
    const listenings = new Set();
    const parts = new Parts(scope, shared);
    // Those of other scopes are made again and again, and must not stay as listeners of the app's signal.
    const partsOf = scope => new Parts(scope, { ...shared, signal: undefined });
    const { named, coverage, files } = parts;
    const former = new Former({ owner: parts.owner, files, scope, formerProject, partsOf, device, onLeft });
    const pulls = new Pulls();
    const cycle = new Cycle(parts, { former, device, pulls, onAccessLost });
    const comparison = new Comparison(parts, transport, device);
    const check = new Check(parts, options);
    const unsent = new Unsent(parts, options.localColumns);
    // Two calls of `synchronize()` at the same time would push everything twice.
    const alone = new OneAtATime(({ signal = options.signal, ...rest }) =>
        files.beside(() => pulls.watch(() => cycle.sync(rest, signal)), rest.database));
    const filter = { get asked() { return parts.filter.asked; }, part: () => coverage.held() };
    const heard = { transport, scope, filter, pulls, now: options.now ?? Date.now };
    const given = {
        add: (given, options) => files.add(given, options),
        open: (digest, options) => files.open(digest, options),
        state: (digest, options) => files.state(digest, options),
        list: () => files.list(),
        retry: (digest, options) => files.retry(digest, options),
        remove: (digest, options) => files.remove(digest, options),
        onChange: callback => files.onChange(callback),
    };
    named.onChange = () => listenings.forEach(listening => listening.ask());

    return {
        parts: {
            add: (name, filter, options) => named.add(name, filter, options),
            update: (name, filter) => named.update(name, filter),
            remove: name => named.remove(name),
            list: () => named.list(),
        },
        files: given,
        pullChanges: args => files.beside(() => pulls.watch(() => cycle.pullAlone(args, options.signal, false))),
        pullChangesTurbo: args => files.beside(() => pulls.watch(() => cycle.pullAlone(args, options.signal, true))),
        pushChanges: args => files.beside(() => cycle.pushAlone(args, options.signal)),
        conflictResolver: parts.bases.resolver(),
        sync: async args => alone.run(complete('sync', args)),
        listen: (args = {}) => {
            const key = Symbol('listening');
            const onRun = isRunning => files.follow(key, isRunning);
            const listening = new Listening({ ...heard, onRun }, { signal: options.signal, ...args });
            listenings.add(listening);
            const calls = Object.fromEntries(['stop', 'pause', 'resume'].map(name => [name, () => listening[name]()]));
            return { ...calls, stop: () => void (listenings.delete(listening), listening.stop()) };
        },
        compare: async args => {
            const { synchronize, database, signal = options.signal } = complete('compare', args);
            return alone.after(() => comparison.run(synchronize, database, signal));
        },
        unsent: async args => {
            const { synchronize, database, signal = options.signal } = complete('unsent', args);
            return alone.after(async () => {
                const rows = await unsent.run(synchronize, database, signal);
                const digests = (await files.unsent()).map(({ digest }) => digest);
                return digests.length ? { ...rows, files: digests } : rows;
            });
        },
        check: (collection, row, { database } = {}) => check.run(collection, row, database),
        forget: reset => alone.after(() => cycle.forget(reset)),
        request: (method, apiPath, { signal = options.signal, headers, ...rest } = {}) => cycle.guarded(async () => {
            const answer = await transport.json(method, apiPath, { signal, headers: withKey(method, headers), ...rest });
            const [, project] = method === 'DELETE' ? /^\/projects\/([^/]+)\/?$/.exec(apiPath) ?? [] : [];
            if (project) await parts.owner.noteDeleted([decodeURIComponent(project)]);
            return answer;
        }),
    };
}

/** The arguments of a call. Without a database, `synchronize()` would fail late, and with words of its own. */
function complete(call, args = {}) {
    for (const name of ['synchronize', 'database']) {
        if (args[name] === undefined) throw new TypeError(`${call}() needs ${name}: see index.d.ts.`);
    }
    return args;
}
