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

/// What happens to a local row with unsent changes when the server names it: the table "one id, remote bucket × local
/// state" of WatermelonDB's `synchronize()`, so that both clients end alike. Columns that were changed locally win.
struct RowMerge: Equatable {
    enum Bucket { case created, updated }

    let bucket: Bucket
    let status: RowStatus
    /// The columns of `_changed`.
    let changed: Set<Substring>

    init(bucket: Bucket, status: RowStatus, changed: String) {
        self.bucket = bucket
        self.status = status
        self.changed = Set(changed.split(separator: ","))
    }

    /// The row was deleted here, and the server made it anew: the local delete is forgotten.
    var revives: Bool { status == .deleted && bucket == .created }

    /// A row deleted here stays as it was when it is only edited there: its deletion is still to be sent.
    var takesVersion: Bool { status != .deleted || revives }

    /// Whether the server's value replaces the local one.
    func takes(_ column: String) -> Bool { takesVersion && (revives || !changed.contains(Substring(column))) }
}
