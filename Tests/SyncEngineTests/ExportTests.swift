import Foundation
import SyncAccounts
@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
@testable import SyncStoreSQLite
import SyncTestKit
import Synchronization
import Testing

/// `tidemark export`, and `tidemark import` of what it prints.
@Suite struct ExportTests {
    private let folder: TemporaryFolder
    private let registry: Registry

    init() throws {
        folder = try TemporaryFolder()
        registry = try Registry.builtIn()
    }

    private func bench(_ name: String, project: String) async throws -> Workbench<SQLiteStore> {
        try await Workbench(
            SQLiteStore(path: folder.path(name), registry: registry, opener: .server, mender: DraftMender()), registry,
            project: project)
    }

    /// A project after many random writes.
    private func worn(seed: UInt64) async throws -> Workbench<SQLiteStore> {
        let bench = try await bench("\(seed).db", project: "p1")
        var (random, writes) = (SeededGenerator(seed: seed), RandomWrites())
        for _ in 0..<80 { try await bench.perform(writes.next(&random)) }
        return bench
    }

    private func export(_ project: String, of store: SQLiteStore) async throws -> JSON {
        let text = Mutex("")
        try await ProjectExport(store: store, registry: registry).write(project) { part in text.withLock { $0 += part }
        }
        return try JSON(parsing: text.withLock { $0 })
    }

    private func restore(
        _ json: JSON, into bench: Workbench<SQLiteStore>, addsMembers: Bool = true, rekeys: Bool = false
    ) async throws -> ProjectService<SQLiteStore>.Restored {
        var export = try ExportedProject(json, registry: registry)
        if rekeys { export.rekey(NewID.uuid.callAsFunction) }
        let owner = try await bench.accounts.user(named: "owner-other")
        return try await bench.projects.restore(export, owner: owner, addsMembers: addsMembers)
    }

    private func rows(_ json: JSON) -> [String: JSON] {
        var rows = json["rows"]?.object ?? [:]
        rows["memberships"] = nil
        return rows.mapValues { list in
            .array((list.array ?? []).sorted { ($0["id"]?.string ?? "") < ($1["id"]?.string ?? "") })
        }
    }

    @Test func valuesOfFieldsThatTheSchemaHasNotAreCounted() async throws {
        let tasks: JSON = [["id": "t1", "name": "A", "colour": "red"], ["id": "t2", "name": "B", "colour": nil]]
        let json: JSON = ["tidemark_export": 1, "users": [:], "rows": ["tasks": tasks]]
        #expect(try ExportedProject(json, registry: registry).unknownFields == ["tasks.colour": 1])
    }

    @Test(arguments: [UInt64(1), 2, 3]) func whatIsImportedExportsTheSame(seed: UInt64) async throws {
        let bench = try await worn(seed: seed)
        let other = try await self.bench("other.db", project: "other")
        let before = try await export("p1", of: bench.store)
        let restored = try await restore(before, into: other)
        #expect(restored.project == "p1" && restored.clearedReferences == 0)
        let after = try await export("p1", of: other.store)
        #expect(rows(after) == rows(before), "seed \(seed)")
        let moved = try await other.moved(to: other.store)
        #expect(try await moved.brokenInvariants().isEmpty)
        #expect(try DatabaseCheck(path: folder.path("other.db")).run().isSound)
        for name in restored.newUsers { #expect(try await other.accounts.user(named: name.rawValue).isDisabled) }
    }

    @Test func underNewIdsItStandsBesideTheFirst() async throws {
        let bench = try await worn(seed: 4)
        let other = try await self.bench("4.db", store: bench.store, project: "other")
        let before = try await export("p1", of: bench.store)
        await #expect { try await restore(before, into: other) } throws: { ($0 as? Problem)?.code == .idUnavailable }
        let restored = try await restore(before, into: other, rekeys: true)
        #expect(restored.project != "p1" && restored.newUsers.isEmpty)
        let after = try await export(restored.project, of: bench.store)
        #expect(rows(after).mapValues { $0.array?.count } == rows(before).mapValues { $0.array?.count })
        #expect(try DatabaseCheck(path: folder.path("4.db")).run().isSound)
        let taken = Set(rows(before).values.flatMap { $0.array ?? [] }.compactMap { $0["id"]?.string })
        #expect(taken.allSatisfy { !after.text.contains("\"\($0)\"") })
    }

    private func bench(
        _ name: String, store: SQLiteStore, project: String
    ) async throws -> Workbench<SQLiteStore> { try await Workbench(store, registry, project: project) }

    @Test func withoutItsMembersAssignmentsAreLeftOutAndAuthorsStay() async throws {
        let bench = try await bench("t.db", project: "p1")
        let member = bench.caller(.member)
        try await bench.edit(as: .member) { editor in
            try editor.insert("tasks", "t1", ["name": "T", "assignee": .int(member.userID)])
            try editor.insert("time_entries", "e1", ["task": "t1", "minutes": 5, "entry_date": "2026-01-05"])
        }
        let other = try await self.bench("other.db", project: "other")
        let restored = try await restore(export("p1", of: bench.store), into: other, addsMembers: false)
        #expect(restored.clearedReferences == 1)
        let after = try await export("p1", of: other.store)
        #expect(after["rows"]?["tasks"]?.array?.first?["assignee"] == .null)
        #expect(after["rows"]?["time_entries"]?.array?.first?["user"] == .string(member.username.rawValue))
        #expect(after["rows"]?["memberships"]?.array?.count == 1)
    }

    /// An operator may have made such names before they were compared
    /// this way: U+00C5 and U+212B, a Korean syllable and its letters.
    @Test func membersWhoseNamesAreCanonicallyEquivalentStayTwo() async throws {
        let pairs = [("\u{C5}ke", "\u{212B}ke"), ("\u{AC00}", "\u{1100}\u{1161}")]
        let bench = try await bench("t.db", project: "p1")
        for (index, name) in pairs.flatMap({ [$0.0, $0.1] }).enumerated() {
            let user = try await bench.store.write {
                try $0.createUser(
                    username: ExactText(name), displayName: "User \(index)", isSuperuser: false,
                    at: Workbench<SQLiteStore>.noon)
            }
            try await bench.members.addMember(name, to: "p1", as: .member)
            try await bench.edit { editor in
                try editor.insert("tasks", "t\(index)", ["name": "T", "assignee": .int(user.id)])
            }
        }
        let before = try await export("p1", of: bench.store)
        let other = try await self.bench("other.db", project: "other")
        _ = try await restore(before, into: other)
        let after = try await export("p1", of: other.store)
        #expect(rows(after) == rows(before))
        #expect(Self.users(before).isSubset(of: Self.users(after)))
        let members = (after["rows"]?["memberships"]?.array ?? []).map { $0["user"] }
        #expect(pairs.flatMap { [$0.0, $0.1] }.allSatisfy { members.contains(.string($0)) })
    }

    private static func users(_ export: JSON) -> Set<JSON> { Set(export["users"]?.array ?? []) }

    /// The format in which version 0.1 wrote users.
    @Test func anExportWithAnObjectOfUsersIsRead() async throws {
        let bench = try await bench("t.db", project: "p1")
        try await bench.edit { try $0.insert("tasks", "t1", ["name": "T"]) }
        let new = try await export("p1", of: bench.store)
        let named = (new["users"]?.array ?? []).map { ($0["username"]?.string ?? "", $0["display_name"] ?? .null) }
        var old = new.object ?? [:]
        old["tidemark_export"] = 1
        old["users"] = .object(Dictionary(uniqueKeysWithValues: named))
        let other = try await self.bench("other.db", project: "other")
        _ = try await restore(.object(old), into: other)
        let after = try await export("p1", of: other.store)
        #expect(rows(after) == rows(new))
        #expect(Self.users(new).isSubset(of: Self.users(after)))
    }

    @Test func newShortIdsFollowThoseOfTheExport() async throws {
        let bench = try await bench("t.db", project: "p1")
        try await bench.edit { editor in
            for id in ["t1", "t2", "t3"] { try editor.insert("tasks", id, ["name": "T"]) }
        }
        let other = try await self.bench("other.db", project: "other")
        _ = try await restore(export("p1", of: bench.store), into: other)
        let owner = try await other.accounts.user(named: "owner-other")
        try await other.projects.add(["tasks": [["id": "t4", "name": "T"]]], to: "p1", by: owner)
        let ids = try await export("p1", of: other.store)["rows"]?["tasks"]?.array?.map { $0["short_id"] }
        #expect(Set(ids ?? []).count == 4)
    }

    @Test(arguments: [
        "{}", "[]", #"{"tidemark_export":3,"rows":{},"users":[]}"#, #"{"tidemark_export":0,"rows":{},"users":[]}"#,
        #"{"tidemark_export":2,"rows":{}}"#, #"{"tidemark_export":2,"rows":{},"users":[{}]}"#,
        #"{"tidemark_export":1,"rows":{"x":[]},"users":{}}"#,
    ])
    func whatIsNoExportIsRefused(text: String) throws {
        #expect(throws: Problem.self) { try ExportedProject(try JSON(parsing: text), registry: registry) }
    }

    /// What damage to a file leaves out must not be taken for rows that the project does not have.
    @Test(arguments: ["tasks", "projects", "dependencies", "calendars", "risks"], [JSON.null, "x", ["a": 1], 7])
    func anExportWhoseRowsAreNoListIsRefused(collection: String, damage: JSON) async throws {
        let text = try await damaged { $0[collection] = damage }
        let problem = #expect(throws: Problem.self) { try ExportedProject(text, registry: registry) }
        #expect(problem?.detail.contains("damaged: its \(collection) are not a list") == true)
    }

    @Test(arguments: ["tasks", "projects", "calendars", "sprints"])
    func anExportWithoutACollectionThatOthersReferToIsRefused(collection: String) async throws {
        let text = try await damaged { $0[collection] = nil }
        let other = try await bench("other.db", project: "other")
        let problem = await #expect(throws: Problem.self) { try await restore(text, into: other) }
        #expect(problem?.detail.contains("damaged: it has no list of \(collection)") == true)
        #expect(try await other.store.read { try $0.project("p1") } == nil)
    }

    /// An export from a time when the server did not have the collection is whole.
    @Test func aCollectionThatNothingRefersToMayBeMissingAndIsNamed() async throws {
        let text = try await damaged { $0["attachments"] = nil }
        #expect(try ExportedProject(text, registry: registry).missingCollections == ["attachments"])
        _ = try await restore(text, into: try await bench("other.db", project: "other"))
    }

    private func damaged(_ change: (inout [String: JSON]) -> Void) async throws -> JSON {
        let bench = try await bench("t.db", project: "p1")
        try await bench.edit { try $0.insert("tasks", "t1", ["name": "T"]) }
        var whole = try await export("p1", of: bench.store).object ?? [:]
        var rows = whole["rows"]?.object ?? [:]
        change(&rows)
        whole["rows"] = .object(rows)
        return .object(whole)
    }

    @Test func anExportWithABadValueIsRefusedWhole() async throws {
        let bench = try await bench("t.db", project: "p1")
        try await bench.edit { try $0.insert("tasks", "t1", ["name": "T"]) }
        let text = try await export("p1", of: bench.store).text.replacing("\"name\":\"T\"", with: "\"name\":7")
        let other = try await self.bench("other.db", project: "other")
        await #expect { try await restore(try JSON(parsing: text), into: other) } throws: {
            ($0 as? Problem)?.errors.first?.pointer == "/tasks/0/name"
        }
        #expect(try await other.store.read { try $0.project("p1") } == nil)
    }
}
