package import SyncProtocol

/// The state of a row that an edit started from.
package enum EditBase: Sendable, Equatable {
    /// The row at this version.
    case version(ServerVersion)
    /// The row at this commit; 0 is before every commit.
    case commit(SyncSeq)

    /// Whether the change came after this state.
    package func precedes(_ change: RowChange) -> Bool {
        switch self {
        case .version(let version): change.version > version
        case .commit(let seq): change.seq > seq
        }
    }
}
