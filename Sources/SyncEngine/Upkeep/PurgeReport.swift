import SyncProtocol
import SyncSchema
import SyncStore

/// What a purge removed.
package struct PurgeReport: Sendable, Equatable {
    package var tombstones = 0
    /// Projects that lost some.
    package var projects = 0

    package init() {}
}
