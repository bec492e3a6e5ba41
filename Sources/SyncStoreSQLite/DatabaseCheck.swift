import Foundation
import GRDB
import SyncProtocol
import SyncSchema
package import SyncStore
import SyncStoreSQL

/// Checks a database, also while a server runs on it: the file by SQLite's own check, each row by its checksum, and
/// everything that must hold between rows, counters, digests and records.
///
/// It reads one committed state on connections of its own, one for each processor, and changes nothing.
package struct DatabaseCheck: Sendable {
    /// More connections than this would wait for each other's memory.
    private static let mostReaders = 4

    private let path: String
    /// The store that has the file open in this process; nil if none has.
    private let store: SQLiteStore?
    private let interruption: Interruption
    private let watch: CheckWatch
    private let readers: Int

    /// A process that has the file open must pass its store. See `Backup`.
    package init(
        path: String, open store: SQLiteStore? = nil, until interruption: Interruption = Interruption(),
        watch: CheckWatch = CheckWatch(), readers: Int? = nil
    ) {
        self.path = DatabaseNames(path).path
        self.store = store
        self.interruption = interruption
        self.watch = watch
        self.readers = readers ?? min(ProcessInfo.processInfo.activeProcessorCount, DatabaseCheck.mostReaders)
    }

    /// Throws a `StoreError` if there is no database of this version, and a `CancellationError` if it was interrupted.
    package func run() throws -> CheckReport {
        if store == nil { try DatabaseFile(path).requireReadable() }
        watch.onEnd { [interruption] in interruption.call() }
        let long = store?.checkpoints.longRead()
        try long?.begin()
        defer { long?.end() }
        var report = CheckReport()
        do {
            report = try SameState(path: DatabaseFile(path).nameToRead, interruption: interruption).read(
                by: readers, preparing: DatabaseCheck.prepare
            ) { queues in
                let jobs = try queues[0].inDatabase { CheckRun(try registry($0)).jobs }
                return try CheckJobs(jobs: jobs, interruption: interruption, watch: watch).run(on: queues)
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

    /// References are looked up all over the file. With SQLite's
    /// default cache of 2 MB, each look-up would read a page again.
    @Sendable private static func prepare(_ db: Database) throws {
        try db.execute(sql: "PRAGMA cache_size = -65536")
        try RowChecksum.register(on: db)
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
        return try RecordedSchemas.registry(values["schemas"])
    }
}

/// The parts of a check.
private struct CheckRun: Sendable {
    private let registry: Registry

    init(_ registry: Registry) { self.registry = registry }

    /// The longest part comes first, so one connection works on it while the others do the rest.
    var jobs: [CheckJobs.Job] {
        [CheckJobs.Job(place: "the file", look: checkFile)] + registry.collections.flatMap(jobs)
            + CheckQuery.queries(of: registry).map(job)
    }

    private func jobs(of collection: Collection) -> [CheckJobs.Job] {
        let count = CheckJobs.Job(place: collection.name) { db, report in
            report.rows += try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(collection.name)\"") ?? 0
        }
        let queries = CheckQuery.queries(of: collection, registry, SQLiteDialect()).map { query in
            CheckJobs.Job(place: collection.name) { try ask(query, $0, &$1) }
        }
        let digests = CheckJobs.Job(place: collection.name) { try checkDigests(of: collection, $0, &$1) }
        return [count] + queries + [digests]
    }

    private func job(_ query: CheckQuery) -> CheckJobs.Job {
        CheckJobs.Job(place: query.place) { try ask(query, $0, &$1) }
    }

    @Sendable private func checkFile(_ db: Database, _ report: inout CheckReport) throws {
        let limit = CheckReport.mostFindings
        for line in try String.fetchAll(db, sql: "PRAGMA integrity_check(\(limit))") where line != "ok" {
            report.add(CheckFinding(code: .damagedFile, place: "the file", project: "", subject: line))
        }
    }

    private func ask(_ query: CheckQuery, _ db: Database, _ report: inout CheckReport) throws {
        try db.each(query.sql) { row in
            if let finding = query.finding(row) { report.add(finding) }
            return true
        }
    }

    private func checkDigests(of collection: Collection, _ db: Database, _ report: inout CheckReport) throws {
        var check = DigestCheck(collection)
        try db.each(DigestCheck.rows(of: collection)) { row in
            check.addRow(row)
            return true
        }
        try db.each(DigestCheck.kept(of: collection)) { row in
            check.addKept(row)
            return true
        }
        for finding in check.findings { report.add(finding) }
    }
}
