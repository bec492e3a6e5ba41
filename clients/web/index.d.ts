/**
 * Opens the copy that this browser has of a user's projects, or makes it. Needs no network. `open<Schema>()` knows the
 * collections, with the types that `tidemark schema --format typescript --all-projects` prints.
 */
export function open<S extends SchemaTypes = AnySchema>(options: OpenOptions): Promise<Copy<S>>;

/** The types of the collections, by their names. */
export interface SchemaTypes {
    Rows: object;
    Insert: object;
    Update: object;
}

/** Of an app that has no types. */
export interface AnySchema {
    Rows: { [collection: string]: { [field: string]: any } };
    Insert: { [collection: string]: { id?: string; project_id?: string; [field: string]: any } };
    Update: { [collection: string]: { [field: string]: any } };
}

/** A row of a collection as the app sees it. */
export type RowOf<S extends SchemaTypes, C extends keyof S['Rows']> = Omit<S['Rows'][C], keyof RowState> & RowState;

export interface OpenOptions {
    /** Of the server, as `https://sync.example.com`. */
    url: string;
    /**
     * The only project to hold. Default: all projects of the user; undefined is refused. Each form has a database of its
     * own.
     */
    project?: string | null;
    /**
     * The name of the one user who may have the copy: each user has one of their own, with a session of its own. A
     * copy of an earlier version of the app is its owner's. Default: the copy is that of whoever signs in, and is wiped
     * when somebody else does; undefined is refused.
     */
    user?: string | null;
    /**
     * The server's collections as the app knows them: what `tidemark schema --format jsonschema` prints. With it the app
     * starts for the first time without a network, and a value is refused only if this schema and the server's last one
     * both refuse it.
     */
    schema?: SchemaDocument | SchemaDocument['collections'];
    /** False: sync only when `sync()` is called. Default: whenever something changes here or there. */
    listen?: boolean;
    /**
     * What happens to an edit of a field that somebody else has changed since the row was edited here, however long ago
     * that was. Default: `overwrite`, the last edit wins. With `merge` it goes to `setAside()` as a `conflict`.
     */
    onConflict?: 'overwrite' | 'newest' | 'merge';
    /** A name for people in the server's list of devices, such as "Anna's laptop". */
    deviceName?: string;
    /** The app's version in that list. */
    appVersion?: string;
    /** Rows of a page. Default: the server's. */
    pageSize?: number;
    /** The most rows of a batch. Default: 500. */
    batchRows?: number;
    /**
     * Indexes by collection: each is a field, or a list of fields, with a leading `-` for descending, as in
     * `{ tasks: ['name', ['project_id', '-planned_start']] }`. The copy keeps an index until no page has named it for 30
     * days. Windows may name different ones. Lists and objects have no order: an index takes them for null.
     */
    indexes?: { [collection: string]: (string | string[])[] };
    /**
     * The most bytes that the copy keeps of files which the server has, so that they open without a network. Those that
     * were not opened for longest go first. What is to be sent does not count, and never goes. Default: 50 MiB.
     */
    fileCacheBytes?: number;
    /**
     * Which files are to be here before anybody opens them: asked for rows that name a file which the server has. The
     * window that syncs asks its own `keep`, for all such rows when it begins and after each `sync()`, and otherwise for
     * those that have changed. The files are read beside the syncs, one after another, as long as the cache has room.
     * An error of it is `keep_failed` in `state.error`, and the row counts as not kept.
     */
    keep?(row: Row, collection: string): boolean;
    /** Milliseconds for one request; null for no limit. Files have more: as long as bytes come. Default: 30000. */
    timeout?: number | null;
    /** How often a request is tried before a sync fails. A sync that fails is repeated by itself. */
    retry?: { attempts?: number; baseDelay?: number; maxDelay?: number; maxRetryAfter?: number };
    /** In place of the browser's. */
    fetch?: typeof fetch;
    indexedDB?: IDBFactory;
    locks?: LockManager;
    channel?: (name: string) => BroadcastChannel;
    network?: { addEventListener?: unknown; removeEventListener?: unknown };
    wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
    random?: () => number;
    now?: () => number;
    newID?: () => string;
}

export interface User {
    id: number;
    username: string;
    display_name: string;
}

/** What each row has besides the fields of its collection. */
export interface RowState {
    id: string;
    project_id: string;
    /** The last version that the server sent; 0 for a row that it never sent. */
    server_version: number;
    _status: 'synced' | 'created' | 'updated';
    /** The fields with unsent edits. */
    _changed: string[];
}

/** A row as the app sees it, without types. */
export interface Row extends RowState {
    [field: string]: any;
}

/** The answer to `GET /schemas/`, parents before children. */
export interface SchemaDocument {
    schema_version: string;
    collections: { title: string; properties: { [field: string]: any }; required?: string[]; [keyword: string]: any }[];
}

/** Why the server did not take a row. */
export interface Reason {
    /** Null if the reason concerns the whole row. */
    field: string | null;
    /** One of the server's codes: docs/protocol.md, "Codes of single rows". */
    code: string;
    /** A sentence for a person. */
    detail: string;
    /** With `not_unique`: the row that has the key, if the user may see it. */
    existing: string | null;
}

export interface RefusedRow {
    collection: string;
    id: string;
    reasons: Reason[];
}

/** A row with edits that the server does not have yet. */
export interface UnsentRow {
    collection: string;
    id: string;
    project_id: string;
    /** What is unsent. */
    status: 'created' | 'updated' | 'deleted';
    /** The fields as they are here, and those of them that were edited. */
    values: { [field: string]: any };
    changed: string[];
    /** The server's values; null if it never sent the row. */
    base: { [field: string]: any } | null;
}

/** A copy of a row with an edit that is not going to reach the server. The values are those of that moment. */
export interface SetAsideRow extends UnsentRow {
    /** For `dismiss`. */
    number: number;
    /**
     * A code of the protocol, or one of these. `collection_removed`: the server does not have the collection any more.
     * `restored`: the server had taken this, and was restored from a backup that does not have it. These rows may be
     * edits of others, too.
     */
    reason: string;
    reasons: Reason[];
    /** Why, for a person: at least a sentence. */
    detail: string;
    /** An instant in RFC 3339. */
    at: string;
}

/** docs/protocol.md, "The inbox". */
export interface InboxEntry {
    entry: string;
    id: string;
    collection: string;
    project_id?: string;
    field: string | null;
    code: string;
    sent: any;
    kept: any;
    at: string;
    client_batch_id: string | null;
}

export interface LostProject {
    id: string;
    name: string | null;
    code: 'membership_revoked' | 'project_deleted';
    /** How many unsent edits of it went aside. */
    setAside: number;
}

/** The same in all windows. */
export interface State {
    /** Whose copy it is; null for nobody's. */
    user: User | null;
    /** False also if the session has ended. The copy then waits for its user. */
    isSignedIn: boolean;
    /** Null if nobody is. With a token, sessions can't be renewed. */
    signedInWith: 'password' | 'token' | null;
    /** The first sync is done. */
    isComplete: boolean;
    /**
     * The commit whose rows the copy has, apart from edits made here. Null if its rows are of no one commit, as in a
     * first sync: they may be a state that never was.
     */
    settled: number | null;
    /** Of a pull under way, kept pages included. `total` is an estimate, if there is one. */
    progress: { rows: number; total: number | null } | null;
    isSyncing: boolean;
    /** Null before the first attempt. */
    isOnline: boolean | null;
    /** Milliseconds since 1970 when the connection was lost; null while there is one, and if there never was one. */
    offlineSince: number | null;
    /**
     * How many rows have edits that can still be sent, with those that were refused for now. The counts here are those
     * after each call that has ended.
     */
    unsent: number;
    refused: RefusedRow[];
    /** How many copies were set aside. */
    setAside: number;
    /** How many files the server does not have, with those that have failed. */
    filesToSend: number;
    /** Milliseconds since 1970 of the last complete pull; null before the first. */
    lastSync: number | null;
    error: { code: string; detail: string; status: number } | null;
}

/** Values in a range, all but null: texts by their bytes, or numbers. */
export interface Range {
    /** At least this, or more than this. */
    from?: string | number;
    after?: string | number;
    /** At most this, or less than this. */
    to?: string | number;
    before?: string | number;
    /** Texts that begin so. */
    prefix?: string;
}

/** `T` is what a row has. */
export interface QueryOptions<T = { [field: string]: any }> {
    /** Only rows of this project. */
    project?: string | null;
    /** Only rows that refer to this row. */
    refersTo?: { collection: string; id: string } | null;
    /** Only rows that have each of these values, or one in the range. */
    where?: { [F in keyof T]?: T[F] | Range };
    /**
     * Fields, with a leading `-` for descending, in the order of the server's lists: null, false, true; texts by the
     * bytes of their first 128 characters; rows that are equal in all fields by their ids. Default: by id.
     */
    order?: FieldOf<T> | FieldOf<T>[];
    /** The first so many rows. */
    limit?: number;
}

/**
 * A live query as a store and as an iterator. It reads while somebody listens. React takes it with
 * `useSyncExternalStore(rows.subscribe, rows.getSnapshot)`, and it keeps the contract of Svelte's stores.
 */
export interface LiveRows<T = Row> extends AsyncIterable<Readonly<T>[]> {
    /** Calls back with the rows at once, and whenever they change. Returns a function that ends that. */
    readonly subscribe: (callback: (rows: readonly Readonly<T>[]) => void) => () => void;
    /** The last rows: the same object until they change. Before the first answer there are none. */
    readonly getSnapshot: () => readonly Readonly<T>[];
    /** Each answer; of several while the loop is busy, the last one. The loop ends when the copy is closed. */
    [Symbol.asyncIterator](): AsyncGenerator<Readonly<T>[], void, undefined>;
}

/** A field to order by, with a leading `-` for descending. */
export type FieldOf<T> = (keyof T & string) | `-${keyof T & string}`;

export interface LiveOptions<T = { [field: string]: any }> extends QueryOptions<T> {
    /** Calls back also while `state.settled` is null. Default: false. */
    unsettled?: boolean;
}

/** One of several edits: exactly one of `insert`, `update` and `delete`. */
export interface Edit {
    collection: string;
    /** Of a new row: the one to give it. Default: a new one. */
    id?: string;
    insert?: { id?: string; project_id?: string; [field: string]: any };
    update?: { [field: string]: any };
    delete?: true;
    /**
     * What the row must still have. Of an update, fields with another value are left alone, unless it is the one to
     * write; a row with one is not deleted. It is looked at in the transaction that edits, so nothing comes in between.
     */
    expected?: { [field: string]: any };
    /** Of an update: if one field is left alone, all are. */
    isWhole?: boolean;
    /** Deletes the row only if no other row refers to it, apart from rows that the same call deletes. */
    isUnused?: boolean;
}

/** What became of an edit. */
export interface Edited {
    id: string;
    /** The row before and after; null if there is none. */
    before: Row | null;
    after: Row | null;
    /** The fields that were left alone: they had another value than the expected one, and not the one to write. */
    left: string[];
    /** Why nothing was done; null if it was. `in_use`: other rows refer to a row that must be unused. */
    error: TidemarkError | null;
    warnings: Warning[];
}

/** What is wrong with a row's own value, as the server would say it. */
export interface ValueError {
    /** Null if it concerns the whole row. */
    field: string | null;
    code: string;
    /** Where in the row: RFC 6901. */
    pointer: string;
    /** A sentence for a person. */
    detail: string;
}

/** What the server may refuse, by what this copy knows of others, which may be old. The edit is stored and sent. */
export interface Warning extends ValueError {
    code: 'project_archived' | 'forbidden' | 'field_forbidden' | 'unknown_reference' | 'unknown_user' | 'not_unique';
    /** With `not_unique`: the row that has the key. */
    existing?: string;
}

/**
 * Which rows a part has: alternatives by collection, each an object of conditions by field. A row needs one of the
 * alternatives, and all conditions of it. `[{}]` is all rows, `[]` none. In a copy of all projects `projects` may be a
 * list of ids instead, in all parts alike. docs/protocol.md, "A part of a project".
 */
export interface PartFilter {
    [collection: string]: PartAlternative[] | string[];
}

export interface PartAlternative {
    [field: string]: PartCondition;
}

export type PartValue = string | number | boolean | null;

/** A value or one of several, none of these, a range with both ends, the beginning of a text, or what a list has. */
export type PartCondition = PartValue | PartValue[] | { not: PartValue | PartValue[] }
    | { from?: string | number; until?: string | number } | { prefix: string }
    | { has: string | number | (string | number)[] };

/** A part that was named. */
export interface NamedPart {
    name: string;
    /**
     * Resolves when the rows that are shown are a settled state (see `State.settled`) with everything that the part
     * names: at once if they are, otherwise after a sync. Rejects with `unknown_part` if the part is removed before,
     * and with `closed` when this window closes the copy. Nobody has to wait for it.
     */
    ready: Promise<void>;
}

/** A part as it is stored. */
export interface StoredPart {
    name: string;
    /** In normal form. Of a function, its last value. */
    filter: PartFilter;
    keepHours: number;
    /** Milliseconds since 1970 until which a part that was removed is kept; null for one that was not. */
    keepUntil: number | null;
    /** What `NamedPart.ready` waits for is so. */
    isReady: boolean;
}

/**
 * The named parts of the copy. It holds the rows of all parts together; without any, everything. A collection that no
 * part names is whole, unless it follows one that is named, so the first part to name a collection narrows it.
 *
 * Parts are stored in the copy and count in all its windows. A changed set of parts is pulled at once, unless `listen`
 * is false. Signing out forgets them: name them before the next `signIn`.
 */
export interface Parts {
    /**
     * Names a part. It is stored when the promise resolves; it needs no network. The part of a name that is there gets
     * the filter, so an app names its parts at each start.
     *
     * A function is asked once now, and then at the start of each sync of this window; its last value is stored. So a
     * window of dates moves by itself. After a restart, and in a window that has not named it, the last value counts.
     * If it throws in a sync, that value counts as well, and `state.error` tells.
     *
     * `keepHours`: how much longer a part is asked for after it was removed. Default: 0, or what it was.
     *
     * Throws `invalid_filter`, and changes nothing, if the filter is none, if it names a field that the server's schema
     * does not let it (as far as the schema is known), or if all parts together are beyond a limit: 2 KiB of text, 8
     * alternatives of a collection, 4 conditions of an alternative, 50 values of a condition. `errors` has the place.
     * Parts that were removed and are kept give way first, the oldest before others. Throws `not_loaded`, and changes
     * nothing, if the files of this module that parts need can't be loaded: README.md, "Parts".
     */
    add(name: string, filter: PartFilter | (() => PartFilter), options?: { keepHours?: number }): Promise<NamedPart>;
    /** Gives a part another filter. Throws `unknown_part` if there is none, and `invalid_filter` as `add` does. */
    update(name: string, filter: PartFilter | (() => PartFilter)): Promise<NamedPart>;
    /**
     * Removes a part. The next sync after `keepHours` asks without it, and then its rows leave. A row with an edit that
     * is not answered stays until it is. Throws `unknown_part`.
     */
    remove(name: string): Promise<void>;
    /** In the order in which they were named, with those that were removed and are kept. */
    list(): Promise<StoredPart[]>;
}

/** Where a file is on its way. */
export interface FileState {
    /** `stored`: the server has it. `failed`: it can't succeed as things are, and waits for `retry`. */
    state: 'waiting' | 'sending' | 'stored' | 'failed';
    /** How many bytes the server has, of how many. */
    sent: number;
    size: number;
    /** The code of the last error: why it has failed, or waits. Null if there was none. */
    reason: string | null;
}

/** A file that the server does not have. */
export interface QueuedFile extends FileState {
    digest: string;
    project: string;
    /** As the app has given them with `add`, or null. */
    name: string | null;
    preview: string | null;
    /** What the server is going to say that it is: see `Files.open`. */
    type: string;
    /** A sentence for a person to `reason`, or null. */
    detail: string | null;
}

/**
 * Photos and documents that rows name by their SHA-256, in fields of the format `blob`: docs/protocol.md, "Files". In a
 * copy of one project, its project is meant; in one of all projects, `project` has to be given where it can't be found.
 *
 * Files that were added here are stored in the copy until the server has them. The window that syncs sends them beside
 * the syncs, one after another. A connection that breaks and a page that is closed cost what was under way, no more.
 * With `listen: false` they are sent when `sync()` is called, which does not wait for them.
 */
export interface Files {
    /**
     * Adds a file, and resolves to its digest for the row when the bytes are stored in the copy. It needs no network.
     * The same bytes are the same entry, and a file that has failed is tried again. `name` and `preview` are for the
     * app's own list of what is unsent. Throws `storage_full`.
     */
    add(
        bytes: Blob | ArrayBuffer | ArrayBufferView,
        options?: { project?: string; name?: string | null; preview?: string | null },
    ): Promise<{ digest: string; size: number }>;
    /**
     * The bytes, from the copy if it has them, otherwise from the server; they are checked. `type` of the Blob is what
     * the server says: JPEG, PNG, WebP or GIF by the first bytes, otherwise `application/octet-stream`. It is never
     * what a row says, since HTML that is opened from a `blob:` address runs as the page. Throws `not_found` for what
     * the user may not read, or what the server does not have yet.
     */
    open(digest: string, options?: { project?: string }): Promise<Blob>;
    /** Null if this copy knows nothing of the file. */
    state(digest: string, options?: { project?: string }): Promise<FileState | null>;
    /** What the server does not have, in the order in which it was added. */
    list(): Promise<QueuedFile[]>;
    /** Lets a file that has failed be tried again. Throws `unknown_file`. */
    retry(digest: string, options?: { project?: string }): Promise<void>;
    /** Drops a file that is not stored. A row that names it stays as it is. */
    remove(digest: string, options?: { project?: string }): Promise<void>;
    /**
     * Calls back in all windows whenever a file changes, with its digest; with null if it may be any. Returns a
     * function that ends that.
     */
    onChange(callback: (digest: string | null) => void): () => void;
}

export type Credentials = { username: string; password: string } | { token: string };

/** All methods throw `TidemarkError`. */
export interface Copy<S extends SchemaTypes = AnySchema> {
    readonly state: State;
    readonly parts: Parts;
    readonly files: Files;
    /** Calls back at once and whenever the state changes. Returns a function that ends that. */
    onState(callback: (state: State) => void): () => void;
    onLeft(callback: (lost: LostProject) => void): () => void;

    /**
     * Begins a session. With `open({ user })` throws `other_user`, and changes nothing, if somebody else has signed in:
     * open that user's copy. Otherwise another user's copy is wiped. Throws `unsent_edits`, and changes nothing, if that
     * user has unsent edits or copies set aside, unless `discard` is set. Throws `unclaimed_edits`, and changes nothing, if there
     * are edits from before anybody signed in: ask whose they are, and set `adopt` or `discard`.
     */
    signIn(credentials: Credentials & { discard?: boolean; adopt?: boolean }): Promise<void>;
    /**
     * Begins another session of the same user, whose password was given just now, in place of the present one. The copy
     * and its unsent edits stay, all windows go on with the new session, and the old one ends. Throws `other_user` if
     * the copy is somebody else's by then.
     */
    reauthenticate(password: string): Promise<void>;
    /**
     * Ends the session and wipes the copy. Throws `unsent_edits`, and changes nothing, if something is unsent or set
     * aside, files included, unless `discard` is set. With `leavingUnsent` the copy stays, and what is unsent is sent
     * when the user has signed in again. Returns what was not sent.
     */
    signOut(options?: { discard?: boolean; leavingUnsent?: boolean }): Promise<NotSent>;

    /** Null if there is no such row, or if it was deleted here. */
    row<C extends keyof S['Rows']>(collection: C, id: string): Promise<RowOf<S, C> | null>;
    /** In the order of their ids, unless the options have another one. */
    rows<C extends keyof S['Rows']>(collection: C, options?: QueryOptions<RowOf<S, C>>): Promise<RowOf<S, C>[]>;
    /**
     * Calls back with the rows now, and after each change, in the order of their ids, unless the options have another
     * one. Returns a function that ends that. Each answer is one settled state of the copy with the edits made here:
     * while `state.settled` is null there is none, unless `unsettled` is set. If the copy was wiped, the answer is empty.
     * Rows are frozen: the next answer may have the same objects. Do not change values inside of them either.
     */
    live<C extends keyof S['Rows']>(
        collection: C, options: LiveOptions<RowOf<S, C>>, callback: (rows: Readonly<RowOf<S, C>>[]) => void,
    ): () => void;
    /** The same as a store and as an iterator. */
    live<C extends keyof S['Rows']>(collection: C, options?: LiveOptions<RowOf<S, C>>): LiveRows<RowOf<S, C>>;

    /**
     * The collections with their fields, as `GET /schemas/` sent them and as the rows follow them: docs/schemas.md
     * explains the keywords. Before the first sync the app's own, or null. Needs no network.
     */
    schema(): Promise<SchemaDocument | null>;

    /**
     * Adds a row; returns its id. It is stored when the promise resolves, and sent when there is a network. Throws what
     * the server would refuse in the values, and stores nothing: the error has the first code, and all in `errors`.
     */
    insert<C extends keyof S['Insert']>(collection: C, row: S['Insert'][C]): Promise<string>;
    /** Likewise. Only what changes is judged. Warnings are told by `edit` alone. */
    update<C extends keyof S['Update']>(collection: C, id: string, values: S['Update'][C]): Promise<void>;
    delete(collection: keyof S['Update'], id: string): Promise<void>;

    /** An id that no row has, for rows of one call of `edit` that refer to each other. */
    newID(): string;
    /** Several edits at once: all are stored together when the promise resolves. What can't be edited is told. */
    edit(edits: Edit[]): Promise<Edited[]>;

    /** The rows with edits that the server does not have yet, refused ones included, in the order of their ids. */
    unsent(): Promise<UnsentRow[]>;
    refused(): Promise<RefusedRow[]>;
    /** What is unsent of the row is gone. The row is as the server has it, or goes if the server does not have it. */
    giveUp(collection: string, id: string): Promise<void>;
    /** The oldest first. */
    setAside(): Promise<SetAsideRow[]>;
    dismiss(number: number): Promise<void>;

    /** The user's lost edits as the server keeps them for 30 days, from all devices. Needs a network. */
    inbox(): Promise<InboxEntry[]>;
    dismissFromInbox(entry: string): Promise<void>;

    /** Syncs now, in whichever window does that. Refused rows are sent once more. */
    sync(): Promise<void>;
    /** One request to the REST API, such as `request('GET', '/rejected/')`: the parsed answer. */
    request(
        method: string, path: string,
        options?: { body?: unknown; query?: object; headers?: object; signal?: AbortSignal },
    ): Promise<any>;
    /** Ends everything in this window. What is unsent stays in the browser. */
    close(): Promise<void>;
}

/** What the server does not have. */
export interface NotSent {
    /** Rows with edits that can still be sent. */
    unsent: number;
    /** Copies of edits that will not be. */
    setAside: number;
    /** Files. */
    files: number;
}

export class TidemarkError extends Error {
    readonly code: string;
    /** A sentence for a person. */
    readonly detail: string;
    /** Of the answer; 0 if there was none. */
    readonly status: number;
    /** Of an edit that was refused here: all that is wrong with it. Of an answer: the invalid rows. */
    readonly errors: ValueError[];
    /** Of `unsent_edits` and `unclaimed_edits`: see `NotSent`. */
    readonly unsent?: number;
    readonly setAside?: number;
    readonly files?: number;
}
