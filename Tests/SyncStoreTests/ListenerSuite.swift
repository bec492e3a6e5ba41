@testable import SyncEngine
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Synchronization
import Testing

/// What listeners need of a store, on all stores: commits with their audiences, members over
/// time, tickets.
@Suite struct ListenerSuite {
    private static let noon = Workbench<ModelStore>.noon

    private func withStore(_ kind: StoreKind, _ body: (any SyncStore) async throws -> Void) async throws {
        try await kind.withStore(Registry.builtIn(), body)
    }

    @Test(arguments: StoreKind.allCases) func commitsComeWithTheirAudiencesInTheOrderOfNumbers(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { store in
            let audiences: [Set<CommitAudience>] = [[.everyone], [.members(from: .admin), .user(7)], []]
            for (index, audience) in audiences.enumerated() {
                try await store.write { transaction in
                    for project in index == 0 ? ["b", "a"] : ["a"] {
                        if try transaction.project(project) == nil { try transaction.createProject(project) }
                        let seq = try transaction.drawSeq(of: transaction.project(project)!, shortIDs: 0)
                        try transaction.number(
                            NumberedCommit(
                                project: project, seq: seq, at: Self.noon, audiences: audience, changesSight: false))
                    }
                }
            }
            try await store.read { transaction throws -> Void in
                let all = try transaction.numberedCommits(after: .first, limit: 10)
                #expect(all.map(\.number.rawValue) == [2, 2, 3, 4])
                #expect(all.map(\.commit.project) == ["a", "b", "a", "a"])
                #expect(all.map(\.commit.audiences) == [audiences[0], audiences[0], audiences[1], audiences[2]])
                let few = try transaction.numberedCommits(after: CommitNumber(2), limit: 1)
                #expect(few.map(\.number) == [CommitNumber(3)])
                #expect(try transaction.lastThinned() == nil)
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func membersAreThoseWhoStayOrLeftNotBefore(kind: StoreKind) async throws {
        let registry = try Registry.builtIn()
        func check(_ store: some SyncStore) async throws {
            let bench = try await Workbench(store, registry)
            let (viewer, member) = (bench.caller(.viewer).userID, bench.caller(.member).userID)
            func head() async throws -> SyncSeq { try await bench.store.read { try $0.project("p1")!.head } }
            func members(from seq: SyncSeq) async throws -> [Int64: Role?] {
                let found = try await bench.store.read { try $0.members(of: "p1", endingFrom: seq) }
                return Dictionary(found.map { ($0.user, $0.role) }) { $1 }
            }
            try await bench.setRole(of: .member, to: .admin)
            try await bench.setRole(of: .viewer, to: nil)
            let left = try await head()
            #expect(try await members(from: left)[viewer] == .some(nil))
            #expect(try await members(from: left.next)[viewer] == nil)
            #expect(try await members(from: left.next)[member] == .some(.admin))
            #expect(try await members(from: .zero).count == Role.allCases.count)
        }
        try await kind.withStore(registry) { try await check($0) }
    }

    @Test(arguments: StoreKind.allCases) func aTicketIsKeptUntilItIsDeletedOrForgotten(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let later = Self.noon.advanced(by: .seconds(30))
            let ticket = try await store.write { transaction in
                let user = try transaction.createUser(
                    username: "a", displayName: "A", isSuperuser: false, at: Self.noon)
                let ticket = StoredTicket(
                    userID: user.id, credential: "token:1", isReadOnly: true, tokenExpiresAt: nil, expiresAt: later)
                for hash in ["one", "two"] { try transaction.createTicket(ticket, hash: hash) }
                return ticket
            }
            #expect(try await store.read { try $0.ticket(hash: "one") } == ticket)
            try await store.write { transaction in
                try transaction.deleteTicket(hash: "one")
                try transaction.forgetTickets(before: later)
            }
            #expect(try await store.read { try $0.ticket(hash: "one") } == nil)
            #expect(try await store.read { try $0.ticket(hash: "two") } == ticket)
            try await store.write { try $0.forgetTickets(before: later.advanced(by: .seconds(1))) }
            #expect(try await store.read { try $0.ticket(hash: "two") } == nil)
        }
    }

    /// A store calls once the commit can be read.
    @Test func aCommitIsSaidOnceItCanBeRead() async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: try Registry.builtIn(), opener: .server, mender: DraftMender())
        let seen = Mutex<[Bool]>([])
        store.onCommit {
            let project = try? store.readInline(.installation) { try $0.project("a") }
            seen.withLock { $0.append(project != nil) }
        }
        try await store.write { try $0.createProject("a") }
        while seen.withLock({ $0.isEmpty }) { await Task.yield() }
        #expect(seen.withLock { $0 } == [true])
    }
}
