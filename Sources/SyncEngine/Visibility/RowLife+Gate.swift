import SyncProtocol
import SyncStore

extension RowLife {
    /// The spans in which the gate was open. Times that are not known count as open.
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

    /// The known gate changes of a row. A row from before changes were kept has only its last one, unless that was the
    /// insert. A leading zero means that older changes are forgotten.
    static func knownChanges(_ kept: [SyncSeq], gateSeq: SyncSeq, createdSeq: SyncSeq) -> [SyncSeq] {
        kept.isEmpty && gateSeq > createdSeq ? [.zero, gateSeq] : kept
    }
}
