import SyncProtocol
import SyncSchema
import SyncStore

/// The row versions that a change accepts (`If-Match`, RFC 9110 section 13.1.1).
package enum Precondition: Sendable, Equatable {
    /// Any version: the last writer wins.
    case none
    /// One of these `server_version`s.
    case versions(Set<Int64>)

    /// Throws `stale_version`, with the present row as `current`, if the row has another version.
    func require(_ record: StoredRow, in collection: Collection) throws {
        guard case .versions(let versions) = self, !versions.contains(record.version.rawValue) else { return }
        throw Problem(
            .staleVersion, "The row is now at version \(record.version). Merge with current, then send again.",
            members: ["current": record.json(in: collection)])
    }
}
