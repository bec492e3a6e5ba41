import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// The server's numbers go back while a device holds an answer above
/// them. These runs once showed the fault; they use the real server.
@Suite struct OtherHistoryTests {
    private static let device = 0

    private func exchange(_ verb: Exchange.Verb) -> Operation {
        .exchange(device: Self.device, Exchange(verb: verb, pageSize: 50, incidents: []))
    }

    private func edit(_ verb: Edit.Verb, _ id: String, _ name: String? = nil) -> Operation {
        .edit(device: Self.device, Edit(verb: verb, id: id, fields: name.map { ["name": .string($0)] } ?? [:]))
    }

    /// A device that has two tasks does `before`. Then it makes an
    /// edit, gets the answer, and does not pull. Then `after` happens.
    private func end(of before: [Operation], _ after: [Operation], seed: UInt64 = 1) async throws -> [String: JSON] {
        var plan = Plan(seed: seed)
        plan.operations =
            [exchange(.pull), edit(.insert, "old", "Old"), edit(.insert, "gone", "Gone"), exchange(.sync)] + before
            + [edit(.insert, "new", "New"), edit(.update, "old", "Newer"), edit(.delete, "gone"), exchange(.push)]
            + after + [exchange(.sync), exchange(.sync), exchange(.sync)]
        let world = try await World(plan, Template.shared(.sqlite), bug: nil)
        try await world.perform(plan.operations)
        try await world.heal()
        try await world.check()
        return try await world.liveNames
    }

    private let expected: [String: JSON] = ["old": "Newer", "new": "New"]

    @Test func whatAnImportOfAnOlderExportLacksIsSentAgain() async throws {
        let names = try await end(of: [.export], [.importOver])
        #expect(names == expected)
    }

    @Test func anImportThatHasItAllIsSentNothing() async throws {
        let names = try await end(of: [], [.importOver])
        #expect(names == expected)
    }

    /// In some of these runs the second jump is smaller than the first, in others it is larger.
    @Test(arguments: 1...8 as ClosedRange<UInt64>) func whatASecondRestoreLacksIsSentAgain(seed: UInt64) async throws {
        let before: [Operation] = [.backUp, .restore, exchange(.sync)]
        let names = try await end(of: before, [.restore], seed: seed)
        #expect(names == expected)
    }
}

extension World {
    /// The names of the live tasks.
    fileprivate var liveNames: [String: JSON] {
        get async throws {
            let truth = try await truth(for: .member, in: [Edit.first: .member])
            let tasks = truth.filter { $0.key.collection == "tasks" }
            return Dictionary(uniqueKeysWithValues: tasks.map { ($0.key.id, $0.value["name"] ?? .null) })
        }
    }
}
