package import SyncProtocol
import SyncSchema
import SyncStore

/// One row as REST returns it.
package struct Item: Sendable, Equatable {
    /// The wire form.
    package let json: JSON
    /// Whether this is the stored answer to an earlier request with the same
    /// idempotency key. Then nothing was applied this time.
    package let isReplay: Bool

    package init(_ json: JSON, isReplay: Bool = false) {
        self.json = json
        self.isReplay = isReplay
    }

    init(_ record: StoredRow, in collection: Collection) { self.init(record.json(in: collection)) }

    package var id: String { json["id"]?.string ?? "" }
    package var version: ServerVersion { ServerVersion(json["server_version"]?.int ?? 0) }
}
