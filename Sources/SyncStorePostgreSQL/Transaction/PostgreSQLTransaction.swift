import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL

/// A transaction of one member of a session. Never leaves the closure that it is passed to.
///
/// What a write does to a project's counters stays in memory until the group commits. See `PendingWrites`.
final class PostgreSQLTransaction: SQLTransaction {
    let session: Session
    let tables: CollectionTables
    let scope: StoreScope
    let drawn = DrawnNumber()
    var registry: Registry { tables.registry }
    var statements: SQLStatements { PostgreSQLDialect.statements }

    init(_ session: Session, tables: CollectionTables, scope: StoreScope) {
        self.session = session
        self.tables = tables
        self.scope = scope
    }

    func layout(_ collection: Collection) -> TableLayout { tables[collection].layout }

    var isWriting: Bool { session.kind == .writing }

    /// In a write, locks the project. Nobody else changes anything of a locked project.
    func touch(_ project: String) throws {
        assert(scope.covers(project), "\(scope) does not cover the project \(project).")
        guard isWriting, session.pending.projects[project] == nil else { return }
        try lock([project])
        try session.connection.fly()
    }

    /// Queues the locks of these projects, in the order of their ids.
    func lock(_ projects: [String]) throws {
        for project in projects.sorted() where session.pending.projects[project] == nil {
            try session.send(Self.lock, [.string(project)]) { [session] result in
                guard let rows = try? result.get() else { return }
                session.pending.projects[project] = .init(state: rows.first.map { ProjectState($0, of: project) })
            }
        }
    }

    private static let lock = ProjectState.question + " FOR NO KEY UPDATE"

    func databaseBytes() throws -> Int64 {
        try session.ask("SELECT pg_database_size(current_database())").first?.integer(0) ?? 0
    }

    /// What `clock` says, corrected by what the server's clock differs from the database's at this moment.
    func now(by clock: WallClock) throws -> Instant {
        guard let own = session.history?.clock.wallClock else { return clock.now() }
        let gap = try ClockGap(own) { try session.ask("SELECT \(ClockGap.databaseTime)").first?.integer(0) }
        return clock.now().advanced(by: .zero - gap.duration)
    }

    // MARK: Statements

    func each(_ sql: String, _ values: [JSON], isKept: Bool, read: (ResultRow) throws -> Bool) throws {
        let result = try session.ask(sql, values, isKept: isKept)
        try withExtendedLifetime(result) {
            for row in result.rows { guard try read(row) else { return } }
        }
    }

    func write(_ rows: [[JSON]], _ sql: String) throws {
        for row in rows { try session.send(sql, row) }
        session.pending.changed += rows.count
        if !rows.isEmpty { session.pending.isChanged = true }
    }

    func change(_ sql: String, _ values: [JSON]) throws -> Int {
        session.pending.isChanged = true
        return try session.ask(sql, values).changed
    }

    func settleCounters(of project: String) throws {
        try session.pending.sendCounters(of: project, session)
    }
}

/// A project's counters. In a write they are read once, with the lock, and written once, at the end of the group.
extension PostgreSQLTransaction {
    func project(_ id: String) throws -> ProjectState? {
        try touch(id)
        if let locked = session.pending.projects[id] { return locked.state }
        let result = try session.ask(ProjectState.question, [.string(id)])
        guard let state = result.first.map({ ProjectState($0, of: id) }) else { return nil }
        if !state.isDeleted { session.history?.given.note(id, state.head) }
        return state
    }

    func newestNumber() throws -> CommitNumber {
        let newest = try session.ask(SQLStatements.newestNumber).first.map { CommitNumber($0.integer(0)) } ?? .first
        session.history?.given.note(newest)
        return newest
    }

    func drawSeq(of project: ProjectState, shortIDs count: Int64) throws -> SyncSeq {
        try touch(project.id)
        guard var state = session.pending.projects[project.id]?.state, state.head == project.head else {
            throw StaleProject()
        }
        state.head = SyncSeq(state.head.rawValue + 1)
        state.lastShortID += count
        session.pending.projects[project.id]?.state = state
        session.pending.isChanged = true
        return state.head
    }

    func createProject(_ id: String) throws {
        try touch(id)
        try write([[.string(id)]], SQLStatements.createProject)
        session.pending.projects[id] = nil
        try touch(id)
    }

    func setState(project: String, isArchived: Bool, isDeleted: Bool) throws {
        try touch(project)
        try write(
            [[.string(project), .bool(isArchived), .bool(isDeleted)]],
            "UPDATE tidemark_projects SET is_archived = ?2, is_deleted = ?3 WHERE id = ?1")
        session.pending.projects[project]?.state?.isArchived = isArchived
        session.pending.projects[project]?.state?.isDeleted = isDeleted
    }

    func raiseHorizon(of project: String, to seq: SyncSeq) throws {
        try touch(project)
        try write(
            [[.string(project), .int(seq.rawValue)]],
            "UPDATE tidemark_projects SET horizon = GREATEST(horizon, ?2) WHERE id = ?1")
        if let horizon = session.pending.projects[project]?.state?.horizon {
            session.pending.projects[project]?.state?.horizon = max(horizon, seq)
        }
    }

    func number(_ commit: NumberedCommit) throws {
        try touch(commit.project)
        session.pending.note(commit)
        session.pending.isChanged = true
    }

    // MARK: Counters

    func addCounts(project: String, collection: String, _ change: RowCounts) throws {
        try touch(project)
        let key = PendingWrites.CountKey(project: project, collection: collection)
        var sum = session.pending.counts[key] ?? RowCounts(live: 0, tombstones: 0)
        sum.live += change.live
        sum.tombstones += change.tombstones
        session.pending.counts[key] = sum
        session.pending.isChanged = true
    }

    func addDigest(project: String, collection: String, of audience: Audience, _ change: CollectionDigest) throws {
        try touch(project)
        let key = PendingWrites.DigestKey(project: project, collection: collection, audience: audience)
        session.pending.digests[key, default: .empty] += change
        session.pending.isChanged = true
    }

    func dropDigests(project: String) throws {
        try touch(project)
        try session.pending.sendCounters(of: project, session)
        try write([[.string(project)]], "DELETE FROM tidemark_digests WHERE project_id = ?1")
    }
}

/// Rows that a write has fetched ahead. What they say stays true as long as their project is locked.
extension PostgreSQLTransaction {
    /// Queues questions for what the body will probably read. Without a lock the answers would not stay true, so only
    /// rows of the project that the scope names are asked for.
    func fetch(_ needs: Needs) throws {
        if case .project(let project) = scope {
            for (collection, keys) in Dictionary(grouping: needs.rows, by: \.collection) {
                try fetch(keys, registry.collection(collection), of: project)
            }
        }
        guard !needs.users.isEmpty else { return }
        try session.send(Self.usersByID, [Parameters.list(needs.users)]) { [session] result in
            guard let rows = try? result.get() else { return }
            for id in needs.users { session.pending.users[id] = .some(nil) }
            for row in rows.rows { session.pending.users[row.integer(0)] = User(row) }
        }
    }

    private func fetch(_ keys: [RowKey], _ collection: Collection, of project: String) throws {
        let sql = layout(collection).select + "id = ANY(?1)"
        try session.send(sql, [Parameters.list(keys.map(\.id))]) { [session] result in
            guard let rows = try? result.get() else { return }
            var others: Set<String> = []
            for row in rows.rows {
                let stored = StoredRow(row, of: collection)
                if stored.project == project {
                    session.pending.rows[RowKey(collection.name, stored.id)] = stored
                } else {
                    others.insert(stored.id)
                }
            }
            for key in keys where !others.contains(key.id) && session.pending.rows[key] == nil {
                session.pending.rows[key] = .some(nil)
            }
        }
    }

    /// A row of a project that is not locked yet is read again once it is.
    func record(_ key: RowKey) throws -> StoredRow? {
        if let known = session.pending.rows[key] { return known }
        let collection = registry.collection(key.collection)
        let result = try session.ask(layout(collection).selectByID, [.string(key.id)])
        guard let row = result.first.map({ StoredRow($0, of: collection) }) else { return nil }
        let isKnown = session.pending.projects[row.project] != nil
        guard isWriting, scope.covers(row.project), !isKnown else { return row }
        try touch(row.project)
        return try record(key)
    }

    private static let usersByID = userByID.replacing("id = ?1", with: "id = ANY(?1)")

    func user(id: Int64) throws -> User? {
        if let known = session.pending.users[id] { return known }
        return try session.ask(Self.userByID, [.int(id)]).first.map { User($0) }
    }

    /// Forgets what was fetched of rows that are written. Nil stands for all rows of the collection.
    func noteWrite(of ids: [String]?, in collection: Collection) {
        if let ids {
            for id in ids { session.pending.rows[RowKey(collection.name, id)] = nil }
        } else {
            session.pending.rows = session.pending.rows.filter { $0.key.collection != collection.name }
        }
    }
}

extension PostgreSQLTransaction {
    /// The hot path of a pull. Rows come in chunks, each by the key of the last row before it. The next chunk is asked
    /// for before this one is encoded. Rows go from libpq's memory into the page as JSON text, without an object for
    /// each row.
    func scan(_ scan: SegmentScan, into page: inout PageWriter) throws -> SegmentScan.Outcome {
        try touch(scan.project)
        var outcome = SegmentScan.Outcome()
        guard try !isIdle(scan) else { return outcome }
        var chunks = ScanChunks(scan, table: tables[scan.collection], registry: registry, session: session)
        let encoder = tables[scan.collection].encoder(scan.delivery.encoding)
        let middle = RowEncoder.middle(of: scan.project)
        while let chunk = try chunks.next(after: outcome) {
            for row in chunk.rows {
                guard outcome.hasRoom(in: scan, page) else {
                    outcome.hasMore = true
                    return outcome
                }
                outcome.examined += 1
                serve(row, scan: scan, encoder: encoder, middle: middle, page: &page, outcome: &outcome)
                if !outcome.hasRoom(in: scan, page) { outcome.last = chunks.place(of: row) }
            }
        }
        return outcome
    }

    private func serve(
        _ row: ResultRow, scan: SegmentScan, encoder: RowEncoder, middle: [UInt8], page: inout PageWriter,
        outcome: inout SegmentScan.Outcome
    ) {
        guard let bucket = row.bucket(in: scan), outcome.takes(bucket, in: scan) else { return }
        if bucket == .deleted || bucket == .left {
            page.id(row.text(0), in: bucket)
        } else {
            row.write(encoder, middle, to: &page, isCreated: bucket == .created)
        }
    }
}

/// The rows of a scan, some hundred at a time.
private struct ScanChunks {
    /// A chunk that is on its way.
    private final class Asked {
        let size: Int
        var result: Result<ResultSet, DatabaseError>?

        init(size: Int) { self.size = size }
    }

    private static let smallest = 250
    /// The memory that a chunk should take at most.
    private static let bytes = 1 << 20

    private let scan: SegmentScan
    private let sql: String
    /// Of a scan of a part.
    private let query: PartQuery?
    private let session: Session
    private var position: KeysetPosition
    private var size = Self.smallest
    private var asked: Asked?
    private var isLast = false

    init(_ scan: SegmentScan, table: CollectionTable, registry: Registry, session: Session) {
        self.scan = scan
        self.session = session
        position = scan.position
        query = scan.part.map { PartQuery(scan, of: $0, in: table.layout, registry) }
        let statement = query?.sql ?? PageQuery.sql(scan, table.layout)
        sql = statement + " LIMIT ?\((query?.values(after: position) ?? PageQuery.values(scan)).count + 1)"
    }

    /// The next chunk; nil at the end. `outcome` is that of all chunks before.
    mutating func next(after outcome: SegmentScan.Outcome) throws -> ResultSet? {
        guard !isLast else { return nil }
        if asked == nil { try ask(for: room(outcome, ahead: 0)) }
        try session.connection.arrive()
        guard let asked, let chunk = try asked.result?.get() else { return nil }
        self.asked = nil
        isLast = chunk.count < asked.size
        guard !isLast, chunk.count > 0 else { return chunk }
        position = place(of: chunk[chunk.count - 1])
        size = max(Self.smallest, min(4 * size, Self.bytes / max(1, chunk.memory / chunk.count)))
        if room(outcome, ahead: chunk.count) >= 0 { try ask(for: room(outcome, ahead: chunk.count)) }
        return chunk
    }

    /// The scan's position at the row.
    func place(of row: ResultRow) -> KeysetPosition { query?.position(of: row) ?? row.position(in: scan) }

    /// How many more rows the scan may take, if it takes `count` before.
    private func room(_ outcome: SegmentScan.Outcome, ahead count: Int) -> Int {
        min(scan.rowLimit - outcome.served, scan.examineLimit - outcome.examined) - count
    }

    /// Asks for that many rows and one more, which shows whether there are more.
    private mutating func ask(for room: Int) throws {
        let asked = Asked(size: min(max(0, room), size) + 1)
        let values = query?.values(after: position) ?? PageQuery.values(scan, after: position)
        // A client invents the texts of parts, so their statements are not kept.
        try session.send(sql, values + [.int(Int64(asked.size))], isKept: query == nil) { asked.result = $0 }
        try session.connection.depart()
        self.asked = asked
    }
}

extension PostgreSQLTransaction {
    /// In a write, requests with one key run one after the other. The lock of the key's project sees to that if it is
    /// held; a request over all projects, or one that makes a project, takes a lock of the key itself.
    func answer(to key: IdempotencyKey) throws -> StoredAnswer? {
        if isWriting, session.pending.projects[key.scope] == nil {
            let name = "\(key.scope) \(key.userID) \(key.text.rawValue)"
            try session.send(AdvisoryLock.keyStatement, [.string(name)])
        }
        // A statement of its own, because it must see what was committed before the lock was free.
        return try storedAnswer(to: key)
    }
}

/// PostgreSQL's SQL. Texts are compared byte by byte, as in SQLite.
struct PostgreSQLDialect: SQLDialect {
    static let statements = SQLStatements(PostgreSQLDialect())
    static let systemTables = SystemTables(PostgreSQLDialect())

    var integer: String { "BIGINT" }
    var real: String { "DOUBLE PRECISION" }
    var text: String { "TEXT COLLATE \"C\"" }
    var boolean: String { "SMALLINT" }
    var assignedKey: String { "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY" }
    var tableOptions: String { "" }
    var keyedTableOptions: String { "" }
    /// Longer names are cut without a word: https://www.postgresql.org/docs/15/sql-syntax-lexical.html
    var longestName: Int? { 63 }
    /// An entry of an index holds 2,704 bytes, and a character takes up to 4:
    /// https://www.postgresql.org/docs/15/btree-implementation.html
    var longestKey: Int? { 600 }

    /// None: the cluster's data checksums find what a disk has changed.
    func rowChecksum(of terms: [String]) -> String? { nil }

    func bytes(of text: String) -> String { "octet_length(\(text))" }

    func isSame(_ one: String, _ other: String) -> String { "\(one) IS NOT DISTINCT FROM \(other)" }

    func exclusiveOr(_ one: String, _ other: String) -> String { "\(one) # \(other)" }

    func greatest(_ one: String, _ other: String) -> String { "GREATEST(\(one), \(other))" }

    func elements(of list: String) -> String { "json_array_elements_text(CAST(\(list) AS JSON)) AS e (value)" }

    func joined(_ text: String) -> String { "string_agg(\(text), ', ' ORDER BY \(text))" }

    func countOfElements(of list: String) -> String { "json_array_length(CAST(\(list) AS JSON))" }
}
