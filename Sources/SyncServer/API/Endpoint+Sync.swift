import HTTPTypes
import SyncEngine
import SyncProtocol
import SyncSchema

extension Endpoint {
    static let syncTag = Tag(name: "sync", summary: "Pull and upload, for copies of a project that work offline.")

    static func pull(_ registry: Registry) -> Endpoint {
        Endpoint(
            method: .get, path: "/projects/{project}/sync/", id: "pull", tag: syncTag,
            summary: "Pull: one page of a drain.",
            details: """
                Ask again with `cursor` until `has_more` is false. Then adopt `timestamp` and send it as `since` the \
                next time. After a drain with `since=0`, drop every row that it did not name, but keep unsent edits.
                """,
            parameters: [.project] + pullParameters(registry) + partParameters,
            answers: [.ok("A page, or the whole drain.", Schema.reference("PullPage"), headers: [.tidemarkHead])],
            ownCodes: access + pullCodes + [.invalidFilter])
    }

    static func userPull(_ registry: Registry) -> Endpoint {
        Endpoint(
            method: .get, path: "/sync/", id: "pull_all", tag: syncTag,
            summary: "Pull all projects of the caller: one page of a drain.",
            details: """
                As the pull of one project, with one `timestamp` for all projects. Every row has its `project_id`. \
                When the drain is done, drop the rows of the projects in `left_projects` and `replaced` that it did \
                not name. A client of `watermelondb` needs only `changes`.
                """,
            parameters: pullParameters(registry) + partParameters + [
                projects("Only these projects. The `timestamp` is then valid for this list only.")
            ],
            answers: [.ok("A page, or the whole drain.", Schema.reference("UserPullPage"), headers: [.tidemarkHead])],
            ownCodes: [.notFound] + pullCodes + [.invalidFilter])
    }

    private static let pullCodes: [ErrorCode] = [
        .tooManyStreams, .invalidSince, .invalidPageSize, .invalidCursor, .unknownCollection, .invalidParameter,
        .sinceAhead, .sinceExpired,
    ]

    static func projects(_ summary: String) -> Parameter {
        Parameter(name: "projects", place: .query, schema: Schema.list(Schema.id), summary: summary, isList: true)
    }

    private static func pullParameters(_ registry: Registry) -> [Parameter] {
        [
            .query("since", Schema.commit, summary: "The `timestamp` of the last complete drain; 0 for everything."),
            .query("cursor", Schema.text, summary: "The `next_cursor` of the previous page; absent on page 1."),
            .query(
                "page_size", ["type": "number", "default": 1000],
                summary: "The most rows and tombstones together. A number outside 1 to 5000 is clamped."),
            collections(registry, "Only these collections. The `timestamp` is then valid for this list only."),
            .query(
                "encoding", Schema.encoding,
                summary: """
                    With `watermelondb`, lists and objects are JSON text, instants are epoch milliseconds, and a drain \
                    from 0 has no tombstones.
                    """),
            .query(
                "split_created", ["type": "boolean", "default": false],
                summary: "Rows that others created after `since` come in `created`."),
            .query(
                "migration", Schema.text,
                summary: """
                    WatermelonDB's `{"from":1,"tables":[…],"columns":[{"table":…,"columns":[…]}]}`. The drain \
                    also carries every row of these tables, and every row in which a named column differs from its \
                    default; with `watermelondb`, from null, an empty text, 0 and false.
                    """),
            .query(
                "stream", Schema.flag,
                summary:
                    "`true`: the whole drain in one answer, which may come in chunks. Not together with `cursor`."),
            .query(
                "wait", ["type": "integer", "minimum": 0, "maximum": 60, "default": 0],
                summary: """
                    For how many seconds the server may hold a pull that has nothing for the caller, until it has \
                    something. Not together with `cursor`; without effect at `since=0`.
                    """),
            .query(
                "last_pulled_at", Schema.text,
                summary: """
                    WatermelonDB's name for `since`. An empty value and `null` mean 0. With it, `encoding` defaults to \
                    `watermelondb` and `stream` to `true`.
                    """),
        ]
    }

    private static let partParameters: [Parameter] = [
        .query(
            "filter", Schema.text,
            summary: """
                Only a part of the project, as JSON by collection: \
                `{"tasks":[{"assignee":"@me"},{"sprint":["s-1","s-2"]}]}`. The entries of a list are alternatives, the \
                members of an entry are conditions on fields that the schema marks with `x-filterable`. In a pull of \
                all projects it may name `projects` as well.
                """),
        .query(
            "filter_was", Schema.text,
            summary: """
                The filter of the drain that `since` comes from: `same`, `{}` for everything, or its text. Needed \
                above 0. Alone, it goes back to everything.
                """),
        .query(
            "left", ["enum": ["left", "deleted"]],
            summary: """
                The list for ids of rows that leave the part. With `last_pulled_at` and a filter it must be there; \
                WatermelonDB knows only `deleted`.
                """),
        .query(
            "digest", Schema.flag,
            summary: "With a filter, `true`: the last page has the part's digest, if that takes at most 20,000 rows."),
    ]

    static func userDigest(_ registry: Registry) -> Endpoint {
        Endpoint(
            method: .get, path: "/sync/digest/", id: "digest_all", tag: syncTag,
            summary: "Digests of the caller's rows in all projects, to compare a copy with.",
            details: """
                By project, the digests that `digest` has. Compare those of a project only with a copy that was \
                drained at the project's number in `heads`.
                """,
            parameters: [
                collections(registry, "Only these collections."), projects("Only these projects."), digestFilter,
            ],
            answers: [.ok("The digests, and the heads at which they were computed.", Schema.reference("UserDigest"))],
            ownCodes: [.notFound, .unknownCollection, .invalidFilter])
    }

    static func digest(_ registry: Registry) -> Endpoint {
        Endpoint(
            method: .get, path: "/projects/{project}/sync/digest/", id: "digest", tag: syncTag,
            summary: "Digests of the caller's rows, to compare a copy with.",
            details: """
                For each collection, the number of rows and the XOR of their hashes. A row's hash is the FNV-1a-64 of \
                `id`, a NUL byte and `server_version` in decimal. Compare them only with a copy whose watermark is \
                `timestamp`.
                """,
            parameters: [.project, collections(registry, "Only these collections."), digestFilter],
            answers: [.ok("The digests, and the head at which they were computed.", Schema.reference("Digest"))],
            ownCodes: access + [.unknownCollection, .invalidFilter])
    }

    private static let digestFilter = Parameter.query(
        "filter", Schema.text, summary: "The digests of this part, written as the filter of a pull.")

    private static func collections(_ registry: Registry, _ summary: String) -> Parameter {
        let names = Schema.list(["enum": .array(registry.collections.map { .string($0.name) })])
        return Parameter(name: "collections", place: .query, schema: names, summary: summary, isList: true)
    }

    private static let stockParameters = [
        Parameter(
            name: "last_pulled_at", place: .query, schema: Schema.text,
            summary: "The body is WatermelonDB's bare `changes`, edited at this watermark; empty and `null` are 0."),
        Parameter(
            name: "on_error", place: .query,
            schema: ["enum": .array(UploadRequest.ErrorMode.allCases.map { .string($0.rawValue) })],
            summary: "With `last_pulled_at` only: what happens to rows that can't be accepted."),
    ]

    static let upload = Endpoint(
        method: .post, path: "/projects/{project}/sync/", id: "upload", tag: syncTag,
        summary: "Upload: one batch of edits.",
        details: """
            A batch is applied whole or not at all. Send the same `client_batch_id` with every retry: the batch is \
            applied once, and every retry gets the same bytes as an answer. A batch has at most 500 rows and 16 MiB. \
            WatermelonDB's own push works too: `last_pulled_at` in the query, and the bare `changes` as the body.
            """,
        parameters: [.project] + stockParameters, body: Schema.reference("Upload"),
        answers: [.ok("What became of each row.", Schema.reference("UploadAnswer"), headers: [.idempotentReplayed])],
        ownCodes: write + uploadCodes)

    static let uploadAll = Endpoint(
        method: .post, path: "/sync/", id: "upload_all", tag: syncTag,
        summary: "Upload rows of several projects: one batch of edits.",
        details: """
            As the upload to one project, in one transaction. A new row names its `project_id`; a row that exists \
            belongs to its own project. A row of `projects` makes a project, and its rows may be in the same batch. \
            `timestamp` is null, and `timestamps` has the commit of the batch in each project.
            """,
        parameters: stockParameters, body: Schema.reference("UserUpload"),
        answers: [
            .ok("What became of each row.", Schema.reference("UserUploadAnswer"), headers: [.idempotentReplayed])
        ],
        ownCodes: write + uploadCodes)

    private static let uploadCodes: [ErrorCode] = [
        .invalidParameter, .invalidBatchID, .invalidSince, .collectionNotUploadable, .batchTooLarge, .sinceAhead,
        .sinceExpired, .batchIDReused, .baseRequired, .conflict, .invalidRows, .quotaExceeded, .idUnavailable,
        .fieldForbidden, .inUse,
        .lastOwner, .cyclicDependency, .rateLimited,
    ]
}

extension Endpoint {
    static let listRejected = Endpoint(
        method: .get, path: "/projects/{project}/rejected/", id: "list_rejected", tag: syncTag,
        summary: "List the caller's lost edits.",
        details: "Edits that were refused, overwritten or repaired, oldest first. Each is kept for 30 days.",
        parameters: [.project] + Parameter.keyset, isList: true,
        answers: [.ok("One page of the list.", Schema.reference("Rejected"))], ownCodes: access)

    static let dismissRejected = Endpoint(
        method: .delete, path: "/projects/{project}/rejected/{entry}/", id: "dismiss_rejected", tag: syncTag,
        summary: "Dismiss a lost edit.",
        details: "An `entry` dismisses that entry. A row's `id` dismisses all entries of that row.",
        parameters: [
            .project,
            Parameter(name: "entry", place: .path, schema: Schema.text, summary: "The entry, or the row's id."),
        ], answers: [.noContent], ownCodes: access + [.readOnlyToken])
}

extension Endpoint {
    static let listAllRejected = Endpoint(
        method: .get, path: "/rejected/", otherPaths: ["/sync/rejected/"], id: "list_all_rejected", tag: syncTag,
        summary: "List the caller's lost edits in all projects.",
        details: "As the list of one project, with `project_id`. Entries of lost projects stay, without `kept`.",
        parameters: Parameter.keyset, isList: true,
        answers: [.ok("One page of the list.", Schema.reference("UserRejected"))], ownCodes: [])

    static let dismissAnyRejected = Endpoint(
        method: .delete, path: "/rejected/{entry}/", otherPaths: ["/sync/rejected/{entry}/"],
        id: "dismiss_any_rejected", tag: syncTag, summary: "Dismiss a lost edit in any project.",
        details: "An `entry` dismisses that entry. A row's `id` dismisses all entries of that row.",
        parameters: [
            Parameter(name: "entry", place: .path, schema: Schema.text, summary: "The entry, or the row's id.")
        ], answers: [.noContent], ownCodes: [.notFound, .readOnlyToken])
}

extension Endpoint.Header {
    static let tidemarkHead = Endpoint.Header(
        name: "Tidemark-Head", schema: Schema.commit,
        summary: """
            The project's current head. If it is greater than `timestamp` on the last page, there is already more to \
            pull.
            """)
}
