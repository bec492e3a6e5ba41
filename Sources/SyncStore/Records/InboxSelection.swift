import SyncProtocol

/// Which entries of an inbox are meant.
package enum InboxSelection: Sendable, Equatable {
    case entry(Int64)
    /// Everything about rows of that id.
    case row(String)
}
