import SyncProtocol
import SyncStore

extension RowLife {
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
