package import SyncProtocol

/// A row's position in a list. Lists are sorted by creation: by the commit that created the row, then by id. A position
/// never changes, so a reader misses and repeats nothing when rows are edited or created while it reads.
///
/// As text it is `<created_seq>.<id>`. A list returns it as
/// `next` and accepts it as `after`. Clients treat it as opaque.
package struct CreationPosition: Sendable, Hashable, Comparable, LosslessStringConvertible {
    package let seq: SyncSeq
    package let id: String

    /// Before every row.
    package static let start = CreationPosition(seq: .zero, id: "")

    package init(seq: SyncSeq, id: String) {
        self.seq = seq
        self.id = id
    }

    /// Nil for a text that no list has returned.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let seq = SyncSeq(decimal: parts[0]), RowID.isValid(String(parts[1])) else {
            return nil
        }
        self.init(seq: seq, id: String(parts[1]))
    }

    package var description: String { "\(seq.rawValue).\(id)" }

    package static func < (one: CreationPosition, other: CreationPosition) -> Bool {
        (one.seq, one.id) < (other.seq, other.id)
    }
}

extension StoredRow {
    package var creation: CreationPosition { CreationPosition(seq: createdSeq, id: id) }
}
