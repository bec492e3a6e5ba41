import GRDB
import SyncProtocol

/// A file of the replica, as it is stored.
struct FileEntry: Sendable, Equatable {
    let number: Int64
    let digest: String
    let project: String
    var name: String?
    let size: Int64
    /// Where the bytes are in the replica's folder.
    var place: String
    /// What the first bytes say.
    let type: String
    var state: QueuedFile.State
    /// How many bytes the server has.
    var sent: Int64 = 0
    /// The id of the upload; nil if none is under way.
    var upload: String?
    /// Why it has failed or waits.
    var reason: String?
    var detail: String?
    /// How often the server has found another digest.
    var voids = 0
    /// When the server had the bytes that were added here; nil before, and for a file that somebody else has sent.
    var sentAt: Instant?
    /// How often all rows had come anew by then (`ReplicaState.epoch`).
    var epoch: Int64 = 0
    var usedAt: Instant
}

/// The table `_file`, inside a transaction.
struct FileTable {
    let db: Database

    /// Creates the table. Older versions of this library leave it alone.
    static func create(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS _file (
                    number INTEGER PRIMARY KEY,
                    digest TEXT NOT NULL,
                    project TEXT NOT NULL,
                    name TEXT,
                    size INTEGER NOT NULL,
                    place TEXT NOT NULL,
                    type TEXT NOT NULL,
                    state TEXT NOT NULL,
                    sent INTEGER NOT NULL,
                    upload TEXT,
                    reason TEXT,
                    detail TEXT,
                    voids INTEGER NOT NULL,
                    sent_at INTEGER,
                    epoch INTEGER NOT NULL,
                    used_at INTEGER NOT NULL,
                    UNIQUE (digest, project)
                ) STRICT
                """)
    }

    func find(_ digest: String, in project: String?) throws -> FileEntry? {
        let order = "ORDER BY state = 'stored', number LIMIT 1"
        guard let project else { return try entries("digest = ? \(order)", [digest]).first }
        return try entries("digest = ? AND project = ?", [digest, project]).first
    }

    /// What the server does not have, in the order in which it was added.
    func unsent() throws -> [FileEntry] { try entries("state <> 'stored' ORDER BY number") }

    /// What the server has, that used last at the end.
    func stored() throws -> [FileEntry] { try entries("state = 'stored' ORDER BY used_at, number") }

    func places() throws -> Set<String> { try Set(String.fetchAll(db, sql: "SELECT place FROM _file")) }

    func hasWaiting() throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM _file WHERE state IN ('waiting', 'sending'))"
        return try Bool.fetchOne(db, sql: sql) ?? false
    }

    private func entries(_ condition: String, _ arguments: StatementArguments = []) throws -> [FileEntry] {
        try Row.fetchAll(db, sql: "SELECT * FROM _file WHERE \(condition)", arguments: arguments).map(FileEntry.init)
    }

    /// Adds the entry, or replaces the one of the same file. Its `number` does not count.
    func save(_ entry: FileEntry) throws {
        try db.execute(
            sql: """
                INSERT INTO _file (
                    digest, project, name, size, place, type, state, sent, upload, reason, detail, voids, sent_at,
                    epoch, used_at
                ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (digest, project) DO UPDATE SET name = excluded.name, place = excluded.place,
                    state = excluded.state, sent = excluded.sent, upload = excluded.upload, reason = excluded.reason,
                    detail = excluded.detail, voids = excluded.voids, sent_at = excluded.sent_at,
                    epoch = excluded.epoch, used_at = excluded.used_at
                """,
            arguments: [
                entry.digest, entry.project, entry.name, entry.size, entry.place, entry.type, entry.state.rawValue,
                entry.sent, entry.upload, entry.reason, entry.detail, entry.voids, entry.sentAt?.milliseconds,
                entry.epoch, entry.usedAt.milliseconds,
            ])
    }

    /// Notes that the bytes were used.
    func use(_ entry: FileEntry, at now: Instant) throws {
        let arguments: StatementArguments = [now.milliseconds, entry.number]
        try db.execute(sql: "UPDATE _file SET used_at = ? WHERE number = ?", arguments: arguments)
    }

    func remove(_ entry: FileEntry) throws {
        try db.execute(sql: "DELETE FROM _file WHERE number = ?", arguments: [entry.number])
    }

    /// Forgets the files of a project; of all projects with nil. Their bytes go with the next sweep.
    func removeAll(of project: String? = nil) throws {
        try db.execute(sql: "DELETE FROM _file WHERE ?1 IS NULL OR project = ?1", arguments: [project])
    }
}

extension FileEntry {
    fileprivate init(_ row: Row) {
        self.init(
            number: row["number"], digest: row["digest"], project: row["project"], name: row["name"],
            size: row["size"], place: row["place"], type: row["type"],
            state: QueuedFile.State(rawValue: row["state"]) ?? .waiting, sent: row["sent"], upload: row["upload"],
            reason: row["reason"], detail: row["detail"], voids: row["voids"],
            sentAt: (row["sent_at"] as Int64?).map { Instant(milliseconds: $0) },
            epoch: row["epoch"], usedAt: Instant(milliseconds: row["used_at"]))
    }
}
