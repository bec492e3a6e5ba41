import Foundation
import GRDB
import SyncProtocol
import SyncSchema
package import SyncStore
import SyncStoreSQL
import Synchronization

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
    private let files: (any FileInspector)?
    private let interruption: Interruption
    private let watch: CheckWatch
    private let readers: Int

    /// A process that has the file open must pass its store. See `Backup`. Without `files`, bytes of files are not
    /// looked at.
    package init(
        path: String, open store: SQLiteStore? = nil, files: (any FileInspector)? = nil,
        until interruption: Interruption = Interruption(),
        watch: CheckWatch = CheckWatch(), readers: Int? = nil
    ) {
        self.path = DatabaseNames(path).path
        self.store = store
        self.files = files
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
                let jobs = try queues[0].inDatabase { db in
                    CheckRun(try registry(db), hasFiles: try db.tableExists(FileCheck.lastTable), files: files).jobs
                }
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
    /// Whether the database has the tables of files.
    private let hasFiles: Bool
    private let files: (any FileInspector)?

    init(_ registry: Registry, hasFiles: Bool, files: (any FileInspector)?) {
        self.registry = registry
        self.hasFiles = hasFiles
        self.files = files
    }

    /// The longest part comes first, so one connection works on it while the others do the rest.
    var jobs: [CheckJobs.Job] {
        [CheckJobs.Job(place: "the file", look: checkFile)] + registry.collections.flatMap(jobs)
            + CheckQuery.queries(of: registry, hasFiles: hasFiles).map(job)
            + (hasFiles ? files.map(jobs) ?? [] : [])
    }

    private func jobs(of collection: Collection) -> [CheckJobs.Job] {
        let count = CheckJobs.Job(place: collection.name) { db, report in
            report.rows += try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(collection.name)\"") ?? 0
        }
        let queries = CheckQuery.queries(of: collection, registry, SQLiteDialect()).map { query in
            CheckJobs.Job(place: collection.name) { try ask(query, in: $0, report: &$1) }
        }
        let digests = CheckJobs.Job(place: collection.name) { try checkDigests(of: collection, $0, &$1) }
        return [count] + queries + [digests] + unseen(of: collection)
    }

    private func unseen(of collection: Collection) -> [CheckJobs.Job] {
        guard let sql = UnseenRows.count(in: collection) else { return [] }
        let job = CheckJobs.Job(place: collection.name) { db, report in
            let count = try Int.fetchOne(db, sql: sql) ?? 0
            report.notes += UnseenRows.note(count, in: collection).map { [$0] } ?? []
        }
        return [job]
    }

    private func jobs(of files: any FileInspector) -> [CheckJobs.Job] {
        let check = FileCheck(files)
        let bytes = CheckJobs.Job(place: "tidemark_files") { db, report in
            try db.each(FileCheck.named) { row in
                if let finding = try check.finding(row) { report.add(finding) }
                return true
            }
        }
        let surplus = CheckJobs.Job(place: "tidemark_files") { db, report in
            let note = try check.surplus { try String.fetchAll(db, sql: $0) }
            report.notes += note.map { [$0] } ?? []
        }
        return [bytes, surplus]
    }

    private func job(_ query: CheckQuery) -> CheckJobs.Job {
        CheckJobs.Job(place: query.place) { try ask(query, in: $0, report: &$1) }
    }

    @Sendable private func checkFile(_ db: Database, _ report: inout CheckReport) throws {
        let limit = CheckReport.mostFindings
        for line in try String.fetchAll(db, sql: "PRAGMA integrity_check(\(limit))") where line != "ok" {
            report.add(CheckFinding(code: .damagedFile, place: "the file", project: "", subject: line))
        }
    }

    private func ask(_ query: CheckQuery, in db: Database, report: inout CheckReport) throws {
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
        if let listed = DigestCheck.listedRows(of: collection) {
            try db.each(listed) { row in
                check.addListed(row)
                return true
            }
        }
        try db.each(DigestCheck.kept(of: collection)) { row in
            check.addKept(row)
            return true
        }
        for finding in check.findings { report.add(finding) }
    }
}

/// The parts of a check. Each runs on the next free connection. Their findings are combined in the order of the parts.
struct CheckJobs: Sendable {
    /// One part. `place` names what is damaged if this part can't read it.
    struct Job: Sendable {
        let place: String
        let look: @Sendable (Database, inout CheckReport) throws -> Void
    }

    private struct State {
        var next = 0
        var reports: [Int: CheckReport] = [:]
        var failure: (any Error)?
    }

    let jobs: [Job]
    let interruption: Interruption
    let watch: CheckWatch

    /// Runs all parts. A part that can't be read becomes a finding, and
    /// the other parts still run. Throws errors that end the whole check.
    func run(on queues: [DatabaseQueue]) throws -> CheckReport {
        let state = Mutex(State())
        watch.add(parts: jobs.count)
        DispatchQueue.concurrentPerform(iterations: queues.count) { work(on: queues[$0], state) }
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            return jobs.indices.reduce(into: CheckReport()) { $0.add(state.reports[$1] ?? CheckReport()) }
        }
    }

    private func work(on queue: DatabaseQueue, _ state: borrowing Mutex<State>) {
        while let index = next(state) {
            do {
                try interruption.requireNone()
                let report = try queue.inDatabase { try self.report(of: jobs[index], $0) }
                state.withLock { $0.reports[index] = report }
                watch.finishPart()
            } catch {
                state.withLock { if $0.failure == nil { $0.failure = error } }
            }
        }
    }

    private func next(_ state: borrowing Mutex<State>) -> Int? {
        state.withLock { state in
            guard state.failure == nil, state.next < jobs.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func report(of job: Job, _ db: Database) throws -> CheckReport {
        var report = CheckReport()
        do {
            try job.look(db, &report)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT || !error.saysDamage {
            throw error
        } catch {
            report.add(CheckFinding(code: .damagedFile, place: job.place, project: "", subject: "\(error)"))
        }
        return report
    }
}

/// Several connections that read the same committed state, each for a thread of its own.
///
/// SQLite shares a state between connections only if it is built with `SQLITE_ENABLE_SNAPSHOT`, and Debian's is not. So
/// the transactions are begun one after the other. They are used only if nobody committed from before the first to
/// after the last: https://sqlite.org/pragma.html#pragma_data_version
struct SameState {
    let path: String
    let interruption: Interruption

    /// Beginning takes about 0.1 ms. A server with much to write sometimes commits in that time.
    private static let attempts = 200

    /// Calls `body` with as many connections as there are `readers`, or with one if commits leave no gap. The
    /// connections are in their transactions. Each may be used from one thread at a time.
    func read<Value>(
        by readers: Int, preparing prepare: @escaping @Sendable (Database) throws -> Void,
        _ body: ([DatabaseQueue]) throws -> Value
    ) throws -> Value {
        guard readers > 1 else {
            return try open(1, queues: [], prepare: prepare) { queues in
                try begin(queues[0])
                return try body(queues)
            }
        }
        // The first connection only watches for commits.
        return try open(readers + 1, queues: [], prepare: prepare) { queues in
            let readers = Array(queues.dropFirst())
            return try body(try beginTogether(readers, watchedBy: queues[0]))
        }
    }

    private func open<Value>(
        _ count: Int, queues: [DatabaseQueue], prepare: @escaping @Sendable (Database) throws -> Void,
        body: ([DatabaseQueue]) throws -> Value
    ) throws -> Value {
        guard queues.count < count else { return try body(queues) }
        return try interruption.reading(path, preparing: prepare) {
            try open(count, queues: queues + [$0], prepare: prepare, body: body)
        }
    }

    private func beginTogether(_ readers: [DatabaseQueue], watchedBy watcher: DatabaseQueue) throws -> [DatabaseQueue] {
        for _ in 0..<SameState.attempts {
            try interruption.requireNone()
            let before = try commits(watcher)
            for reader in readers { try begin(reader) }
            if try commits(watcher) == before { return readers }
            for reader in readers { try reader.inDatabase { try $0.execute(sql: "ROLLBACK") } }
        }
        try begin(readers[0])
        return [readers[0]]
    }

    /// `BEGIN` alone reads nothing yet, so it fixes no state.
    private func begin(_ reader: DatabaseQueue) throws {
        try reader.inDatabase { try $0.execute(sql: "BEGIN; SELECT count(*) FROM sqlite_master") }
    }

    private func commits(_ watcher: DatabaseQueue) throws -> Int64? {
        try watcher.inDatabase { try Int64.fetchOne($0, sql: "PRAGMA data_version") }
    }
}

/// Ends long work on separate connections from another thread.
package final class Interruption: Sendable {
    private struct State {
        var queues: [DatabaseQueue] = []
        var isCalled = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Work under way throws, and so does work that begins later.
    package func call() {
        state.withLock { state in
            state.isCalled = true
            for queue in state.queues { queue.interrupt() }
        }
    }

    /// Throws a `CancellationError` if `call` was called. Needed between two
    /// statements, because SQLite interrupts only statements that are running.
    func requireNone() throws { if state.withLock({ $0.isCalled }) { throw CancellationError() } }

    /// Opens `path` for reading, runs `body` on the connection, and
    /// closes it. Throws a `CancellationError` if it was interrupted.
    func reading<Value>(
        _ path: String, preparing prepare: @escaping @Sendable (Database) throws -> Void = { _ in },
        _ body: (DatabaseQueue) throws -> Value
    ) throws -> Value {
        var configuration = Configuration()
        configuration.readonly = true
        // Readers may stay in a transaction from one call to the next.
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase(prepare)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        try state.withLock { state in
            guard !state.isCalled else { throw CancellationError() }
            state.queues.append(queue)
        }
        defer { state.withLock { $0.queues.removeAll { $0 === queue } } }
        do {
            return try body(queue)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            throw CancellationError()
        }
    }
}
