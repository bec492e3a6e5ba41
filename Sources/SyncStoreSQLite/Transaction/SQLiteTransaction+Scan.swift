import GRDB
import GRDBSQLite
import SyncProtocol
import SyncSchema
import SyncStore

extension SQLiteTransaction {
    /// The hot path of a pull: rows go from SQLite's memory into the page's as JSON text, without an object a row.
    func scan(_ scan: SegmentScan, into page: inout PageWriter) throws -> SegmentScan.Outcome {
        requireScope(scan.project)
        let layout = layout(scan.collection)
        let statement = try db.cachedStatement(sql: PageQuery.sql(scan, layout))
        statement.setUncheckedArguments(PageQuery.arguments(scan))
        let cursor = RawRows(statement.sqliteStatement)
        defer { cursor.reset() }
        var outcome = SegmentScan.Outcome()
        while try cursor.step(db) {
            guard outcome.hasRoom(in: scan, page) else {
                outcome.hasMore = true
                break
            }
            outcome.examined += 1
            serve(cursor, scan, layout.encoder(scan.delivery.encoding), &page, &outcome)
            if !outcome.hasRoom(in: scan, page) { outcome.last = cursor.position(orderedBy: scan.rows) }
        }
        return outcome
    }

    func lastConcealment(project: String, in collection: Collection) throws -> SyncSeq {
        let sql = PageQuery.lastConcealment(layout(collection))
        return try db.first(sql, [.string(project)]) { SyncSeq($0.integer(0)) } ?? .zero
    }

    private func serve(
        _ cursor: RawRows, _ scan: SegmentScan, _ encoder: RowEncoder, _ page: inout PageWriter,
        _ outcome: inout SegmentScan.Outcome
    ) {
        guard let bucket = cursor.bucket(in: scan), outcome.takes(bucket, in: scan) else { return }
        if bucket == .deleted {
            page.tombstone(cursor.text(0))
        } else {
            encoder.write(cursor, to: &page, isCreated: bucket == .created)
        }
    }
}

/// The SQL of one segment: a range scan on the one index that has its order.
enum PageQuery {
    static func sql(_ scan: SegmentScan, _ layout: TableLayout) -> String {
        if case .lost = scan.rows { return lost(layout.collection) }
        let (column, filter) =
            switch scan.rows {
            case .all, .lost: ("sync_seq", "")
            case .own(let field, _): ("sync_seq", " AND \"\(field)\" = ?5")
            case .ungated: ("sync_seq", " AND is_gated = 0")
            case .hidden: ("gate_seq", " AND is_gated = 1")
            }
        let live = scan.isLiveOnly ? " AND is_deleted = 0" : ""
        return layout.select + """
            project_id = ?1\(filter)\(live) AND (\(column), id) > (?2, ?3) AND \(column) <= ?4 ORDER BY \(column), id
            """
    }

    /// Tombstones, as far as the first system columns go: no more is read of one.
    private static func lost(_ collection: Collection) -> String {
        """
        SELECT row_id, 1, 1, sync_seq FROM tidemark_former_owners
        WHERE project_id = ?1 AND collection = '\(collection.name)' AND user_id = ?5
        AND (sync_seq, row_id) > (?2, ?3) AND sync_seq <= ?4 ORDER BY sync_seq, row_id
        """
    }

    /// One look at the end of an index.
    static func lastConcealment(_ layout: TableLayout) -> String {
        "SELECT max(gate_seq) FROM \"\(layout.collection.name)\" WHERE project_id = ?1 AND is_gated = 1"
    }

    static func arguments(_ scan: SegmentScan) -> StatementArguments {
        var arguments: StatementArguments = [
            scan.project, scan.position.seq.rawValue, scan.position.id, scan.upper.rawValue,
        ]
        switch scan.rows {
        case .own(_, let user), .lost(let user): arguments += [user]
        case .all, .ungated, .hidden: break
        }
        return arguments
    }
}
