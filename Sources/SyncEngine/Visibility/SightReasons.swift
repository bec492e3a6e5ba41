import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// Puts into words what hides a row of a project from a user who may read the project, or lets them see it.
struct SightReasons {
    let row: StoredRow
    let collection: Collection
    let access: ProjectAccess
    let registry: Registry
    let transaction: any ReadTransaction

    private typealias Reason = Explanation.Reason

    private var authors: CommitAuthors {
        CommitAuthors(transaction: transaction, registry: registry, project: row.project)
    }

    private var name: String { access.caller.username.rawValue }

    /// Own-only rows and gates. Empty for rows that every member sees.
    func sight() throws -> [Explanation.Reason] {
        switch collection.visibility {
        case .everyone: []
        case .own: try ownership()
        case .gate, .inherited: try gate()
        }
    }

    // MARK: Own-only rows

    private func ownership() throws -> [Reason] {
        let isOwner = access.sees(row, in: collection, registry)
        let who = isOwner ? "\(name) is its owner." : "\(name) is not."
        let own = Reason(.ownOnly, "A row of \(collection.name) is for its owner alone: \(who)")
        guard !isOwner, let lostAt = try lossSeq() else { return [own] }
        let decision = try authors.decision(of: lostAt, on: row, in: collection)
        return [own, Reason(.formerOwner, "\(name) was its owner before.", decision)]
    }

    private func lossSeq() throws -> SyncSeq? {
        let key = RowKey(collection.name, row.id)
        return try transaction.lossSeq(of: key, project: row.project, user: access.caller.userID)
    }

    // MARK: Gates

    private func gate() throws -> [Reason] {
        guard let needed = collection.gateRole(registry), row.isGated else {
            let decision = try authors.decision(of: row.gateSeq, on: row, in: collection)
            return [Reason(.gateOpen, "No gate hides it.", decision)]
        }
        return [try closedGate(needed), try role(needed)]
    }

    private func closedGate(_ needed: Role) throws -> Reason {
        guard let (gating, owner) = try gatingRow(row, collection),
            case .gate(let field, let value, _) = owner.visibility
        else {
            let decision = try authors.decision(of: row.gateSeq, on: row, in: collection)
            return Reason(.gate, "The row that it belongs to is for \(needed.word) and above.", decision)
        }
        let isOwn = gating.id == row.id && owner.name == collection.name
        let whose = isOwn ? "It" : "It belongs to \(owner.name)/\(gating.id), which"
        return Reason(
            .gate, "\(whose) has \(field) = \(value.text), and so is for \(needed.word) and above.",
            try authors.decision(of: gating.gateSeq, on: gating, in: owner))
    }

    /// The row whose own gate hides this one; nil if it was purged.
    private func gatingRow(_ row: StoredRow, _ collection: Collection) throws -> (StoredRow, Collection)? {
        let field: String
        switch collection.visibility {
        case .everyone, .own, .gate: return (row, collection)
        case .inherited(let name): field = name
        }
        guard let parent = collection.field(named: field).reference.map({ registry.collection($0.collection) }),
            let id = row.values[collection.position(named: field)].string,
            let record = try transaction.record(RowKey(parent.name, id))
        else { return nil }
        return try gatingRow(record, parent)
    }

    private func role(_ needed: Role) throws -> Reason {
        let passes = access.sees(behindGateOf: collection, registry) ? "passes" : "does not pass"
        let detail = "\(name) has the role \(access.role.word), which \(passes) this gate."
        guard !access.caller.isSuperuser, let step = access.history.steps.last else { return Reason(.role, detail) }
        return Reason(
            .role, detail, try authors.decision(of: step.seq, onMembershipOf: access.caller.userID))
    }

    // MARK: Deletion

    func deletion() throws -> [Explanation.Reason] {
        guard row.isDeleted else { return [] }
        return [
            Reason(
                .tombstone, "The row is deleted: only its id is left.",
                try authors.deletion(of: row, in: collection))
        ]
    }

    // MARK: A drain

    /// Why a drain from the watermark has nothing of the row, if nothing else tells.
    func drain(_ since: SyncSeq, _ delivery: Explanation.Delivery) -> [Explanation.Reason] {
        guard since > .zero, delivery == .nothing else { return [] }
        if access.sees(row, in: collection, registry), row.seq <= since {
            return [
                Reason(.unchanged, "\(name) has it as it is: its last commit is \(row.seq), and since is \(since).")
            ]
        }
        guard collection.isGated else { return [] }
        return [Reason(.neverSeen, "\(name) did not see it at any moment after \(since), so its id is not told.")]
    }
}
