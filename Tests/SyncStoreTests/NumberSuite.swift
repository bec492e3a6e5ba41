@testable import SyncEngine
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Commit numbers of the installation and memberships over time, on all stores.
@Suite struct NumberSuite {
    private static let noon = Workbench<ModelStore>.noon

    private func withStore(_ kind: StoreKind, _ body: (any SyncStore) async throws -> Void) async throws {
        try await kind.withStore(Registry.builtIn(), body)
    }

    /// Draws a number of each project in one transaction.
    private func commit(_ projects: [String], _ store: any SyncStore, at date: Instant = noon, _ sight: Bool = false)
        async throws
    {
        try await store.write { transaction in
            for project in projects {
                if try transaction.project(project) == nil { try transaction.createProject(project) }
                let seq = try transaction.drawSeq(of: transaction.project(project)!, shortIDs: 0)
                try transaction.number(NumberedCommit(project: project, seq: seq, at: date, changesSight: sight))
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func everyTransactionHasOneNumber(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            #expect(try await store.read { try $0.newestNumber() } == .first)
            try await commit(["a"], store)
            try await commit(["a", "b"], store)
            try await commit(["b"], store)
            try await store.read { transaction throws -> Void in
                #expect(try transaction.newestNumber() == CommitNumber(4))
                #expect(try transaction.newestNumber(of: "a") == CommitNumber(3))
                #expect(try transaction.newestNumber(of: "b") == CommitNumber(4))
                #expect(try transaction.newestNumber(of: "c") == nil)
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func aProjectHasAHeadAtEachNumber(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            for projects in [["a"], ["a", "b"], ["b"], ["a"]] { try await commit(projects, store) }
            let heads = try await store.read { transaction in
                try ["a", "b"].map { project in
                    try (1...6).map { try transaction.head(of: project, at: CommitNumber($0)) }
                }
            }
            #expect(heads[0] == ([nil, 1, 2, 2, 3, 3] as [Int64?]).map { $0.map { SyncSeq($0) } })
            #expect(heads[1] == ([nil, nil, 1, 2, 2, 2] as [Int64?]).map { $0.map { SyncSeq($0) } })
        }
    }

    /// A write that is undone leaves no number behind.
    @Test(arguments: StoreKind.allCases) func aWriteThatThrowsDrawsNothing(kind: StoreKind) async throws {
        struct Stop: Error {}
        try await withStore(kind) { store in
            try await commit(["a"], store)
            await #expect(throws: Stop.self) {
                try await store.write { transaction in
                    let seq = try transaction.drawSeq(of: transaction.project("a")!, shortIDs: 0)
                    try transaction.number(NumberedCommit(project: "a", seq: seq, at: Self.noon))
                    throw Stop()
                }
            }
            #expect(try await store.read { try $0.newestNumber() } == CommitNumber(2))
        }
    }

    /// Two drafts of one project in one transaction are one commit, seen by the audiences of both.
    @Test(arguments: StoreKind.allCases) func twoCommitsOfOneTransactionAreJoined(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            try await store.write { transaction in
                try transaction.createProject("a")
                for audience in [CommitAudience.everyone, .user(7)] {
                    let seq = try transaction.drawSeq(of: transaction.project("a")!, shortIDs: 0)
                    try transaction.number(
                        NumberedCommit(
                            project: "a", seq: seq, at: Self.noon, audiences: [audience],
                            changesSight: audience == .everyone))
                }
            }
            let commits = try await store.read { try $0.commits(to: "a", after: .first, limit: 10) }
            #expect(
                commits == [
                    NumberedCommit(project: "a", seq: SyncSeq(2), at: Self.noon, audiences: [.everyone, .user(7)])
                ])
        }
    }

    /// Of an old hour the last commit stays, and those that changed who sees what. A head falls, but never rises.
    @Test(arguments: StoreKind.allCases) func thinningKeepsTheLastCommitOfAnHour(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let minute = Duration.seconds(60)
            for (minutes, sight) in [(0, false), (10, true), (20, false), (59, false), (60, false), (70, false)] {
                try await commit(["a"], store, at: Self.noon.advanced(by: minute * minutes), sight)
            }
            try await commit(["b"], store, at: Self.noon.advanced(by: minute * 5))
            var looked = 0
            repeat {
                looked = try await store.write {
                    try $0.thinCommits(before: Self.noon.advanced(by: minute * 65), limit: 3)
                }
            } while looked == 3
            try await store.read { transaction throws -> Void in
                let kept = try transaction.commits(to: "a", after: .first, limit: 10)
                #expect(kept.map(\.seq) == [2, 4, 6].map { SyncSeq($0) })
                #expect(try transaction.head(of: "a", at: CommitNumber(4)) == SyncSeq(2), "3 was thinned")
                #expect(try transaction.head(of: "a", at: CommitNumber(7)) == SyncSeq(6))
                #expect(try transaction.head(of: "b", at: CommitNumber(8)) == SyncSeq(1))
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func theTimeOfAProjectNeverFalls(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let hour = Duration.seconds(3600)
            for hours in [0, 50, 1] { try await commit(["a"], store, at: Self.noon.advanced(by: hour * hours)) }
            let found = try await store.read { transaction in
                try [0, 1, 10, 51].map {
                    try transaction.lastCommit(of: "a", before: Self.noon.advanced(by: hour * $0))
                }
            }
            #expect(found == [nil, SyncSeq(1), SyncSeq(1), SyncSeq(3)])
        }
    }

    @Test(arguments: StoreKind.allCases) func aStintIsOneMembership(kind: StoreKind) async throws {
        let registry = try Registry.builtIn()
        func check(_ store: some SyncStore) async throws {
            let bench = try await Workbench(store, registry)
            let user = bench.caller(.member).userID
            func stints() async throws -> [Stint] { try await bench.store.read { try $0.stints(of: user) } }
            func head() async throws -> SyncSeq { try await bench.store.read { try $0.project("p1")!.head } }
            let joined = try #require(try await stints().first)
            #expect(joined.project == "p1" && joined.until == .maximum && joined.from > .zero)
            try await bench.setRole(of: .member, to: .viewer)
            #expect(try await stints() == [joined], "another role is the same membership")
            try await bench.setRole(of: .member, to: nil)
            let left = Stint(project: "p1", from: joined.from, until: try await head())
            #expect(try await stints() == [left])
            try await bench.setRole(of: .member, to: .member)
            #expect(try await stints() == [left, Stint(project: "p1", from: try await head())])
        }
        try await kind.withStore(registry) { try await check($0) }
    }
}
