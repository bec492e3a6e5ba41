import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// What all stores drop of a user's records if they have too many bytes together: the oldest, and nothing of others.
@Suite struct KeptBytesSuite {
    private static let noon = Workbench<ModelStore>.noon
    private static let large = String(repeating: "x", count: 20_000)

    private func withStore(_ kind: StoreKind, _ body: (any SyncStore, Registry) async throws -> Void) async throws {
        let registry = try Registry.builtIn()
        try await kind.withStore(registry) { try await body($0, registry) }
    }

    private func at(_ number: Int) -> Instant { Self.noon.advanced(by: .seconds(number)) }

    @Test(arguments: StoreKind.allCases) func theNewestLostEditsStay(kind: StoreKind) async throws {
        try await withStore(kind) { store, registry in
            let users = try await bench(store, registry)
            let left = try await store.write { transaction in
                for number in 0..<6 {
                    for (user, project) in [(users[0], "p1"), (users[1], "p1"), (users[0], "p2")] {
                        let edit = LostEdit(
                            userID: user, key: RowKey("tasks", "t\(number)"), field: nil, code: .conflict,
                            sent: .string(Self.large), kept: .null, isCut: number == 5, batchID: nil)
                        try transaction.addToInbox([edit], project: project, at: at(number))
                    }
                }
                try transaction.trimInbox(of: users[0], project: "p1", to: 50_000)
                return try [(users[0], "p1"), (users[1], "p1"), (users[0], "p2")].map { user, project in
                    try transaction.inbox(
                        of: user, project: project, since: Self.noon, after: 0, limit: 99, bytes: .max
                    ).elements.map { "\($0.edit.key.id) \($0.edit.isCut)" }
                }
            }
            #expect(left.map(\.count) == [2, 6, 6] && left[0] == ["t4 false", "t5 true"])
        }
    }

    @Test(arguments: StoreKind.allCases) func theValuesOfTheNewestChangesStay(kind: StoreKind) async throws {
        try await withStore(kind) { store, registry in
            let users = try await bench(store, registry)
            let left = try await store.write { transaction in
                for number in 0..<6 {
                    for (user, text) in [(users[0], Self.large), (users[0], "small"), (users[1], Self.large)] {
                        let key = RowKey("tasks", "\(user)-\(text.count)-\(number % 2)")
                        let change = RowChange(
                            key: key, project: "p1", version: ServerVersion(Int64(2 + number / 2)),
                            seq: SyncSeq(Int64(1 + number)), origin: Origin(userID: user, device: nil, credential: ""),
                            at: at(number), editedAt: at(number), replaced: ["notes": .string(text)])
                        try transaction.remember([change])
                    }
                }
                try transaction.trimChanges(of: users[0], project: "p1", to: 50_000)
                // Once more finds nothing to do.
                try transaction.trimChanges(of: users[0], project: "p1", to: 50_000)
                return try [(users[0], 20_000), (users[0], 5), (users[1], 20_000)].map { user, size in
                    try [0, 1].map { number in
                        let changes = try transaction.changes(
                            of: RowKey("tasks", "\(user)-\(size)-\(number)"), since: .commit(.zero), bytes: .max)
                        return "\(changes.elements.count) \(changes.isCut)"
                    }
                }
            }
            #expect(left == [["1 true", "1 true"], ["3 false", "3 false"], ["3 false", "3 false"]])
        }
    }

    @Test(arguments: StoreKind.allCases) func theNewestAnswersStay(kind: StoreKind) async throws {
        try await withStore(kind) { store, registry in
            let users = try await bench(store, registry)
            let left = try await store.write { transaction in
                func key(_ user: Int64, _ number: Int, _ text: String) -> IdempotencyKey {
                    IdempotencyKey(scope: "p1", userID: user, text: ExactText("\(text.count)-\(number)"))
                }
                let owners = [(users[0], Self.large), (users[0], "small"), (users[1], Self.large)]
                for number in 0..<6 {
                    for (user, text) in owners {
                        let answer = StoredAnswer(
                            key: key(user, number, text), bodyHash: "h", response: text, storedAt: at(number))
                        try transaction.storeAnswer(answer)
                    }
                }
                try transaction.trimAnswers(of: users[0], scope: "p1", to: 50_000)
                return try owners.map { user, text in
                    try (0..<6).filter { try transaction.answer(to: key(user, $0, text)) != nil }
                }
            }
            #expect(left == [[4, 5], Array(0..<6), Array(0..<6)])
        }
    }

    /// Two projects, and two of their users.
    private func bench(_ store: some SyncStore, _ registry: Registry) async throws -> [Int64] {
        let bench = try await Workbench(store, registry)
        _ = try await bench.another("p2")
        return [bench.caller(.member).userID, bench.caller(.admin).userID]
    }
}
