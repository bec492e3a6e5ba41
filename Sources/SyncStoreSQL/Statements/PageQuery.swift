package import SyncProtocol
import SyncSchema
package import SyncStore

/// The SQL of one segment: a range scan on the one index that has the segment's order.
package enum PageQuery {
    /// The statement of the scan. Its parameters are `values`.
    package static func sql(_ scan: SegmentScan, _ layout: TableLayout) -> String {
        switch scan.rows {
        case .lost: return lost(layout.collection)
        case .held: return held(layout, "")
        case .heldOwn(let field, _): return held(layout, " AND \"\(field)\" = ?5")
        case .heldInserted(_, let own):
            return held(layout, " AND inserted_by = ?5" + (own.map { " AND \"\($0)\" = ?5" } ?? ""))
        case .listed: return ListedQuery.listed(layout, isLiveOnly: scan.isLiveOnly)
        case .beside(_, let which): return ListedQuery.beside(layout, which)
        case .all, .own, .ungated, .hidden: break
        }
        let (column, filter) =
            switch scan.rows {
            case .all, .listed, .beside, .lost, .held, .heldOwn, .heldInserted: ("sync_seq", "")
            case .own(let field, _): ("sync_seq", " AND \"\(field)\" = ?5")
            case .ungated: ("sync_seq", " AND is_gated = 0")
            case .hidden: ("gate_seq", " AND is_gated = 1")
            }
        let live = scan.isLiveOnly ? " AND is_deleted = 0" : ""
        return layout.select + """
            project_id = ?1\(filter)\(live) AND (\(column), id) > (?2, ?3) AND \(column) <= ?4 ORDER BY \(column), id
            """
    }

    /// Selects rows in the form of tombstones, with only the first
    /// system columns. No other column of a tombstone is read.
    private static func lost(_ collection: Collection) -> String {
        """
        SELECT row_id, 1, 1, sync_seq FROM tidemark_former_owners
        WHERE project_id = ?1 AND collection = '\(collection.name)' AND user_id = ?5
        AND (sync_seq, row_id) > (?2, ?3) AND sync_seq <= ?4 ORDER BY sync_seq, row_id
        """
    }

    /// Live rows and tombstones, each from the index of their creation, merged.
    private static func held(_ layout: TableLayout, _ filter: String) -> String {
        ["0", "1"].map { isDeleted in
            layout.select + """
                project_id = ?1\(filter) AND is_deleted = \(isDeleted) AND (created_seq, id) > (?2, ?3) \
                AND created_seq <= ?4
                """
        }.joined(separator: " UNION ALL ") + " ORDER BY created_seq, id"
    }

    /// Reads one entry, at the end of an index.
    package static func lastConcealment(_ layout: TableLayout) -> String {
        "SELECT max(gate_seq) FROM \"\(layout.collection.name)\" WHERE project_id = ?1 AND is_gated = 1"
    }

    /// The values of ?1 … in `sql`.
    package static func values(_ scan: SegmentScan) -> [JSON] { values(scan, after: scan.position) }

    /// The same for rows after another position.
    package static func values(_ scan: SegmentScan, after position: KeysetPosition) -> [JSON] {
        let values: [JSON] = [
            .string(scan.project), .int(position.seq.rawValue), .string(position.id),
            .int(scan.upper.rawValue),
        ]
        return switch scan.rows {
        case .own(_, let user), .listed(let user), .lost(let user), .heldOwn(_, let user), .heldInserted(let user, _):
            values + [.int(user)]
        case .beside(let user, let which):
            values + [.int(user)] + (which == .unlisted ? [.int(scan.knownTombstones.rawValue)] : [])
        case .all, .ungated, .hidden, .held: values
        }
    }
}
