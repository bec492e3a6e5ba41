import SyncProtocol
import SyncStore

/// When a caller could see rows of a gated collection, from a drain's `since` on: what decides whether the id of a row
/// behind the gate travels in `deleted`.
struct Sight: RowSight, Hashable {
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
