package import SyncProtocol

/// A position inside a segment: the `(seq, id)` of the last row examined. The scan continues with rows that have a
/// greater `(seq, id)`. `seq` is the number that the segment is sorted by.
package struct KeysetPosition: Sendable, Hashable {
    package let seq: SyncSeq
    package let id: String

    package init(seq: SyncSeq, id: String) {
        self.seq = seq
        self.id = id
    }

    /// Before the first row above `seq`. Ids are never empty, so no row of `seq + 1` is skipped.
    package static func after(_ seq: SyncSeq) -> KeysetPosition { KeysetPosition(seq: seq.next, id: "") }
}
