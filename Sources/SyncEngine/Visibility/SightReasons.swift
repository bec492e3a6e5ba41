import NIOCore
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
        case .listed, .inheritedList: try listing()
        case .gate, .inherited: try gate()
        }
    }

    // MARK: Own-only rows

    private func ownership() throws -> [Reason] {
        let isOwner = try access.sees(row, in: collection, registry, from: transaction)
        let who = isOwner ? "\(name) is its owner." : "\(name) is not."
        let own = Reason(.ownOnly, "A row of \(collection.name) is for its owner alone: \(who)")
        guard !isOwner, let lostAt = try lossSeq() else { return [own] }
        let decision = try authors.decision(of: lostAt, on: row, in: collection)
        return [own, Reason(.formerOwner, "\(name) was its owner before.", decision: decision)]
    }

    private func lossSeq() throws -> SyncSeq? {
        let key = RowKey(collection.name, row.id)
        return try transaction.lossSeq(of: key, project: row.project, user: access.caller.userID)
    }

    // MARK: Lists

    private func listing() throws -> [Reason] {
        let span = try transaction.listedSpan(of: RowKey(collection.name, row.id), user: access.caller.userID)
        let (top, owner) = try deciding(row, collection) ?? (row, collection)
        let isOwn = top.id == row.id && owner.name == collection.name
        let whose = isOwn ? "It" : "It belongs to \(owner.name)/\(top.id), which"
        var reasons: [Reason] = []
        if let span, span.gone == nil {
            let field = field(naming: access.caller.userID, in: top, owner)
            let place = field.map { " in \($0)" } ?? ""
            let decision = try authors.decision(of: span.came, on: top, in: owner)
            reasons.append(Reason(.listed, "\(whose) names \(name)\(place).", decision: decision))
        } else {
            reasons.append(Reason(.notListed, "\(whose) does not name \(name) as one of those who see it."))
            if let span, let gone = span.gone {
                let decision = try authors.decision(of: gone, on: top, in: owner)
                reasons.append(Reason(.formerlyListed, "It was listed for \(name) before.", decision: decision))
            }
        }
        guard let needed = collection.gateRole(registry) else { return reasons }
        return reasons + [try role(needed)]
    }

    /// The row whose lists decide, and its collection; nil if it was purged.
    private func deciding(_ row: StoredRow, _ collection: Collection) throws -> (StoredRow, Collection)? {
        guard let field = collection.visibility.parent else { return (row, collection) }
        guard let parent = collection.field(named: field).reference.map({ registry.collection($0.collection) }),
            let id = row.values[collection.position(named: field)].string,
            let record = try transaction.record(RowKey(parent.name, id))
        else { return nil }
        return try deciding(record, parent)
    }

    private func field(naming user: Int64, in row: StoredRow, _ collection: Collection) -> String? {
        guard case .listed(let fields, _) = collection.visibility else { return nil }
        return fields.first { row.values[collection.position(named: $0)].holdsAny([.int(user)]) }
    }

    // MARK: Gates

    private func gate() throws -> [Reason] {
        guard let needed = collection.gateRole(registry), row.isGated else {
            let decision = try authors.decision(of: row.gateSeq, on: row, in: collection)
            return [Reason(.gateOpen, "No gate hides it.", decision: decision)]
        }
        return [try closedGate(needed), try role(needed)]
    }

    private func closedGate(_ needed: Role) throws -> Reason {
        guard let (gating, owner) = try gatingRow(row, collection),
            case .gate(let field, let value, _) = owner.visibility
        else {
            let decision = try authors.decision(of: row.gateSeq, on: row, in: collection)
            return Reason(.gate, "The row that it belongs to is for \(needed.word) and above.", decision: decision)
        }
        let isOwn = gating.id == row.id && owner.name == collection.name
        let whose = isOwn ? "It" : "It belongs to \(owner.name)/\(gating.id), which"
        return Reason(
            .gate, "\(whose) has \(field) = \(value.text), and so is for \(needed.word) and above.",
            decision: try authors.decision(of: gating.gateSeq, on: gating, in: owner))
    }

    /// The row whose own gate hides this one; nil if it was purged.
    private func gatingRow(_ row: StoredRow, _ collection: Collection) throws -> (StoredRow, Collection)? {
        try deciding(row, collection)
    }

    private func role(_ needed: Role) throws -> Reason {
        let passes = access.sees(behindGateOf: collection, registry) ? "passes" : "does not pass"
        let detail = "\(name) has the role \(access.role.word), which \(passes) this gate."
        guard !access.caller.isSuperuser, let step = access.history.steps.last else { return Reason(.role, detail) }
        return Reason(
            .role, detail, decision: try authors.decision(of: step.seq, onMembershipOf: access.caller.userID))
    }

    // MARK: Deletion

    func deletion() throws -> [Explanation.Reason] {
        guard row.isDeleted else { return [] }
        return [
            Reason(
                .tombstone, "The row is deleted: only its id is left.",
                decision: try authors.deletion(of: row, in: collection))
        ]
    }

    // MARK: A filter

    /// Whether the part has the row, and which commit made it so. `chain` are the row and those that it follows. Empty
    /// for a tombstone, and for a collection that comes whole.
    func place(in part: Part, following chain: [StoredRow]) throws -> [Explanation.Reason] {
        let path = part.path(of: collection, in: registry)
        guard !row.isDeleted, !path.isEmpty else { return [] }
        let isIn = part.holds(row, of: collection, followed: chain[1...], in: registry)
        let deciding = Array(zip(chain, path))
        let last = deciding.max { ($0.0.filterSeq ?? $0.0.createdSeq) < ($1.0.filterSeq ?? $1.0.createdSeq) }
        let decision = try last.map { row, collection in
            try authors.decision(of: row.filterSeq ?? row.createdSeq, on: row, in: collection)
        }
        let follows = deciding.dropFirst().map { "\($1.name)/\($0.id)" }
        let by = follows.isEmpty ? "" : ", which goes by \(follows.joined(separator: " and "))"
        return [
            isIn
                ? Reason(.inPart, "The filter has it\(by).", decision: decision)
                : Reason(.outsidePart, "The filter does not have it\(by).", decision: decision)
        ]
    }

    // MARK: A drain

    /// Why a drain from the watermark has nothing of the row, if nothing else tells.
    func drain(_ since: SyncSeq, _ delivery: Explanation.Delivery) throws -> [Explanation.Reason] {
        guard since > .zero, delivery == .nothing else { return [] }
        if try access.sees(row, in: collection, registry, from: transaction), row.seq <= since {
            return [
                Reason(.unchanged, "\(name) has it as it is: its last commit is \(row.seq), and since is \(since).")
            ]
        }
        guard collection.isGated || collection.isListed else { return [] }
        return [Reason(.neverSeen, "\(name) did not see it at any moment after \(since), so its id is not told.")]
    }
}

/// Puts into words whether a user may read a project.
struct AccessReasons {
    let transaction: any ReadTransaction
    let registry: Registry
    let user: User
    let project: String

    private typealias Reason = Explanation.Reason

    private var authors: CommitAuthors {
        CommitAuthors(transaction: transaction, registry: registry, project: project)
    }

    private var name: String { user.username.rawValue }

    /// By what the user may read it.
    func access(_ access: ProjectAccess) throws -> [Explanation.Reason] {
        let reason = user.isSuperuser ? superuser : try member(access)
        guard access.project.isArchived else { return [reason] }
        return [reason, Reason(.projectArchived, "The project is archived: it can be read, but not changed.")]
    }

    private var superuser: Reason {
        Reason(.superuser, "\(name) is a superuser, and counts as OWNER in every project.")
    }

    private func member(_ access: ProjectAccess) throws -> Reason {
        let begin = try transaction.stints(of: user.id, in: project).last { $0.until == .maximum }?.from
        let decision = try begin.map { try authors.decision(of: $0, onMembershipOf: user.id) }
        return Reason(
            .member, "\(name) is a member of the project, with the role \(access.role.word).", decision: decision)
    }

    /// Why the user may not: by the code that the user's requests are refused with.
    func refusal(_ code: ErrorCode) throws -> Explanation.Reason {
        switch code {
        case .projectDeleted: Reason(.projectDeleted, "The project was deleted.", decision: try projectDeletion())
        case .membershipRevoked:
            Reason(.membershipRevoked, "\(name) is no longer a member of the project.", decision: try membershipEnd())
        case .notAMember: Reason(.notAMember, "\(name) never was a member of the project.")
        default: Reason(.noSuchProject, "There is no project \(project).")
        }
    }

    private func projectDeletion() throws -> Explanation.Decision? {
        let row = try transaction.record(RowKey(registry.projects.name, project))
        return try row.map { try authors.deletion(of: $0, in: registry.projects) }
    }

    private func membershipEnd() throws -> Explanation.Decision? {
        let end = try transaction.stints(of: user.id, in: project).last?.until
        return try end.map { try authors.decision(of: $0, onMembershipOf: user.id) }
    }
}

/// Finds out who made a commit, and when, as far as rows and the change history tell.
struct CommitAuthors {
    let transaction: any ReadTransaction
    let registry: Registry
    let project: String

    /// Who changed the row with the commit: inserted it, edited it or deleted it.
    func decision(of seq: SyncSeq, on row: StoredRow, in collection: Collection) throws -> Explanation.Decision {
        if seq == row.createdSeq, row.insertedAt != nil {
            return Explanation.Decision(commit: seq, author: try user(row.insertedBy), at: row.insertedAt)
        }
        guard let change = try change(of: RowKey(collection.name, row.id), with: seq) else {
            return Explanation.Decision(commit: seq, at: try time(of: seq))
        }
        return Explanation.Decision(commit: seq, author: try user(change.origin.author), at: change.at)
    }

    /// Who deleted the row. A tombstone can have been stamped again since.
    func deletion(of row: StoredRow, in collection: Collection) throws -> Explanation.Decision {
        let key = RowKey(collection.name, row.id)
        let last = try transaction.changes(of: key, since: .commit(row.createdSeq), bytes: 0).elements.first
        guard let last, last.version == row.version else {
            return try decision(of: row.contentSeq, on: row, in: collection)
        }
        return Explanation.Decision(commit: last.seq, author: try user(last.origin.author), at: last.at)
    }

    /// Who changed the user's membership with the commit: began it, gave another role, or ended it.
    func decision(of seq: SyncSeq, onMembershipOf user: Int64) throws -> Explanation.Decision {
        let collection = registry.memberships
        let rows = try transaction.records(
            in: collection, project: project, where: collection.field(named: "user"), holds: .int(user))
        guard let row = try rows.first ?? ended(of: user, with: seq) else {
            return Explanation.Decision(commit: seq, at: try time(of: seq))
        }
        return try decision(of: seq, on: row, in: collection)
    }

    private func user(_ id: Int64?) throws -> User? { try id.flatMap { try transaction.user(id: $0) } }

    private func change(of key: RowKey, with seq: SyncSeq) throws -> RowChange? {
        let since = EditBase.commit(SyncSeq(seq.rawValue - 1))
        let changes = try transaction.changes(of: key, since: since, bytes: HistoryList.mostBytes)
        return changes.elements.last.flatMap { $0.seq == seq ? $0 : nil }
    }

    /// The tombstone that the end of the membership left.
    private func ended(of user: Int64, with seq: SyncSeq) throws -> StoredRow? {
        let collection = registry.memberships
        let scan = SegmentScan(
            collection: collection, project: project, rows: .all, position: .after(SyncSeq(seq.rawValue - 1)),
            upper: seq, knownTombstones: .zero)
        let rows = try tombstones(scan).compactMap { try transaction.record(RowKey(collection.name, $0)) }
        return rows.first { $0.values[collection.position(named: "user")] == .int(user) }
    }

    private func tombstones(_ scan: SegmentScan) throws -> [String] {
        var page = PageWriter(expectedRows: 1)
        page.begin(scan.collection.name)
        _ = try transaction.scan(scan, into: &page)
        page.end()
        var text = page.changes()
        text.writeString("}")
        let deleted = try JSON(parsing: text.readableBytesView)["changes"]?[scan.collection.name]?["deleted"]
        return (deleted?.array ?? []).compactMap(\.string)
    }

    /// When the commit was made; nil if its number was thinned out.
    private func time(of seq: SyncSeq) throws -> Instant? {
        guard let number = try transaction.number(of: seq, in: project) else { return nil }
        let before = CommitNumber(number.rawValue - 1)
        let commit = try transaction.commits(to: project, after: before, limit: 1).first
        return commit.flatMap { $0.seq == seq ? $0.at : nil }
    }
}
