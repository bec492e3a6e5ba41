@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Filtered and sorted lists: SQLite and the model give the same answers.
@Suite struct ListingTwinTests {
    private let registry: Registry
    private let folder: TemporaryFolder

    init() throws { (registry, folder) = (try Registry.builtIn(), try TemporaryFolder()) }

    private static let texts = ["", "A", "a", "\u{E9}", "e\u{301}", "\u{1F600}", "\u{FFFD}"]

    private func fields(_ random: inout SeededGenerator) -> [String: JSON] {
        [
            "name": .string(random.pick(Self.texts)!), "notes": .string(random.pick(Self.texts)!),
            "wbs_path": random.oneIn(2) ? .null : .string(random.pick(Self.texts)!),
            "duration": .int(Int64(random.below(3))), "percent_complete": random.oneIn(2) ? 12.5 : 50,
            "total_float": random.oneIn(2) ? .null : .int(Int64(random.below(3)) - 1),
            "is_critical": random.oneIn(3) ? .null : .bool(random.oneIn(2)), "is_milestone": .bool(random.oneIn(2)),
        ]
    }

    /// A random query, with values that rows have.
    private func query(_ tasks: Collection, _ random: inout SeededGenerator) throws -> ListQuery {
        var query = ListQuery(tasks)
        let row = fields(&random)
        for (name, value) in row.sorted(by: { $0.key < $1.key }) where random.oneIn(6) {
            let text = value.isNull ? "" : value.string ?? value.text
            // A filter can't ask for the empty text in a field that accepts null.
            try query.filter(tasks.field(name)!, by: text)
        }
        for name in row.keys.sorted().shuffled(using: &random).prefix(random.below(4)) {
            query.sort(by: tasks.field(name)!, isDescending: random.oneIn(2))
        }
        return query
    }

    /// The ids of all pages, each read from the place of the last row before it.
    private func ids(
        _ store: some SyncStore, _ query: ListQuery, _ scope: Listing.Scope, limit: Int
    ) async throws -> [String] {
        try await store.read { transaction in
            var (ids, place): ([String], ListPlace?) = ([], nil)
            while true {
                let page = try transaction.ids(of: Listing(query, scope: scope, after: place, limit: limit))
                guard let last = page.last else { return ids }
                ids += page
                let row = try transaction.record(RowKey(query.collection.name, last))!
                place = ListPlace(ListPlace(of: row, in: query).text(in: query), in: query)
                #expect(place == ListPlace(of: row, in: query))
            }
        }
    }

    @Test(arguments: [UInt64(1), 2, 3, 4, 5]) func bothStoresListTheSame(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let sqlite = try await Workbench(
            SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender()), registry
        )
        let model = try await Workbench(ModelStore(registry: registry), registry)
        for commit in 0..<12 {
            let rows = (0..<(1 + random.below(5))).map { _ in fields(&random) }
            let write: @Sendable (RowEditor) throws -> Void = { editor in
                for (number, row) in rows.enumerated() { try editor.insert("tasks", "t\(9 - number)-\(commit)", row) }
            }
            try await sqlite.edit(write)
            try await model.edit(write)
        }
        let tasks = registry["tasks"]!
        let scope = Listing.Scope.rows(.all, project: sqlite.project)
        for _ in 0..<60 {
            let (query, limit) = (try query(tasks, &random), 1 + random.below(8))
            let (one, other) = (
                try await ids(sqlite.store, query, scope, limit: limit),
                try await ids(model.store, query, scope, limit: limit)
            )
            #expect(one == other, "seed \(seed): \(query.filters.map(\.field.name)) \(query.keys.map(\.field.name))")
            #expect(Set(one).count == one.count)
        }
    }
}
