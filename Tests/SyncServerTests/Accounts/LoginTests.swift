import SyncAccounts
import SyncProtocol
import SyncServer
import SyncStore
import SyncTestKit
import Testing

/// `POST /auth/token/`.
@Suite struct LoginTests {
    @Test func aLoginAnswersAPairThatIsGoodForWhoeverLoggedIn() async throws {
        let scene = try await Scene()
        let id = try await scene.addAlice()
        let login = try await scene.stranger.logIn()
        #expect(login.status == 200)
        #expect(login.json.object?.keys.sorted() == ["access", "refresh"])
        let me = try await scene.stranger.bearing(login.access).me()
        #expect(
            me.json == ["id": .int(id), "username": "alice", "display_name": "Alice", "is_superuser": false])
    }

    @Test func whoeverIsRefusedLearnsNothingOfTheReason() async throws {
        let scene = try await Scene(accounts: Scene.unlimited)
        try await scene.addAlice()
        try await scene.addAlice("disabled")
        try await scene.bench.accounts.disableUser("disabled")
        let wrong = try await scene.stranger.logIn("alice", "not the password")
        #expect(wrong.status == 401)
        #expect(wrong.code == "invalid_credentials")
        #expect(wrong.header("WWW-Authenticate")?.hasPrefix("Bearer") == true)
        for name in [
            "nobody", "disabled", "member-p1", "Alice", "", "alice\u{0}", String(repeating: "x", count: 100_000),
        ] {
            let answer = try await scene.stranger.logIn(name)
            #expect(answer.status == 401)
            #expect(answer.body == wrong.body)
        }
        for password in ["", Scene.password + " ", String(repeating: "x", count: 100_000)] {
            #expect(try await scene.stranger.logIn("alice", password).body == wrong.body)
        }
    }

    @Test(arguments: ["{}", "[]", "7", #"{"username": "alice"}"#, #"{"username": "alice", "password": 7}"#])
    func aBodyWithoutNameAndPasswordIsRefused(body: String) async throws {
        let answer = try await Scene().stranger.send("POST", "/api/v1/auth/token/", body.data)
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_body")
    }

    @Test func anAccountWithTheLongestPasswordLogsIn() async throws {
        let scene = try await Scene()
        let password = String(repeating: "ü", count: 512)
        _ = try await scene.bench.accounts.addUser("bob", password: password)
        #expect(try await scene.stranger.logIn("bob", password).status == 200)
    }

    @Test(arguments: ["", "1234567", "12345678\u{0}", String(repeating: "x", count: 1025)])
    func aPasswordThatBreaksTheRulesIsRefusedWithTheRules(password: String) async throws {
        let scene = try await Scene()
        let problem = await #expect(throws: Problem.self) {
            try await scene.bench.accounts.addUser("bob", password: password)
        }
        #expect(problem?.code == .badFormat)
        #expect(problem?.detail.contains("8 to 1024") == true)
        #expect(try await scene.bench.accounts.users().contains { $0.username == "bob" } == false)
    }

    @Test func anotherPasswordEndsAllSessions() async throws {
        let scene = try await Scene()
        try await scene.addAlice()
        let login = try await scene.stranger.logIn()
        try await scene.bench.accounts.setPassword("another horse", of: "alice")
        #expect(try await scene.stranger.bearing(login.access).me().status == 401)
        #expect(try await scene.stranger.refresh(login.refresh).status == 401)
        #expect(try await scene.stranger.logIn().status == 401)
        #expect(try await scene.stranger.logIn("alice", "another horse").status == 200)
    }

    @Test func aDisabledUsersSessionIsOverAtOnceAndForGood() async throws {
        let scene = try await Scene()
        try await scene.addAlice()
        let login = try await scene.stranger.logIn()
        let alice = scene.stranger.bearing(login.access)
        #expect(try await alice.me().status == 200)
        try await scene.bench.accounts.disableUser("alice")
        #expect(try await alice.me().status == 401)
        #expect(try await scene.stranger.refresh(login.refresh).code == "invalid_refresh_token")
        #expect(try await scene.stranger.logIn().status == 401)
        try await scene.bench.accounts.enableUser("alice")
        #expect(try await alice.me().status == 401)
        #expect(try await scene.stranger.refresh(login.refresh).status == 401)
        #expect(try await scene.stranger.logIn().status == 200)
    }
}
