import Foundation
import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema

/// Looks a database through, also while a server runs on it: the file by SQLite's own check, each row by its checksum, and
/// everything that holds between rows, counters, digests and records.
///
/// Reads one committed state on a connection of its own, and changes nothing.
package struct DatabaseCheck: Sendable {
    /// Of one kind in one place; more are counted, not named.
    static let mostFindings = 20

    private let path: String
    private let interruption: Interruption

    package init(path: String, until interruption: Interruption = Interruption()) {
        self.path = path
        self.interruption = interruption
    }

    /// Throws a `StoreError` where there is no database of this version, a `CancellationError` where it was interrupted.
    package func run() throws -> CheckReport {
        try DatabaseFile(path).requireReadable()
        var report = CheckReport()
        do {
            try interruption.reading(PathRights(path).nameToRead, preparing: RowChecksum.register) { queue in
                try queue.read { try CheckRun($0, registry($0), interruption).run(&report) }
            }
        } catch let error as StoreError {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch let error as DatabaseError where !error.saysDamage {
            throw StoreError.unusable(path, error)
        } catch {
            report.add(CheckFinding(code: .damagedFile, place: path, project: "", subject: "\(error)"))
        }
        return report
    }

    /// The collections that the file's tables were made for.
    private func registry(_ db: Database) throws -> Registry {
        let settings = try db.all("SELECT name, value FROM tidemark_settings") { ($0.string(0), $0.string(1)) }
        let values = Dictionary(settings) { $1 }
        let layout = LayoutVersion.number(values["layout"])
        try LayoutVersion.refuseNewer(layout, in: path)
        guard layout == LayoutVersion.current else {
            throw StoreError(
                "\(path) was made by an older version of Tidemark.",
                hint: "Start the server once with this version, then check again.")
        }
        let documents = try JSON(parsing: values["schemas"] ?? "").array ?? []
        return try Registry(documents: documents.map { ($0["title"]?.string ?? "", $0) })
    }
}

/// One look, in one read transaction.
private struct CheckRun {
    private let db: Database
    private let registry: Registry
    private let interruption: Interruption

    init(_ db: Database, _ registry: Registry, _ interruption: Interruption) {
        self.db = db
        self.registry = registry
        self.interruption = interruption
    }

    /// A part that can't be read is a finding; the others are looked at all the same.
    func run(_ report: inout CheckReport) throws {
        try attempt("the file", &report) { try checkFile(&$0) }
        for collection in registry.collections {
            try attempt(collection.name, &report) { report in
                report.rows += try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(collection.name)\"") ?? 0
                for query in CheckQuery.queries(of: collection, registry) { try ask(query, &report) }
            }
            try attempt(collection.name, &report) { try checkDigests(of: collection, &$0) }
        }
        for query in CheckQuery.queries(of: registry) { try attempt(query.place, &report) { try ask(query, &$0) } }
    }

    private func attempt(
        _ place: String, _ report: inout CheckReport, _ look: (inout CheckReport) throws -> Void
    ) throws {
        try interruption.requireNone()
        do {
            try look(&report)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT || !error.saysDamage {
            throw error
        } catch {
            report.add(CheckFinding(code: .damagedFile, place: place, project: "", subject: "\(error)"))
        }
    }

    private func checkFile(_ report: inout CheckReport) throws {
        let limit = DatabaseCheck.mostFindings
        for line in try String.fetchAll(db, sql: "PRAGMA integrity_check(\(limit))") where line != "ok" {
            report.add(CheckFinding(code: .damagedFile, place: "the file", project: "", subject: line))
        }
    }

    private func ask(_ query: CheckQuery, _ report: inout CheckReport) throws {
        try db.each(query.sql) { row in
            report.add(
                CheckFinding(code: query.code, place: query.place, project: row.string(0), subject: row.string(1)))
            return true
        }
    }

    private func checkDigests(of collection: Collection, _ report: inout CheckReport) throws {
        let counted = try DigestRebuild(registry: registry).digests(of: collection, db)
        var kept = try DigestRebuild.kept(of: collection, db)
        for (key, digest) in counted where kept.removeValue(forKey: key) != digest { report.add(key, collection) }
        for (key, digest) in kept where digest != .empty { report.add(key, collection) }
    }
}

extension CheckReport {
    fileprivate mutating func add(_ key: DigestRebuild.Key, _ collection: Collection) {
        let subject = "\(collection.name), \(key.audience)"
        add(CheckFinding(code: .wrongDerivation, place: "tidemark_digests", project: key.project, subject: subject))
    }
}
