import PostgreSQLTestKit
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStorePostgreSQL
import SyncTestKit
import Synchronization
import Testing

/// A server with new schema files starts while one with the old files runs.
@Suite(.timeLimit(.minutes(30))) struct RunningServerTests {
    /// A value that several tasks use.
    private final class Shared<Value: Sendable>: Sendable {
        let value: Mutex<Value>
        init(_ value: Value) { self.value = Mutex(value) }
    }

    private static let changed: @Sendable (inout Documents) -> Void = {
        $0["tasks", "colour"] = ["type": "string", "default": "red"]
    }

    @Test(arguments: [true, false]) func theOlderServerEnds(byWriting: Bool) async throws {
        let database = try TestDatabase()
        let old = try database.open(Registry.builtIn())
        defer { old.close() }
        let bench = try await Workbench(old, try Registry.builtIn())
        let ends = Shared<[String]>([])
        old.onEnd { reason in ends.value.withLock { $0.append(reason.description) } }
        let new = try database.open(Documents.registry(Self.changed))
        defer { new.close() }
        let problem = await #expect(throws: Problem.self) {
            if byWriting {
                try await bench.edit { try $0.insert("tasks", "t", ["name": "T"]) }
            } else {
                _ = try await old.mark(of: .project("p1"))
            }
        }
        #expect(problem?.code == .busy)
        #expect(ends.value.withLock { $0 }.count == 1)
        #expect(try await new.read { try $0.record(RowKey("tasks", "t")) } == nil, "no write in the old form")
    }

    /// Readers of the older server read all tables while they are changed.
    @Test func readersAndTheChangeComeThrough() async throws {
        let database = try TestDatabase()
        let registry = try Registry.builtIn()
        let old = try database.open(registry)
        defer { old.close() }
        let bench = try await Workbench(old, registry)
        try await bench.edit { editor in
            for number in 0..<50 { try editor.insert("tasks", "t\(number)", ["name": "T"]) }
        }
        let isDone = Shared(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    while !isDone.value.withLock({ $0 }) {
                        let count = try await rows(old, registry)
                        #expect(count >= 50)
                    }
                }
            }
            group.addTask {
                defer { isDone.value.withLock { $0 = true } }
                let changed = try Documents.registry { documents in
                    for collection in registry.collections {
                        documents[collection.name, "colour"] = ["type": "string", "default": "red"]
                    }
                }
                try await offThePool { try database.open(changed).close() }
            }
            try await group.waitForAll()
        }
    }

    /// The number of rows of all collections.
    private func rows(_ store: PostgreSQLStore, _ registry: Registry) async throws -> Int {
        try await store.read(.project("p1")) { transaction in
            try registry.collections.reversed().map { try transaction.records(in: $0, project: "p1").count }
                .reduce(0, +)
        }
    }
}
