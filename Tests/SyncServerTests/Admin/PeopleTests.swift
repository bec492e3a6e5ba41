import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// `/admin/users/`: what a superuser does with the accounts of others.
@Suite struct PeopleTests {
    private let scene: Scene
    /// A superuser with a session that has just begun.
    private let root: Client
    private let alice: Int64

    init() async throws {
        scene = try await Scene(accounts: Scene.unlimited)
        root = try await scene.freshSuperuser()
        alice = try await scene.addAlice()
    }

    private func send(_ method: String, _ path: String = "", _ body: JSON? = nil) async throws -> Answer {
        try await root.send(method, "/admin/users/" + path, body?.data)
    }

    // MARK: Who may

    @Test func onlySuperusersReadAndOnlyWithAFreshPasswordTheyWrite() async throws {
        let cast = try await scene.cast(superuser: "operator")
        let requests: [(method: String, path: String, body: JSON?)] = [
            ("GET", "", nil), ("GET", "\(alice)/", nil), ("POST", "", ["username": "bob"]),
            ("PATCH", "\(alice)/", ["is_disabled": true]), ("DELETE", "\(alice)/", nil),
            ("PUT", "\(alice)/password/", ["password": "a new horse"]), ("DELETE", "\(alice)/credentials/", nil),
            ("DELETE", "\(alice)/credentials/1/", nil),
        ]
        for (who, client) in cast {
            for request in requests {
                let answer = try await client.send(
                    request.method, "/admin/users/\(request.path)", request.body?.data)
                let expected: String? =
                    switch who {
                    case .anonymous: "unauthorized"
                    case .superuser: request.method == "GET" ? nil : "reauthentication_required"
                    default: "forbidden"
                    }
                #expect(answer.code == expected, "\(who) \(request.method) \(request.path)")
            }
        }
        #expect(try await scene.stranger.logIn().status == 200)
    }

    /// Ten minutes after the password was given, a session is like a token. Renewing it makes it no younger.
    @Test func aSessionIsFreshForTenMinutes() async throws {
        let login = try await scene.stranger.logIn("root")
        scene.clock.advance(by: .seconds(599))
        let pair = try await scene.stranger.refresh(login.refresh)
        let client = scene.stranger.bearing(pair.access)
        let disable = { try await client.send("PATCH", "/admin/users/\(alice)/", (["is_disabled": true] as JSON).data) }
        #expect(try await disable().status == 200)
        scene.clock.advance(by: .seconds(1))
        let late = try await disable()
        #expect(late.status == 403 && late.code == "reauthentication_required")
        #expect(try await client.send("GET", "/admin/users/\(alice)/").status == 200)
    }

    /// Otherwise whoever sets the clock back behind a login makes its copied token good again.
    @Test func aLoginInTheFutureIsNotFresh() async throws {
        let login = try await scene.stranger.logIn("root")
        scene.clock.advance(by: .seconds(-61))
        let client = scene.stranger.bearing(try await scene.stranger.refresh(login.refresh).access)
        let rename = { try await client.send("PATCH", "/admin/users/\(alice)/", (["display_name": "A"] as JSON).data) }
        let early = try await rename()
        #expect(early.status == 403 && early.code == "reauthentication_required")
        scene.clock.advance(by: .seconds(1))
        #expect(try await rename().status == 200, "A clock is set back by a little now and then.")
    }

    // MARK: Lists

    @Test func accountsAreListedByIdAndFoundByAPartOfANameInAnyCase() async throws {
        for name in ["Zoë", "ZOE2", "bob"] { _ = try await send("POST", "", ["username": .string(name)]) }
        let all = try await names("")
        #expect(all.contains("alice") && all.contains("root") && all.last == "bob")
        #expect(try await names("?q=ZO") == ["Zoë", "ZOE2"])
        #expect(try await names("?q=zoe%CC%88") == ["Zoë"])
        // Her display name.
        #expect(try await names("?q=ALIC") == ["alice"])
        #expect(try await names("?q=%25") == [])
        var (paged, next): ([String], String?) = ([], "0")
        while let after = next {
            let page = try await send("GET", "?limit=2&after=\(after)").json
            paged += page["results"]?.array?.compactMap { $0["username"]?.string } ?? []
            next = page["next"]?.string
        }
        #expect(paged == all)
        #expect(try await send("GET", "?limti=2").code == "invalid_parameter")
    }

    private func names(_ query: String) async throws -> [String] {
        try await send("GET", query).json["results"]?.array?.compactMap { $0["username"]?.string } ?? []
    }

    @Test func anAccountIsReadWithItsCredentialsAndMemberships() async throws {
        let login = try await scene.stranger.logIn()
        _ = try await scene.client(named: "alice", isReadOnly: true)
        try await scene.bench.members.addMember("alice", to: scene.bench.project, as: .admin)
        let account = try await send("GET", "\(alice)/").json
        #expect(account["username"] == "alice" && account["has_password"] == true)
        #expect(account["sessions"]?.array?.count == 1 && account.at("/tokens/0/read_only") == true)
        #expect(account.at("/memberships/0/project_id") == .string(scene.bench.project))
        #expect(account.at("/memberships/0/role") == .int(300))
        #expect(!account.text.contains("token\"") && !account.text.contains(login.access))
        #expect(try await send("GET", "999/").code == "not_found")
        #expect(try await send("GET", "alice/").code == "not_found")
    }

    // MARK: Changes

    @Test func aNewAccountCanLogIn() async throws {
        let answer = try await send(
            "POST", "",
            ["username": "bob", "display_name": "Bob Birch", "password": "a long horse", "is_superuser": true])
        #expect(answer.status == 201 && answer.json["is_superuser"] == true)
        #expect(!answer.text.contains("horse"))
        #expect(try await scene.stranger.logIn("bob", "a long horse").status == 200)
    }

    @Test(
        arguments: [
            (["username": "Alice"], "not_unique"), (["username": "a b"], "bad_format"),
            (["username": "c", "password": "short"], "bad_format"), (["name": "c"], "invalid_body"),
            (["username": 3], "invalid_body"), (["username": "c", "is_superuser": "yes"], "invalid_body"),
            (["username": "c", "display_name": ""], "bad_format"), ([], "invalid_body"),
        ] as [(JSON, String)])
    func whatIsNoAccountIsRefused(body: JSON, code: String) async throws {
        let answer = try await send("POST", "", body)
        #expect(answer.status == 400 && answer.code == code)
        #expect(try await scene.bench.accounts.users().allSatisfy { $0.username != "c" })
    }

    @Test func aDisabledAccountLosesItsSessionsUntilItIsEnabled() async throws {
        let login = try await scene.stranger.logIn()
        let token = try await scene.client(named: "alice")
        let answer = try await send("PATCH", "\(alice)/", ["is_disabled": true])
        #expect(answer.json["is_disabled"] == true && answer.json["sessions"] == [])
        #expect(try await scene.stranger.bearing(login.access).me().status == 401)
        #expect(try await token.me().status == 401)
        #expect(try await send("PATCH", "\(alice)/", ["is_disabled": false]).json["is_disabled"] == false)
        #expect(try await token.me().status == 200)
        #expect(try await scene.stranger.logIn().status == 200)
    }

    @Test func aNewNameIsSeenInTheProjectsToo() async throws {
        try await scene.bench.members.addMember("alice", to: scene.bench.project, as: .member)
        let answer = try await send("PATCH", "\(alice)/", ["display_name": "Alice Elm"])
        #expect(answer.json["display_name"] == "Alice Elm")
        let page = try await scene.client(.viewer).page()
        #expect(page.json.text.contains("Alice Elm"))
    }

    @Test(
        arguments: [
            ["display_name": "A", "is_disabled": true], [:], ["is_disabled": 1], ["is_superuser": true],
            ["display_name": nil],
        ] as [JSON])
    func oneChangeAtATime(body: JSON) async throws {
        #expect(try await send("PATCH", "\(alice)/", body).code == "invalid_body")
    }

    @Test func aPasswordIsSetAndEndsTheSessions() async throws {
        let login = try await scene.stranger.logIn()
        let token = try await scene.client(named: "alice")
        let answer = try await send("PUT", "\(alice)/password/", ["password": "another horse"])
        #expect(answer.status == 200 && !answer.text.contains("horse"))
        #expect(try await scene.stranger.bearing(login.access).me().status == 401)
        #expect(try await scene.stranger.logIn("alice", "another horse").status == 200)
        #expect(try await token.me().status == 200)
        let body: JSON = ["password": "a third horse", "revoke_tokens": true]
        #expect(try await send("PUT", "\(alice)/password/", body).status == 200)
        #expect(try await token.me().status == 401)
        #expect(try await send("PUT", "\(alice)/password/", ["password": "short"]).code == "bad_format")
        #expect(try await send("PUT", "\(alice)/password/", ["password": 1]).code == "invalid_body")
    }

    @Test func credentialsAreRevokedOneByOneAndAllAtOnce() async throws {
        let (first, second) = (try await scene.stranger.logIn(), try await scene.stranger.logIn())
        let token = try await scene.client(named: "alice")
        let account = try await send("GET", "\(alice)/").json
        let tokenID = try #require(account.at("/tokens/0/id")?.int)
        let sessionID = try #require(account.at("/sessions/0/id")?.string)
        #expect(try await send("DELETE", "\(alice)/credentials/\(tokenID)/").status == 204)
        #expect(try await token.me().status == 401)
        #expect(try await send("DELETE", "\(alice)/credentials/\(sessionID)/").status == 204)
        var alive = 0
        for login in [first, second] where try await scene.stranger.bearing(login.access).me().status == 200 {
            alive += 1
        }
        #expect(alive == 1)
        #expect(try await send("DELETE", "\(alice)/credentials/\(sessionID)/").code == "not_found")
        #expect(try await send("DELETE", "\(alice)/credentials/").status == 204)
        for login in [first, second] {
            #expect(try await scene.stranger.bearing(login.access).me().status == 401)
        }
    }

    @Test func aRemovedUserLeavesAllProjectsUnlessOneWouldHaveNoOwner() async throws {
        try await scene.bench.members.addMember("alice", to: scene.bench.project, as: .admin)
        #expect(try await send("DELETE", "\(alice)/").status == 204)
        let account = try await send("GET", "\(alice)/").json
        #expect(account["memberships"] == [] && account["is_disabled"] == true && account["has_password"] == false)
        let owner = try #require(scene.userID(.owner).int)
        #expect(try await send("DELETE", "\(owner)/").code == "last_owner")
        #expect(try await send("GET", "\(owner)/").json["is_disabled"] == false)
    }

    @Test func nobodyLocksThemselvesOut() async throws {
        let me = try #require(try await root.me().json["id"]?.int)
        for (method, path, body) in [
            ("PATCH", "", ["is_disabled": true]), ("DELETE", "", nil),
            ("PUT", "password/", ["password": "another horse"]),
        ] as [(String, String, JSON?)] {
            #expect(try await send(method, "\(me)/\(path)", body).code == "forbidden", "\(method) \(path)")
        }
        #expect(try await root.me().status == 200)
    }
}
