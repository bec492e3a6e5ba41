@testable import SyncAccounts
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
            "nobody", "disabled", "Disabled", "member-p1", "", "alice\u{0}", String(repeating: "x", count: 10_000),
        ] {
            let answer = try await scene.stranger.logIn(name)
            #expect(answer.status == 401)
            #expect(answer.body == wrong.body)
        }
        for password in ["", Scene.password + " ", String(repeating: "x", count: 10_000)] {
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

    /// Keyboards of phones begin with a capital, and compose letters or not.
    @Test(arguments: ["maria.\u{E9}", "Maria.\u{C9}", "MARIA.E\u{301}", "maria.e\u{301}"])
    func aNameInOtherCaseLogsInWhereItIsOneAccount(typed: String) async throws {
        let scene = try await Scene()
        try await scene.addAlice("maria.\u{E9}")
        let login = try await scene.stranger.logIn(typed)
        #expect(login.status == 200)
        #expect(try await scene.stranger.bearing(login.access).me().at("/username") == "maria.\u{E9}")
    }

    /// Databases older than the rule against similar names may have two.
    @Test func aNameInOtherCaseThatIsTwoAccountsIsNone() async throws {
        let scene = try await Scene(accounts: Scene.unlimited)
        let hash = try await Passwords.quick.hash(Scene.password)
        try await scene.bench.store.write { transaction in
            for name in ["bob", "Bob"] {
                let user = try transaction.createUser(
                    username: ExactText(name), displayName: name, isSuperuser: false, at: scene.clock.wallClock.now())
                try transaction.setPasswordHash(hash, user: user.id)
            }
        }
        for (name, status) in [("bob", 200), ("Bob", 200), ("BOB", 401)] {
            #expect(try await scene.stranger.logIn(name).status == status)
        }
    }

    private static let composed = "na\u{EF}ve pass\u{E9} 12"
    /// The same with other spaces, and with decomposed letters.
    private static let typed = [
        composed, "nai\u{308}ve passe\u{301} 12", "na\u{EF}ve\u{A0}pass\u{E9}\u{202F}12",
        "nai\u{308}ve\u{3000}passe\u{301}\u{2003}12",
    ]

    @Test(arguments: LoginTests.typed, LoginTests.typed)
    func aPasswordIsTheSameHoweverItIsTyped(set: String, typed: String) async throws {
        let scene = try await Scene(accounts: Scene.unlimited)
        _ = try await scene.bench.accounts.addUser("bob", password: set)
        #expect(try await scene.stranger.logIn("bob", typed).status == 200)
        for other in [typed + " ", typed.uppercased(), "naive passe 12"] {
            #expect(try await scene.stranger.logIn("bob", other).status == 401)
        }
    }

    /// An earlier version hashed passwords as they were typed.
    @Test(arguments: LoginTests.typed)
    func aPasswordThatWasHashedAsTypedLogsInAndIsHashedAnew(old: String) async throws {
        let scene = try await Scene(accounts: Scene.unlimited)
        let id = try await scene.addAlice()
        let hash = try ScryptHash(of: old, cost: PasswordCost(logRounds: 1, blockSize: 1, parallelism: 1)).text
        try await scene.bench.store.write { try $0.setPasswordHash(hash, user: id) }
        #expect(try await scene.stranger.logIn("alice", "naive passe 12").status == 401)
        for typed in [old] + Self.typed { #expect(try await scene.stranger.logIn("alice", typed).status == 200) }
        let isKept = try await scene.bench.store.read { try $0.passwordHash(of: id) } == hash
        #expect(isKept == old.unicodeScalars.elementsEqual(Self.composed.unicodeScalars))
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
