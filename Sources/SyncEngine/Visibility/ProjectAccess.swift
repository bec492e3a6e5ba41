package import SyncAccounts
package import SyncProtocol
import SyncSchema
package import SyncStore
import SyncValues

/// What the caller may do in a project, read in the transaction that uses it.
package struct ProjectAccess: Sendable, Equatable {
    package let caller: Caller
    package let project: ProjectState
    package let role: Role
    /// The commit at which the caller's role last rose. A drain from before it serves gated collections from 0.
    package let widenedSeq: SyncSeq
    /// The commit at which the caller's role last fell below a gate's role. A drain
    /// from before it takes back the rows that the fall hid.
    package let narrowedSeq: SyncSeq
    let history: RoleHistory

    /// Throws, in this order: `not_found`, `project_deleted`, `membership_revoked` or `not_a_member`. Reads the same
    /// whatever it throws.
    package init(_ caller: Caller, project id: String, in transaction: any ReadTransaction) throws {
        guard RowID.isValid(id) else { throw ProjectAccess.missing }
        let state = try transaction.project(id)
        let access = try transaction.access(project: id, user: caller.userID)
        guard let project = state else { throw ProjectAccess.missing }
        guard !project.isDeleted else {
            throw Problem(.projectDeleted, "The project was deleted. Keep unsent edits aside and drop its rows.")
        }
        self.caller = caller
        self.project = project
        role = try ProjectAccess.role(caller, access)
        widenedSeq = access?.widenedSeq ?? .zero
        narrowedSeq = access?.narrowedSeq ?? .zero
        history = access?.history ?? .none
    }

    private static let missing = Problem(.notFound, "There is no project with this id.")

    /// The same; nil in place of a problem. Errors of the store are thrown.
    static func ifVisible(
        _ caller: Caller, project id: String, in transaction: any ReadTransaction
    ) throws -> ProjectAccess? {
        do { return try ProjectAccess(caller, project: id, in: transaction) } catch is Problem { return nil }
    }

    /// The access of a caller who makes the project: its owner.
    init(_ caller: Caller, making project: String) {
        self.caller = caller
        self.project = ProjectState(id: project, head: .zero, isArchived: false, isDeleted: false)
        role = .owner
        widenedSeq = .zero
        narrowedSeq = .zero
        history = .none
    }

    private static func role(_ caller: Caller, _ access: Access?) throws -> Role {
        if caller.isSuperuser { return .owner }
        guard let access else { throw Problem(.notAMember, "You are not a member of this project.") }
        guard let role = access.role else {
            throw Problem(
                .membershipRevoked,
                "You are no longer a member of this project. Keep unsent edits aside and drop its rows.")
        }
        return role
    }

    /// Throws `read_only_token`, then `forbidden` if the role is too low, then `project_archived` unless `evenArchived`
    /// is true. `what` begins the sentence that says which role is needed.
    package func requireWrite(_ needed: Role?, to what: String, evenArchived: Bool = false) throws {
        try caller.requireWrite()
        if let violation = violation(of: needed, to: what) { throw Problem(violation.code, violation.detail) }
        guard evenArchived || !project.isArchived else {
            throw Problem(.projectArchived, "The project is archived. An owner can unarchive it.")
        }
    }

    /// What is wrong with a write that takes the role `needed`, nil for any role; nil if the caller's is high enough.
    func violation(of needed: Role?, to what: String) -> Violation? {
        guard let needed, role < needed else { return nil }
        return .forbidden(what, needed: needed, own: role)
    }

    /// The role that a change of the row takes: nil, so any role, if the caller is the row's author and authors may, or
    /// if the row lists the caller and these users may.
    /// `row` is as it was before the write, because the write may give it away.
    func leastRole(for change: Collection.Roles.Change, of row: StoredRow, in collection: Collection) -> Role? {
        let roles = collection.roles
        let mayAsAuthor = roles.author.contains(change) && collection.isAuthor(caller.userID, of: row.values)
        let mayAsListed = roles.listed.contains(change) && collection.listedUsers(of: row).contains(caller.userID)
        return mayAsAuthor || mayAsListed ? nil : roles.least(for: change)
    }

    /// Throws `since_ahead` or `since_expired` if a drain can't start from the watermark. It can always start from 0.
    package func requireServable(_ watermark: SyncSeq) throws {
        guard watermark > .zero else { return }
        guard watermark <= project.head, watermark >= project.floor else {
            throw Problem(
                .sinceAhead,
                """
                \(watermark) is not in this project's history, which goes from \(project.floor) to \(project.head): \
                the server was restored, or the number is another project's. Resync from 0.
                """,
                members: ["head": .int(project.head.rawValue)])
        }
        guard watermark >= project.horizon else {
            throw Problem(
                .sinceExpired, "Deletions after \(watermark) are no longer known to the server. Resync from 0.")
        }
    }
}

/// Who sees a row now, in three forms: `rows` for ranges, as pulls and lists read them; `sees` for single rows;
/// `audiences` for digests. Events are judged by the audiences of a commit: `Draft.audiences`, `FeedListener.sees`.
extension ProjectAccess {
    /// The audiences of the collection that the caller belongs to.
    func audiences(of collection: Collection, _ registry: Registry) -> [Audience] {
        switch rows(of: collection, registry) {
        case .all: [.everyone, .behindGate]
        case .own(_, let user), .listed(let user): [.user(user)]
        case .ungated, .hidden: [.everyone]
        case .beside, .lost, .held, .heldOwn, .heldInserted: []
        }
    }

    /// What the caller could see of a collection with a gate or lists from `since` on. Nil for other collections, and
    /// for superusers whose role sees everything, because they always did.
    func sight(of collection: Collection, since: SyncSeq, _ registry: Registry) -> Sight? {
        let gate = collection.gateRole(registry)
        guard collection.isListed || gate != nil else { return nil }
        guard !caller.isSuperuser else { return gate == nil ? Sight(listedSince: since) : nil }
        return Sight(
            history, gate: gate, since: since, narrowedSeq: narrowedSeq, passesNow: gate.map { role >= $0 } ?? false)
    }

    /// The rows of a collection that the caller sees.
    func rows(of collection: Collection, _ registry: Registry) -> SegmentScan.Rows {
        switch collection.visibility {
        case .everyone: .all
        case .own(let field): .own(field: field, user: caller.userID)
        case .listed, .inheritedList:
            sees(behindGateOf: collection, registry) ? .all : .listed(user: caller.userID)
        case .gate, .inherited: sees(behindGateOf: collection, registry) ? .all : .ungated
        }
    }

    /// Whether the caller sees rows of the collection that its gate hides from others, or that are listed for others.
    func sees(behindGateOf collection: Collection, _ registry: Registry) -> Bool {
        switch collection.visibility {
        case .everyone, .own: true
        case .listed, .gate, .inherited, .inheritedList: collection.gateRole(registry).map { role >= $0 } ?? false
        }
    }

    /// Whether the caller may see the record, assuming that it belongs to the project. `rows` has those that it
    /// inherits its sight from.
    func sees(
        _ record: StoredRow, in collection: Collection, _ registry: Registry, from rows: any RowReads
    ) throws -> Bool {
        switch collection.visibility {
        case .everyone: true
        case .own(let field): record.values[collection.position(named: field)] == .int(caller.userID)
        case .listed, .inheritedList:
            try sees(behindGateOf: collection, registry)
                || rows.listedUsers(of: record, in: collection, registry).contains(caller.userID)
        case .gate, .inherited: !record.isGated || sees(behindGateOf: collection, registry)
        }
    }

    /// Whether the record belongs to the project and the caller may see it.
    func finds(
        _ record: StoredRow, in collection: Collection, _ registry: Registry, from rows: any RowReads
    ) throws -> Bool {
        try record.project == project.id && sees(record, in: collection, registry, from: rows)
    }
}

/// Since when a caller has seen a row. It decides how far back the caller is shown the row's history.
///
/// What is not known counts as out of sight. For a `Sight` it counts as seen: there, saying too little would leave a
/// row on a device, and here saying too much would show what was written while the row was hidden.
extension ProjectAccess {
    /// The commit since which the caller has seen the live row without a break. The row as this commit left it, and
    /// every later edit, were in the caller's sight. `SyncSeq.maximum` if that is not known.
    ///
    /// It is the latest of these: the begin of the caller's membership; the commit since which the gate was open, or
    /// the caller's role passed it; the commit that gave an own-only row to the caller. Only the last one counts for a
    /// superuser. `changes` are the row's latest changes without a gap, newest first.
    func seenSince(
        _ row: StoredRow, in collection: Collection, changes: [RowChange], registry: Registry,
        transaction: any ReadTransaction
    ) throws -> SyncSeq {
        let inSight: SyncSeq
        switch collection.visibility {
        case .everyone: inSight = .zero
        case .own(let field): inSight = ownedSince(row, collection.field(named: field), changes: changes)
        case .listed, .inheritedList:
            let gate = collection.gateRole(registry)
            let isOwner = caller.isSuperuser && gate != nil
            let span = try transaction.listedSpan(of: RowKey(collection.name, row.id), user: caller.userID)
            inSight = isOwner ? .zero : passedSince(span.map { [$0.known] } ?? [], gate: gate)
        case .gate, .inherited:
            let gate = caller.isSuperuser ? nil : collection.gateRole(registry)
            inSight = gate.map { passedSince(row.life.knownOpenSpans, gate: $0) } ?? .zero
        }
        return max(try memberSince(transaction), inSight)
    }

    private func memberSince(_ transaction: any ReadTransaction) throws -> SyncSeq {
        if caller.isSuperuser { return .zero }
        let stints = try transaction.stints(of: caller.userID, in: project.id)
        return stints.last { $0.until == .maximum }?.from ?? .maximum
    }

    /// Follows the spans in which the caller's role passed the gate, and those in which it was open or the row was
    /// listed, back from now as long as they meet.
    private func passedSince(_ open: [(from: SyncSeq, to: SyncSeq)], gate: Role?) -> SyncSeq {
        let spans = (gate.map(passingSpans) ?? []) + open
        var since = SyncSeq.maximum
        while let span = spans.first(where: { $0.from < since && $0.to >= since }) { since = span.from }
        return since
    }

    /// The spans in which the caller is known to have had the role or a higher one. A role that passes now has passed
    /// since it last rose, even if its history is not known.
    private func passingSpans(_ gate: Role) -> [(from: SyncSeq, to: SyncSeq)] {
        let ends = history.steps.dropFirst().map(\.seq) + [.maximum]
        let known = zip(history.steps, ends).compactMap { step, end in
            step.role.flatMap { $0 >= gate ? (from: step.seq, to: end) : nil }
        }
        return role >= gate && widenedSeq > .zero ? known + [(widenedSeq, .maximum)] : known
    }

    /// The commit that gave the row to its present owner; zero if it had no other. If changes are missing, the owner
    /// before them is not known.
    private func ownedSince(_ row: StoredRow, _ owner: Field, changes: [RowChange]) -> SyncSeq {
        guard owner.isMovable else { return .zero }
        if let change = changes.first(where: { $0.replaced[owner.name] != nil }) { return change.seq }
        return changes.leadToInsert(of: row) ? .zero : row.createdSeq.next
    }
}

/// What a caller may see of a project at one moment, apart from questions about single rows.
struct CallerView: Sendable {
    let access: ProjectAccess
    /// The last commit at which a gate closed on a row that the caller can't see now; zero if there is none.
    let concealedSeq: SyncSeq

    /// Throws what `ProjectAccess` throws.
    init(_ caller: Caller, project: String, _ registry: Registry, in transaction: any ReadTransaction) throws {
        access = try ProjectAccess(caller, project: project, in: transaction)
        var last = SyncSeq.zero
        for collection in registry.collections where access.rows(of: collection, registry) == .ungated {
            last = max(last, try transaction.lastConcealment(project: project, in: collection))
        }
        concealedSeq = last
    }
}
