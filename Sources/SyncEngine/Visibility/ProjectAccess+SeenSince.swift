import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

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
        _ row: StoredRow, in collection: Collection, changes: [RowChange], _ registry: Registry,
        _ transaction: any ReadTransaction
    ) throws -> SyncSeq {
        let inSight: SyncSeq
        switch collection.visibility {
        case .everyone: inSight = .zero
        case .own(let field): inSight = ownedSince(row, collection.field(named: field), changes: changes)
        case .gate, .inherited:
            let gate = caller.isSuperuser ? nil : collection.gateRole(registry)
            inSight = gate.map { passedSince(row.life, gate: $0) } ?? .zero
        }
        return max(try memberSince(transaction), inSight)
    }

    private func memberSince(_ transaction: any ReadTransaction) throws -> SyncSeq {
        if caller.isSuperuser { return .zero }
        let stints = try transaction.stints(of: caller.userID, in: project.id)
        return stints.last { $0.until == .maximum }?.from ?? .maximum
    }

    /// Follows the spans in which the caller's role passed the gate, and those in which it was open, back from now as
    /// long as they meet.
    private func passedSince(_ life: RowLife, gate: Role) -> SyncSeq {
        let spans = passingSpans(gate) + life.knownOpenSpans
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
