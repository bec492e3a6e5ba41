import GRDB
import SyncProtocol

extension Replica {
    /// The result of storing a page.
    struct Receipt: Sendable, Equatable {
        /// The replica's state afterwards.
        var state: ReplicaState
        /// Rows that were removed because a replacement did not contain them.
        var dropped: Int
        /// At the end of a drain: the collections whose rows do not match the server's digest.
        var differing: [String] = []
        /// The projects that these rows belong to; nil in a replica of one project.
        var differingProjects: [String]?
        /// At the end of a drain: the projects that the user has lost.
        var left: [LeftProject] = []
    }

    /// Stores a page in its tables, and in the same transaction its cursor, or the watermark if it is the drain's last
    /// page. Either all of it is stored or nothing.
    ///
    /// A drain from 0 replaces everything. Any other drain replaces the collections in `replacing`, and projects that
    /// the server serves as a whole. Unsent edits of rows that the server no longer has go to `_set_aside`, with the
    /// time `time`. The end of a drain that is not from 0 may show that the server has lost the history that the
    /// watermark belongs to. The new state has no watermark then (`DrainEnd`).
    ///
    /// Returns nil, and stores nothing, when the replica's state is no longer `known` because another process pulled
    /// too. Throws `SyncError.violation`, and stores nothing, when the drain already contained one of the rows.
    func apply(
        _ page: PageResponse, of schema: ServerSchema, after known: ReplicaState, replacing: Replacing = [],
        at time: Instant
    ) throws -> Receipt? {
        try write(ifStill: known) { db in
            let pages = PageStore(db: db, schema: schema, time: time)
            return try pages.save(pages.place(page, after: known, replacing: replacing))
        }
    }

    /// Stores a page of a pull, as `apply` does, or keeps it.
    ///
    /// While the replica is settled, pages are kept until a drain counts (`ReplicaState.counts`). Then all of them are
    /// stored in the order in which they were read, each drain with its end, in one transaction. So every reader of the
    /// file sees either the last settled state or the new one. If more than `limit` rows would have to be kept, or the
    /// replica is not settled, pages are stored as they come.
    ///
    /// If the rows differ from the server's digest, nothing is stored but the page is kept: the receipt names what to
    /// read again. With `isReread` that was done, and the state counts though it may still differ.
    ///
    /// Returns nil and throws as `apply` does.
    func receive(
        _ page: PageResponse, of schema: ServerSchema, after known: ReplicaState, replacing: Replacing = [],
        isReread: Bool = false, limit: Int = SyncOptions().keptRows, at time: Instant
    ) throws -> Receipt? {
        try write(ifStill: known) { db in
            var pages = PageStore(db: db, schema: schema, time: time)
            pages.isReread = isReread
            guard known.settled != nil else {
                return try pages.save(pages.place(page, after: known, replacing: replacing))
            }
            if known.counts(page) { return try pages.conclude(page, after: known, replacing: replacing) }
            let isTooMuch = known.kept.rows + Int64(page.count) > limit
            return try isTooMuch
                ? pages.save(pages.placeAll(before: page, after: known, replacing: replacing))
                : pages.keep(page, after: known, replacing: replacing)
        }
    }

    /// Drops the drain, and with `resync` also the watermark. No row changes, except that in a replica of all projects
    /// the rows of new projects go, which come again. Returns nil, and changes nothing, when
    /// the replica's state is no longer `known`: the server refused a state that the replica has left.
    func reset(resync: Bool, after known: ReplicaState) throws -> ReplicaState? {
        try write(ifStill: known) { db in
            let state = try Self.state(db)
            let next = state.reset(resync: resync)
            try Self.dropDrain(of: state, before: next, Self.storedSchema(of: next, db), db)
            try next.save(db)
            return next
        }
    }

    /// Runs when a drain is dropped and the next one begins at the same watermark.
    static func dropDrain(
        of state: ReplicaState, before next: ReplicaState, _ schema: @autoclosure () throws -> ServerSchema?,
        _ db: Database
    ) throws {
        guard state.scope == .allProjects, state.settled == nil else { return }
        guard state.drain != nil, next.drain == nil, next.since > .zero else { return }
        try forgetDrain(of: state, schema(), db)
    }
}

/// Stores and keeps pages, inside a transaction.
struct PageStore {
    let db: Database
    let schema: ServerSchema
    let time: Instant
    /// Whether what differed from the server's digest was read again.
    var isReread = false

    /// Saves the state of a receipt.
    func save(_ receipt: Replica.Receipt) throws -> Replica.Receipt {
        var receipt = receipt
        try receipt.state.save(db)
        receipt.state.answers = try Replica.state(db).answers
        return receipt
    }

    /// Keeps the page.
    func keep(_ page: PageResponse, after known: ReplicaState, replacing: Replacing) throws -> Replica.Receipt {
        try KeptPages(db: db).add(page, after: known, replacing: replacing)
        return try save(Replica.Receipt(state: known.keeping(page), dropped: 0))
    }

    /// Stores the last page of a drain that counts, after all pages that were kept. If the rows differ from the digest
    /// then, it is taken back, and the page is kept.
    func conclude(_ page: PageResponse, after known: ReplicaState, replacing: Replacing) throws -> Replica.Receipt {
        var result: Replica.Receipt?
        var isGood = true
        try db.inSavepoint {
            let receipt = try placeAll(before: page, after: known, replacing: replacing)
            isGood = isReread || receipt.differing.isEmpty || receipt.state.since == .zero
            result = receipt
            return isGood ? .commit : .rollback
        }
        guard var result else { throw DatabaseError(message: "a savepoint did not run") }
        if isGood { return try save(result) }
        try Replica.note("differs", db)
        result.state = try keep(page, after: known, replacing: replacing).state
        result.dropped = 0
        result.left = []
        return result
    }

    /// Stores the kept pages, and then this one. If the end of a drain voids the watermark, nothing follows.
    func placeAll(
        before page: PageResponse, after known: ReplicaState, replacing: Replacing
    ) throws -> Replica.Receipt {
        let pages = KeptPages(db: db)
        var receipt = Replica.Receipt(state: known.withoutKept, dropped: 0)
        // What an older client has made void may still be there.
        for drain in known.hasKept ? try pages.drains() : [] {
            receipt.state.answers = drain.answersBefore
            try pages.forEachPage(of: drain, schema: schema) { page in
                guard receipt.state.since > .zero else { return }
                receipt.add(
                    try place(page, after: receipt.state, replacing: drain.replacing), replacing: drain.replacing)
            }
        }
        guard receipt.state.since > .zero else { return receipt }
        if known.drain == nil { receipt.state.answers = known.answers }
        receipt.add(try place(page, after: receipt.state, replacing: replacing), replacing: replacing)
        return receipt
    }

    /// Stores the page in its tables. The caller saves the receipt's state.
    func place(_ page: PageResponse, after known: ReplicaState, replacing: Replacing) throws -> Replica.Receipt {
        let next = known.advanced(by: page)
        let projects =
            known.scope == .allProjects
            ? try DrainProjects.noting(page, isFirst: known.drain == nil, db) : DrainProjects()
        let replacement = Replacement(isWhole: known.since == .zero, asked: replacing, projects: projects.replaced)
        for changes in page.changes {
            guard let collection = schema[changes.collection] else { continue }
            try CollectionWriter(
                db: db, collection: collection, drain: next.drainNumber, replacement: replacement,
                left: Set(projects.left.keys), time: time
            ).apply(changes)
        }
        guard next.drain == nil else { return Replica.Receipt(state: next, dropped: 0) }
        let settled = projects.settled(by: page)
        var whole = replacement
        whole.projects = settled.replaced
        var receipt = try DrainEnd(
            db: db, schema: schema, state: next, replacement: whole, projects: settled, time: time
        ).run(page)
        if !receipt.differing.isEmpty, !isReread { receipt.state.settled = nil }
        return receipt
    }
}

extension Replica.Receipt {
    /// Adds what came of the next page. What a drain replaces no longer differs, unless it says so itself.
    fileprivate mutating func add(_ next: Self, replacing: Replacing) {
        state = next.state
        dropped += next.dropped
        left += next.left
        if state.drain == nil, !replacing.collections.isEmpty { (differing, differingProjects) = ([], nil) }
        differing += next.differing.filter { !differing.contains($0) }
        guard let projects = next.differingProjects else { return }
        differingProjects = Set(projects).union(differingProjects ?? []).sorted()
    }
}

/// What the pages of a drain of all projects said of projects. It is kept in the table `_drain_project`, because a
/// drain can outlive the process that began it.
struct DrainProjects {
    /// The lost projects.
    private(set) var left: [String: WipeReason] = [:]
    /// The projects that the server serves as a whole.
    private(set) var replaced: Set<String> = []
    /// The projects that the filter has no more. The user is still a member.
    private(set) var leftByFilter: Set<String> = []

    /// What the drain's pages have said, this one included. `isFirst` is for the first page of a drain.
    static func noting(_ page: PageResponse, isFirst: Bool, _ db: Database) throws -> DrainProjects {
        var projects = DrainProjects()
        if isFirst { try forget(db) } else { try projects.load(db) }
        for (id, reason) in page.left ?? [:] { try projects.add(id, fate: reason.rawValue, in: db) }
        for id in page.replaced { try projects.add(id, fate: replacedMark, in: db) }
        for id in page.leftByFilter { try projects.add(id, fate: filteredMark, in: db) }
        return projects
    }

    /// The same at the drain's last page. Older servers name in `left_projects` also projects that the user has again,
    /// and serve all of their rows.
    func settled(by page: PageResponse) -> DrainProjects {
        var settled = self
        for project in (page.heads ?? [:]).keys where settled.left.removeValue(forKey: project) != nil {
            settled.replaced.insert(project)
        }
        return settled
    }

    static func forget(_ db: Database) throws { try db.execute(sql: "DELETE FROM _drain_project") }

    private static let replacedMark = "replaced"
    private static let filteredMark = "filtered"

    private mutating func load(_ db: Database) throws {
        for row in try Row.fetchAll(db, sql: "SELECT id, fate FROM _drain_project") { note(row["id"], row["fate"]) }
    }

    private mutating func add(_ id: String, fate: String, in db: Database) throws {
        try db.execute(sql: "INSERT OR IGNORE INTO _drain_project VALUES (?, ?)", arguments: [id, fate])
        note(id, fate)
    }

    private mutating func note(_ id: String, _ fate: String) {
        if fate == Self.replacedMark { replaced.insert(id) }
        if fate == Self.filteredMark { leftByFilter.insert(id) }
        if let reason = WipeReason(rawValue: fate) { left[id] = reason }
    }
}

// `_project` has the projects that the user was a member of at the watermark, and the head that the drains have reached
// in each. A drain names the heads only of projects that changed, so the others keep theirs.

extension Replica {
    /// Adopts the heads of a drain that ends. `left` are the projects that the user has lost.
    static func adopt(
        _ heads: [String: SyncSeq], without left: some Sequence<String>, isFromZero: Bool, _ db: Database
    ) throws {
        if isFromZero { try db.execute(sql: "DELETE FROM _project") }
        for id in left {
            try db.execute(sql: "DELETE FROM _project WHERE id = ?", arguments: [id])
            try db.execute(sql: "DELETE FROM _batch_project WHERE project = ?", arguments: [id])
        }
        for (id, head) in heads {
            try db.execute(
                sql: "INSERT OR REPLACE INTO _project (id, head) VALUES (?, ?)", arguments: [id, head.rawValue])
        }
    }

    /// Drops what a drain that broke off has stored of projects that the replica did not have at the watermark: the
    /// drain that begins again would not take all of it back. Rows with unsent edits stay, and so do rows that the
    /// server answered and no drain has covered.
    private static func forgetDrain(of state: ReplicaState, _ schema: ServerSchema?, _ db: Database) throws {
        try DrainProjects.forget(db)
        let collections = schema?.collections.map(\.name) ?? []
        var known = try String.fetchSet(db, sql: "SELECT id FROM _project")
        if state.filter != state.target { known.formIntersection(try older(than: state.drainNumber, collections, db)) }
        let literals = known.map(ProjectColumn.literal).sorted().joined(separator: ", ")
        for collection in collections {
            try db.execute(
                sql: """
                    DELETE FROM \(SQLName.quoted(collection))
                    WHERE _status = 'synced' AND _drain > 0 AND \(ProjectColumn.name) NOT IN (\(literals))
                        AND id NOT IN (SELECT id FROM _batch_row WHERE collection = :name)
                    """, arguments: ["name": collection])
        }
    }

    /// The projects of which there is a row that the drain has not delivered. A project that came with another filter
    /// has none. Of any other project without one, the drain that begins again delivers all rows again.
    private static func older(than drain: Int64, _ collections: [String], _ db: Database) throws -> Set<String> {
        try collections.reduce(into: []) { projects, collection in
            let sql = """
                SELECT DISTINCT \(ProjectColumn.name) FROM \(SQLName.quoted(collection))
                WHERE _drain > 0 AND _drain < :drain
                    AND id NOT IN (SELECT id FROM _outside WHERE collection = :name)
                """
            projects.formUnion(try String.fetchSet(db, sql: sql, arguments: ["drain": drain, "name": collection]))
        }
    }
}

extension Replica {
    /// Whether a batch was sent and not answered. It must go to the same project, or to all projects, again.
    public func hasWaitingBatch() throws -> Bool {
        try read { try Self.hasWaitingBatch($0) }
    }

    private static func hasWaitingBatch(_ db: Database) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM _batch WHERE timestamp IS NULL)") ?? false
    }

    /// Turns a replica of one project into one of all projects of the user, in one transaction. Unsent edits stay. The
    /// next pull reads everything again. Does nothing if it is one already.
    ///
    /// Throws `ReplicaError.batchWaits`, and changes nothing, as long as a batch waits for its answer: push to the
    /// project first.
    public func widen() throws {
        try writeDurably { db in
            let state = try Self.state(db)
            guard let project = state.project else { return }
            guard try !Self.hasWaitingBatch(db) else { throw ReplicaError.batchWaits(path: path) }
            try state.reset(resync: true).save(db)
            try ReplicaFile(path: path).addProjects(db)
            try Self.fillProjects(with: project, db)
        }
    }

    /// Gives every row and every answered batch its project.
    private static func fillProjects(with project: String, _ db: Database) throws {
        for collection in try storedSchema(of: state(db), db)?.collections ?? [] {
            _ = try TableShape(collection: collection).grow(db)
            try db.execute(
                sql: "UPDATE \(SQLName.quoted(collection.name)) SET \(ProjectColumn.name) = ?", arguments: [project])
        }
        try db.execute(
            sql: "INSERT INTO _batch_project SELECT number, ?, timestamp FROM _batch", arguments: [project])
        try db.execute(sql: "UPDATE _batch SET timestamp = 0")
    }
}
