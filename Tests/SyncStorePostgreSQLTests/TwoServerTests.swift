import PostgreSQLTestKit
import SyncProtocol
import SyncStore
import SyncStorePostgreSQL
import SyncTestKit
import Testing

/// What one server has answered, the other one knows at its next request.
@Suite(.timeLimit(.minutes(30))) struct TwoServerTests {
    @Test func aCommitIsSeenByTheOtherServerAtOnce() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        for round in 0..<300 {
            let (here, there) = (two.stores[round % 2], two.stores[(round + 1) % 2])
            let before = try await there.mark(of: .project("p0"))
            let seq = try await here.commit(to: "p0")
            #expect(try await before.isOlder(than: there.mark(of: .project("p0"))))
            #expect(try await there.read(.project("p0")) { try $0.project("p0")?.head } == seq)
        }
    }

    @Test func aLostAccountIsSeenByTheOtherServerAtOnce() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        let user = try await two.stores[0].write(.accounts) {
            try $0.createUser(
                username: "u", displayName: "U", isSuperuser: false, at: Workbench<ModelStore>.noon
            ).id
        }
        for round in 0..<100 {
            let (here, there) = (two.stores[round % 2], two.stores[(round + 1) % 2])
            let before = try await there.mark(of: .accounts)
            try await here.write(.accounts) { try $0.setDisabled(round % 2 == 0, user: user) }
            #expect(try await before.isOlder(than: there.mark(of: .accounts)))
        }
    }

    /// Writers on both servers and several projects, and a reader who notes which numbers there are.
    @Test func nothingAppearsBelowANumberThatWasGiven() async throws {
        let two = try await TwoServers(projects: 5)
        defer { two.close() }
        let stores = two.stores
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<6 {
                group.addTask {
                    for round in 0..<60 { try await stores[writer % 2].commit(to: "p\((writer + round) % 5)") }
                }
            }
            group.addTask {
                var known: [PlacedCommit] = []
                while known.count < 360 {
                    let all = try await stores[0].read { try $0.commits(after: .first, limit: 1000) }
                    #expect(Array(all.prefix(known.count)) == known)
                    known = all
                }
            }
            try await group.waitForAll()
        }
        for project in 0..<5 {
            let commits = try await stores[1].read { try $0.commits(to: "p\(project)", after: .first, limit: 1000) }
            #expect(commits.map(\.seq.rawValue) == (1...72).map(Int64.init))
        }
    }

    @Test func aTransactionOverTwoProjectsHasOneNumber() async throws {
        let two = try await TwoServers(projects: 2)
        defer { two.close() }
        for round in 0..<50 {
            try await two.stores[round % 2].commit(to: "p\(round % 2)")
            try await two.stores[round % 2].write(.projects(["p1", "p0"])) { transaction in
                for project in ["p1", "p0"] { _ = try transaction.drawSeq(of: project) }
            }
        }
        let commits = try await two.stores[0].read { try $0.commits(after: .first, limit: 1000) }
        let numbers = Dictionary(grouping: commits, by: \.number)
        #expect(numbers.count { $0.value.count == 2 } == 50)
        #expect(numbers.count == 100)
    }
}
