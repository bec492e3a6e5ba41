/// What is left to send of a row: its column `_status`, as in WatermelonDB.
public enum RowStatus: String, Sendable, CaseIterable {
    /// Nothing. The row has the server's last values.
    case synced
    /// The whole row: it was created here.
    case created
    /// The columns that `_changed` lists.
    case updated
    /// Its deletion. The row stays in the table until the deletion is settled.
    case deleted
}
