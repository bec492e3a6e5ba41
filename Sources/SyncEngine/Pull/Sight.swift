package import SyncProtocol

/// When a caller could see rows of a gated collection, from a drain's `since` on: what decides whether the id of a row
/// behind the gate travels in `deleted`.
package struct Sight: Sendable, Hashable {
    /// From which state of the project on, and before which one, the caller was a member.
    struct Span: Sendable, Hashable {
        let from: SyncSeq
        /// `SyncSeq.maximum` for now.
        var to: SyncSeq
        /// In a role that sees what is behind the gate, too.
        let passesGate: Bool
    }

    private let spans: [Span]

    /// What the history does not reach back to counts as a membership. Of a caller who `passesNow` it counts as one in
    /// such a role, of another until the role fell below a gate for the last time.
    init(
        _ history: RoleHistory, gate needed: Role, since: SyncSeq, narrowedSeq: SyncSeq, passesNow: Bool
    ) {
        let start = history.steps.first?.seq ?? .maximum
        var spans: [Span] = []
        func add(_ from: SyncSeq, _ to: SyncSeq, passesGate: Bool) {
            guard max(from, since) < to else { return }
            // Pages are shared by callers of equal sight.
            if let last = spans.last, last.to == from, last.passesGate == passesGate {
                spans[spans.count - 1].to = to
                return
            }
            spans.append(Span(from: max(from, since), to: to, passesGate: passesGate))
        }
        add(.zero, start, passesGate: passesNow)
        if !passesNow { add(.zero, min(start, narrowedSeq), passesGate: true) }
        let ends = history.steps.dropFirst().map(\.seq) + [.maximum]
        for (step, end) in zip(history.steps, ends) {
            if let role = step.role { add(step.seq, end, passesGate: role >= needed) }
        }
        self.spans = spans
    }

    /// Whether there was a moment at which the caller could see the row.
    func saw(_ life: RowLife) -> Bool {
        spans.contains { span in
            let (from, to) = (max(span.from, life.createdSeq), min(span.to, life.deletedSeq))
            guard from < to else { return false }
            return span.passesGate || life.openSpans.contains { max($0.from, from) < min($0.to, to) }
        }
    }
}

/// The commits that made, hid, showed and deleted a row.
package struct RowLife {
    let createdSeq: SyncSeq
    /// `SyncSeq.maximum` for a live row.
    let deletedSeq: SyncSeq
    private let isGated: Bool
    private let gateSeq: SyncSeq
    private let gateChanges: [SyncSeq]

    /// All as in `StoredRow`.
    package init(
        createdSeq: SyncSeq, contentSeq: SyncSeq, isDeleted: Bool, isGated: Bool, gateSeq: SyncSeq,
        gateChanges: [SyncSeq]
    ) {
        self.createdSeq = createdSeq
        deletedSeq = isDeleted ? contentSeq : .maximum
        self.isGated = isGated
        self.gateSeq = gateSeq
        self.gateChanges = gateChanges
    }

    /// When the gate was open. What is not known counts as open.
    var openSpans: [(from: SyncSeq, to: SyncSeq)] {
        var changes = RowLife.knownChanges(gateChanges, gateSeq: gateSeq, createdSeq: createdSeq)
        var spans: [(from: SyncSeq, to: SyncSeq)] = []
        if changes.first == .zero {
            changes.removeFirst()
            if let first = changes.first { spans.append((createdSeq, first)) }
        }
        if !isGated { changes.append(.maximum) }
        while let closed = changes.popLast() { spans.append((changes.popLast() ?? createdSeq, closed)) }
        return spans
    }

    /// `gateChanges` of a row. Of one from before they were kept, the last is known where it is not the insert.
    static func knownChanges(_ kept: [SyncSeq], gateSeq: SyncSeq, createdSeq: SyncSeq) -> [SyncSeq] {
        kept.isEmpty && gateSeq > createdSeq ? [.zero, gateSeq] : kept
    }
}
