package import SyncProtocol
package import SyncSchema

extension SegmentScan {
    /// How rows are written. It is the same for all segments of a drain.
    package struct Delivery: Sendable, Hashable {
        package let encoding: WireEncoding
        /// Which rows go to `created`; nil if all live rows go to `updated`.
        package let created: CreatedRows?

        package init(encoding: WireEncoding = .json, created: CreatedRows? = nil) {
            self.encoding = encoding
            self.created = created
        }
    }

    /// The rows that go to `created`: those inserted after `since`, except the ones that `user` inserted from the
    /// commit `from` on.
    package struct CreatedRows: Sendable, Hashable {
        let since: SyncSeq
        /// Nil if it does not matter who inserted a row.
        let user: Int64?
        let from: SyncSeq

        package init(since: SyncSeq, user: Int64?, from: SyncSeq = .zero) {
            (self.since, self.user, self.from) = (since, user, from)
        }
    }

    /// Restricts a scan over rows that the client already has. Live rows up to commit `upTo` are served only if one of
    /// the fields at these positions has a value that the client does not have in a new column.
    package struct OldRows: Sendable, Hashable {
        let upTo: SyncSeq
        let positions: [Int]

        package init(upTo: SyncSeq, positions: [Int]) {
            self.upTo = upTo
            self.positions = positions
        }
    }

    /// Whether a live row goes to `created` instead of `updated`.
    package func isCreated(createdSeq: SyncSeq, insertedBy: Int64?) -> Bool {
        guard let created = delivery.created else { return false }
        return createdSeq > created.since
            && (created.user == nil || insertedBy != created.user || createdSeq < created.from)
    }

    /// Whether a live row is left out because of `oldRows`. `value` returns
    /// the row's value at a field position, and is called only for old rows.
    package func leavesOut(seq: SyncSeq, value: (Int) -> JSON) -> Bool {
        guard let oldRows, seq <= oldRows.upTo else { return false }
        return oldRows.positions.allSatisfy { delivery.encoding.isUnset(value($0), of: collection.fields[$0]) }
    }
}
