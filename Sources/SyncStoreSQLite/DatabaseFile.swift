import Foundation
import GRDB
import GRDBSQLite
import SyncProtocol
import SyncStore
import SyncStoreSQL

/// The file at the path of a database, examined before anything is opened for writing. So a file of another program or
/// of a newer version is not changed by a single byte, and no log is made beside it.
struct DatabaseFile {
    /// SQLite's `application_id`: "TMdb". `file(1)` shows it too. Files of versions before it have 0.
    static let mark: Int64 = 0x544D_6462
    /// The `application_id` of a replica, which `tidemark pull` makes: "TMrp".
    private static let replicaMark: Int64 = 0x544D_7270

    let names: DatabaseNames
    /// Where the file is, whatever link leads there.
    var path: String { names.path }
    private let rights: PathRights

    init(_ name: String) {
        names = DatabaseNames(name)
        rights = PathRights(names.path)
    }

    /// What kind of file it is.
    private enum Kind {
        case nothing, replica, foreign
        case ours(layout: Int)
        /// SQLite can't read the file.
        case damaged(DatabaseError)
    }

    /// Throws a `StoreError` if this process may not write there, and if the file is not
    /// a database of this or an older version. A missing or empty file is accepted unless
    /// it `mustExist`. Returns whether the database is new: the file is missing or empty.
    func requireWritable(mustExist: Bool = false) throws -> Bool {
        if mustExist { try requireThere(for: .reading) }
        try rights.require(.writing)
        guard rights.isThere else { return true }
        try StaleWAL.refuse(beside: path)
        // Comes first, because everything may be in the other name's log.
        try NameLock.refuseOtherNames(path)
        switch try kind() {
        case .nothing where !mustExist: return true
        case .damaged(let error): throw StoreError.damaged(by: error)
        case let kind: try refuseAllButOurs(kind)
        }
        try names.refuseHardLinks()
        return false
    }

    /// Throws a `StoreError` if there is no database of this or an
    /// older version that this process can read. A damaged file passes.
    func requireReadable() throws {
        try requireThere(for: .reading)
        try StaleWAL.refuse(beside: path)
        // A backup that was never opened has no log under any name.
        let mayHaveLog = !StaleWAL.hasNoLog(path)
        if mayHaveLog { try NameLock.refuseOtherNames(path) }
        try refuseAllButOurs(kind())
        if mayHaveLog { try names.refuseHardLinks() }
    }

    /// The name under which SQLite opens the file for a long read.
    var nameToRead: String { rights.nameToRead }

    /// A setting of the database, which must be ours. Nil if there is none, or if the file is damaged.
    func setting(_ name: String) throws -> String? {
        do {
            let look = try RawLook(rights.nameToLook)
            return try look.text("SELECT value FROM tidemark_settings WHERE name = \(SQLLiteral.text(.string(name)))")
        } catch let error as DatabaseError where error.saysDamage {
            return nil
        } catch let error as DatabaseError {
            throw StoreError.unusable(path, error)
        }
    }

    /// Whether it is a backup that waits for its restore. False if there is no file, or none of ours that can be read.
    func isWaiting() throws -> Bool {
        try rights.require(.reading)
        guard rights.isThere, case .ours = try kind() else { return false }
        return try setting(RestoreJump.mark) != nil
    }

    /// Throws a `StoreError` if it is a backup that waits for its restore.
    func refuseWaiting() throws {
        if try isWaiting() { throw StoreError.waitsForRestore(path) }
    }

    /// Throws a `StoreError` if this process can't read the backup, or if an older version made it.
    func requireCurrentBackup() throws {
        try requireReadable()
        guard try LayoutVersion.number(setting("layout")) != LayoutVersion.current else { return }
        throw StoreError(
            "\(path) is a backup that an older version of Tidemark made. It was not changed.",
            hint: "To look at it, copy it to another folder, and start the server on the copy once.")
    }

    /// The name under which SQLite opens a backup that waits for its restore, to look at it for as long as it takes. A
    /// file without a log is locked as usual, and nothing is made beside it.
    var nameToWatch: String { StaleWAL.hasNoLog(path) ? path : rights.nameToLook }

    /// Throws a `StoreError` if there is no file, or if this process may not use it.
    private func requireThere(for use: PathRights.Use) throws {
        try rights.require(use)
        guard rights.isThere else { throw StoreError.noDatabase(path) }
    }

    private func refuseAllButOurs(_ kind: Kind) throws {
        switch kind {
        case .damaged: return
        case .ours(let layout): try LayoutVersion.refuseNewer(layout, in: path)
        case .nothing:
            throw StoreError("\(path) is empty. It is not a Tidemark database.", hint: StoreError.databaseHint)
        case .foreign:
            throw StoreError(
                "\(path) belongs to another program. It was not changed.",
                hint: "Choose another path for the database.")
        case .replica:
            throw StoreError(
                "\(path) is a replica of a project, made by `tidemark pull`, and not a server's database. "
                    + "It was not changed.",
                hint: "Give the path of the server's database. For a replica, use `tidemark sync` or `tidemark task`.")
        }
    }

    private func kind() throws -> Kind {
        do {
            let look = try RawLook(rights.nameToLook)
            let mark = try look.integer("PRAGMA application_id")
            if mark == DatabaseFile.replicaMark { return .replica }
            guard mark == 0 || mark == DatabaseFile.mark else { return .foreign }
            if try look.integer("SELECT count(*) FROM sqlite_master") == 0 {
                return mark == 0 ? .nothing : .ours(layout: 0)
            }
            guard try look.integer("SELECT count(*) FROM sqlite_master WHERE name = 'tidemark_settings'") == 1 else {
                return .foreign
            }
            return .ours(layout: LayoutVersion.number(try look.text(LayoutVersion.question)))
        } catch let error as DatabaseError where error.saysDamage {
            return .damaged(error)
        } catch let error as DatabaseError {
            throw StoreError.unusable(path, error)
        }
    }
}

/// A connection for a few queries. It leaves no files beside the database if the name given to SQLite says so. It uses
/// SQLite directly because GRDB's connections accept no URI.
private final class RawLook {
    private var connection: SQLiteConnection?

    init(_ name: String) throws {
        let code = sqlite3_open_v2(
            name, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
        sqlite3_busy_timeout(connection, Int32(SQLiteStore.busyTimeout * 1000))
        guard code == SQLITE_OK else {
            sqlite3_close_v2(connection)
            connection = nil
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
        sqlite3_extended_result_codes(connection, 1)
    }

    deinit { sqlite3_close_v2(connection) }

    func integer(_ sql: String) throws -> Int64 { try first(sql) { sqlite3_column_int64($0, 0) } ?? 0 }

    func text(_ sql: String) throws -> String? {
        try first(sql) { sqlite3_column_text($0, 0).map { String(cString: $0) } } ?? nil
    }

    private func first<Value>(_ sql: String, _ read: (SQLiteStatement) -> Value) throws -> Value? {
        var statement: SQLiteStatement?
        defer { sqlite3_finalize(statement) }
        var code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        if code == SQLITE_OK { code = sqlite3_step(statement) }
        guard let statement, code == SQLITE_ROW else {
            if code == SQLITE_DONE { return nil }
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(connection)))
        }
        return read(statement)
    }
}

/// The version of the tables, indexes and derived values: the one that a file was written with, and this program's.
enum LayoutVersion {
    /// Reads the file's version.
    static let question = "SELECT value FROM tidemark_settings WHERE name = 'layout'"

    static var current: Int { number(TableLayout.version) }

    /// The first version of Tidemark recorded none, which counts as 0. A text that is not a number belongs to a version
    /// that this one knows nothing about, and counts as newer.
    static func number(_ recorded: String?) -> Int { recorded.map { Int($0) ?? .max } ?? 0 }

    /// Throws a `StoreError` if the file's version is newer than this program's.
    /// Writing would mix two forms, and the newer one is unknown here.
    static func refuseNewer(_ layout: Int, in path: String) throws(StoreError) {
        guard layout > current else { return }
        throw StoreError(
            "\(path) was made by a newer version of Tidemark. It was not changed.",
            hint: "Use that version or a later one. To go back, restore a backup from before the upgrade.")
    }
}

/// Refuses a backup that was put beside the log of the file that it replaced. SQLite would take that log for the
/// backup's own and apply it: https://sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use
///
/// The header of a file in use says that it has a log. The header of
/// a file made by `Backup` says that it has none, until it is opened.
enum StaleWAL {
    /// Throws a `StoreError` that names the files to move away.
    static func refuse(beside path: String) throws {
        let log = path + "-wal"
        guard let size = try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int, size > 0, hasNoLog(path)
        else { return }
        throw StoreError(
            "\(log) is not the log of \(path) but of another file, and would damage it.",
            hint: "Move \(log) and \(path)-shm to another folder, then try again.")
    }

    /// Bytes 18 and 19 are 1 without a log and 2 with one:
    /// https://sqlite.org/fileformat2.html#file_format_version_numbers
    static func hasNoLog(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        guard let header = try? file.read(upToCount: 20), header.count == 20 else { return false }
        return header[18] == 1 && header[19] == 1
    }
}
