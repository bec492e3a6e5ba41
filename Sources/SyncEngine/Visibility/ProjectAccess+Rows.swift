import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

extension ProjectAccess {
    /// The audiences of the collection that the caller belongs to.
    func audiences(of collection: Collection, _ registry: Registry) -> [Audience] {
        switch rows(of: collection, registry) {
        case .all: [.everyone, .behindGate]
        case .own(_, let user): [.user(user)]
        case .ungated, .hidden: [.everyone]
        case .lost, .held, .heldOwn, .heldInserted: []
        }
    }

    /// What the caller could see of a gated collection from `since` on. Nil for a collection without a gate, and for
    /// superusers, who always see everything.
    func sight(of collection: Collection, since: SyncSeq, _ registry: Registry) -> Sight? {
        guard !caller.isSuperuser, let gate = collection.gateRole(registry) else { return nil }
        return Sight(history, gate: gate, since: since, narrowedSeq: narrowedSeq, passesNow: role >= gate)
    }

    /// The rows of a collection that the caller sees.
    func rows(of collection: Collection, _ registry: Registry) -> SegmentScan.Rows {
        switch collection.visibility {
        case .everyone: .all
        case .own(let field): .own(field: field, user: caller.userID)
        case .gate, .inherited: sees(behindGateOf: collection, registry) ? .all : .ungated
        }
    }

    /// Whether the caller sees rows of the collection that its gate hides from others.
    func sees(behindGateOf collection: Collection, _ registry: Registry) -> Bool {
        switch collection.visibility {
        case .everyone, .own: true
        case .gate, .inherited: collection.gateRole(registry).map { role >= $0 } ?? false
        }
    }

    /// Whether the caller may see the record, assuming that it belongs to the project.
    func sees(_ record: StoredRow, in collection: Collection, _ registry: Registry) -> Bool {
        switch collection.visibility {
        case .everyone: true
        case .own(let field): record.values[collection.position(named: field)] == .int(caller.userID)
        case .gate, .inherited: !record.isGated || sees(behindGateOf: collection, registry)
        }
    }

    /// Whether the record belongs to the project and the caller may see it.
    func finds(_ record: StoredRow, in collection: Collection, _ registry: Registry) -> Bool {
        record.project == project.id && sees(record, in: collection, registry)
    }
}
