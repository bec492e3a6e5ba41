import SyncProtocol
import SyncSchema
package import SyncStore
import SyncStoreSQL

/// Checks a database, also while servers run on it, and also on a standby, which is preferred if the address names one.
///
/// It reads every row of every table in one snapshot, so the cluster's data checksums see every page of them, and asks
/// everything that must hold between rows, counters, digests and records. Where the extension `amcheck` is installed,
/// indexes are compared with their tables. It changes nothing.
package struct PostgreSQLCheck {
    private let address: ServerAddress
    private let files: (any FileInspector)?
    private let watch: CheckWatch

    /// Without `files`, bytes of files are not looked at.
    package init(_ address: ServerAddress, files: (any FileInspector)? = nil, watch: CheckWatch = CheckWatch()) {
        self.address = address
        self.files = files
        self.watch = watch
    }

    /// Throws a `StoreError` if there is no database of this version, or if the check could not be finished, and a
    /// `CancellationError` if it was ended.
    package func run() throws -> CheckReport {
        let connection = try Connection.forLongWork(address, onlyReading: true)
        let canceller = connection.canceller
        watch.onEnd { canceller?.cancel() }
        do {
            let session = Session(connection, kind: .reading)
            defer { session.finishReading() }
            return try PostgreSQLCheckRun(session, registry: try registry(session), files: files, watch: watch).run()
        } catch let error as DatabaseError {
            try watch.requireGoingOn()
            throw failure(error)
        }
    }

    /// The collections that the tables were made for.
    private func registry(_ session: Session) throws -> Registry {
        guard try DatabaseLayout.isPresent(session) else { throw CopyFailure.noDatabase(address.description) }
        func setting(_ name: String) throws -> String? {
            try session.ask("SELECT value FROM tidemark_settings WHERE name = ?1", [.string(name)]).first?.string(0)
        }
        let layout = try setting("layout")
        guard layout == TableLayout.version else {
            throw StoreError(
                "The database \(address) was made by another version of Tidemark (layout \(layout ?? "unknown")).",
                hint: "Check it with that version, or start a server with this one first.")
        }
        return try RecordedSchemas.registry(setting("schemas"))
    }

    private func failure(_ error: DatabaseError) -> StoreError {
        if error.state == "40001" {
            return StoreError(
                "The standby ended the check, because it had to follow the primary.",
                hint: "Set max_standby_streaming_delay = -1 on a standby for checks, or check the primary.")
        }
        return StoreError(
            "The check of \(address) could not be finished: \(error.message.trimmed).",
            hint: "This says nothing about the database. Try again.")
    }
}

/// The parts of a check, in one transaction. A part that meets damage becomes a finding, and the others still run.
final class PostgreSQLCheckRun {
    private let session: Session
    private let registry: Registry
    private let files: (any FileInspector)?
    private let watch: CheckWatch
    private var report = CheckReport()
    private var connection: Connection { session.connection }

    init(_ session: Session, registry: Registry, files: (any FileInspector)?, watch: CheckWatch) {
        self.session = session
        self.registry = registry
        self.files = files
        self.watch = watch
    }

    func run() throws -> CheckReport {
        let dialect = PostgreSQLDialect()
        let tables = try tables()
        let queries = registry.collections.map { CheckQuery.queries(of: $0, registry, dialect) }
        let hasFiles = tables.contains(FileCheck.lastTable)
        let others = CheckQuery.queries(of: registry, commits: Self.commits, hasFiles: hasFiles)
        let keyed = PostgreSQLDialect.systemTables.withAssignedKeys
        watch.add(parts: tables.count + queries.joined().count + 2 * queries.count + others.count + keyed.count)
        for table in tables { try part(table) { try readAll(table) } }
        for (collection, queries) in zip(registry.collections, queries) {
            for query in queries { try ask(query) }
            try part("tidemark_digests") { try checkDigests(of: collection) }
            try part(collection.name) { try countUnseen(in: collection) }
        }
        for query in others { try ask(query) }
        for table in keyed { try part(table) { try checkKeys(of: table) } }
        if let files, hasFiles { try look(at: files) }
        try checkIndexes()
        if try session.ask("SHOW data_checksums").first?.string(0) == "off" { report.notes.append(Self.noChecksums) }
        return report
    }

    /// Also those that nobody has numbered yet.
    private static let commits = """
        (SELECT project_id, sync_seq FROM tidemark_numbers
         UNION ALL SELECT project_id, sync_seq FROM tidemark_new_commits) AS commits
        """

    // MARK: Parts

    /// Runs one part, which reads from `place`.
    private func part(_ place: String, _ body: () throws -> Void) throws {
        try watch.requireGoingOn()
        try session.send("SAVEPOINT part")
        try session.fly()
        do {
            try body()
            try session.send("RELEASE SAVEPOINT part")
            try session.fly()
        } catch let error as DatabaseError where error.saysFault {
            try session.undo(to: "part")
            report.add(
                CheckFinding(code: .damagedFile, place: place, project: "", subject: error.message.trimmed))
        }
        watch.finishPart()
    }

    private func tables() throws -> [String] {
        let sql = """
            SELECT CAST(c.relname AS TEXT) FROM pg_class c
            WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('tidemark_settings'))
              AND c.relkind = 'r' AND c.relpersistence = 'p'
              AND (c.relname LIKE 'tidemark\\_%' OR c.relname = ANY(?1)) ORDER BY c.relname
            """
        return try session.ask(sql, [Parameters.list(registry.collections.map(\.name))]).rows.map { $0.string(0) }
    }

    private func readAll(_ table: String) throws {
        var rows = 0
        // One message is one row: https://www.postgresql.org/docs/15/protocol-flow.html#PROTOCOL-COPY
        try connection.copyOut("COPY \"\(table)\" TO STDOUT") { _ in
            rows += 1
            if rows % 1000 == 0 { try watch.requireGoingOn() }
        }
        if registry[table] != nil { report.rows += rows }
    }

    private func ask(_ query: CheckQuery) throws {
        try part(query.place) {
            try connection.each(query.sql, columns: Int(query.columns)) { row in
                if let finding = query.finding(row) { report.add(finding) }
            }
        }
    }

    private func checkDigests(of collection: Collection) throws {
        var check = DigestCheck(collection)
        try connection.each(DigestCheck.rows(of: collection), columns: 5) { check.addRow($0) }
        if let listed = DigestCheck.listedRows(of: collection) {
            try connection.each(listed, columns: 4) { check.addListed($0) }
        }
        try connection.each(DigestCheck.kept(of: collection), columns: 4) { check.addKept($0) }
        for finding in check.findings { report.add(finding) }
    }

    private func countUnseen(in collection: Collection) throws {
        guard let sql = UnseenRows.count(in: collection) else { return }
        let count = try session.ask(sql).first.map { Int($0.integer(0)) } ?? 0
        report.notes += UnseenRows.note(count, in: collection).map { [$0] } ?? []
    }

    /// A sequence that is behind would give a key a second time.
    private func checkKeys(of table: String) throws {
        let reader = PostgreSQLCopyReader(name: "", session: session, registry: registry)
        guard try reader.lastGivenKey(of: table) < reader.largestKey(of: table) else { return }
        report.add(CheckFinding(code: .wrongStamps, place: table, project: "", subject: "the sequence of keys"))
    }

    private func look(at files: any FileInspector) throws {
        watch.add(parts: 2)
        let check = FileCheck(files)
        try part("tidemark_files") {
            try connection.each(FileCheck.named, columns: 4) { row in
                if let finding = try check.finding(row) { report.add(finding) }
            }
        }
        try part("tidemark_files") {
            let note = try check.surplus { try session.ask($0, isKept: false).rows.map { $0.string(0) } }
            report.notes += note.map { [$0] } ?? []
        }
    }

    // MARK: Indexes

    /// https://www.postgresql.org/docs/15/amcheck.html
    private func checkIndexes() throws {
        let schema = """
            SELECT CAST(quote_ident(n.nspname) AS TEXT) FROM pg_extension e
            JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'amcheck'
            """
        guard let schema = try session.ask(schema).first?.string(0) else { return report.notes.append(Self.noAmcheck) }
        let indexes = try indexes()
        watch.add(parts: indexes.count)
        for index in indexes {
            do {
                try part(index.name) {
                    _ = try session.ask(
                        "SELECT \(schema).bt_index_check(CAST(\(index.id) AS OID)::regclass, true)", isKept: false)
                }
            } catch let error as DatabaseError where error.state == "42501" {
                try session.undo(to: "part")
                return report.notes.append(Self.mayNotAmcheck)
            }
        }
    }

    private func indexes() throws -> [(id: Int64, name: String)] {
        let sql = """
            SELECT CAST(i.indexrelid AS BIGINT), CAST(x.relname AS TEXT) FROM pg_index i
            JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_class c ON c.oid = i.indrelid
            JOIN pg_am a ON a.oid = x.relam AND a.amname = 'btree'
            WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('tidemark_settings'))
              AND c.relpersistence = 'p' AND i.indisvalid
              AND (c.relname LIKE 'tidemark\\_%' OR c.relname = ANY(?1)) ORDER BY x.relname
            """
        return try session.ask(sql, [Parameters.list(registry.collections.map(\.name))]).rows.map {
            ($0.integer(0), $0.string(1))
        }
    }

    private static let noAmcheck = """
        Indexes were not compared with their tables, because the extension amcheck is not installed. As a superuser, \
        run: CREATE EXTENSION amcheck
        """
    private static let mayNotAmcheck = """
        Indexes were not compared with their tables, because the user may not. As a superuser, run: \
        GRANT EXECUTE ON FUNCTION bt_index_check(regclass, boolean) TO the user
        """
    private static let noChecksums = """
        The cluster has no data checksums, so values that a disk has changed are not found. Stop it, and run \
        `pg_checksums --enable`.
        """
}

extension DatabaseError {
    /// Whether the error is about the content of the database, and not about access to it.
    fileprivate var saysFault: Bool {
        guard let state else { return false }
        // Internal errors and wrong data. A text that is not JSON, where a list has to be, is one of them.
        return state.hasPrefix("XX") || state.hasPrefix("22")
    }
}
