import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// What a database holds, on all stores.
@Suite struct StorageSuite {
    private static let most = 1_000_000
    private static let seeds: [UInt64] = (0..<3).map { $0 }

    /// Everything that is told of a store with the project `p1`.
    private struct Told: Equatable {
        var whole: InstallationStorage
        var grown: [ProjectStorage]
        var lost: [LostEditNote]
    }

    private func told(_ store: some SyncStore, most: Int = StorageSuite.most) async throws -> Told {
        try await store.read(.installation) { transaction in
            var whole = try transaction.storage(countingUpTo: most)
            // The model is on no disk.
            whole.bytes = nil
            let newest = try transaction.newestNumber().rawValue
            let numbers = [nil, 0, newest / 2, newest, newest + 1].map { $0.map { CommitNumber($0) } }
            return Told(
                whole: whole,
                grown: try numbers.map { number in
                    var storage = try transaction.storage(of: "p1", growingFrom: number, countingUpTo: most)
                    storage.counts = storage.counts.filter { $0.value != RowCounts(live: 0, tombstones: 0) }
                    // The model forgets a digest of no rows.
                    storage.digests = 0
                    return storage
                },
                lost: try transaction.lostEdits(
                    LostEditSelection(since: Instant(milliseconds: 0)), limit: 1000))
        }
    }

    private func write(_ seed: UInt64, _ bench: Workbench<some SyncStore>) async throws {
        var (random, writes) = (SeededGenerator(seed: seed), RandomWrites())
        for _ in 0..<80 { try await bench.perform(writes.next(&random)) }
    }

    private func told(_ seed: UInt64, _ store: some SyncStore, _ registry: Registry) async throws -> Told {
        try await write(seed, Workbench(store, registry))
        return try await told(store)
    }

    @Test(arguments: StoreKind.allCases, seeds) func everyStoreTellsWhatTheModelTells(
        kind: StoreKind, seed: UInt64
    ) async throws {
        let registry = try Registry.builtIn()
        let expected = try await told(seed, ModelStore(registry: registry), registry)
        try await kind.withStore(registry) { store in
            let found = try await told(seed, store, registry)
            #expect(found == expected, "seed \(seed)")
            #expect(found.whole.rows > 10 && found.grown[1].growth.rows > found.grown[3].growth.rows, "seed \(seed)")
            #expect(found.grown[0].growth == .init() && found.grown[4].growth == .init(), "seed \(seed)")
        }
    }

    @Test(arguments: StoreKind.allCases) func countingEndsAtItsLimit(kind: StoreKind) async throws {
        let registry = try Registry.builtIn()
        try await kind.withStore(registry) { store in
            let all = try await told(7, store, registry)
            let few = try await told(store, most: 2)
            #expect(all.whole.answers > 2 && all.grown[1].growth.commits > 2)
            #expect(few.whole.answers == 2 && few.grown[1].growth.commits == 2 && few.grown[1].answers == 2)
            #expect(few.whole.rows == all.whole.rows && few.grown[1].counts == all.grown[1].counts)
        }
    }

    @Test(arguments: StoreKind.allCases) func lostEditsComeNewestFirstAndAreSelected(kind: StoreKind) async throws {
        let registry = try Registry.builtIn()
        try await kind.withStore(registry) { try await checkLostEdits($0, registry) }
    }

    private func checkLostEdits(_ store: some SyncStore, _ registry: Registry) async throws {
        let bench = try await Workbench(store, registry)
        let other = try await bench.another("p2")
        let (one, two) = (bench.caller(.member).userID, bench.caller(.admin).userID)
        let lost = [("p1", one), ("p2", one), ("p1", two), ("p1", one)]
        for (number, (project, user)) in lost.enumerated() {
            let edit = LostEdit(
                userID: user, key: RowKey("tasks", "t\(number)"), field: number == 0 ? nil : "name", code: .conflict,
                sent: "mine", kept: "theirs", batchID: number == 0 ? nil : "b")
            try await store.write(.project(project)) {
                try $0.addToInbox([edit], project: project, at: Instant(milliseconds: Int64(number)))
            }
        }
        func rows(
            _ user: Int64? = nil, _ project: String? = nil, before: Int64? = nil, since: Int64 = 0, limit: Int = 9
        ) async throws -> [LostEditNote] {
            let selection = LostEditSelection(
                user: user, project: project, before: before, since: Instant(milliseconds: since))
            return try await store.read(.installation) { try $0.lostEdits(selection, limit: limit) }
        }
        let all = try await rows()
        #expect(all.map(\.key.id) == ["t3", "t2", "t1", "t0"])
        #expect(all.last?.field == nil && all.last?.batchID == nil && all.first?.field == "name")
        #expect(all[1].user == two && all[2].project == other.project && all[0].code == .conflict)
        #expect(all.map(\.at.milliseconds) == [3, 2, 1, 0])
        #expect(try await rows(one).map(\.key.id) == ["t3", "t1", "t0"])
        #expect(try await rows(one, "p1").map(\.key.id) == ["t3", "t0"])
        #expect(try await rows(nil, "p1").map(\.key.id) == ["t3", "t2", "t0"])
        #expect(try await rows(since: 2).map(\.key.id) == ["t3", "t2"])
        #expect(try await rows(limit: 1).map(\.key.id) == ["t3"])
        #expect(try await rows(before: all[1].id).map(\.key.id) == ["t1", "t0"])
        #expect(try await rows(one, "p1", before: all[0].id, limit: 1).map(\.key.id) == ["t0"])
    }

    @Test(arguments: StoreKind.allCases) func theFirstCommitOfATimeIsFound(kind: StoreKind) async throws {
        let registry = try Registry.builtIn()
        try await kind.withStore(registry) { try await checkFirstNumbers($0, registry) }
    }

    private func checkFirstNumbers(_ store: some SyncStore, _ registry: Registry) async throws {
        #expect(try await store.read(.installation) { try $0.firstNumber(from: Instant(milliseconds: 0)) } == nil)
        let bench = try await Workbench(store, registry)
        let begin = Workbench<ModelStore>.noon
        let first = try await store.read(.installation) { try $0.newestNumber().rawValue }
        var random = SeededGenerator(seed: 3)
        var times: [Instant] = []
        for number in 1...20 {
            let at = (times.last ?? begin).advanced(by: .seconds(random.below(3)))
            times.append(at)
            try await bench.store.write(.project("p1")) { transaction in
                try transaction.number(NumberedCommit(project: "p1", seq: SyncSeq(Int64(100 + number)), at: at))
            }
        }
        for second in -1...61 {
            let date = begin.advanced(by: .seconds(second))
            let found = try await store.read(.installation) { try $0.firstNumber(from: date)?.rawValue }
            let place = times.firstIndex { $0 >= date }.map { first + 1 + Int64($0) }
            guard second > 0 else {
                #expect(try #require(found) <= first + 1)
                continue
            }
            #expect(found == place, "second \(second)")
        }
    }
}
