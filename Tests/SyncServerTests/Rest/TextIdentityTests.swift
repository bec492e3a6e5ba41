import SyncAccounts
import SyncProtocol
import SyncServer
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// Texts are compared by bytes, although Swift treats canonically equivalent texts as equal.
@Suite struct TextIdentityTests {
    @Test func anEditToAnotherFormOfTheSameLettersIsAnEdit() async throws {
        let (composed, decomposed) = ("Caf\u{E9}", "Cafe\u{301}")
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"], ["notes": .string(composed)])
        let member = try await scene.client(.member)
        try await member.patch("tasks", "t1", ["notes": .string(decomposed)])
        try await member.upload(updated: [["id": "t2", "notes": .string(decomposed)]])
        for id in ["t1", "t2"] {
            let row = try await member.read("tasks", id).json
            #expect(row["notes"]?.string.map { Array($0.utf8) } == Array(decomposed.utf8))
            #expect(row["server_version"] == 2)
        }
    }

    @Test func aDeviceOfALookAlikeNameIsAnotherDevice() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let base = JSON.int(try await member.head())
        func push(_ device: String, _ name: JSON) async throws -> JSON? {
            let members: [String: JSON] = [
                "on_conflict": "merge", "last_pulled_at": base, "device_id": .string(device),
            ]
            return try await member.upload(updated: [["id": "t1", "name": name]], members: members).at("/conflicts")
        }
        #expect(try await push("Caf\u{E9}", "One") == [:])
        #expect(try await push("Caf\u{E9}", "Two") == [:])
        #expect(try await push("Cafe\u{301}", "Three") != [:])
    }

    @Test func namesOfAnObjectThatSwiftTakesForOneAreRefused() async throws {
        let scene = try await Scene()
        let body = "{\"\u{E9}\": 1, \"e\u{301}\": 2}"
        let answer = try await scene.client(.member).send("POST", "/api/v1/projects/p1/sync/", body.data)
        #expect(answer.status == 400 && answer.code == "invalid_json", "\(answer.text)")
    }

    @Test func aNewUsersNameIsNormalAndUnlikeOthers() async throws {
        let scene = try await Scene(accounts: Scene.unlimited)
        let accounts = scene.bench.accounts
        let user = try await accounts.addUser("\u{212B}ke", password: Scene.password)
        #expect(Array(user.username.rawValue.utf8) == Array("\u{C5}ke".utf8))
        for name in ["\u{C5}ke", "\u{212B}ke", "\u{E5}KE", "A\u{30A}ke"] {
            let problem = await #expect(throws: Problem.self) { try await accounts.addUser(name) }
            #expect(problem?.code == .notUnique && problem?.detail.contains("\u{C5}ke") == true)
        }
        for name in ["\u{C5}ke", "A\u{30A}ke", "\u{E5}ke"] {
            #expect(try await scene.stranger.logIn(name).status == 200, "\(name)")
        }
    }

    @Test func aPairOfNamesFromBeforeStaysUsable() async throws {
        let scene = try await Scene(accounts: Scene.unlimited)
        let names = ["\u{C5}ke", "\u{212B}ke"]
        for name in names {
            _ = try await scene.bench.store.write {
                try $0.createUser(
                    username: ExactText(name), displayName: name, isSuperuser: false,
                    at: Workbench<EngineStore>.noon)
            }
            try await scene.bench.accounts.setPassword(Scene.password, of: name)
        }
        var ids: Set<JSON> = []
        for name in names {
            let login = try await scene.stranger.logIn(name)
            #expect(login.status == 200)
            ids.insert(try await scene.stranger.bearing(login.access).me().json["id"] ?? .null)
        }
        #expect(ids.count == 2)
    }

    @Test func aLookAlikeIsNoValueOfAnEnum() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let lookAlike: JSON = .string("BAC\u{212A}LOG")
        let answer = try await member.patch("tasks", "t1", ["status": lookAlike])
        #expect(answer.status == 400 && answer.errors == ["/status not_in_enum"])
        #expect(try await member.upload(created: [["id": "t2", "name": "N", "status": lookAlike]]).status == 400)
    }
}
