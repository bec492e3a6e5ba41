import SyncProtocol
import SyncSchema
import SyncStore

/// When a caller could see rows of a collection with a gate or lists, from a drain's `since` on. This decides whether
/// the id of a row behind the gate is sent in `deleted`.
struct Sight: RowSight, Hashable {
    /// A membership, from the project's state `from` until just before the state `to`.
    struct Span: Sendable, Hashable {
        let from: SyncSeq
        /// `SyncSeq.maximum` if it still lasts.
        var to: SyncSeq
        /// Whether the role also sees what is behind the gate.
        let passesGate: Bool
    }

    /// Rows that a user has inserted after a commit, which the device that sent them has.
    struct Inserted: Sendable, Hashable {
        let user: Int64
        let after: SyncSeq
    }

    private let spans: [Span]
    private let inserted: Inserted?

    /// The time before the history begins counts as a membership. If the caller `passesNow`, its role counts as passing
    /// the gate. If not, it counts as passing until the role last fell below a gate.
    init(
        _ history: RoleHistory, gate needed: Role?, since: SyncSeq, narrowedSeq: SyncSeq, passesNow: Bool
    ) {
        let start = history.steps.first?.seq ?? .maximum
        var spans: [Span] = []
        func add(_ from: SyncSeq, _ to: SyncSeq, passesGate: Bool) {
            guard max(from, since) < to else { return }
            // Adjacent spans are merged, because callers with equal sights share pages.
            if let last = spans.last, last.to == from, last.passesGate == passesGate {
                spans[spans.count - 1].to = to
                return
            }
            spans.append(Span(from: max(from, since), to: to, passesGate: passesGate))
        }
        add(.zero, start, passesGate: passesNow)
        if !passesNow, needed != nil { add(.zero, min(start, narrowedSeq), passesGate: true) }
        let ends = history.steps.dropFirst().map(\.seq) + [.maximum]
        for (step, end) in zip(history.steps, ends) {
            if let role = step.role { add(step.seq, end, passesGate: needed.map { role >= $0 } ?? false) }
        }
        self.spans = spans
        inserted = nil
    }

    /// What a superuser could see of rows that are listed for users alone: those that were listed for this one.
    init(listedSince since: SyncSeq) {
        spans = [Span(from: since, to: .maximum, passesGate: false)]
        inserted = nil
    }

    /// What the client of a user may hold of a project that the user lost: what the user could see, and what the user
    /// has inserted. A role that is not known any more counts as passing the gate until the user's role last fell below
    /// one.
    init(_ loss: ProjectShare.Loss, _ access: Access?, gate needed: Role?, isListed: Bool, user: Int64) {
        let steps = access?.history.steps ?? []
        spans = loss.spans.flatMap { span in
            let cuts = [span.from] + steps.map(\.seq).filter { span.from < $0 && $0 < span.until } + [span.until]
            return zip(cuts, cuts.dropFirst()).map { from, to in
                let role = steps.last { $0.seq <= from }?.role
                let passes = needed.map { needed in
                    role.map { $0 >= needed } ?? (from < access?.narrowedSeq ?? .zero)
                }
                return Span(from: from, to: to, passesGate: passes ?? !isListed)
            }
        }
        inserted = Inserted(user: user, after: loss.since)
    }

    /// Whether the caller could see the row at some moment.
    func saw(_ life: RowLife) -> Bool {
        if let inserted, life.insertedBy == inserted.user, life.createdSeq > inserted.after { return true }
        return spans.contains { span in
            let from = max(span.from, life.createdSeq)
            let to = min(span.to, life.deletedSeq)
            guard from < to else { return false }
            return span.passesGate || life.openSpans.contains { max($0.from, from) < min($0.to, to) }
        }
    }
}

extension Collection {
    /// The lowest role that sees what the gate hides, or rows that are listed for others. The gate or the lists are the
    /// collection's own or those of one above; nil without them, and where lists decide alone.
    func gateRole(_ registry: Registry) -> Role? {
        switch visibility {
        case .everyone, .own: nil
        case .listed(_, let role), .inheritedList(_, let role): role
        case .gate(_, _, let needed): needed
        case .inherited(let field):
            self.field(field)?.reference.flatMap { registry[$0.collection] }?.gateRole(registry)
        }
    }
    /// Whether who sees a row is decided by the row that this field refers to.
    func inherits(by field: Field) -> Bool {
        visibility.parent == field.name
    }
}

extension StoredRow {
    /// The most gate changes that are kept. Older ones are forgotten, and the gate counts as having been open then.
    private static let mostGateChanges = 32

    /// Records that the row's gate opened or closed at this commit.
    mutating func noteGateChange(at seq: SyncSeq) {
        gateChanges = RowLife.knownChanges(gateChanges, gateSeq: gateSeq, createdSeq: createdSeq) + [seq]
        if gateChanges.count > StoredRow.mostGateChanges {
            gateChanges = [.zero] + gateChanges.suffix(StoredRow.mostGateChanges - 2)
        }
        gateSeq = seq
    }
}

extension RowLife {
    /// The spans in which the gate was open. Times that are not known count as open.
    var openSpans: [(from: SyncSeq, to: SyncSeq)] {
        let (changes, unknownUntil) = knownChanges
        return (unknownUntil.map { [(createdSeq, $0)] } ?? []) + spans(between: changes, from: createdSeq)
    }

    /// The spans in which the gate is known to have been open.
    var knownOpenSpans: [(from: SyncSeq, to: SyncSeq)] {
        let (changes, unknownUntil) = knownChanges
        return spans(between: changes, from: unknownUntil ?? createdSeq).filter { $0.from < $0.to }
    }

    /// The gate's known changes, and the commit until which they are unknown; nil if all are known.
    private var knownChanges: (changes: [SyncSeq], unknownUntil: SyncSeq?) {
        let changes = RowLife.knownChanges(gateChanges, gateSeq: gateSeq, createdSeq: createdSeq)
        guard changes.first == .zero else { return (changes, nil) }
        return (Array(changes.dropFirst()), changes.dropFirst().first)
    }

    /// The spans in which the gate was open, latest first. A gate that the first change closed was open since `start`.
    private func spans(between changes: [SyncSeq], from start: SyncSeq) -> [(from: SyncSeq, to: SyncSeq)] {
        var changes = isGated ? changes : changes + [.maximum]
        var spans: [(from: SyncSeq, to: SyncSeq)] = []
        while let closed = changes.popLast() { spans.append((changes.popLast() ?? start, closed)) }
        return spans
    }

    /// The known gate changes of a row. A row from before changes were kept has only its last one, unless that was the
    /// insert. A leading zero means that older changes are forgotten.
    static func knownChanges(_ kept: [SyncSeq], gateSeq: SyncSeq, createdSeq: SyncSeq) -> [SyncSeq] {
        kept.isEmpty && gateSeq > createdSeq ? [.zero, gateSeq] : kept
    }
}
