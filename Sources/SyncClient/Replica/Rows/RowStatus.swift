import SyncProtocol

/// What a row of the replica owes the server: its column `_status`, as in WatermelonDB.
public enum RowStatus: String, Sendable, CaseIterable {
    /// Nothing; what is stored is what the server said last.
    case synced
    /// The whole row: it was made here.
    case created
    /// The columns that `_changed` names.
    case updated
    /// Its deletion; the row stays until that is sent.
    case deleted
}
