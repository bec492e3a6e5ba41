import Foundation
import SyncAccounts
import SyncProtocol
import SyncTestKit
import Testing

/// Who may decide on suggested assignees.
@Suite struct SuggestionPermissionTests {
    private static let name = "task_suggested_assignees"

    /// A pending suggestion of `suggested` by `author`, for a task of its own.
    private func suggest(_ scene: Scene, _ id: String, _ suggested: Role, by author: Role) async throws {
        let specimen = Specimen(Self.name, id, user: scene.userID(suggested))
        try await scene.bench.plant([specimen], author: scene.bench.caller(author).userID)
    }

    /// For each state, what each role is answered about a suggestion of the viewer by the member.
    private static let verdicts: [String: [Role: String]] = [
        "accepted": [
            .viewer: "200", .member: "403 field_forbidden", .scheduler: "403 field_forbidden",
            .admin: "403 field_forbidden", .owner: "403 field_forbidden",
        ],
        "declined": [
            .viewer: "200", .member: "403 field_forbidden", .scheduler: "403 field_forbidden",
            .admin: "403 field_forbidden", .owner: "403 field_forbidden",
        ],
        "revoked": [
            .viewer: "403 field_forbidden", .member: "200", .scheduler: "403 field_forbidden", .admin: "200",
            .owner: "200",
        ],
    ]

    @Test(arguments: verdicts.keys.sorted()) func theSuggestedDecideAndTheSuggesterRevokes(state: String) async throws {
        let scene = try await Scene()
        for (role, verdict) in Self.verdicts[state]! {
            let id = "\(state)-\(role)"
            try await suggest(scene, id, .viewer, by: .member)
            let head = try await scene.bench.head()
            let answer = try await scene.client(role).patch(Self.name, id, ["state": .string(state)])
            #expect(answer.verdict == verdict, "\(state) by \(role): \(answer.text)")
            let stored = try await scene.client(.owner).read(Self.name, id).json
            #expect(stored["state"] == .string(answer.status == 200 ? state : "pending"))
            for decision in ["accepted", "declined"] {
                let isSet = stored[decision + "_at"]?.isNull == false
                #expect(
                    isSet == (answer.status == 200 && state == decision), "\(decision)_at after \(state) by \(role)")
            }
            if answer.status != 200 { #expect(try await scene.bench.head() == head) }
        }
    }

    @Test(arguments: ["accepted", "declined", "revoked"], ["pending", "accepted", "declined", "revoked"])
    func whatIsDecidedStaysDecided(decided: String, other: String) async throws {
        guard decided != other else { return }
        let scene = try await Scene()
        // The owner is all in one: suggested user, suggester, and above ADMIN.
        try await suggest(scene, "s1", .owner, by: .owner)
        let owner = try await scene.client(.owner)
        #expect(try await owner.patch(Self.name, "s1", ["state": .string(decided)]).verdict == "200")
        let before = try await owner.read(Self.name, "s1")
        let answer = try await owner.patch(Self.name, "s1", ["state": .string(other)])
        #expect(answer.status == 400 || answer.status == 403, "\(answer.text)")
        #expect(try await owner.read(Self.name, "s1").body == before.body)
    }

    /// Otherwise somebody would have accepted something that they were never asked.
    @Test(arguments: [Role.member, .owner], ["suggested_user", "task"])
    func whatIsDecidedIsAboutTheSameTaskAndUser(role: Role, field: String) async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        try await suggest(scene, "s1", .viewer, by: .member)
        #expect(try await scene.client(.viewer).patch(Self.name, "s1", ["state": "accepted"]).verdict == "200")
        let value = field == "task" ? "t1" : scene.userID(.scheduler)
        let client = try await scene.client(role)
        let answer = try await client.patch(Self.name, "s1", .object([field: value]))
        #expect(answer.verdict == "400 invalid_rows", "\(answer.text)")
        #expect(answer.errors == ["/\(field) inconsistent"])
    }

    @Test(arguments: [Role.member, .admin]) func nobodyAcceptsForAnotherByNamingThemselves(role: Role) async throws {
        let scene = try await Scene()
        try await suggest(scene, "s1", .viewer, by: .member)
        let patch: JSON = ["suggested_user": scene.userID(role), "state": "accepted"]
        let answer = try await scene.client(role).patch(Self.name, "s1", patch)
        #expect(answer.verdict == "403 field_forbidden", "\(answer.text)")
        let back: JSON = ["suggested_user": scene.userID(.scheduler), "state": "accepted"]
        #expect(try await scene.client(.viewer).patch(Self.name, "s1", back).verdict == "403 field_forbidden")
    }

    @Test func aNewSuggestionIsPendingAndItsSuggesterTheCaller() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let body: [String: JSON] = ["task": "t1", "suggested_user": scene.userID(.viewer)]
        for state in ["accepted", "declined", "revoked"] {
            let answer = try await member.create(Self.name, .object(body.merging(["state": .string(state)]) { $1 }))
            #expect(answer.status == 400 || answer.status == 403, "\(state): \(answer.text)")
        }
        let answer = try await member.create(Self.name, .object(body))
        #expect(answer.verdict == "201", "\(answer.text)")
        #expect(answer.at("/suggested_by") == scene.userID(.member))
        #expect(answer.at("/state") == "pending")
        #expect(answer.at("/accepted_at") == JSON.null)
        let twice = try await member.create(Self.name, .object(body))
        #expect(twice.at("/errors/0/code") == "not_unique", "\(twice.text)")
        let id = try #require(answer.at("/id")?.string)
        #expect(try await member.patch(Self.name, id, ["state": "revoked"]).verdict == "200")
        #expect(try await member.create(Self.name, .object(body)).verdict == "201", "one pending, not one ever")
    }

    @Test func whatIsSaidIsTheSuggestersOrAnAdmins() async throws {
        let scene = try await Scene()
        try await suggest(scene, "s1", .viewer, by: .member)
        let expected: [Role: String] = [
            .viewer: "403 field_forbidden", .member: "200", .scheduler: "403 field_forbidden", .admin: "200",
            .owner: "200",
        ]
        for (role, verdict) in expected {
            let answer = try await scene.client(role).patch(Self.name, "s1", ["reason": .string("by \(role)")])
            #expect(answer.verdict == verdict, "\(role): \(answer.text)")
        }
    }
}
