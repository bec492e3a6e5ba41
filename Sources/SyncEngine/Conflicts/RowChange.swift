package import SyncProtocol

/// One entry of a row's change history: an edit of its content, with the values that it replaced. There is one for every
/// version but the first and a tombstone's, from the project's history floor on.
package struct RowChange: Sendable, Equatable {
    package let key: RowKey
    package let project: String
    /// The row's version after the edit.
    package let version: ServerVersion
    package let seq: SyncSeq
    package let origin: Origin
    /// The server's clock.
    package let at: Timestamp
    /// When the edit was made, as far as its client says so; never after `at`.
    package let editedAt: Timestamp
    /// The values before the edit, of the fields that it changed.
    package let replaced: [String: JSON]

    package init(
        key: RowKey, project: String, version: ServerVersion, seq: SyncSeq, origin: Origin, at: Timestamp,
        editedAt: Timestamp, replaced: [String: JSON]
    ) {
        self.key = key
        self.project = project
        self.version = version
        self.seq = seq
        self.origin = origin
        self.at = at
        self.editedAt = editedAt
        self.replaced = replaced
    }
}

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
