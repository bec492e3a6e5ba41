import NIOCore
import SyncProtocol
import SyncSchema
import SyncStore

/// Finds out who made a commit, and when, as far as rows and the change history tell.
struct CommitAuthors {
    let transaction: any ReadTransaction
    let registry: Registry
    let project: String

    /// Who changed the row with the commit: inserted it, edited it or deleted it.
    func decision(of seq: SyncSeq, on row: StoredRow, in collection: Collection) throws -> Explanation.Decision {
        if seq == row.createdSeq, row.insertedAt != nil {
            return Explanation.Decision(commit: seq, author: try user(row.insertedBy), at: row.insertedAt)
        }
        guard let change = try change(of: RowKey(collection.name, row.id), with: seq) else {
            return Explanation.Decision(commit: seq, at: try time(of: seq))
        }
        return Explanation.Decision(commit: seq, author: try user(change.origin.author), at: change.at)
    }

    /// Who deleted the row. A tombstone can have been stamped again since.
    func deletion(of row: StoredRow, in collection: Collection) throws -> Explanation.Decision {
        let key = RowKey(collection.name, row.id)
        let last = try transaction.changes(of: key, since: .commit(row.createdSeq), bytes: 0).elements.first
        guard let last, last.version == row.version else {
            return try decision(of: row.contentSeq, on: row, in: collection)
        }
        return Explanation.Decision(commit: last.seq, author: try user(last.origin.author), at: last.at)
    }

    /// Who changed the user's membership with the commit: began it, gave another role, or ended it.
    func decision(of seq: SyncSeq, onMembershipOf user: Int64) throws -> Explanation.Decision {
        let collection = registry.memberships
        let rows = try transaction.records(
            in: collection, project: project, where: collection.field(named: "user"), holds: .int(user))
        guard let row = try rows.first ?? ended(of: user, with: seq) else {
            return Explanation.Decision(commit: seq, at: try time(of: seq))
        }
        return try decision(of: seq, on: row, in: collection)
    }

    private func user(_ id: Int64?) throws -> User? { try id.flatMap { try transaction.user(id: $0) } }

    private func change(of key: RowKey, with seq: SyncSeq) throws -> RowChange? {
        let since = EditBase.commit(SyncSeq(seq.rawValue - 1))
        let changes = try transaction.changes(of: key, since: since, bytes: HistoryList.mostBytes)
        return changes.elements.last.flatMap { $0.seq == seq ? $0 : nil }
    }

    /// The tombstone that the end of the membership left.
    private func ended(of user: Int64, with seq: SyncSeq) throws -> StoredRow? {
        let collection = registry.memberships
        let scan = SegmentScan(
            collection: collection, project: project, rows: .all, position: .after(SyncSeq(seq.rawValue - 1)),
            upper: seq, knownTombstones: .zero)
        let rows = try tombstones(scan).compactMap { try transaction.record(RowKey(collection.name, $0)) }
        return rows.first { $0.values[collection.position(named: "user")] == .int(user) }
    }

    private func tombstones(_ scan: SegmentScan) throws -> [String] {
        var page = PageWriter(expectedRows: 1)
        page.begin(scan.collection.name)
        _ = try transaction.scan(scan, into: &page)
        page.end()
        var text = page.changes()
        text.writeString("}")
        let deleted = try JSON(parsing: text.readableBytesView)["changes"]?[scan.collection.name]?["deleted"]
        return (deleted?.array ?? []).compactMap(\.string)
    }

    /// When the commit was made; nil if its number was thinned out.
    private func time(of seq: SyncSeq) throws -> Instant? {
        guard let number = try transaction.number(of: seq, in: project) else { return nil }
        let before = CommitNumber(number.rawValue - 1)
        let commit = try transaction.commits(to: project, after: before, limit: 1).first
        return commit.flatMap { $0.seq == seq ? $0.at : nil }
    }
}
