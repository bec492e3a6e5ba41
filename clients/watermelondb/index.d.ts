/** WatermelonDB's change set, as `pullChanges` returns and `pushChanges` gets it. */
export type Changes = { [table: string]: { created: any[]; updated: any[]; deleted: string[] } };

/**
 * Where unanswered batches, the versions that unsent edits were made on, the last filter and named parts are kept:
 * AsyncStorage, MMKV, a table. Texts under keys that begin with `tidemark:`.
 */
export interface Storage {
    get(key: string): string | null | undefined | Promise<string | null | undefined>;
    set(key: string, value: string): void | Promise<unknown>;
    remove(key: string): void | Promise<unknown>;
}

/** A sentence for a person about an entry of any list of a report: the server's words, or what its code means. */
export function sentenceOf(entry: object): string;

/** Kept as long as the process runs. */
export function memoryStorage(): Storage;

/**
 * Where the bytes of files are kept, on the device's own disk: a folder of the app's that lasts, under names that the
 * adapter makes (letters, digits, `.`, `-`, `_`; at most 101). README.md, "Files", has one for Expo. Whatever the app
 * is doing when it ends, nothing has to be whole but a file whose `append` or `copyIn` has resolved: what no entry in
 * `storage` names is removed at the next start.
 */
export interface FileStore {
    /** Copies what a URI names into a new file: one of a camera or a picker, or one that `uri` gave. */
    copyIn(uri: string, name: string): unknown;
    /** Adds bytes, or none, at the end of a file. Makes the file if there is none. */
    append(name: string, bytes: Uint8Array): unknown;
    /** In bytes; null if there is no such file. */
    size(name: string): number | null | Promise<number | null>;
    /** So many bytes from an offset on. */
    read(name: string, offset: number, length: number): Uint8Array | Promise<Uint8Array>;
    /** No error if there is no such file. */
    remove(name: string): unknown;
    /** The names of all files. */
    list(): string[] | Promise<string[]>;
    /** Where the app can show the file. Asked for each time, since a phone may move an app's folders. */
    uri(name: string): string;
    /**
     * The SHA-256 of a file in 64 hex digits, if the platform can compute it. Without it the adapter does, in JavaScript:
     * some 4 MB a second in an engine that only interprets, a few milliseconds at a time.
     */
    sha256?(name: string): string | Promise<string>;
}

/** A file store in a folder, for Node: `fs` is what `import fs from 'node:fs/promises'` gives. */
export function folderStore(options: { fs: any; folder: string }): FileStore;

export interface RetryOptions {
    /** Of one request, the first included. Default 5. */
    attempts?: number;
    /**
     * Milliseconds before the second attempt, doubled for each one after it; up to half of it is left out by chance.
     * Default 500.
     */
    baseDelay?: number;
    /** Milliseconds. Default 30000. */
    maxDelay?: number;
    /** Seconds. A longer `Retry-After` is not waited for, but thrown. Default 120. */
    maxRetryAfter?: number;
}

/** For a local database with all projects of the user. */
export interface AllProjectsOptions extends CommonOptions {
    project?: null;
    /**
     * The project that the database held before, if it was synced with an earlier version of this package, or without
     * `sync()`: what is unsent goes there first. Otherwise the adapter knows that by itself.
     */
    formerProject?: string;
    /**
     * Called, and waited for, for each project that the user has lost, before its rows go: with its id and the reason.
     * New rows that were never sent stay and can't be sent any more: save them here, and destroy them. If it throws,
     * the pull fails and nothing goes. Called again if WatermelonDB did not store the pull; not called for a project that
     * was deleted from this device. See the README.
     */
    onAccessLost?(project: string, code: LostCode): void | Promise<void>;
}

/** For a local database with one project. */
export interface ProjectOptions extends CommonOptions {
    /** The project's id: one for each local database. Undefined is refused: it would mean all projects. */
    project: string;
    /**
     * Called, and waited for, before the error is thrown: save unsent edits here. Reset the database after `sync()` has
     * thrown, not here: WatermelonDB does not allow it while it synchronizes.
     */
    onAccessLost?(error: TidemarkError): void | Promise<void>;
}

export type SyncOptions = AllProjectsOptions | ProjectOptions;

/** The user was removed from the project, or the project was deleted. */
export type LostCode = 'membership_revoked' | 'project_deleted';

export interface CommonOptions {
    /** Of the server, as `https://sync.example.com`. */
    url: string;
    /** A token, or who knows it. Asked before every request, and once more with `refresh: true` after a 401. */
    token: string | ((options: { refresh: boolean }) => string | Promise<string>);
    /** Default: `memoryStorage()`. */
    storage?: Storage;
    /**
     * This installation's own name for itself, the same as long as it has its database, and no other installation's: a
     * backup must not copy it to a second phone, or the two are never in conflict (see the README). Without one, the
     * adapter makes one for the server's list of devices and keeps it in `storage`, if there is one; uploads don't have
     * that.
     */
    deviceId?: string;
    /** A name for people in the server's list of devices, such as "Anna's phone". */
    deviceName?: string;
    /** The app's version in that list. */
    appVersion?: string;
    /**
     * The server's collections as the app knows them: what `tidemark schema --format jsonschema` prints. For `check()`.
     */
    schema?: any[] | { collections: any[]; [member: string]: any };
    /** The only collections to pull. Default: all. */
    collections?: string[];
    /**
     * The only collections to push. Default: all that the server accepts, which are all but `memberships`, and with one
     * project all but `projects`, unless its operator has narrowed them.
     */
    uploadable?: string[];
    /** Columns that only this app has, by table: never sent, and no edit of them alone is one. */
    localColumns?: { [table: string]: string[] };
    /**
     * What becomes of rows that somebody else changed since they were edited here; with `reject`, since the pull.
     * Default `overwrite`, column by column; see the README. `newest` compares `modified_at`, which the app sets with
     * each edit.
     */
    onConflict?: 'overwrite' | 'newest' | 'merge' | 'reject';
    /** What becomes of rows that are not acceptable. Default `repair`: WatermelonDB has `''` for what an app did not set. */
    onError?: 'reject_rows' | 'repair' | 'reject_batch';
    /** Rows of a page. Default: the server's, 1000. */
    pageSize?: number;
    /**
     * Rows of a batch at most, as long as the server allows as many. A new project and its own new calendar go together.
     * Default 500.
     */
    batchRows?: number;
    /** Milliseconds for one request. Default 30000. */
    timeout?: number;
    /** Milliseconds for the first sync in turbo, and for any other stream. Default 600000. */
    turboTimeout?: number;
    retry?: RetryOptions;
    /** Ends everything at once, with an error whose `isAborted` is true. A signal for one sync goes to `sync()`. */
    signal?: AbortSignal;
    /** For `files`. Needs a `storage` that lasts, too. */
    fileStore?: FileStore;
    /**
     * The most bytes that are kept of files which the server has, so that they open without a network. What is to be
     * sent is kept besides. Default: 200 MiB.
     */
    fileCacheBytes?: number;
    /**
     * Which files are to be here before anybody opens them: asked for each row of a pull that names a file which the
     * server has, with the row as it was pulled. They are read after the sync, one after another, as long as the cache
     * has room. If it throws, the sync fails.
     */
    keep?(row: { [column: string]: any }, collection: string): boolean;
    onProgress?(step: Progress): void;
    /**
     * Called after a push of which something was not applied as sent. Where it throws, the push counts as failed and
     * goes again.
     */
    onReport?(report: Report): void | Promise<void>;
    /** Default: the global one. */
    fetch?: (url: string, init?: any) => Promise<any>;
    /** Waits between attempts; for tests. */
    wait?(milliseconds: number, signal?: AbortSignal): Promise<void>;
    /** From 0 to 1; for tests. */
    random?(): number;
    /** Milliseconds; for tests. */
    now?(): number;
}

/** Rows so far, in all rounds of a pull. `total` is null where the server does not know it. */
export type Progress =
    | { phase: 'pull'; rows: number; total: number | null; pages: number }
    | { phase: 'push'; rows: number; total: number };

/** Rows by collection, as in the server's answer to an upload (docs/protocol.md). */
export interface Report {
    /**
     * Gone there, or a parent is: the next pull takes them away here. With the code `unknown_field`: the server does
     * not have the column `field` (yet); the row stays unsent until it has.
     */
    skipped: { [table: string]: { id: string; field?: string; code: string }[] };
    /** Left alone, with `merge` and `newest`. */
    conflicts: { [table: string]: Conflict[] };
    /**
     * Not acceptable. New rows stay unsent and can be corrected; edits and deletes are undone by the next pull. In a
     * database with all projects, all rows stay unsent that a project can't take (`project_archived` and the like), and
     * so does a row that was moved to another project. `collection_removed` with each push: the server does not have the
     * collection any more, and the row stays unsent.
     */
    rejected: { [table: string]: RefusedRow[] };
    /** Values that the server changed. */
    repaired: { [table: string]: { id: string; field: string; from: any; to: any }[] };
}

export interface RefusedRow {
    id: string;
    field: string | null;
    code: string;
    /** A sentence for a person. */
    detail: string;
    /** With `not_unique`: the id of the row that has the key, if the user may see it. See the README. */
    existing?: string;
}

export interface Conflict {
    id: string;
    fields: string[];
    server_version: number;
    server_values: { [field: string]: any };
    client_values: { [field: string]: any };
}

export interface PullArguments {
    lastPulledAt?: number | null;
    schemaVersion: number;
    migration: any;
}

export interface SyncArguments {
    /** WatermelonDB's function. */
    synchronize: (args: any) => Promise<void>;
    database: any;
    /** For this sync alone. */
    signal?: AbortSignal;
    /** Whatever else `synchronize` takes: `migrationsEnabledAtVersion`, `unsafeTurbo`, `conflictResolver`, `log` … */
    [argument: string]: any;
}

export interface PullAnswer {
    /** Each id at most once in a table. */
    changes: Changes;
    timestamp: number;
    /**
     * False if the rows may be of no one moment, since somebody wrote in each of eight rounds and no stream was to be
     * had (README, "A state that was"). Otherwise not there. WatermelonDB passes it to `onDidPullChanges`.
     */
    settled?: false;
    experimentalStrategy?: 'replacement' | { default: 'incremental'; override: { [table: string]: 'replacement' } };
}

/** The ids that WatermelonDB is to keep as unsent, by table. */
export interface PushAnswer {
    experimentalRejectedIds: { [table: string]: string[] };
}

export interface Comparison {
    isSame: boolean;
    /** The tables that differ. A table without the column `server_version` is not compared. */
    differing: string[];
}

/** What is wrong with a value of a row, as the server would say it. */
export interface ValueError {
    /** Null if it concerns the whole row. */
    field: string | null;
    code: string;
    /** Where in the row: RFC 6901. */
    pointer: string;
    /** A sentence for a person. */
    detail: string;
}

/** What the server may refuse, by the rows that are here, which may be old: no reason not to write. */
export interface Warning extends ValueError {
    code: 'project_archived' | 'forbidden' | 'field_forbidden' | 'unknown_reference' | 'unknown_user' | 'not_unique';
    /** With `not_unique`: the row that has the key. */
    existing?: string;
}

export interface RequestOptions {
    body?: unknown;
    query?: { [name: string]: string | number | boolean | null };
    headers?: { [name: string]: string };
    signal?: AbortSignal;
    timeout?: number;
}

/**
 * The rows that a part names (docs/protocol.md, "A part of a project"): alternatives by collection, each an object of
 * conditions. `{ tasks: [{ assignee: '@me' }, { sprint: ['s-1', 's-2'] }] }`.
 */
export interface Filter {
    [collection: string]: Alternative[] | string[];
}
export type FilterValue = string | number | boolean | null;
export interface Alternative {
    [field: string]: FilterValue | FilterValue[]
        | { not: FilterValue | FilterValue[] } | { has: FilterValue | FilterValue[] } | { prefix: string }
        | { from: FilterValue; until?: FilterValue } | { from?: FilterValue; until: FilterValue };
}

/**
 * The named parts of this database. With any, a sync pulls what at least one of them asks for, and no more: the
 * alternatives of all of them, collection by collection. A collection that none of them names comes whole, so the first
 * one that names it narrows it. Without parts everything comes.
 *
 * They are kept in `storage`, and need `sync()`: with parts, `pullChanges` throws `needs_sync`. See the README, "Parts".
 */
export interface Parts {
    /**
     * Names a part, or changes the one of this name. Resolves when it is stored. `ready` resolves when a sync has
     * brought what the part asks for, at once if that is here. It rejects with `invalid_filter` if the server does not
     * take the filter, and with `unknown_part` if the part is removed before. Nobody has to wait for it.
     *
     * A function is asked when it is named, and then once a sync. Its last value is kept: name it again at each start
     * of the app. If it throws, its last value counts, and `sync()` throws `invalid_filter` in the end.
     *
     * Throws `invalid_filter` for what is no filter, and if all parts together ask for too much: 8 alternatives a
     * collection, and 2 KiB. Removed parts that are still kept give way first.
     *
     * @param options.keepHours How much longer the part is asked for after it was removed. Default: as before, or 0.
     */
    add(name: string, filter: Filter | (() => Filter | Promise<Filter>), options?: { keepHours?: number }):
        Promise<NamedPart>;
    /** As `add`, but throws `unknown_part` if there is none of this name. */
    update(name: string, filter: Filter | (() => Filter | Promise<Filter>)): Promise<NamedPart>;
    /** Removes a part. Its rows go with the next sync, or with the first after `keepHours`. Throws `unknown_part`. */
    remove(name: string): Promise<void>;
    /** In the order in which they were named, with removed parts that are kept. */
    list(): Promise<PartState[]>;
}

export interface NamedPart {
    name: string;
    ready: Promise<void>;
}

export interface PartState {
    name: string;
    /** In a normal form; of a function the last value. */
    filter: Filter;
    keepHours: number;
    /** Milliseconds: until when a removed part is kept. Null if it was not removed. */
    keepUntil: number | null;
    /** The last sync has brought all that it asks for. */
    isReady: boolean;
}

/** `sent`: bytes that the server has. `reason`: the code of the last error, if one is why it waits or has failed. */
export interface FileState {
    state: 'waiting' | 'sending' | 'stored' | 'failed';
    sent: number;
    size: number;
    reason: string | null;
}

export interface QueuedFile extends FileState {
    digest: string;
    project: string;
    name: string | null;
    preview: string | null;
    /** What the server is going to say that it is: see `Files.open`. */
    type: string;
    /** A sentence for a person to `reason`, or null. */
    detail: string | null;
}

/** A file that is on this device. */
export interface OpenedFile {
    /** Where it lies, as the file store says: for an `<Image source={{ uri }}>`. Good until the cache drops the file. */
    uri: string;
    /**
     * What the server says: JPEG, PNG, WebP or GIF by the first bytes, otherwise `application/octet-stream`. Never what a
     * row says, which is a claim of somebody.
     */
    type: string;
    size: number;
    /** All bytes, in memory. */
    arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * Photos and documents that rows name by their SHA-256, in fields of the format `blob`: docs/protocol.md, "Files". They
 * need the option `fileStore`. In a database of one project, its project is meant; in one of all projects, `project` has
 * to be given where it can't be found.
 *
 * What was added is sent beside the syncs, one file after another: as long as a listener runs, and otherwise after each
 * sync for some tries. No sync waits for it. Where a connection breaks, and when the app ends, it goes on from there.
 */
export interface Files {
    /**
     * Adds a file, and resolves to its digest for the row when it is stored on this device. It needs no network. A URI is
     * copied without being read into memory. The same bytes are the same entry, and a file that has failed is tried
     * again. `name` and `preview` are for the app's own list of what is unsent. Throws `not_copied` if the file is not
     * there, or the disk is full.
     */
    add(
        bytes: string | Blob | ArrayBuffer | ArrayBufferView,
        options?: { project?: string; name?: string | null; preview?: string | null },
    ): Promise<{ digest: string; size: number }>;
    /**
     * The file, from this device if it is here, otherwise from the server, in pieces; it is checked. Throws `not_found`
     * for what the user may not read, or what the server does not have yet, and `needs_sync` before the first sync.
     */
    open(digest: string, options?: { project?: string }): Promise<OpenedFile>;
    /** Null if this device knows nothing of the file. */
    state(digest: string, options?: { project?: string }): Promise<FileState | null>;
    /** What the server does not have, in the order in which it was added. */
    list(): Promise<QueuedFile[]>;
    /** Lets a file that has failed be tried again. Throws `unknown_file`. */
    retry(digest: string, options?: { project?: string }): Promise<void>;
    /** Drops a file that is not stored. A row that names it stays as it is. */
    remove(digest: string, options?: { project?: string }): Promise<void>;
    /**
     * Calls back whenever a file changes, with its digest; with null if it may be any. Returns a function that ends that.
     */
    onChange(callback: (digest: string | null) => void): () => void;
}

export interface TidemarkSync {
    /** The parts of this database: which of all rows it holds. */
    parts: Parts;
    /** Photos and documents: README.md, "Files". */
    files: Files;
    /**
     * For `synchronize()`. Give it `sendCreatedAsUpdated: true` as well. What it returns is a state that was on the
     * server, unless it has `settled: false`. Throws `needs_sync` if there are parts, or rows of former ones.
     */
    pullChanges(args: PullArguments): Promise<PullAnswer>;
    /** For `synchronize()` with `unsafeTurbo: true`, which is for the first sync. */
    pullChangesTurbo(args: PullArguments): Promise<PullAnswer | { syncJson: string }>;
    /** For `synchronize()`. First sends again, as it was, what an earlier push has no answer to. */
    pushChanges(args: { changes: Changes; lastPulledAt: number }): Promise<PushAnswer>;
    /**
     * For `synchronize()`. Notes the version that the row was edited on (README, "What an edit was made on"). In a row
     * of which the server lacks a column, the server wins in the columns that it has answered (README, "Columns that
     * the server does not have"); otherwise returns `resolved`.
     */
    conflictResolver(table: string, local: any, remote: any, resolved: any): any;
    /**
     * Runs `synchronize` with all of that, and once more where the push needed a newer pull. Before it, where an
     * earlier push has no answer, runs one that pulls nothing and settles that push (README, "Lost answers"). Calls do
     * not overlap: those that come while one runs wait for it and share the next. All other arguments go to
     * `synchronize`.
     *
     * Where a push fails after some of its batches were answered, these count as synced; then the error is thrown.
     */
    sync(args: SyncArguments): Promise<void>;
    /**
     * Compares the local rows with the server's, by their ids and versions. Null if they can't be compared now: before
     * the first pull, while the server has something newer, while a batch or a delete of the app's is unsent, and with
     * parts that are too large for a digest. Reads all rows of all tables, and downloads one small answer. The server
     * learns the result with the next request (`Tidemark-Digest`). Waits for a sync that runs.
     */
    compare(args: { synchronize: SyncArguments['synchronize']; database: any; signal?: AbortSignal }):
        Promise<Comparison | null>;
    /**
     * The ids of the rows of the server's collections with something unsent, by table: what a log-out would lose. A
     * `sync()` that resolves may leave some, in an archived project for example (README, "What stays unsent"). Rows of
     * a collection that the server has removed are among them: they stay in the app's database, each `sync()` reports
     * them as `collection_removed`, and nothing sends them unless the collection comes back. Destroy them once the user
     * has seen them. Under `files`, which no collection is called, are the digests of files that are not sent. May need the server's schema, and so a network. Waits for a sync that runs.
     */
    unsent(args: { synchronize: SyncArguments['synchronize']; database: any; signal?: AbortSignal }):
        Promise<{ [table: string]: string[] }>;
    /**
     * Calls `onChange` at once, and from then on whenever there may be something to pull; within a blink where nothing
     * holds events back. Keeps a stream of events open, or has the server hold a pull.
     */
    listen(options: ListenOptions): Listening;
    /**
     * For the app's forms: what the server would refuse in these columns of a row, as WatermelonDB stores them, and what it
     * may refuse. A row whose `id` is in the database is an edit: only what changes is judged. Without `database` every
     * row is a new one, and there are no warnings. Needs no network: judges by the option `schema` and by the schema that
     * the server sent last; a value is refused only if both refuse it. Writes nothing (README, "Forms").
     */
    check(collection: string, row: { id?: string; [column: string]: any }, options?: { database?: any }):
        Promise<{ errors: ValueError[]; warnings: Warning[] }>;
    /**
     * Removes from `storage` everything of this database: the user, unanswered batches, the versions of edits, the
     * filter, the parts, the files with their bytes. For logging out. `reset`, which empties the database, runs before that. Nothing is asked: look
     * at `unsent()` first. Waits for a sync that runs; a sync that is asked for meanwhile waits for it.
     */
    forget(reset?: () => Promise<unknown>): Promise<void>;
    /**
     * A request to the server's API, for what is not uploaded: memberships, the project, the inbox. As
     * `request('PATCH', '/memberships/m-1/', { body: { role: 200 } })`. Retried like all others, and done once: see the
     * README. A POST gets an `Idempotency-Key`, unless `headers` has one.
     */
    request(method: string, path: string, options?: RequestOptions): Promise<any>;
}

export interface ListenOptions {
    /**
     * Pulls: runs the app's `sync()`. Called when there may be something to pull, and never while an earlier call runs;
     * what comes meanwhile leads to one more call. If it fails, or if the sync that it ran has failed, it is called
     * again, later each time.
     */
    onChange(): unknown;
    /**
     * Called with what does not go away by itself: an error of `onChange` or of the server. After a 401 and after the
     * project is lost, the listener rests until `resume()`, or until the app comes to the foreground again.
     * `events_held_back`, once: a proxy holds back events, so pulls are held for an hour.
     */
    onError?(error: any): void;
    /**
     * React Native's `AppState`, or a browser's `document` (the default where there is one). While the app is in the
     * background nothing runs. Null: it always counts as being in the foreground.
     */
    appState?: {
        addEventListener(name: any, listener: (state: any) => void): any;
        removeEventListener?(name: any, listener: (state: any) => void): void;
        currentState?: string | null; visibilityState?: string;
    } | null;
    /** False: only held pulls. Default: events where the platform's `fetch` can read them. */
    events?: boolean;
    /** Ends it, like `stop()`. Default: that of `createSync`. */
    signal?: AbortSignal;
}

export interface Listening {
    /** Ends everything for good. A call of `onChange` that runs is not ended. */
    stop(): void;
    /** Until `resume()`. */
    pause(): void;
    /**
     * Begins again: calls `onChange` and makes a new connection. For an app that had paused, that has logged in, or
     * whose network has returned.
     */
    resume(): void;
}

export function createSync(options: SyncOptions): TidemarkSync;

/** What a request ended with instead of an answer. */
/** The error of an app's own request to the server at `url`, such as a log-in, if `fetch` threw `cause`. */
export function networkError(cause: unknown, url: string): TidemarkError;
/**
 * The error for the answer to such a request: what the server says, or that this is no Tidemark. `body` is the parsed
 * one; null if it is not JSON.
 */
export function answerError(response: Response, body: unknown): TidemarkError;

export class TidemarkError extends Error {
    constructor(code: string, detail: string, rest?: {
        status?: number; errors?: any[]; retryAfter?: number | null; problem?: any; cause?: unknown;
    });
    /**
     * The server's (docs/protocol.md), or `network`, `timeout`, `aborted`, `other_user`, `other_project`,
     * `invalid_answer`, `drain_broken`, `events_held_back`, `clock_off`, `needs_sync`, `unknown_part`, `http_502` and the
     * like; of files `not_copied`, `bytes_lost`, `unknown_file`, `too_many_files`, `session_ended`.
     */
    code: string;
    /** A sentence for a person, which says what to do. */
    detail: string;
    /** Of the answer; 0 where there was none. */
    status: number;
    /** The rows at fault. */
    errors: { pointer: string; collection?: string; id?: string; field?: string; code: string; detail: string }[];
    /** Seconds. */
    retryAfter: number | null;
    /** The server's whole problem document. */
    problem: any;
    cause?: unknown;
    /** The project is gone for this user: `membership_revoked`, `project_deleted`. */
    readonly isAccessLost: boolean;
    /** `since_ahead`, `since_expired`: the adapter resyncs by itself. */
    readonly isResync: boolean;
    /** A push that goes through after a pull; `sync()` does that, once. */
    readonly needsPull: boolean;
    /** Worth trying later: no connection, a busy server. */
    readonly isTemporary: boolean;
    /** `other_user`: the local database is somebody else's. Reset it and call `forget()`, or log in as that user. */
    readonly isOtherUser: boolean;
    readonly isAborted: boolean;
}
