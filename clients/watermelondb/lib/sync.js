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
    'signal', 'onProgress', 'onReport', 'onAccessLost', 'fetch', 'wait', 'random', 'now',
];

/** See index.d.ts. Create one for each local database, since WatermelonDB keeps one watermark in each. */
export function createSync(options) {
    checkOptions('createSync', options, OPTIONS);
    const { url, project = null, token, formerProject = null, onAccessLost = null } = options;
    for (const [name, value] of Object.entries({ url, token })) {
        if (!value) throw new TypeError(`createSync needs ${name}.`);
    }
    const scope = new Scope(project);
    const device = new Device(options, scope.prefix);
    const transport = new Transport({ ...options, device });
    const onLeft = scope.isUserWide ? onAccessLost : null;
    const shared = { ...options, storage: options.storage ?? memoryStorage(), transport, onLeft };
    const listenings = new Set();
    const partsOf = scope => new Parts(scope, shared);
    const parts = partsOf(scope);
    const former = new Former({ owner: parts.owner, scope, formerProject, partsOf, device, onLeft });
    const pulls = new Pulls();
    const cycle = new Cycle(parts, { former, device, pulls, onAccessLost });
    const comparison = new Comparison(parts, transport, device);
    const check = new Check(parts, options);
    const unsent = new Unsent(parts, options.localColumns);
    // Two calls of `synchronize()` at the same time would push everything twice.
    const alone = new OneAtATime(({ signal = options.signal, ...rest }) =>
        pulls.watch(() => cycle.sync(rest, signal)));
    const { named, coverage } = parts;
    const filter = { get asked() { return parts.filter.asked; }, part: () => coverage.held() };
    const heard = { transport, scope, filter, pulls, now: options.now ?? Date.now };
    named.onChange = () => listenings.forEach(listening => listening.ask());

    return {
        parts: {
            add: (name, filter, options) => named.add(name, filter, options),
            update: (name, filter) => named.update(name, filter),
            remove: name => named.remove(name),
            list: () => named.list(),
        },
        pullChanges: args => pulls.watch(() => cycle.pullAlone(args, options.signal, false)),
        pullChangesTurbo: args => pulls.watch(() => cycle.pullAlone(args, options.signal, true)),
        pushChanges: args => cycle.pushAlone(args, options.signal),
        conflictResolver: parts.bases.resolver(),
        sync: async args => alone.run(complete('sync', args)),
        listen: (args = {}) => {
            const listening = new Listening(heard, { signal: options.signal, ...args });
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
            return alone.after(() => unsent.run(synchronize, database, signal));
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
