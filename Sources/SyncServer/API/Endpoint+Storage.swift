import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// What the database holds.
extension Endpoint {
    static func storageEndpoints(_ registry: Registry) -> [Endpoint] { [storage(registry), listStorage(registry)] }

    static func storage(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "storage", registry, method: .get, id: "storage", summary: "Read what the database holds.",
            details: """
                For superusers: sizes, and counts over all projects. `history`, `answers` and `inbox` are counted up \
                to `most`, which then means that many or more. A database that several servers share has no \
                `wal_bytes` and no `free_bytes`.
                """, answer: .ok("The figures.", figures))
    }

    static func listStorage(_ registry: Registry) -> Endpoint {
        Endpoint(
            admin: "storage/projects", registry, method: .get, id: "list_storage",
            summary: "List what each project holds.",
            details: """
                For superusers: projects by id, deleted ones too. All but rows and tombstones is counted up to \
                100,000, which then means that many or more. A page can have fewer projects than `limit` although \
                `next` leads to another.
                """, parameters: Parameter.keyset, isList: true,
            answer: .ok("One page of the projects.", Schema.page(of: project, title: "ProjectStoragePage")))
    }

    private static var figures: JSON {
        let number = Schema.orNull(Schema.integer)
        let plan = Schema.object(
            [
                "every_seconds": number.described("The age of the newest backup at which the next one is made."),
                "folder": Schema.nullableText, "kept": number.described("How many backups stay in the folder."),
                "hint": Schema.nullableText.described("Why the server makes no backups, and what to do."),
            ], title: "BackupPlan")
        return Schema.object(
            [
                "bytes": number.described("Of the database, without a write-ahead log."), "wal_bytes": number,
                "free_bytes": number.described("Left on the disk."),
                "database": Schema.text.described("The engine with its version."), "rows": Schema.integer,
                "tombstones": Schema.integer, "history": Schema.integer.described("Edits in the change history."),
                "answers": Schema.integer.described(
                    "Stored answers to requests with an idempotency key or a batch id."),
                "inbox": Schema.integer.described("Lost edits."), "most": Schema.integer, "backups": plan,
            ], title: "Storage")
    }

    private static var project: JSON {
        let grown = Schema.object(
            [
                "days": Schema.integer, "rows": Schema.integer.described("Created since, and still there."),
                "tombstones": Schema.integer, "commits": Schema.integer,
            ], title: "Growth")
        let collection = Schema.object(["rows": Schema.integer, "tombstones": Schema.integer])
        return Schema.object(
            [
                "project_id": Schema.text, "project_name": Schema.nullableText, "is_archived": Schema.flag,
                "is_deleted": Schema.flag, "rows": Schema.integer, "tombstones": Schema.integer,
                "rejected": Schema.integer.described("Lost edits."), "answers": Schema.integer,
                "digests": Schema.integer, "grown": grown, "collections": Schema.map(collection),
            ], title: "ProjectStorage")
    }
}

/// `/admin/storage/`: what the database holds.
struct StorageController<Store: SyncStore>: Sendable {
    let service: StorageService<Store>
    let store: Store
    let upkeep: UpkeepService<Store>

    func summary(_ request: Request, _ context: CallerContext) async throws -> Response {
        let storage = try await service.summary(for: context.caller)
        let metrics = store.metrics
        // A database of several servers has its log and its disk elsewhere.
        let logBytes = metrics.shared == nil ? Int64(metrics.logBytes) : nil
        let body: JSON = [
            "bytes": storage.bytes.map(JSON.int) ?? .null, "wal_bytes": logBytes.map(JSON.int) ?? .null,
            "free_bytes": metrics.freeBytes.map(JSON.int) ?? .null, "database": .string(metrics.engine),
            "rows": .int(Int64(storage.rows)), "tombstones": .int(Int64(storage.tombstones)),
            "history": .int(Int64(storage.history)), "answers": .int(Int64(storage.answers)),
            "inbox": .int(Int64(storage.inbox)), "most": .int(Int64(StorageService<Store>.mostInAll)),
            "backups": upkeep.plan,
        ]
        return Reply(body).response(to: request)
    }

    func projects(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let page = try await service.projects(
            after: query.text("after") ?? "", limit: try query.limit(default: 100, maximum: 500),
            for: context.caller)
        return Reply(results: page.results, next: page.next).response(to: request)
    }
}
