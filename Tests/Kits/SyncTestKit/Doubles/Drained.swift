import NIOCore
package import SyncAccounts
import SyncEngine
package import SyncProtocol
package import SyncSchema
package import SyncStore

/// What a client received when it pulled from a watermark until there was no more.
package struct Drained {
    /// The live rows, by collection and id.
    package private(set) var rows: [RowKey: JSON] = [:]
    package private(set) var deleted: Set<RowKey> = []
    package private(set) var timestamp: Int64 = 0
    /// The last page's `digest`, as sent.
    package private(set) var digest: JSON = .null

    package init<Store: SyncStore>(
        _ store: Store, _ registry: Registry, project: String, since: SyncSeq, by caller: Caller, pageSize: Int = 7
    ) async throws {
        let pulls = try await PullService(store: store, registry: registry)
        var request = PullRequest(project: project, since: since, pageSize: pageSize)
        repeat {
            let page = try JSON(parsing: try await pulls.page(request, for: caller).body.readableBytesView)
            take(page)
            request.cursor = page["next_cursor"]?.string
        } while request.cursor != nil
    }

    private mutating func take(_ page: JSON) {
        for (name, bucket) in page["changes"]?.object ?? [:] {
            for row in bucket["updated"]?.array ?? [] { rows[RowKey(name, row["id"]?.string ?? "")] = row }
            for id in bucket["deleted"]?.array ?? [] { deleted.insert(RowKey(name, id.string ?? "")) }
        }
        timestamp = page["timestamp"]?.int ?? 0
        digest = page["digest"] ?? .null
    }
}
