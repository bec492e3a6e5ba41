package import SyncProtocol
import SyncSchema

/// A keyset position inside a segment: the last row examined. Rows behind it have a greater `(seq, id)`.
package struct KeysetPosition: Sendable, Hashable {
    package let seq: SyncSeq
    package let id: String

    package init(seq: SyncSeq, id: String) {
        self.seq = seq
        self.id = id
    }

    /// In front of every row above `seq`. Ids are never empty, so nothing of `seq + 1` is left out.
    package static func after(_ seq: SyncSeq) -> KeysetPosition { KeysetPosition(seq: seq.next, id: "") }
}
