import SyncProtocol
import SyncStore

/// What a client holds that pulls parts, one filter after the other.
struct FilteredCopy {
    let client: Client
    private(set) var rows: [RowKey: JSON] = [:]
    private(set) var since: Int64 = 0
    /// The filter that `since` is good for.
    private(set) var filter = "{}"

    init(_ client: Client) { self.client = client }

    /// Makes a drain, stores it, and returns it.
    @discardableResult
    mutating func pull(
        _ filter: String, pageSize: Int = 1000, between: (Int) async throws -> Void = { _ in }
    ) async throws -> FilteredDrain {
        let drain = try await client.filteredDrain(
            filter, was: since > 0 ? self.filter : nil, since: since, pageSize: pageSize, between: between)
        if since == 0 { rows = [:] }
        rows.merge(drain.updated) { $1 }
        for key in drain.deleted.union(drain.left) { rows[key] = nil }
        since = drain.timestamp
        self.filter = filter
        return drain
    }
}
