package import SyncProtocol

/// The state of a row that an edit was made on.
package enum EditBase: Sendable, Equatable {
    /// The row at that version.
    case version(ServerVersion)
    /// The row as of that commit; 0 is before everything.
    case commit(SyncSeq)

    /// Whether the change came after it.
    package func precedes(_ change: RowChange) -> Bool {
        switch self {
        case .version(let version): change.version > version
        case .commit(let seq): change.seq > seq
        }
    }
}
