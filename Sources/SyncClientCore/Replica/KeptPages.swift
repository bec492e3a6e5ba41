import Foundation
import GRDB
import SyncProtocol

/// The pages of deltas that wait for a drain that counts, inside a transaction. They are kept as they came, so a kill
/// costs one page, and everybody who reads the file sees the last settled state until then.
///
/// They have tables of their own, which older versions of this library neither read nor write. Whatever moves the
/// watermark, the schema or the scope counts up `_replica.step`, in older versions too. So the pages, and the settled
/// number, are good as long as `_settled.step` equals it.
struct KeptPages {
    let db: Database

    /// A drain of which pages wait. All but the last are whole.
    struct Drain {
        let number: Int64
        /// `ReplicaState.answers` when it was requested.
        let answersBefore: Int64
        let replacing: Replacing
        let filter: PartFilter
    }

    /// Adds the tables. What an older version has made void goes.
    func create() throws {
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS _settled (
                    only INTEGER PRIMARY KEY DEFAULT 1 CHECK (only = 1),
                    step INTEGER NOT NULL,
                    number INTEGER
                ) STRICT;
                CREATE TABLE IF NOT EXISTS _kept_drain (
                    number INTEGER PRIMARY KEY,
                    answers_before INTEGER NOT NULL,
                    replacing TEXT,
                    timestamp INTEGER NOT NULL,
                    cursor TEXT,
                    rows INTEGER NOT NULL,
                    total INTEGER,
                    filter TEXT
                ) STRICT;
                CREATE TABLE IF NOT EXISTS _kept_page (
                    number INTEGER PRIMARY KEY,
                    drain INTEGER NOT NULL,
                    body BLOB NOT NULL
                ) STRICT;
                """)
        if try !db.columns(in: "_kept_drain").contains(where: { $0.name == "filter" }) {
            try db.execute(sql: "ALTER TABLE _kept_drain ADD COLUMN filter TEXT")
        }
        if try !isCurrent { try forget() }
    }

    private var isCurrent: Bool {
        get throws {
            let sql = "SELECT EXISTS (SELECT 1 FROM _settled JOIN _replica USING (step))"
            return try Bool.fetchOne(db, sql: sql) ?? false
        }
    }

    private func forget() throws {
        try db.execute(sql: "DELETE FROM _kept_page; DELETE FROM _kept_drain")
    }

    /// Reads what belongs to the state. A replica that an older version has made or moved counts as settled at its
    /// watermark, unless a drain is open.
    func load(into state: inout ReplicaState) throws {
        guard let mark = try Row.fetchOne(db, sql: "SELECT step, number FROM _settled"),
            mark["step"] == state.step
        else {
            state.settled = state.drain == nil && state.since > .zero ? state.since : nil
            return
        }
        state.settled = (mark["number"] as Int64?).map { SyncSeq($0) }
        guard state.settled != nil else { return }
        for row in try Row.fetchAll(db, sql: "SELECT * FROM _kept_drain ORDER BY number") {
            let timestamp = SyncSeq(row["timestamp"] as Int64)
            let rows = row["rows"] as Int64
            state.kept.rows += rows
            let filter = PartFilter(stored: row["filter"])
            if let cursor = row["cursor"] as String? {
                state.drain = .init(cursor: cursor, timestamp: timestamp, rows: rows, total: row["total"])
                state.target = filter
            } else {
                state.kept.reached = timestamp
                state.kept.filter = filter
            }
        }
    }

    /// Notes that the settled number, and the pages that wait, belong to this state.
    func note(_ state: ReplicaState) throws {
        if !state.hasKept { try forget() }
        try db.execute(
            sql: "INSERT OR REPLACE INTO _settled (only, step, number) VALUES (1, ?, ?)",
            arguments: [state.step, state.settled?.rawValue])
    }

    /// Keeps a page, with its cursor. The caller saves the state after it.
    func add(_ page: PageResponse, after known: ReplicaState, replacing: Replacing) throws {
        if !known.hasKept { try forget() }
        if known.drain == nil {
            try db.execute(
                sql: """
                    INSERT INTO _kept_drain (answers_before, replacing, timestamp, cursor, rows, total, filter)
                    VALUES (?, ?, ?, NULL, 0, NULL, ?)
                    """,
                arguments: [
                    known.answers, replacing.migration?.text, page.timestamp.rawValue, page.filter.stored,
                ])
        }
        let last = "(SELECT max(number) FROM _kept_drain)"
        try db.execute(
            sql: "UPDATE _kept_drain SET cursor = ?, rows = rows + ?, total = ? WHERE number = \(last)",
            arguments: [page.nextCursor, page.count, page.total])
        try db.execute(
            sql: "INSERT INTO _kept_page (drain, body) VALUES (\(last), ?)", arguments: [Data(page.body)])
    }

    /// The drains, in the order in which they were read.
    func drains() throws -> [Drain] {
        try Row.fetchAll(db, sql: "SELECT * FROM _kept_drain ORDER BY number").map { row in
            let replacing = try (row["replacing"] as String?).map { try Replacing(JSON(parsing: $0)) }
            return Drain(
                number: row["number"], answersBefore: row["answers_before"], replacing: replacing ?? [],
                filter: PartFilter(stored: row["filter"]))
        }
    }

    /// The pages of a drain in their order. Only one is in memory at a time.
    func forEachPage(of drain: Drain, schema: ServerSchema, _ body: (PageResponse) throws -> Void) throws {
        let sql = "SELECT body FROM _kept_page WHERE drain = ? ORDER BY number"
        let pages = try Data.fetchCursor(db, sql: sql, arguments: [drain.number])
        let reader = PageReader(schema: schema)
        while let bytes = try pages.next() {
            var page = try reader.page(Array(bytes), head: nil)
            page.filter = drain.filter
            try body(page)
        }
    }
}

extension Replacing {
    /// Reads what `migration` writes.
    fileprivate init(_ json: JSON) {
        self.init(
            (json["tables"]?.array ?? []).compactMap(\.string),
            in: json["projects"]?.array.map { $0.compactMap(\.string) })
    }
}
