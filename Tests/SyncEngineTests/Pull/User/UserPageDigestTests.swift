import NIOCore
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Synchronization
import Testing

/// The digests at the end of a user-wide drain are of the state that its last page was read at, whoever writes just
/// after.
@Suite struct UserPageDigestTests {
    private let member: Caller
    private let pulls: PullService<InterruptedReads<ModelStore>>

    init() async throws {
        let registry = try Registry.builtIn()
        let first = try await Workbench(ModelStore(registry: registry), registry)
        let member = first.caller(.member)
        let second = try await Workbench(first.store, registry, project: "p2")
        try await second.members.addMember(member.username.rawValue, to: "p2", as: .member)
        for bench in [first, second] {
            try await bench.edit { try $0.insert("tasks", "t-\(bench.project)", ["name": "A"]) }
        }
        let reads = Mutex<Int64>(0)
        let store = InterruptedReads(first.store) {
            let count = reads.withLock { count in
                count += 1
                return count
            }
            try await second.edit { try $0.update("tasks", "t-p2", ["name": .string("after read \(count)")]) }
        }
        self.member = member
        pulls = try await PullService(store: store, registry: registry)
    }

    private func page(_ cursor: String? = nil, size: Int) async throws -> (answer: JSON, head: Int64) {
        let request = UserPullRequest(since: .zero, cursor: cursor, form: PullForm(pageSize: size))
        let page = try await pulls.page(request, for: member)
        return (try JSON(parsing: page.body.readableBytesView), page.head)
    }

    @Test func aDrainOfOnePageHasThem() async throws {
        let (answer, head) = try await page(size: 1000)
        #expect(answer["has_more"] == false && answer["timestamp"]?.int == head)
        let digests = try #require(answer["digest"]?.object)
        #expect(Set(digests.keys) == ["p1", "p2"])
        for (project, digest) in digests { #expect(digest["tasks"]?["count"] == 1, "\(project)") }
    }

    /// The rule of a client: a drain counts if its last page has the number of its first as head.
    @Test func aDrainThatDoesNotCountHasNone() async throws {
        var (answer, head) = try await page(size: 1)
        while let cursor = answer["next_cursor"]?.string { (answer, head) = try await page(cursor, size: 1) }
        #expect(answer["timestamp"]?.int != head)
        #expect(answer["digest"]?["p2"] == .null)
        #expect(answer["digest"]?["p1"]?["tasks"]?["count"] == 1)
    }
}

/// A store that runs a function after each of its reads, before the reader hears of the end. What the function writes
/// falls between two reads of one answer.
private struct InterruptedReads<Base: SyncStore>: WrappingStore {
    let base: Base
    private let after: @Sendable () async throws -> Void

    init(_ base: Base, after: @escaping @Sendable () async throws -> Void) {
        self.base = base
        self.after = after
    }

    func read<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value {
        let value = try await base.read(scope, body)
        try await after()
        return value
    }

    func readInline<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value {
        let value = try await base.readInline(scope, body)
        try await after()
        return value
    }

    func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value { try await base.write(scope, priority: priority, needing: needs, body) }
}
