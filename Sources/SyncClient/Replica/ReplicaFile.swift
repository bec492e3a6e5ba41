import GRDB
import SyncProtocol

/// What makes a SQLite file a replica: a mark in its header, the format's number, and the tables that begin with `_`.
struct ReplicaFile {
    /// Shows in `file(1)` and `PRAGMA application_id`: "TMrp".
    private static let mark: Int64 = 0x544D_7270
    private static let format: Int64 = 1

    let path: String

    /// Makes an empty database a replica of `project`; of any other, throws unless it is that already.
    func prepare(_ db: Database, for project: String) throws {
        if try isEmpty(db) { try create(db, project: project) }
        try check(db)
        let bound = try Replica.state(db).project
        guard bound == project else { throw ReplicaError.otherProject(path: path, bound: bound, asked: project) }
    }

    /// Throws unless the file is a replica that this version understands.
    func check(_ db: Database) throws {
        guard try pragma(db, "application_id") == Self.mark else { throw ReplicaError.notAReplica(path: path) }
        guard try pragma(db, "user_version") <= Self.format else { throw ReplicaError.newerFormat(path: path) }
    }

    private func isEmpty(_ db: Database) throws -> Bool {
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        return try count == 0 && pragma(db, "application_id") == 0
    }

    private func pragma(_ db: Database, _ name: String) throws -> Int64 {
        try Int64.fetchOne(db, sql: "PRAGMA \(name)") ?? 0
    }

    /// `_schema` is a table of its own because `_replica` is rewritten with every page.
    private func create(_ db: Database, project: String) throws {
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
        try db.execute(sql: "INSERT INTO _replica (project) VALUES (?)", arguments: [project])
    }
}
