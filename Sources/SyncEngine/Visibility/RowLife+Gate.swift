import SyncProtocol
import SyncStore

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
