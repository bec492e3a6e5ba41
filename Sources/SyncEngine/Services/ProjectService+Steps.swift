import SyncProtocol
import SyncSchema
import SyncStore

extension ProjectService {
    /// Creates a project with all its content, as a whole or not at all. Its head is 1. The content is checked against
    /// a committed state without blocking other writers, then stored in steps. Until the last step makes it a project,
    /// its id counts as the id of a deleted project, and nobody is a member. If the creation is interrupted, what it
    /// left is removed when a server next opens the file.
    ///
    /// The project's id must be new to all devices: meanwhile they would
    /// take the project for deleted. Throws as `create` does.
    package func create(
        _ content: ProjectContent, pace: CreationPace,
        onProgress: @escaping @Sendable (CreationProgress) -> Void = { _ in }
    ) async throws -> Item {
        let now = clock.now()
        let id = try content.projectID(registry)
        let judged = try await store.read(.project(id)) { try judge(content, in: $0, at: now, onProgress: onProgress) }
        guard judged.count > pace.rowsPerStep else { return try await create(content) }
        let creation = StepwiseCreation(
            service: self, project: judged, owner: content.owner, actor: content.actor, now: now)
        do {
            return try await creation.run(pace, onProgress)
        } catch {
            // Something interfered, such as another process's row with one of the ids. Nothing can interfere with a
            // single transaction, and that reports errors as usual.
            try await store.write(.project(id)) { try $0.forgetUnfinished(judged.id) }
            return try await create(content)
        }
    }

    private func judge(
        _ content: ProjectContent, in transaction: any ReadTransaction, at now: Instant,
        onProgress: @escaping (CreationProgress) -> Void
    ) throws -> JudgedProject {
        let project = try content.projectID(registry)
        try requireFree(project, transaction)
        let draft = Draft(judging: project, transaction, registry, author: content.owner, now: now)
        let total = content.rows.values.reduce(0) { $0 + $1.count }
        var done = 0
        try ContentLoader(draft: draft, content: content, newID: newID) {
            done += 1
            if done % 500 == 0 { onProgress(.judged(rows: done, of: total)) }
        }.load()
        try draft.updateGates()
        return JudgedProject(draft)
    }
}

/// Stores a judged project: one step that takes the id, steps of rows, and a last step that makes it a project.
private struct StepwiseCreation<Store: SyncStore>: Sendable {
    let service: ProjectService<Store>
    let project: JudgedProject
    let owner: Int64
    let actor: Actor
    let now: Instant

    private var scope: StoreScope { .project(project.id) }

    func run(_ pace: CreationPace, _ onProgress: @Sendable (CreationProgress) -> Void) async throws -> Item {
        let seq = try await begin()
        var stored = 0
        for step in project.steps(of: pace.rowsPerStep) {
            let span = try await ContinuousClock().measure {
                try await service.store.write(scope) { try put([step], at: seq, $0) { _ in } }
            }
            stored += step.rows.count
            onProgress(.stored(rows: stored, of: project.count))
            if pace.givesWay { try? await Task.sleep(for: min(span / 2, .milliseconds(100))) }
        }
        return try await finish(seq)
    }

    /// Takes the id and draws the commit number.
    private func begin() async throws -> SyncSeq {
        try await service.store.write(scope) { transaction in
            try service.requireFree(project.id, transaction)
            try transaction.createProject(project.id)
            try transaction.setState(project: project.id, isArchived: false, isDeleted: true)
            guard let state = try transaction.project(project.id) else { throw StaleProject() }
            return try transaction.drawSeq(of: state, shortIDs: project.shortIDs)
        }
    }

    private func finish(_ seq: SyncSeq) async throws -> Item {
        let projects = service.registry.projects
        return try await service.store.write(scope) { transaction in
            try put(project.keystone, at: seq, transaction) { draft in
                // Only users can have changed since the project was judged.
                for key in draft.entries.keys { try draft.checks.check(key) }
            }
            // Only now can anybody see the rows, so only now the commit is numbered.
            try transaction.number(NumberedCommit(project: project.id, seq: seq, at: now))
            guard let row = try transaction.record(RowKey(projects.name, project.id)) else { throw StaleProject() }
            return Item(row, in: projects)
        }
    }

    private func put(
        _ parts: [JudgedProject.Part], at seq: SyncSeq, _ transaction: any WriteTransaction,
        check: (Draft) throws -> Void
    ) throws {
        guard let state = try transaction.project(project.id), state.isDeleted, state.head == seq else {
            throw StaleProject()
        }
        let draft = Draft(transaction, service.registry, project: project.id, author: owner, by: actor, now: now)
        for part in parts { draft.adopt(part.rows, of: part.collection) }
        try check(draft)
        try Commit(of: draft).write(under: seq)
    }
}

/// How a large project is stored while others write.
package struct CreationPace: Sendable {
    /// The most rows that one transaction stores.
    package var rowsPerStep: Int
    /// Whether to pause after each step, so others can write: for half as long as the step took, at most 100 ms.
    package var givesWay: Bool

    package init(rowsPerStep: Int = 1000, givesWay: Bool = true) {
        self.rowsPerStep = rowsPerStep
        self.givesWay = givesWay
    }
}

/// How far the creation of a project has got.
package enum CreationProgress: Sendable, Equatable {
    case judged(rows: Int, of: Int)
    case stored(rows: Int, of: Int)
}

/// A new project that was checked against one committed state, and the rows to store for it.
struct JudgedProject: Sendable {
    struct Part: Sendable {
        let collection: Collection
        var rows: [StoredRow]
    }

    let id: String
    /// How many short ids the rows take.
    let shortIDs: Int64
    /// In an order in which they can be stored: each row after those that it refers to.
    private(set) var parts: [Part] = []
    /// The rows that make it a project: its own row and its memberships. They are stored last.
    private(set) var keystone: [Part] = []

    init(_ draft: Draft) {
        id = draft.project
        shortIDs = draft.shortIDs.taken
        let rows = Dictionary(grouping: draft.entries, by: \.key.collection)
        for collection in draft.registry.collections {
            guard let found = rows[collection.name]?.map(\.value.current) else { continue }
            let part = Part(collection: collection, rows: JudgedProject.ordered(found, of: collection))
            if collection.scope == .ordinary { parts.append(part) } else { keystone.append(part) }
        }
    }

    /// The number of rows to store before the keystone.
    var count: Int { parts.reduce(0) { $0 + $1.rows.count } }

    /// The parts, cut into steps of at most `size` rows.
    func steps(of size: Int) -> [Part] {
        parts.flatMap { part in
            stride(from: 0, to: part.rows.count, by: size).map { start in
                Part(
                    collection: part.collection, rows: Array(part.rows[start..<min(start + size, part.rows.count)]))
            }
        }
    }

    /// By id, but parents before their children.
    private static func ordered(_ rows: [StoredRow], of collection: Collection) -> [StoredRow] {
        let rows = rows.sorted { $0.id < $1.id }
        guard !collection.places.trees.isEmpty else { return rows }
        let indexes = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.id, $0) })
        var (ordered, isDone): ([StoredRow], [Bool]) = ([], rows.map { _ in false })
        for start in rows.indices {
            var path = [start]
            while let last = path.last {
                let parents = collection.places.trees.compactMap {
                    rows[last].values[$0].string.flatMap { indexes[$0] }
                }
                if let open = parents.first(where: { !isDone[$0] && $0 != last }), !isDone[last] {
                    path.append(open)
                } else {
                    path.removeLast()
                    if !isDone[last] { ordered.append(rows[last]) }
                    isDone[last] = true
                }
            }
        }
        return ordered
    }
}
