package import SyncProtocol
package import SyncSchema

extension SegmentScan {
    /// How rows are written: the same for all segments of a drain.
    package struct Delivery: Sendable, Hashable {
        package let encoding: WireEncoding
        /// Nil where `created` stays empty.
        package let created: CreatedRows?

        package init(encoding: WireEncoding = .json, created: CreatedRows? = nil) {
            self.encoding = encoding
            self.created = created
        }
    }

    /// The rows that go to `created`: inserted after `since`, but for those of `user`.
    package struct CreatedRows: Sendable, Hashable {
        let since: SyncSeq
        /// Nil where everybody's count.
        let user: Int64?

        package init(since: SyncSeq, user: Int64?) {
            self.since = since
            self.user = user
        }
    }

    /// Rows up to `upTo` are served only where one of these fields, by position, is not its default.
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
        return createdSeq > created.since && (created.user == nil || insertedBy != created.user)
    }

    /// Whether a live row is old, and none of the columns that were asked for has a value of its own. `value` is asked
    /// for values by position.
    package func leavesOut(seq: SyncSeq, value: (Int) -> JSON) -> Bool {
        guard let oldRows, seq <= oldRows.upTo else { return false }
        return oldRows.positions.allSatisfy { value($0) == collection.fields[$0].fallback }
    }
}
