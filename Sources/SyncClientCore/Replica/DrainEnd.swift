import GRDB
import SyncProtocol

/// The end of a drain. It runs in the transaction of the drain's last page.
///
/// An answered batch is *open* when the drain can't contain it: the answer came after the drain was requested, and the
/// batch's commit is above the drain's timestamp, or above the head at which the drain read a project of the batch. All
/// other answered batches are in the drain, unless the server's database was replaced by one with another history.
///
/// Commit numbers alone do not show such a replacement, since the same number means different commits in two
/// histories. Two things do show it. Either a drain was requested after an answer and ends below that
/// answer's commit; or the numbers happen to fit, but a digest differs. Both void the watermark. The
/// replacement that follows compares all rows.
struct DrainEnd {
    let db: Database
    let schema: ServerSchema
    /// The replica's state after the drain.
    let state: ReplicaState
    /// What the drain replaces. A drain from 0 replaces everything.
    let replacement: Replacement
    /// What became of projects.
    let projects: DrainProjects
    let time: Instant

    /// The projects that the user has lost.
    var left: [String: WipeReason] { projects.left }

    /// Settles the batches that the drain covers, removes rows that a replacement did not deliver and rows of lost
    /// projects, and compares the digests. The caller saves the state of the receipt.
    func run(_ page: PageResponse) throws -> Replica.Receipt {
        try Replica.note(nil, db)
        if let heads = page.heads {
            try Replica.adopt(heads, without: left.keys, isFromZero: replacement.isWhole, db)
        }
        if try !replacement.isWhole && hasBatch(batches.lost) {
            return Replica.Receipt(state: state.reset(resync: true), dropped: 0)
        }
        if replacement.isWhole { try Replica.recover(batchesWhere: batches.told, schema: schema, state: state, in: db) }
        var receipt = Replica.Receipt(state: state, dropped: 0)
        receipt.left = try left.isEmpty ? [] : LostProjects(end: self).drop()
        receipt.dropped = try leaveProjects() + sweep()
        if !state.filter.isEverything { try noteUndelivered() }
        receipt.dropped += try OutsideRows(db: db).drop(exceptBatchesWhere: batches.open)
        try Replica.finishDeletions(ofBatchesWhere: batches.told, db)
        let comparison =
            state.scope == .allProjects ? try compared(page.projectDigests) : try compared(page.digests)
        receipt.differing = comparison.differing
        receipt.differingProjects = comparison.projects
        if !comparison.isEmpty { try Replica.note(comparison.differing.isEmpty ? "same" : "differs", db) }
        try forgetBatches(after: comparison, of: page, &receipt)
        return receipt
    }

    /// What became of a comparison.
    struct Comparison {
        /// The collections that differ, in the schema's order.
        var differing: [String] = []
        /// The projects that these are of, in a replica of all projects.
        var projects: [String]?
        /// The projects that were compared and are the same.
        var same: [String] = []
        /// Whether nothing was compared.
        var isEmpty = true
    }

    /// The answer to an open batch is newer than the drain, so the digests do not match the replica's rows.
    private func compared(_ digests: [String: CollectionDigest]?) throws -> Comparison {
        guard let digests, try !hasBatch(batches.open) else { return Comparison() }
        return Comparison(differing: try Replica.differing(from: digests, in: nil, schema, db), isEmpty: false)
    }

    /// Forgets the batches that the comparison confirms. If it differs, the server may have lost one.
    ///
    /// A part above a size has no digest, and neither has a project outside of the part. What the drain contains is
    /// then confirmed by its number alone, or it would be kept for ever.
    private func forgetBatches(
        after comparison: Comparison, of page: PageResponse, _ receipt: inout Replica.Receipt
    ) throws {
        let hasNoDigest = page.wantsDigest && !state.filter.isEverything && page.head == page.timestamp
        if replacement.isWhole { return try Replica.forgetBatches(where: batches.told, db) }
        guard comparison.differing.isEmpty else {
            if try hasBatch(batches.told) { receipt.state = state.reset(resync: true) }
            return
        }
        switch state.scope {
        case .project: if !comparison.isEmpty || hasNoDigest { try Replica.forgetBatches(where: batches.told, db) }
        case .allProjects: try forgetParts(in: hasNoDigest ? told() : comparison.same)
        }
    }

    var batches: BatchCondition { BatchCondition(state: state) }

    private func hasBatch(_ condition: String) throws -> Bool {
        try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM _batch WHERE \(condition))") ?? false
    }

    /// The projects in which told batches have done something.
    private func told() throws -> [String] {
        let sql = "SELECT DISTINCT project FROM _batch_project WHERE batch IN (SELECT number FROM _batch WHERE "
        return try String.fetchAll(db, sql: sql + batches.told + ")")
    }

    /// Notes new rows of this device that the server took, and that no drain has delivered though this one contains
    /// them: they are in no part. Of a project that the filter does not have, drains say nothing.
    private func noteUndelivered() throws {
        let isTold = """
            _drain = 0 AND id IN (
                SELECT id FROM _batch_row WHERE collection = :name AND bucket = 'created' AND version IS NOT NULL
                AND batch IN (SELECT number FROM _batch WHERE \(batches.told)))
            """
        for collection in schema.collections { try OutsideRows(db: db).note(collection.name, where: isTold) }
    }

    /// Removes the rows of projects that the filter has no more, and returns how many.
    private func leaveProjects() throws -> Int {
        try projects.leftByFilter.sorted().reduce(0) { count, project in
            let isOfProject = "\(ProjectColumn.name) = \(ProjectColumn.literal(project))"
            let condition = "\(isOfProject) AND _drain <> \(state.drainNumber)"
            return try schema.collections.reduce(count) { count, collection in
                try count + OutsideRows(db: db).leave(collection.name, where: condition)
            }
        }
    }

    /// Removes the rows that a replacement did not deliver, and returns how many. Rows created here stay,
    /// and so do the rows of open batches. In a part, rows with unsent edits stay as well: the server may have them
    /// outside of it.
    private func sweep() throws -> Int {
        try schema.collections.reduce(0) { count, collection in
            guard let covered = replacement.condition(on: collection.name) else { return count }
            return try count + sweep(collection, where: covered)
        }
    }

    private func sweep(_ collection: CollectionSchema, where covered: String) throws -> Int {
        let unnamed = """
            \(covered) AND _drain <> \(state.drainNumber) AND id NOT IN (
                SELECT id FROM _batch_row WHERE collection = :name AND batch IN (
                    SELECT number FROM _batch WHERE \(batches.open)))
            """
        let table = SQLName.quoted(collection.name)
        let name = ["name": collection.name]
        // These rows count as never sent again: a restored server may have lost them.
        try db.execute(
            sql: """
                UPDATE \(table) SET server_version = 0, _base = NULL
                WHERE _status = 'created' AND server_version > 0 AND \(unnamed)
                """, arguments: StatementArguments(name))
        if !state.filter.isEverything {
            try OutsideRows(db: db).note(collection.name, where: "_status IN ('updated', 'deleted') AND \(unnamed)")
            try db.execute(
                sql: "DELETE FROM \(table) WHERE _status = 'synced' AND \(unnamed)",
                arguments: StatementArguments(name))
            return db.changesCount
        }
        let edited = try String.fetchAll(
            db, sql: "SELECT id FROM \(table) WHERE _status = 'updated' AND \(unnamed)",
            arguments: StatementArguments(name))
        let aside = SetAside(reason: ErrorCode.notFound.rawValue, time: time.text)
        for id in edited { try aside.copy(db, id, of: collection) }
        try db.execute(
            sql: "DELETE FROM \(table) WHERE _status <> 'created' AND \(unnamed)",
            arguments: StatementArguments(name))
        return db.changesCount
    }
}

extension DrainEnd {
    /// Compares each project that has digests. Those with a part of an open batch are left out.
    func compared(_ digests: [String: [String: CollectionDigest]]) throws -> Comparison {
        let open = try String.fetchSet(db, sql: batches.openProjects)
        var comparison = Comparison(projects: [])
        var differing: Set<String> = []
        for (project, digests) in digests.sorted(by: { $0.key < $1.key }) where !open.contains(project) {
            comparison.isEmpty = false
            let found = try Replica.differing(from: digests, in: project, schema, db)
            if found.isEmpty { comparison.same.append(project) } else { comparison.projects?.append(project) }
            differing.formUnion(found)
        }
        comparison.differing = schema.collections.map(\.name).filter(differing.contains)
        return comparison
    }

    /// Forgets what told batches did in these projects, and batches of which nothing is left.
    func forgetParts(in projects: [String]) throws {
        for project in projects {
            try db.execute(
                sql: """
                    DELETE FROM _batch_project
                    WHERE project = ? AND batch IN (SELECT number FROM _batch WHERE \(batches.told))
                    """, arguments: [project])
        }
        let done = "\(batches.told) AND NOT EXISTS (SELECT 1 FROM _batch_project WHERE batch = _batch.number)"
        try Replica.forgetBatches(where: done, db)
    }
}

/// SQL conditions on the rows of `_batch`. None holds for a batch without an answer.
struct BatchCondition {
    let state: ReplicaState

    /// Drains have delivered the batch's commits, if the server has still the same history.
    var reached: String {
        switch state.scope {
        case .project: "timestamp <= \(state.since.rawValue)"
        case .allProjects: "timestamp IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(Self.unreachedParts))"
        }
    }

    /// The drain can't contain the batch: the answer came after the drain was requested.
    var open: String { "(NOT (\(reached)) AND answer > \(state.answersBefore))" }

    /// The drain contains the batch, or the server has lost it.
    var told: String { "(\(reached) OR answer <= \(state.answersBefore))" }

    /// The answer came before the drain, and the drain ends below it.
    var lost: String { "(NOT (\(reached)) AND answer <= \(state.answersBefore))" }

    /// The parts of `_batch` that no drain has reached.
    private static let unreachedParts = """
        _batch_project part LEFT JOIN _project ON _project.id = part.project
        WHERE part.batch = _batch.number AND coalesce(_project.head, -1) < part.timestamp
        """

    /// Selects the projects with a part of an open batch.
    var openProjects: String {
        "SELECT part.project FROM _batch, \(Self.unreachedParts) AND answer > \(state.answersBefore)"
    }
}

/// Removes the rows and files of lost projects, which the drain did not name. Rows with unsent edits are copied to
/// `_set_aside`.
struct LostProjects {
    let end: DrainEnd

    func drop() throws -> [LeftProject] {
        try end.left.sorted { $0.key < $1.key }.map { id, reason in
            let name = try name(of: id)
            let aside = SetAside(reason: reason.rawValue, time: end.time.text)
            let count = try Replica.tables(end.db).reduce(0) { try $0 + drop(id, from: $1, aside) }
            try FileTable(db: end.db).removeAll(of: id)
            return LeftProject(id: id, name: name, reason: reason, setAside: count)
        }
    }

    private func name(of project: String) throws -> String? {
        guard end.schema[ProjectColumn.collection]?["name"] != nil else { return nil }
        let sql = "SELECT name FROM \(ProjectColumn.collection) WHERE id = ?"
        return try Row.fetchOne(end.db, sql: sql, arguments: [project])?["name"]
    }

    /// Returns how many rows were set aside.
    private func drop(_ project: String, from table: String, _ aside: SetAside) throws -> Int {
        // Tables that the schema had before this was a replica of all projects have no such column.
        guard try end.db.columns(in: table).contains(where: { $0.name == ProjectColumn.name }) else { return 0 }
        let condition = """
            \(ProjectColumn.name) = \(ProjectColumn.literal(project)) AND _drain <> \(end.state.drainNumber)
            """
        let count = try aside.copyUnsent(
            end.db, table: table, schema: end.schema[table],
            where: "\(condition) AND NOT \(Replica.isAnsweredDeletion(table))")
        try end.db.execute(sql: "DELETE FROM \(SQLName.quoted(table)) WHERE \(condition)")
        return count
    }
}

/// What a drain replaces. Of these rows it names all that there are, and its versions count even if they are lower.
struct Replacement: Sendable, Equatable {
    /// Whether the drain began at 0.
    var isWhole = false
    /// What this client asked for again.
    var asked: Replacing = []
    /// The projects that the server serves as a whole.
    var projects: Set<String> = []

    /// Whether it covers a row. `project` is nil in a replica of one project.
    func covers(_ project: String?, of collection: String) -> Bool {
        isWhole || asked.covers(project, of: collection) || project.map(projects.contains) ?? false
    }

    /// An SQL condition on the rows of the collection that it covers; nil if it covers none.
    func condition(on collection: String) -> String? {
        if isWhole { return "TRUE" }
        guard asked.collections.contains(collection) else { return projects.isEmpty ? nil : Self.isOne(of: projects) }
        return asked.projects.map { Self.isOne(of: projects.union($0)) } ?? "TRUE"
    }

    private static func isOne(of projects: Set<String>) -> String {
        "\(ProjectColumn.name) IN (\(projects.sorted().map(ProjectColumn.literal).joined(separator: ", ")))"
    }
}

/// Collections of which a client asks for every row again.
struct Replacing: Sendable, Equatable, ExpressibleByArrayLiteral {
    var collections: [String] = []
    /// The projects that it is for; nil in a replica of one project.
    var projects: [String]?

    init(_ collections: [String], in projects: [String]? = nil) {
        self.collections = collections
        self.projects = projects
    }

    init(arrayLiteral elements: String...) { self.init(elements) }

    func covers(_ project: String?, of collection: String) -> Bool {
        guard collections.contains(collection) else { return false }
        guard let projects else { return true }
        return project.map(projects.contains) ?? false
    }

    /// The parameter `migration`; nil if it asks for nothing.
    var migration: JSON? {
        guard !collections.isEmpty else { return nil }
        var members: [String: JSON] = ["tables": .array(collections.map(JSON.string))]
        members["projects"] = projects.map { .array($0.map(JSON.string)) }
        return .object(members)
    }
}
