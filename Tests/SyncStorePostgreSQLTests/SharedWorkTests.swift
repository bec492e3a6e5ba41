import Foundation
import PostgreSQLTestKit
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Synchronization
import Testing

@testable import SyncEngine
@testable import SyncStorePostgreSQL

/// What several servers, or several requests at once, must not do to each other.
@Suite(.timeLimit(.minutes(30))) struct SharedWorkTests {
    /// A workbench on each of two servers.
    private struct Scene {
        let two: TwoServers
        let benches: [Workbench<PostgreSQLStore>]

        init() async throws {
            two = try await TwoServers()
            let bench = try await Workbench(two.stores[0], Registry.builtIn(), project: "w1")
            benches = [bench, try await bench.moved(to: two.stores[1])]
        }
    }

    @Test func oneKeyMakesOneProject() async throws {
        let scene = try await Scene()
        defer { scene.two.close() }
        let ids = try await withThrowingTaskGroup(of: String?.self) { group in
            for attempt in 0..<8 {
                let bench = scene.benches[attempt % 2]
                group.addTask {
                    try await bench.projects.create(
                        ["name": "Once", "start_date": "2026-01-05"], key: "k1", by: bench.caller(.owner)
                    ).json["id"]?.string
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
    }

    @Test func oneBatchOverAllProjectsIsAppliedOnce() async throws {
        let scene = try await Scene()
        defer { scene.two.close() }
        for round in 0..<5 {
            let body: JSON = [
                "client_batch_id": .string("00000000-0000-4000-8000-00000000000\(round)"),
                "on_conflict": "overwrite",
                "changes": [
                    "tasks": [
                        "created": [["id": .string("t\(round)"), "project_id": "w1", "name": "One"]],
                        "updated": [], "deleted": [],
                    ]
                ],
            ]
            let replays = try await withThrowingTaskGroup(of: Bool.self) { group in
                for attempt in 0..<8 {
                    let bench = scene.benches[attempt % 2]
                    group.addTask {
                        let request = try UploadRequest(
                            project: "", body: body, registry: bench.registry, maximumRows: 500)
                        return try await bench.uploads.uploadAll(request, by: bench.caller(.owner)).isReplay
                    }
                }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(replays.count { !$0 } == 1, "round \(round)")
        }
    }

    /// The loss of a project is committed, and has no number yet.
    @Test func aLossThatWasSeenBeforeItsNumberIsTold() async throws {
        let scene = try await Scene()
        defer { scene.two.close() }
        let (bench, store) = (scene.benches[0], scene.two.stores[0])
        let user = bench.caller(.viewer).userID
        let before = try await store.read { try $0.newestNumber() }
        try await bench.setRole(of: .viewer, to: nil)
        // A read of this scope gives no numbers.
        var projects = try await store.read(.accounts) { try UserProjects(of: user, in: $0) }
        projects = try await store.read { [projects] transaction in
            var projects = projects
            let isCaughtUp = try projects.catchUp(of: user, in: transaction)
            #expect(isCaughtUp)
            return projects
        }
        #expect(projects.changed(after: before)["w1"] != nil)
    }

    @Test func aWriteIsNotFailedByItsNeighbour() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        let store = two.stores[0]
        let (begins, hasBegun) = AsyncStream<Void>.makeStream()
        let runs = Atomic(0)
        let bad = Task {
            try await store.write(.project("p0")) { transaction in
                if runs.add(1, ordering: .relaxed).newValue == 1 {
                    hasBegun.yield()
                    // Both are then in one group.
                    while store.metrics.waitingWrites == 0 { sched_yield() }
                }
                try transaction.addCounts(project: "p0", collection: "tasks", RowCounts(live: -1, tombstones: 0))
            }
        }
        for await _ in begins { break }
        let seq = try await store.commit(to: "p0")
        await #expect(throws: (any Error).self) { try await bad.value }
        let head = try await two.stores[1].read(.project("p0")) { try $0.project("p0")?.head }
        #expect(head == seq)
    }

    @Test func placesInQuotedTextStay() {
        #expect(Connection.numbered("a = ?1 AND b = 'why?' AND \"c?\" = ?2") == "a = $1 AND b = 'why?' AND \"c?\" = $2")
        #expect(Connection.numbered("'it''s ?' = ?3") == "'it''s ?' = $3")
    }
}
