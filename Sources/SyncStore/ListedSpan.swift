package import SyncProtocol

/// When a row was listed for a user: it, or the row that it inherits its sight from, named the user. A store keeps the
/// last such span of each row and user, as long as the row.
package struct ListedSpan: Sendable, Equatable {
    /// The commit that listed the user.
    package let came: SyncSeq
    /// The commit that took the user off; nil while the user is listed. A deleted row stays listed for those who saw it
    /// last.
    package let gone: SyncSeq?
    /// The commit that delivers the row to the user, or names its id.
    package let seq: SyncSeq

    package init(came: SyncSeq, gone: SyncSeq?, seq: SyncSeq) {
        self.came = came
        self.gone = gone
        self.seq = seq
    }

    /// The commit at which the span ends for a client: one that was told again had the row until then. A user who made
    /// a row for others had it for that one commit.
    fileprivate var end: SyncSeq { max(seq, came.next) }

    /// From the commit that listed the user until the one that took the user off.
    package var known: (from: SyncSeq, to: SyncSeq) { (came, gone ?? .maximum) }

    /// Whether the user was listed in the state after this commit.
    fileprivate func holds(at head: SyncSeq) -> Bool { came <= head && gone.map { $0 > head } ?? true }
}

extension SegmentScan.Rows {
    /// Which rows a scan of all rows serves to a user who is in lists.
    package enum Beside: Sendable, Hashable {
        /// All, for a user who is to drop the project.
        case all
        /// Tombstones, for one whose role rose: until then lists alone showed rows.
        case dead
        /// What only the role showed, for one whose role fell: neither listed rows, nor those that a scan of them
        /// names.
        case unlisted
    }
}

extension StoredRow {
    /// The row as a scan of a user's listed rows meets it: a tombstone if it is listed no more. Its gate was open as
    /// long as it was listed, and others may have seen it longer. A store says the same in its own language.
    package func listed(_ span: ListedSpan) -> StoredRow {
        var row = self
        row.note(span)
        row.seq = span.seq
        if isDeleted {
            row.contentSeq = max(contentSeq, span.seq)
        } else if span.gone != nil {
            row.isDeleted = true
            row.contentSeq = .maximum
        }
        return row
    }

    /// The row as a scan of all rows beside the user's lists meets it. Its number is above `since` if the scan serves
    /// it to somebody who saw it.
    package func beside(
        _ span: ListedSpan?, _ which: SegmentScan.Rows.Beside, since: SyncSeq, upTo head: SyncSeq
    ) -> StoredRow {
        var row = self
        row.note(span)
        let isLeftOut =
            switch which {
            case .all: false
            case .dead: seq > head
            case .unlisted: span.map { $0.holds(at: head) || since < $0.seq && $0.seq <= head } ?? false
            }
        if isLeftOut {
            row.seq = .zero
        } else if !isDeleted {
            row.seq = head
        }
        return row
    }

    /// Makes the gate one that was open in the span alone.
    private mutating func note(_ span: ListedSpan?) {
        isGated = span.map { $0.gone != nil } ?? true
        gateSeq = createdSeq
        gateChanges = span.map { $0.gone == nil ? [$0.came] : [$0.came, $0.end] } ?? []
    }
}
