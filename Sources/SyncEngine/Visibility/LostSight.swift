import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// Which rows of a project a caller knows, who may be no member any more: what a member sees, or saw at the end.
struct LostSight {
    private let caller: Caller
    private let registry: Registry
    private let present: ProjectAccess?
    private let access: Access?
    private let transaction: any ReadTransaction
    /// When the last membership ended.
    private let end: SyncSeq

    init(
        of project: String, for caller: Caller, _ registry: Registry, _ transaction: any ReadTransaction
    ) throws {
        self.caller = caller
        self.registry = registry
        self.transaction = transaction
        present = try ProjectAccess.ifVisible(caller, project: project, in: transaction)
        access = try transaction.access(project: project, user: caller.userID)
        end = try transaction.stints(of: caller.userID, in: project).last?.until ?? .zero
    }

    func knows(_ record: StoredRow, _ key: RowKey) throws -> Bool {
        let collection = registry.collection(key.collection)
        if let present { return try present.finds(record, in: collection, registry, from: transaction) }
        if caller.isSuperuser { return true }
        guard record.createdSeq < end else { return false }
        switch collection.visibility {
        case .everyone: return true
        case .own(let field): return record.values[collection.position(named: field)] == .int(caller.userID)
        case .listed, .inheritedList:
            return try collection.gateRole(registry).map(passed) ?? false
                || transaction.listedUsers(of: record, in: collection, registry).contains(caller.userID)
        case .gate, .inherited: return !record.isGated || passed(collection.gateRole(registry))
        }
    }

    /// Whether the role at the end of the last membership passed the gate.
    private func passed(_ gate: Role?) -> Bool {
        guard let gate else { return true }
        let role = access?.history.role(at: SyncSeq(max(end.rawValue - 1, 0)))
        return role.map { $0 >= gate } ?? false
    }
}
