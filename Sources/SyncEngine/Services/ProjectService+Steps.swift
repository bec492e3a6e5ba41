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
        let judged = try await store.read(.project(id)) { try judge(content, $0, now, onProgress) }
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
        _ content: ProjectContent, _ transaction: any ReadTransaction, _ now: Instant,
        _ onProgress: @escaping (CreationProgress) -> Void
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
