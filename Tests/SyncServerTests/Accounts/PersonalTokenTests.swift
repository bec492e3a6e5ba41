import SyncProtocol
import SyncTestKit
import Testing

/// `/auth/tokens/`.
@Suite struct PersonalTokenTests {
    private static let path = "/api/v1/auth/tokens/"

    private func create(_ client: Client, _ body: JSON) async throws -> Answer {
        try await client.send("POST", Self.path, body.data)
    }

    private func session(_ scene: Scene) async throws -> Client {
        try await scene.addAlice()
        return scene.stranger.bearing(try await scene.stranger.logIn().access)
    }

    @Test func aTokenIsToldOnceAndGoodUntilItIsDeleted() async throws {
        let scene = try await Scene()
        let alice = try await session(scene)
        let made = try await create(alice, ["name": "laptop"])
        #expect(made.status == 201)
        let id = try #require(made.at("/id")?.int)
        #expect(made.at("/name") == "laptop")
        #expect(made.at("/read_only") == false)
        #expect(made.at("/expires_at") == JSON.null)
        #expect(made.at("/created_at") == "2026-06-01T12:00:00.000Z")
        let laptop = alice.bearing(made.at("/token")?.string)
        #expect(try await laptop.me().at("/username") == "alice")
        let listed = try await alice.send("GET", Self.path)
        #expect(listed.at("/results")?.array?.compactMap { $0["id"]?.int } == [id])
        #expect(
            listed.at("/results/0")?.object?.keys.sorted() == ["created_at", "expires_at", "id", "name", "read_only"])
        let deleted = try await alice.send("DELETE", Self.path + "\(id)/")
        #expect(deleted.status == 204)
        #expect(deleted.body.isEmpty)
        #expect(try await laptop.me().status == 401)
        #expect(try await alice.send("DELETE", Self.path + "\(id)/").status == 404)
        #expect(try await alice.send("GET", Self.path).at("/results") == [])
    }

    @Test func anothersTokenIsNotThere() async throws {
        let scene = try await Scene()
        let alice = try await session(scene)
        let id = try #require(try await create(alice, ["name": "a"]).at("/id")?.int)
        let member = try await scene.client(.member)
        for path in ["\(id)/", "0/", "x/", "-1/", "99999999999999999999/"] {
            let answer = try await member.send("DELETE", Self.path + path)
            #expect(answer.status == 404)
            #expect(answer.code == "not_found")
        }
        let ids = try await member.send("GET", Self.path).at("/results")?.array?.compactMap { $0["id"]?.int }
        #expect(ids?.contains(id) == false)
        #expect(try await alice.send("DELETE", Self.path + "\(id)/").status == 204)
    }

    @Test func aListIsPagedByID() async throws {
        let scene = try await Scene()
        let alice = try await session(scene)
        var expected: [Int64] = []
        for number in 0..<5 {
            expected.append(try #require(try await create(alice, ["name": .string("t\(number)")]).at("/id")?.int))
        }
        var (found, after): ([Int64], String?) = ([], "0")
        while let position = after {
            let page = try await alice.send("GET", Self.path + "?limit=2&after=\(position)")
            found += page.at("/results")?.array?.compactMap { $0["id"]?.int } ?? []
            after = page.at("/next")?.string
        }
        #expect(found == expected)
        for query in ["limit=0", "limit=x", "after=x", "after=-1"] {
            #expect(try await alice.send("GET", Self.path + "?" + query).code == "invalid_parameter")
        }
    }

    @Test func aReadOnlyTokenNeitherMakesNorDeletesOne() async throws {
        let scene = try await Scene()
        let alice = try await session(scene)
        let made = try await create(alice, ["name": "a", "read_only": true])
        #expect(made.at("/read_only") == true)
        let reader = alice.bearing(made.at("/token")?.string)
        #expect(try await reader.send("GET", Self.path).status == 200)
        let id = made.at("/id")?.int ?? 0
        for answer in [try await create(reader, ["name": "b"]), try await reader.send("DELETE", Self.path + "\(id)/")] {
            #expect(answer.status == 403)
            #expect(answer.code == "read_only_token")
        }
    }

    @Test func aTokenEndsWithItsExpiryAndMakesNoneThatOutlivesIt() async throws {
        let scene = try await Scene()
        let alice = try await session(scene)
        let made = try await create(alice, ["name": "a", "expires_at": "2026-06-01T13:00:00Z"])
        #expect(made.at("/expires_at") == "2026-06-01T13:00:00.000Z")
        let short = alice.bearing(made.at("/token")?.string)
        for body: JSON in [
            ["name": "b"], ["name": "b", "expires_at": nil], ["name": "b", "expires_at": "2026-06-01T13:00:01Z"],
        ] {
            let answer = try await create(short, body)
            #expect(answer.status == 403)
            #expect(answer.code == "forbidden")
        }
        #expect(try await create(short, ["name": "b", "expires_at": "2026-06-01T13:00:00Z"]).status == 201)
        scene.clock.advance(by: .seconds(3600))
        #expect(try await short.me().status == 401)
    }

    @Test(arguments: [
        "{}", "[]", #"{"name": ""}"#, #"{"name": 7}"#, #"{"name": "a\u0000"}"#, #"{"name": "a", "read_only": "no"}"#,
        #"{"name": "a", "expires_at": "tomorrow"}"#, #"{"name": "a", "expires_at": "2026-06-01T12:00:00Z"}"#,
        #"{"name": "a", "colour": "red"}"#, #"{"name": "a", "token": "tmk_mine"}"#,
    ])
    func aBodyThatIsNotUnderstoodIsRefused(body: String) async throws {
        let scene = try await Scene()
        let answer = try await session(scene).send("POST", Self.path, body.data)
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_body")
    }

    @Test func nobodyIsToldAboutTokensWithoutACredential() async throws {
        let scene = try await Scene()
        #expect(try await scene.stranger.send("GET", Self.path).status == 401)
        #expect(try await create(scene.stranger, ["name": "a"]).status == 401)
        #expect(try await scene.stranger.me().status == 401)
        #expect(try await scene.stranger.send("GET", "/api/v1/users/").status == 401)
    }
}
