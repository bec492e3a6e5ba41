package import SyncAccounts
package import SyncProtocol
package import SyncSchema
package import SyncStore

/// For how many days a project's growth is counted. All commit numbers are kept that long.
private let growthDays = 7

/// What the database holds: of the whole installation, and project by project.
///
/// Rows come from counters that each write keeps. Everything else is counted up to a limit, so no page costs more on a
/// larger installation. Nothing here makes a writer wait.
package struct StorageService<Store: SyncStore>: Sendable {
    /// The most that is counted of one kind in the whole installation.
    package static var mostInAll: Int { 1_000_000 }
    /// The most that is counted of one kind in a project, and of one collection.
    private static var mostInProject: Int { 100_000 }
    /// A page of projects ends when it has counted so much.
    private static var mostInPage: Int { 300_000 }

    private let store: Store
    private let registry: Registry
    private let clock: WallClock

    package init(store: Store, registry: Registry, clock: WallClock) {
        self.store = store
        self.registry = registry
        self.clock = clock
    }

    /// The figures of the installation. Throws `forbidden` unless the caller is a superuser.
    package func summary(for caller: Caller) async throws -> InstallationStorage {
        try caller.requireSuperuser("Reading what the database holds")
        return try await store.read(.installation) { try $0.storage(countingUpTo: Self.mostInAll) }
    }

    /// The figures of projects, deleted ones too, by id, after the id `after`. A page can have fewer than `limit`
    /// although others follow: `next` tells whether they do. Throws `forbidden` unless the caller is a superuser.
    package func projects(
        after: String, limit: Int, for caller: Caller
    ) async throws -> (results: [JSON], next: String?) {
        try caller.requireSuperuser("Reading what the database holds")
        let begin = clock.now().advanced(by: .zero - .seconds(growthDays * 86_400))
        let name = registry.projects.position("name")
        return try await store.read(.installation) { transaction in
            let ids = try transaction.projectIDs(after: after, limit: limit + 1)
            let number = try transaction.firstNumber(from: begin)
            var (results, counted): ([JSON], Int) = ([], 0)
            for id in ids.prefix(limit) {
                guard counted < Self.mostInPage else { return (results, results.last?["project_id"]?.string) }
                let storage = try transaction.storage(
                    of: id, growingFrom: number, countingUpTo: Self.mostInProject)
                counted += storage.counted
                let row = try transaction.record(RowKey(registry.projects.name, id))
                let state = try transaction.project(id)
                results.append(
                    storage.json.setting("project_id", to: .string(id))
                        .setting("project_name", to: name.flatMap { row?.values[$0] } ?? .null)
                        .setting("is_archived", to: .bool(state?.isArchived ?? false))
                        .setting("is_deleted", to: .bool(state?.isDeleted ?? true)))
            }
            return (results, ids.count > limit ? results.last?["project_id"]?.string : nil)
        }
    }

    /// The names of these projects; null for one that has none.
    package func names(of projects: [String]) async throws -> [String: JSON] {
        guard let name = registry.projects.position("name") else { return [:] }
        return try await store.read(.installation) { transaction in
            var names: [String: JSON] = [:]
            for id in projects {
                names[id] = try transaction.record(RowKey(registry.projects.name, id))?.values[name]
            }
            return names
        }
    }
}

extension ProjectStorage {
    /// How many entries were counted for it.
    fileprivate var counted: Int { rejected + answers + digests + growth.commits + growth.rows + growth.tombstones }

    fileprivate var json: JSON {
        let collections = counts.filter { $0.value.live + $0.value.tombstones > 0 }.mapValues(\.json)
        return [
            "rows": .int(Int64(counts.values.reduce(0) { $0 + $1.live })),
            "tombstones": .int(Int64(counts.values.reduce(0) { $0 + $1.tombstones })),
            "rejected": .int(Int64(rejected)), "answers": .int(Int64(answers)), "digests": .int(Int64(digests)),
            "grown": [
                "days": .int(Int64(growthDays)), "rows": .int(Int64(growth.rows)),
                "tombstones": .int(Int64(growth.tombstones)), "commits": .int(Int64(growth.commits)),
            ], "collections": .object(collections),
        ]
    }
}

extension RowCounts {
    fileprivate var json: JSON { ["rows": .int(Int64(live)), "tombstones": .int(Int64(tombstones))] }
}
