package import SyncProtocol

/// A row's place in lists: rows are in the order of their creation, those of one commit by id. It never changes, so what
/// is edited or created while a list is read is neither lost nor doubled.
///
/// As text `<created_seq>.<id>`, which is what `next` holds and `after` takes; for clients opaque.
package struct CreationPosition: Sendable, Hashable, Comparable, LosslessStringConvertible {
    package let seq: SyncSeq
    package let id: String

    /// In front of every row.
    package static let start = CreationPosition(seq: .zero, id: "")

    package init(seq: SyncSeq, id: String) {
        self.seq = seq
        self.id = id
    }

    /// nil for what no list has given out.
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
