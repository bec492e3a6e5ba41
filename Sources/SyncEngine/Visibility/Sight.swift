import SyncProtocol
import SyncStore

/// When a caller could see rows of a gated collection, from a drain's `since` on. This decides whether
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

    private let spans: [Span]

    /// The time before the history begins counts as a membership. If the caller `passesNow`, its role counts as passing
    /// the gate. If not, it counts as passing until the role last fell below a gate.
    init(
        _ history: RoleHistory, gate needed: Role, since: SyncSeq, narrowedSeq: SyncSeq, passesNow: Bool
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
        if !passesNow { add(.zero, min(start, narrowedSeq), passesGate: true) }
        let ends = history.steps.dropFirst().map(\.seq) + [.maximum]
        for (step, end) in zip(history.steps, ends) {
            if let role = step.role { add(step.seq, end, passesGate: role >= needed) }
        }
        self.spans = spans
    }

    /// What a member could see at the project's heads from `from` to `to`.
    init(from: SyncSeq, to: SyncSeq, passesGate: Bool) {
        spans = [Span(from: from, to: to.next, passesGate: passesGate)]
    }

    /// Whether the caller could see the row at some moment.
    func saw(_ life: RowLife) -> Bool {
        spans.contains { span in
            let (from, to) = (max(span.from, life.createdSeq), min(span.to, life.deletedSeq))
            guard from < to else { return false }
            return span.passesGate || life.openSpans.contains { max($0.from, from) < min($0.to, to) }
        }
    }
}
