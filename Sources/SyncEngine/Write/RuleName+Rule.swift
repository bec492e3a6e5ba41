import SyncProtocol
import SyncSchema
import SyncStore

/// A project keeps at least one owner.
struct LastOwner: RowRule {
    private static let owner = JSON.int(Int64(Role.owner.rawValue))

    func check(_ row: RuleSubject) throws {
        guard row.original("role") == LastOwner.owner, row["role"] != LastOwner.owner else { return }
        try requireAnother(than: row)
    }

    func checkDelete(_ row: RuleSubject) throws {
        guard row["role"] == LastOwner.owner else { return }
        try requireAnother(than: row)
    }

    private func requireAnother(than row: RuleSubject) throws {
        guard let role = row.collection.position("role") else { return }
        let others = try row.draft.liveRecords(in: row.collection).filter { $0.id != row.record.id }
        guard others.contains(where: { $0.values[role] == LastOwner.owner }) else {
            throw Violation(
                nil, .lastOwner, "A project keeps at least one owner. Make somebody else owner first.")
        }
    }
}
