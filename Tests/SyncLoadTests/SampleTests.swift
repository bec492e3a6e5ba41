import SyncAccounts
import SyncLoad
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQL
import SyncStoreSQLite
import SyncTestKit
import Testing
@testable import tidemark

/// The sample projects for load tests.
@Suite struct SampleTests {
    private func rows(_ id: String, seed: UInt64 = 1) throws -> [String] {
        let sample = try #require(SampleProject(id: id, rows: 700, users: [1, 2], seed: seed))
        return sample.chunks.flatMap(\.rows).map { JSON.object($0).text }
    }

    @Test func theSameSeedGivesTheSameRows() throws {
        #expect(try rows("a") == rows("a"))
        #expect(try Set(rows("a")).isDisjoint(with: rows("b")))
        #expect(try Set(rows("a")).isDisjoint(with: rows("a", seed: 2)))
    }

    @Test func allRowsTogetherAreAsManyAsAsked() throws {
        // Plus a project, a calendar and two memberships.
        #expect(try rows("a").count == 696)
        #expect(SampleProject(id: "a", rows: 4, users: [1], seed: 1) == nil)
    }

    @Test(arguments: [7, 100, 1500])
    func aProjectOfAnySizeIsTaken(size: Int) async throws {
        let folder = try TemporaryFolder()
        let wiring = try await Wiring(database: folder.path("t.db"), as: .server(.ask))
        let preparation = SamplePreparation(wiring: wiring, rows: size, seed: 1)
        let result = try await preparation.run(users: 2, project: "p") { _ in }
        let counts = try await wiring.store.read { try $0.counts(project: "p") }
        #expect(counts.values.reduce(0) { $0 + $1.live } == size)
        let tokens = result["tokens"]?.array?.compactMap(\.string) ?? []
        #expect(tokens.count == 2)
        for (index, token) in tokens.enumerated() {
            #expect(
                try await wiring.services.accounts.authenticate(token: token)?.username.rawValue == "load-\(index + 1)")
        }
        await #expect(throws: Problem.self) { try await preparation.run(users: 2, project: "p") { _ in } }
    }

    @Test func usersThatAreThereAreTaken() async throws {
        let folder = try TemporaryFolder()
        let wiring = try await Wiring(database: folder.path("t.db"), as: .server(.ask))
        for project in ["p", "q"] {
            _ = try await SamplePreparation(wiring: wiring, rows: 20, seed: 1).run(users: 2, project: project) { _ in }
        }
        #expect(try await wiring.services.accounts.users().count == 2)
    }
}
