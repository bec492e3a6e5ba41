import GRDB
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import SyncValues
import Testing

/// A file of memberships with almost no rules is still protected: a file can't leave out what a membership needs.
@Suite struct OwnMembershipTests {
    private func scene(_ change: [String: JSON] = [:]) async throws -> Scene {
        try await Scene(schemas: [
            OwnSchemas.memberships.setting(change), OwnSchemas.notes(["name": ["type": "string", "default": ""]]),
        ])
    }

    @Test func anAdminCantMakeThemselvesOwner() async throws {
        let scene = try await scene()
        let admin = try await scene.client(.admin)
        let mine = try await admin.membership(of: scene.userID(.admin))
        #expect(try await admin.patch("memberships", mine, ["role": 400]).status == 403)
        #expect(try await admin.patch("memberships", mine, ["role": 200]).status == 403)
        let others = try await admin.membership(of: scene.userID(.scheduler))
        #expect(try await admin.remove("memberships", others).status == 403)
        #expect(try await admin.patch("memberships", others, ["role": 1]).status == 200)
    }

    @Test func aUserIsAMemberOnce() async throws {
        let scene = try await scene()
        let owner = try await scene.client(.owner)
        let twice = try await owner.create("memberships", ["user": scene.userID(.member), "role": 1])
        #expect(twice.status == 400 && twice.errors == ["/user not_unique"])
        let other = try await scene.otherProject()
        let user = JSON.int(other.caller(.owner).userID)
        #expect(try await owner.create("memberships", ["user": user, "role": 1]).status == 201)
    }

    @Test func theDatabaseKeepsAUserFromBeingAMemberTwice() async throws {
        let scene = try await scene()
        let user = scene.userID(.member)
        await #expect(throws: (any Error).self) {
            try await scene.bench.edit { try $0.insert("memberships", "m-twice", ["user": user, "role": 1]) }
        }
    }

    @Test func theLastOwnerStays() async throws {
        let scene = try await scene()
        let owner = try await scene.client(.owner)
        let mine = try await owner.membership(of: scene.userID(.owner))
        let answers = [
            try await owner.remove("memberships", mine), try await owner.patch("memberships", mine, ["role": 300]),
        ]
        for answer in answers { #expect(answer.status == 409 && answer.code == "last_owner") }
    }

    @Test func aMembershipIsAnAccountsAndStaysThatAccounts() async throws {
        let scene = try await scene()
        let owner = try await scene.client(.owner)
        let unknown = try await owner.create("memberships", ["user": 999_999, "role": 1])
        #expect(unknown.status == 400 && unknown.errors == ["/user unknown_user"])
        let mine = try await owner.membership(of: scene.userID(.viewer))
        let alice = try await scene.addAlice()
        #expect(try await owner.patch("memberships", mine, ["user": .int(alice)]).status == 400)
    }

    @Test(arguments: [[:], ["role": ["type": "integer", "enum": [1, 50, 400]]]] as [[String: JSON]])
    func aRoleIsOneOfTheFive(fields: [String: JSON]) async throws {
        let properties = OwnSchemas.memberships["properties"]!.setting(fields)
        let registry = try OwnSchemas.registry([OwnSchemas.memberships.setting(["properties": properties])])
        let allowed = registry.memberships.field("role")?.value.allowed
        #expect(allowed == (fields.isEmpty ? [1, 100, 200, 300, 400] : [1, 400]))
        let scene = try await scene()
        let alice = JSON.int(try await scene.addAlice())
        let answer = try await scene.client(.owner).create("memberships", ["user": alice, "role": 50])
        #expect(answer.status == 400 && answer.errors == ["/role not_in_enum"])
    }

    @Test func theOwnersOfABatchOfMembershipsAreRefusedOneByOne() async throws {
        let scene = try await scene(["x-uploadable": true])
        let owner = try await scene.client(.owner)
        let mine = try await owner.membership(of: scene.userID(.owner))
        let other = try await owner.membership(of: scene.userID(.viewer))
        let alice = JSON.int(try await scene.addAlice())
        let created: [JSON] = [
            ["id": "m-alice", "user": alice, "role": 100], ["id": "m-none", "user": 999_999, "role": 1],
            ["id": "m-twice", "user": scene.userID(.member), "role": 1],
        ]
        let answer = try await owner.upload(
            "memberships", created: created, updated: [["id": .string(mine), "role": 1]], deleted: [.string(other)],
            members: ["on_error": "reject_rows"])
        #expect(answer.status == 200, "\(answer.text)")
        let codes = (answer.at("/rejected/memberships")?.array ?? []).compactMap { $0["code"]?.string }
        #expect(codes.sorted() == ["last_owner", "not_unique", "unknown_user"])
        #expect(answer.at("/applied/memberships/deleted") == [.string(other)])
        #expect(answer.at("/applied/memberships/created/0/id") == "m-alice")
        #expect(try await scene.client(named: "alice").head() > 0)
        #expect(try await scene.bench.brokenInvariants().isEmpty)
    }

    /// A membership from a time when nothing kept a user from being a member twice.
    @Test func aDatabaseWithADoubleMembershipStillStarts() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("t.db")
        let registry = try OwnSchemas.registry([OwnSchemas.notes(["name": ["type": "string", "default": ""]])])
        do {
            let scene = try await Scene(in: folder, registry: registry)
            let user = scene.userID(.member)
            try execute("DROP INDEX memberships_unique_user", at: path)
            try await scene.bench.edit { try $0.insert("memberships", "m-twice", ["user": user, "role": 1]) }
            await scene.server.stop()
        }
        try execute("UPDATE tidemark_settings SET value = '0' WHERE name = 'layout'", at: path)
        let store = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        let rows = try await store.read { try $0.records(in: registry.memberships, project: "p1") }
        #expect(rows.count == Role.allCases.count + 1)
    }
}

/// Writes to the file without the server.
private func execute(_ sql: String, at path: String) throws {
    try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
}
