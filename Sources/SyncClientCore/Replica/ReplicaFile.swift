import Foundation
import GRDB
import SyncProtocol

/// What makes a SQLite file a replica: a mark in its header, a format number, and the
/// tables whose names start with `_`.
struct ReplicaFile {
    /// The mark "TMrp". `file(1)` and `PRAGMA application_id` show it.
    private static let mark: Int64 = 0x544D_7270
    private static let format: Int64 = 3
    /// The format of a replica of all projects. Versions that know of no such replica refuse it.
    private static let formatOfAllProjects: Int64 = 4
    /// The format of a replica that holds a part. Versions that would take it for everything refuse it.
    private static let formatOfPart: Int64 = 5

    let path: String

    /// Turns an empty database into a replica. Throws for any other database, unless it already is a replica of the
    /// same.
    func prepare(_ db: Database, for scope: SyncScope) throws {
        if try isEmpty(db) { try create(db, scope) }
        try open(db)
        try ReplicaError.check(path, Replica.state(db).scope, isOf: scope)
    }

    /// Checks that the file is a replica that this version understands, and upgrades an older one. Throws
    /// `ReplicaError.notAReplica` or `newerFormat`.
    func open(_ db: Database) throws {
        try check(db)
        try upgrade(db)
        try addReasons(db)
        try addExisting(db)
        try addComparison(db)
        try addOwner(db)
        try addAdoption(db)
        try addParts(db)
        try addDrainedVersions(db)
        try KeptPages(db: db).create()
        try FileTable.create(db)
    }

    private func check(_ db: Database) throws {
        guard try pragma(db, "application_id") == Self.mark else { throw ReplicaError.notAReplica(path: path) }
        guard try pragma(db, "user_version") <= Self.formatOfPart else {
            throw ReplicaError.newerFormat(path: path)
        }
    }

    private func isEmpty(_ db: Database) throws -> Bool {
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        return try count == 0 && pragma(db, "application_id") == 0
    }

    private func pragma(_ db: Database, _ name: String) throws -> Int64 {
        try Int64.fetchOne(db, sql: "PRAGMA \(name)") ?? 0
    }

    /// Creates the replica's own tables. `_schema` is a separate table because `_replica` is rewritten with every page.
    private func create(_ db: Database, _ scope: SyncScope) throws {
        try db.execute(
            sql: """
                PRAGMA application_id = \(Self.mark);
                PRAGMA user_version = \(Self.format);
                CREATE TABLE _replica (
                    only INTEGER PRIMARY KEY DEFAULT 1 CHECK (only = 1),
                    project TEXT NOT NULL,
                    schema_version TEXT,
                    since INTEGER NOT NULL DEFAULT 0 CHECK (since >= 0),
                    drain INTEGER NOT NULL DEFAULT 0,
                    step INTEGER NOT NULL DEFAULT 0,
                    cursor TEXT,
                    drain_timestamp INTEGER,
                    drain_rows INTEGER,
                    drain_total INTEGER,
                    CHECK ((cursor IS NULL) = (drain_timestamp IS NULL) AND (cursor IS NULL) = (drain_rows IS NULL))
                ) STRICT;
                CREATE TABLE _schema (
                    only INTEGER PRIMARY KEY DEFAULT 1 CHECK (only = 1),
                    document TEXT NOT NULL
                ) STRICT;
                CREATE TABLE _set_aside (
                    number INTEGER PRIMARY KEY,
                    collection TEXT NOT NULL,
                    id TEXT NOT NULL,
                    row TEXT NOT NULL,
                    reason TEXT NOT NULL,
                    time TEXT NOT NULL
                ) STRICT;
                """)
        try db.execute(sql: "INSERT INTO _replica (project) VALUES (?)", arguments: [scope.stored])
        try addBatches(db)
        try addAnswers(db)
        if scope == .allProjects { try addProjects(db) }
    }

    /// Makes it a replica of all projects. `_project` and `_drain_project` are explained at `Replica.adopt` and
    /// `DrainProjects`. `_batch_project` has the commit of an answered batch in each project; `_batch.timestamp` is 0
    /// then.
    func addProjects(_ db: Database) throws {
        try db.execute(
            sql: """
                PRAGMA user_version = \(Self.formatOfAllProjects);
                UPDATE _replica SET project = '';
                CREATE TABLE _project (
                    id TEXT PRIMARY KEY NOT NULL,
                    head INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE _drain_project (
                    id TEXT NOT NULL,
                    fate TEXT NOT NULL,
                    PRIMARY KEY (id, fate)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE _batch_project (
                    batch INTEGER NOT NULL REFERENCES _batch (number) ON DELETE CASCADE,
                    project TEXT NOT NULL,
                    timestamp INTEGER NOT NULL,
                    PRIMARY KEY (batch, project)
                ) STRICT, WITHOUT ROWID;
                """)
    }

    /// Upgrades an older format. Format 1 could not push. Format 2 did not notice when the server's
    /// history was replaced after an answer.
    private func upgrade(_ db: Database) throws {
        let format = try pragma(db, "user_version")
        guard format < Self.format else { return }
        if format < 2 {
            for table in try Replica.tables(db) {
                try db.execute(sql: "ALTER TABLE \(SQLName.quoted(table)) ADD COLUMN _base TEXT")
                try db.execute(sql: TableShape.unsentIndex(table))
            }
            try addBatches(db)
        }
        try addAnswers(db)
        try db.execute(sql: "PRAGMA user_version = \(Self.format)")
    }

    /// Adds the tables of the upload queue. `_batch` holds what was sent. Its `timestamp` is null until the batch is
    /// answered; the row then stays until a drain has reached that commit. `_batch_row.version` is the row's version in
    /// the answer. `_refused` holds rows that keep their edits because the server did not take them.
    private func addBatches(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE _replica ADD COLUMN device TEXT NOT NULL DEFAULT '';
                CREATE TABLE _batch (
                    number INTEGER PRIMARY KEY,
                    id TEXT NOT NULL UNIQUE,
                    body TEXT NOT NULL,
                    timestamp INTEGER
                ) STRICT;
                CREATE TABLE _batch_row (
                    collection TEXT NOT NULL,
                    id TEXT NOT NULL,
                    batch INTEGER NOT NULL REFERENCES _batch (number) ON DELETE CASCADE,
                    bucket TEXT NOT NULL,
                    changed TEXT NOT NULL,
                    content TEXT NOT NULL,
                    version INTEGER,
                    PRIMARY KEY (collection, id, batch)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX _batch_row_by_batch ON _batch_row (batch);
                CREATE TABLE _refused (
                    collection TEXT NOT NULL,
                    id TEXT NOT NULL,
                    field TEXT,
                    code TEXT NOT NULL,
                    detail TEXT NOT NULL
                ) STRICT;
                CREATE INDEX _refused_by_row ON _refused (collection, id);
                """)
        try db.execute(sql: "UPDATE _replica SET device = ?", arguments: [UUID().uuidString.lowercased()])
    }

    /// Adds the numbering of answers. `answer` is the answer's number. `answers_before` says which answers the present
    /// drain must contain. For batches that were sent before this upgrade that is not known, so a drain in progress is
    /// dropped. The next one contains everything.
    private func addAnswers(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE _replica ADD COLUMN answers INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE _replica ADD COLUMN answers_before INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE _replica ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE _batch ADD COLUMN answer INTEGER;
                UPDATE _batch SET answer = 0 WHERE timestamp IS NOT NULL;
                UPDATE _replica SET step = step + 1, cursor = NULL, drain_timestamp = NULL, drain_rows = NULL,
                    drain_total = NULL
                WHERE EXISTS (SELECT 1 FROM _batch WHERE timestamp IS NOT NULL)
                """)
    }

    /// Adds the server's reasons for edits that were set aside. Older versions of this library leave the column empty
    /// and work with it, so the format number stays.
    private func addReasons(_ db: Database) throws {
        guard try !db.columns(in: "_set_aside").contains(where: { $0.name == "refusals" }) else { return }
        try db.execute(sql: "ALTER TABLE _set_aside ADD COLUMN refusals TEXT")
    }

    /// Adds the id of the row that has the unique key of a refused one. Older versions leave it empty, too.
    private func addExisting(_ db: Database) throws {
        guard try !db.columns(in: "_refused").contains(where: { $0.name == "existing" }) else { return }
        try db.execute(sql: "ALTER TABLE _refused ADD COLUMN existing TEXT")
    }

    /// Adds the result of the last comparison with the server's digest. Older versions keep what is there, too.
    private func addComparison(_ db: Database) throws {
        guard try !db.columns(in: "_replica").contains(where: { $0.name == "compared" }) else { return }
        try db.execute(sql: "ALTER TABLE _replica ADD COLUMN compared TEXT")
    }

    /// Adds the id of the user whose projects a replica of all projects holds; null before the first sync.
    private func addOwner(_ db: Database) throws {
        guard try !db.columns(in: "_replica").contains(where: { $0.name == "owner" }) else { return }
        try db.execute(sql: "ALTER TABLE _replica ADD COLUMN owner INTEGER")
    }

    /// Adds whether the first user takes what was made before. Older versions take it in any case.
    private func addAdoption(_ db: Database) throws {
        guard try !db.columns(in: "_replica").contains(where: { $0.name == "adopted" }) else { return }
        try db.execute(sql: "ALTER TABLE _replica ADD COLUMN adopted INTEGER NOT NULL DEFAULT 0")
    }

    /// Adds the parts that the replica holds, the filters of the watermark and of the drain in progress (null for
    /// everything, and for none), and the rows that are in no part any more and wait for their answers.
    private func addParts(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS _part (
                    name TEXT PRIMARY KEY NOT NULL,
                    filter TEXT NOT NULL,
                    keep_hours INTEGER NOT NULL,
                    until INTEGER
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE IF NOT EXISTS _outside (
                    collection TEXT NOT NULL,
                    id TEXT NOT NULL,
                    PRIMARY KEY (collection, id)
                ) STRICT, WITHOUT ROWID;
                """)
        let columns = try db.columns(in: "_replica").map(\.name)
        for column in ["filter", "target"] where !columns.contains(column) {
            try db.execute(sql: "ALTER TABLE _replica ADD COLUMN \(column) TEXT")
        }
    }

    /// Adds the versions at which drains had delivered rows before batches were answered. They go with their batch.
    /// Older versions of this library note none, and send no version that an edit was made on.
    private func addDrainedVersions(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS _drained (
                    batch INTEGER NOT NULL REFERENCES _batch (number) ON DELETE CASCADE,
                    collection TEXT NOT NULL,
                    id TEXT NOT NULL,
                    version INTEGER NOT NULL,
                    PRIMARY KEY (batch, collection, id)
                ) STRICT, WITHOUT ROWID
                """)
    }

    /// Writes the format that a replica of this state has. Older versions of this library refuse a part.
    static func note(isOfPart: Bool, _ scope: SyncScope, _ db: Database) throws {
        let whole = scope == .allProjects ? formatOfAllProjects : format
        let format = isOfPart ? formatOfPart : whole
        guard try Int64.fetchOne(db, sql: "PRAGMA user_version") != format else { return }
        try db.execute(sql: "PRAGMA user_version = \(format)")
    }
}
