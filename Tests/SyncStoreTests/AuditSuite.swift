import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// The audit list, on all stores.
@Suite struct AuditSuite {
    private static func at(_ seconds: Int64) -> Instant { Instant(milliseconds: seconds * 1000) }

    private func entry(_ generator: inout SeededGenerator, _ second: Int64) -> AuditEntry {
        let isCommand = Bool.random(using: &generator)
        let actor = Actor(
            userID: isCommand ? nil : Int64.random(in: 1...3, using: &generator), name: "née\u{301} \"x\"",
            credential: isCommand ? "command" : "token:1", address: isCommand ? nil : "203.0.113.7")
        let details: [[String: JSON]] = [[:], ["before": 100, "after": 300], ["name": "Ω'); --"]]
        return AuditEntry(
            [.userAdded, .memberRemoved, .purged].randomElement(using: &generator)!, by: actor,
            subject: [nil, 1, 2, 3].randomElement(using: &generator)!,
            project: [nil, "p1", "p2"].randomElement(using: &generator)!,
            details: details.randomElement(using: &generator)!, at: Self.at(second))
    }

    private func selection(_ generator: inout SeededGenerator) -> AuditSelection {
        AuditSelection(
            user: [nil, 1, 2].randomElement(using: &generator)!,
            project: [nil, "p1", "p3"].randomElement(using: &generator)!,
            action: [nil, .userAdded].randomElement(using: &generator)!,
            before: [nil, 20].randomElement(using: &generator)!,
            since: Self.at([0, 10].randomElement(using: &generator)!))
    }

    @Test(arguments: StoreKind.allCases, [UInt64(1), 2, 3])
    func aSelectionIsWhatItHolds(kind: StoreKind, seed: UInt64) async throws {
        print("AuditSuite seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let entries = (0..<40).map { entry(&generator, Int64($0)) }
        let selections = (0..<30).map { _ in selection(&generator) }
        try await kind.withStore(try .builtIn()) { store in
            for entry in entries { try await store.write(.accounts) { try $0.audit(entry) } }
            let all = try await store.read(.installation) {
                try $0.audit(AuditSelection(since: Self.at(0)), limit: 100)
            }
            #expect(all.map(\.content) == entries.reversed())
            #expect(all.map(\.id) == all.map(\.id).sorted(by: >))
            for selection in selections {
                let found = try await store.read(.installation) { try $0.audit(selection, limit: 7) }
                #expect(found == Array(all.filter(selection.holds).prefix(7)), "\(selection)")
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func oldEntriesAreForgottenAndTheirIdsAreNotGivenAgain(kind: StoreKind) async throws {
        var generator = SeededGenerator(seed: 7)
        let entries = (0..<5).map { entry(&generator, Int64($0)) }
        try await kind.withStore(try .builtIn()) { store in
            let add = { (entry: AuditEntry) in try await store.write(.accounts) { try $0.audit(entry) } }
            let list = {
                try await store.read(.installation) {
                    try $0.audit(AuditSelection(since: Self.at(0)), limit: 100)
                }
            }
            for entry in entries { try await add(entry) }
            let last = try #require(try await list().first).id
            let forget = { (second: Int64, limit: Int) in
                try await store.write(.installation) { try $0.forgetAudit(before: Self.at(second), limit: limit) }
            }
            #expect(try await forget(3, 2) == 2)
            #expect(try await forget(3, 2) == 1)
            #expect(try await forget(3, 2) == 0)
            #expect(try await list().map(\.content) == entries[3...].reversed())
            #expect(try await forget(100, 100) == 2)
            try await add(entries[0])
            #expect(try #require(try await list().first).id > last)
        }
    }
}
