import SyncProtocol
import SyncTestKit
import Testing

/// Both engines answer one history alike, byte for byte: pages, uploads, refusals.
@Suite struct EngineComparisonTests {
    @Test(arguments: [11, 12, 13, 14, 15, 16] as [UInt64])
    func bothEnginesAnswerAlike(seed: UInt64) async throws {
        let plan = Plan(seed: seed)
        let sqlite = try await World.answers(to: plan, on: .sqlite)
        let postgresql = try await World.answers(to: plan, on: .postgresql)
        #expect(!sqlite.isEmpty)
        #expect(sqlite.count == postgresql.count, "seed \(seed)")
        let difference = zip(sqlite, postgresql).enumerated().first { $1.0 != $1.1 }
        if let (index, (one, other)) = difference {
            Issue.record("seed \(seed), answer \(index)\nSQLite: \(one)\nPostgreSQL: \(other)")
        }
    }
}

extension World {
    /// Everything that the servers answer in a run.
    static func answers(to plan: Plan, on engine: RunEngine) async throws -> [Exchanged] {
        let world = try await World(plan, Template.shared(engine), bug: nil)
        await world.keepAnswers()
        try await world.perform(plan.operations)
        try await world.heal()
        return await world.answers ?? []
    }
}
