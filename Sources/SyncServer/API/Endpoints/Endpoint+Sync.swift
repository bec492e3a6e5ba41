import HTTPTypes
import SyncEngine
import SyncProtocol
import SyncSchema

extension Endpoint {
    static let syncTag = Tag(name: "sync", summary: "Copies of a project that work offline.")

    static func pull(_ registry: Registry) -> Endpoint {
        Endpoint(
            method: .get, path: "/projects/{project}/sync/", id: "pull", tag: syncTag,
            summary: "Pull: one page of a drain.",
            details: """
                Ask again with `cursor` until `has_more` is false, then adopt `timestamp` and send it as `since` the next \
                time. With `since=0` drop every row that the drain did not name, but keep unsent edits.
                """,
            parameters: [
                .project,
                .query("since", Schema.commit, "The `timestamp` of the last complete drain; 0 for everything."),
                .query("cursor", Schema.text, "The `next_cursor` of the page before; absent on page 1."),
                .query(
                    "page_size", ["type": "number", "default": 1000],
                    "Rows and tombstones together; put into the range 1 to 5000."),
                collections(registry, "Only these; `timestamp` is good for this list only."),
                .query(
                    "encoding", Schema.encoding,
                    "`watermelondb`: lists and objects as JSON text, instants as epoch milliseconds, no tombstones at 0."
                ),
                .query(
                    "split_created", ["type": "boolean", "default": false],
                    "Rows that others created after `since` come in `created`."),
                .query(
                    "migration", Schema.text,
                    """
                    WatermelonDB's `{"from":1,"tables":[…],"columns":[{"table":…,"columns":[…]}]}`: every row of these \
                    tables comes too, and every row whose named column is not its default.
                    """),
                .query(
                    "stream", Schema.flag,
                    "`true`: everything in one answer, which may come in chunks. Not with `cursor`."),
                .query(
                    "last_pulled_at", Schema.text,
                    """
                    WatermelonDB's name for `since`; empty and `null` are 0. With it, `encoding` is `watermelondb` and \
                    `stream` is `true` unless the request says otherwise.
                    """),
            ],
            answers: [.ok("A page, or the whole drain.", Schema.reference("PullPage"), headers: [.tidemarkHead])],
            ownCodes: access + [
                .invalidSince, .invalidPageSize, .invalidCursor, .unknownCollection, .invalidParameter, .sinceAhead,
                .sinceExpired,
            ])
    }

    static func digest(_ registry: Registry) -> Endpoint {
        Endpoint(
            method: .get, path: "/projects/{project}/sync/digest/", id: "digest", tag: syncTag,
            summary: "What the caller's rows come to, to compare a copy with.",
            details: """
                Per collection the number of rows and the XOR over them of FNV-1a-64 of `id`, a NUL byte and \
                `server_version` in decimal. Of use to a copy whose watermark is `timestamp`.
                """,
            parameters: [.project, collections(registry, "Only these.")],
            answers: [.ok("The digests, and the head that they are of.", Schema.reference("Digest"))],
            ownCodes: access + [.unknownCollection])
    }

    private static func collections(_ registry: Registry, _ summary: String) -> Parameter {
        let names = Schema.list(["enum": .array(registry.collections.map { .string($0.name) })])
        return Parameter(name: "collections", place: .query, schema: names, summary: summary, isList: true)
    }

    static let upload = Endpoint(
        method: .post, path: "/projects/{project}/sync/", id: "upload", tag: syncTag,
        summary: "Upload: one batch of edits.",
        details: """
            Applied whole or not at all. `client_batch_id` stays with the batch over all retries: the same batch is applied \
            once, and answered with the same bytes. At most 500 rows and 16 MiB. WatermelonDB's own push is taken as well: \
            `last_pulled_at` in the query, and as the body the bare `changes`.
            """,
        parameters: [.project], body: Schema.reference("Upload"),
        answers: [.ok("What became of each row.", Schema.reference("UploadAnswer"), headers: [.idempotentReplayed])],
        ownCodes: write + [
            .invalidBatchID, .invalidSince, .collectionNotUploadable, .batchTooLarge, .sinceAhead, .sinceExpired,
            .batchIDReused, .baseRequired, .conflict, .invalidRows, .idUnavailable, .fieldForbidden, .inUse, .lastOwner,
            .cyclicDependency, .rateLimited,
        ])
}

extension Endpoint {
    static let listRejected = Endpoint(
        method: .get, path: "/projects/{project}/rejected/", id: "list_rejected", tag: syncTag,
        summary: "The caller's lost edits.",
        details: "What was refused, overtaken or put right, the oldest first, for 30 days.",
        parameters: [.project] + Parameter.keyset, isList: true,
        answers: [.ok("One page of them.", Schema.reference("Rejected"))], ownCodes: access)

    static let dismissRejected = Endpoint(
        method: .delete, path: "/projects/{project}/rejected/{entry}/", id: "dismiss_rejected", tag: syncTag,
        summary: "Dismiss a lost edit.", details: "By its `entry`; by a row's `id` all about that row.",
        parameters: [
            .project,
            Parameter(name: "entry", place: .path, schema: Schema.text, summary: "The entry, or the row's id."),
        ], answers: [.noContent], ownCodes: access + [.readOnlyToken])
}

extension Endpoint.Header {
    static let tidemarkHead = Endpoint.Header(
        name: "Tidemark-Head", schema: Schema.commit,
        summary: "The project's head now. Greater than `timestamp` on the last page: there is more already.")
}
