import GRDB
import SyncProtocol

/// What a prune dropped.
package struct PruneReport: Sendable, Equatable {
    /// As `tasks.notes`.
    package internal(set) var fields: [String] = []
    package internal(set) var collections: [String] = []
    /// Of the collections, tombstones included.
    package internal(set) var rows = 0
}
