@testable import SyncEngine
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// What the engine records with a commit's number: who may see something of it, and whether it changed who sees what.
@Suite struct NumberedWriteTests {
    private let bench: Workbench<ModelStore>

    init() async throws {
        let registry = try Registry.builtIn()
        bench = try await Workbench(ModelStore(registry: registry), registry)
    }

    /// The commit that `write` made; nil if it made none.
    private func commit(of write: () async throws -> Void) async throws -> NumberedCommit? {
        let newest = try await bench.store.read { try $0.newestNumber() }
        try await write()
        return try await bench.store.read { try $0.commits(to: "p1", after: newest, limit: 9) }.first
    }

    private func edit(
        as role: Role = .owner, _ body: @escaping @Sendable (RowEditor) throws -> Void
    ) async throws -> NumberedCommit? {
        try await commit { try await bench.edit(as: role, body) }
    }

    @Test func aTaskIsForEverybody() async throws {
        let commit = try await edit { try $0.insert("tasks", "t", ["name": "Dig"]) }
        #expect(commit?.audiences == [.everyone] && commit?.changesSight == false)
        let nothing = try await edit { try $0.update("tasks", "t", ["name": "Dig"]) }
        #expect(nothing == nil)
    }

    @Test func aTimeEntryIsForItsUserBeforeAndAfter() async throws {
        let (member, admin) = (bench.caller(.member).userID, bench.caller(.admin).userID)
        let made = try await edit(as: .member) { editor in
            try editor.insert("tasks", "t", ["name": "Dig"])
            try editor.insert("time_entries", "e", ["task": "t", "minutes": 5, "entry_date": "2026-01-05"])
        }
        #expect(made?.audiences == [.everyone, .user(member)])
        let given = try await edit { try $0.update("time_entries", "e", ["user": .int(admin)]) }
        #expect(given?.audiences == [.user(member), .user(admin)])
        let deleted = try await edit { try $0.delete("time_entries", "e") }
        #expect(deleted?.audiences == [.user(admin)])
    }

    @Test func aGateThatOpensOrClosesChangesWhoSeesWhat() async throws {
        let made = try await edit { editor in
            try editor.insert(
                "sprints", "s", ["name": "S", "start_date": "2026-01-05", "finish_date": "2026-01-16"])
            try editor.insert("sprint_retros", "r", ["sprint": "s", "team_visibility": "team_only"])
        }
        #expect(made?.audiences == [.everyone, .members(from: .member)] && made?.changesSight == false)
        let noted = try await edit { try $0.update("sprint_retros", "r", ["notes": "Slow"]) }
        #expect(noted?.audiences == [.members(from: .member)] && noted?.changesSight == false)
        let opened = try await edit { try $0.update("sprint_retros", "r", ["team_visibility": "project"]) }
        #expect(opened?.audiences == [.members(from: .member), .everyone] && opened?.changesSight == true)
    }

    @Test func aMembershipChangesWhoSeesWhat() async throws {
        for role in [Role.viewer, .member, nil, .member] {
            let commit = try await commit { try await bench.setRole(of: .member, to: role) }
            #expect(commit?.changesSight == (role != .member || commit != nil), "\(String(describing: role))")
        }
    }

    /// Deleting a project is for everybody, and ends every stint.
    @Test func aDeletedProjectEndsAllStints() async throws {
        let commit = try await commit {
            try await bench.items.delete("p1", in: bench.registry.projects, if: .none, by: bench.caller(.owner))
        }
        #expect(commit?.audiences == [.everyone] && commit?.changesSight == true)
        for role in Role.allCases {
            let stints = try await bench.store.read { try $0.stints(of: bench.caller(role).userID) }
            #expect(stints.map(\.until) == [commit?.seq])
        }
    }

    /// A purge forgets what no watermark can ask for, and nothing that tells a project's head at a later number.
    @Test func aPurgeKeepsTheHeadsAboveTheHorizon() async throws {
        try await bench.edit { try $0.insert("tasks", "t", ["name": "Dig"]) }
        try await bench.edit { try $0.delete("tasks", "t") }
        let deleted = try await bench.store.read { try $0.newestNumber() }
        try await bench.edit { try $0.insert("tasks", "u", ["name": "Fill"]) }
        let before = try await bench.store.read { try $0.head(of: "p1", at: deleted) }
        try await bench.purge()
        #expect(try await bench.store.read { try $0.head(of: "p1", at: CommitNumber(deleted.rawValue - 1)) } != nil)
        try await bench.purge(later: .seconds(8 * 86_400))
        try await bench.store.read { transaction throws -> Void in
            let project = try transaction.project("p1")!
            #expect(project.horizon == before)
            #expect(try transaction.head(of: "p1", at: deleted) == before)
            #expect(try transaction.head(of: "p1", at: transaction.newestNumber()) == project.head)
            let earlier = try #require(try transaction.head(of: "p1", at: CommitNumber(deleted.rawValue - 1)))
            #expect(earlier < project.horizon, "the commit of the insert is forgotten")
        }
    }
}
