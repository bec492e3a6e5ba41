import SyncProtocol
import SyncSchema
import SyncStore

/// The versions that a change may be made to (`If-Match`, RFC 9110 section 13.1.1).
package enum Precondition: Sendable, Equatable {
    /// Any version: last writer wins.
    case none
    /// One of these `server_version`s.
    case versions(Set<Int64>)

    /// Throws `stale_version` with the row as it is now.
    func require(_ record: StoredRow, in collection: Collection) throws {
        guard case .versions(let versions) = self, !versions.contains(record.version.rawValue) else { return }
        throw Problem(
            .staleVersion, "The row is at version \(record.version) by now. Merge with current, and send again.",
            members: ["current": record.json(in: collection)])
    }
}
