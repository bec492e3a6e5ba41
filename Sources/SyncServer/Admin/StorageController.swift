import Hummingbird
import SyncEngine
import SyncProtocol
import SyncStore

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
