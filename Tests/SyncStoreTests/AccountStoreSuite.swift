import Schemas
@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// What every store must promise about accounts and credentials.
@Suite struct AccountStoreSuite {
    private static let noon = Workbench<ModelStore>.noon

    private func withStore(_ kind: StoreKind, _ body: (any SyncStore) async throws -> Void) async throws {
        try await kind.withStore(Registry.builtIn(), body)
    }

    private func addUsers(_ names: [String], to store: some SyncStore) async throws -> [Int64] {
        try await store.write { transaction in
            try names.map {
                try transaction.createUser(username: ExactText($0), displayName: $0, isSuperuser: false, at: Self.noon)
                    .id
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func aUsersSessionsAreListedTheOldestFirst(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { store in
            let ids = try await addUsers(["a", "b"], to: store)
            func session(_ id: String, _ user: Int64, _ seconds: Int) -> StoredSession {
                let start = Self.noon.advanced(by: .seconds(seconds))
                return StoredSession(
                    id: id, userID: user, createdAt: start, expiresAt: start.advanced(by: .seconds(60)))
            }
            let sessions = [
                session("s1", ids[0], 5), session("s2", ids[1], 3), session("s0", ids[0], 9), session("s3", ids[0], 1),
            ]
            try await store.write { transaction in
                for session in sessions { try transaction.createSession(session) }
                #expect(try transaction.sessions(of: ids[0]) == [sessions[3], sessions[0], sessions[2]])
                try transaction.deleteSessions(of: ids[0])
                #expect(try transaction.sessions(of: ids[0]).isEmpty)
                #expect(try transaction.sessions(of: ids[1]) == [sessions[1]])
                try transaction.setPasswordHash("hash", user: ids[1])
                try transaction.setPasswordHash(nil, user: ids[1])
                #expect(try transaction.passwordHash(of: ids[1]) == nil)
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func anAccountChangesBitByBit(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let ids = try await addUsers(["a", "b"], to: store)
            try await store.write { transaction in
                #expect(try transaction.passwordHash(of: ids[0]) == nil)
                try transaction.setPasswordHash("hash", user: ids[0])
                try transaction.setDisplayName("A", user: ids[0])
                try transaction.setDisabled(true, user: ids[0])
            }
            try await store.read { transaction throws -> Void in
                let user = try #require(try transaction.user(id: ids[0]))
                #expect(user.displayName == "A" && user.isDisabled && user.username == "a")
                #expect(try transaction.passwordHash(of: ids[0]) == "hash")
                #expect(try transaction.user(named: "b")?.isDisabled == false)
                #expect(try transaction.passwordHash(of: ids[1]) == nil)
                #expect(try transaction.passwordHash(of: 99) == nil)
            }
            try await store.write { try $0.setDisabled(false, user: ids[0]) }
            #expect(try await store.read { try $0.user(id: ids[0])?.isDisabled } == false)
        }
    }

    @Test(arguments: StoreKind.allCases) func aNameIsComparedWhole(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            _ = try await addUsers(["a"], to: store)
            for name in ["A", "a ", "a\u{0}", "a\u{0}b", "", "\u{0}"] {
                #expect(try await store.read { try $0.user(named: ExactText(name)) } == nil)
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func namesThatLookAlikeAreTwoAndAreFoundByTheirFold(
        kind: StoreKind
    ) async throws {
        try await withStore(kind) { store in
            let names = ["\u{C5}", "\u{212B}", "Stra\u{DF}e", "\u{AC00}", "\u{1100}\u{1161}"]
            let ids = try await addUsers(names, to: store)
            try await store.read { transaction throws -> Void in
                for (name, id) in zip(names, ids) {
                    #expect(try transaction.user(named: ExactText(name))?.id == id)
                }
                for (other, id) in [("a\u{30A}", ids[0]), ("STRASSE", ids[2]), ("\u{1100}\u{1161}", ids[3])] {
                    #expect(try transaction.user(folded: Username.folded(other))?.id == id)
                }
                #expect(try transaction.user(folded: Username.folded("strase")) == nil)
                #expect(try transaction.users(folded: Username.folded("\u{E5}")).map(\.id) == [ids[0], ids[1]])
                #expect(try transaction.users(folded: "\u{0}").isEmpty)
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func anIdentityStandsForOneAccount(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let ids = try await addUsers(["a", "b"], to: store)
            try await store.write { transaction in
                try transaction.link(issuer: "i", subject: "s", to: ids[0])
                try transaction.link(issuer: "j", subject: "s", to: ids[1])
                try transaction.link(issuer: "i", subject: "t", to: ids[0])
                try transaction.link(issuer: "i", subject: "t", to: ids[1])
            }
            try await store.read { transaction throws -> Void in
                #expect(try transaction.userID(issuer: "i", subject: "s") == ids[0])
                #expect(try transaction.userID(issuer: "j", subject: "s") == ids[1])
                #expect(try transaction.userID(issuer: "i", subject: "t") == ids[1])
                #expect(try transaction.userID(issuer: "s", subject: "i") == nil)
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func tokensAreKeptByUserInTheOrderOfTheirIDs(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { store in
            let ids = try await addUsers(["a", "b"], to: store)
            @Sendable func token(_ name: String, _ user: Int64) -> NewToken {
                NewToken(userID: user, name: name, isReadOnly: name == "2", createdAt: Self.noon, expiresAt: nil)
            }
            let stored = try await store.write { transaction in
                [
                    try transaction.createToken(token("1", ids[0]), hash: "h1"),
                    try transaction.createToken(token("x", ids[1]), hash: "hx"),
                    try transaction.createToken(token("2", ids[0]), hash: "h2"),
                    try transaction.createToken(token("3", ids[0]), hash: "h3"),
                ]
            }
            let mine = [stored[0], stored[2], stored[3]]
            try await store.read { transaction throws -> Void in
                #expect(try transaction.tokens(of: ids[0], after: 0, limit: 10) == mine)
                #expect(try transaction.tokens(of: ids[0], after: mine[0].id, limit: 1) == [mine[1]])
                #expect(try transaction.token(hash: "h2") == mine[1])
                #expect(try transaction.token(hash: "nope") == nil)
            }
            try await store.write { transaction in
                #expect(try !transaction.deleteToken(mine[2].id, of: ids[1]))
                #expect(try transaction.deleteToken(mine[2].id, of: ids[0]))
                #expect(try !transaction.deleteToken(mine[2].id, of: ids[0]))
                let next = try transaction.createToken(token("4", ids[0]), hash: "h4")
                #expect(next.id > mine[2].id, "an id is not used again")
            }
            #expect(try await store.read { try $0.token(hash: "h3") } == nil)
        }
    }

    @Test(arguments: StoreKind.allCases) func aSessionTakesItsRefreshTokensAlong(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { store in
            let ids = try await addUsers(["a", "b"], to: store)
            try await store.write { transaction in
                for (session, user) in [("s", ids[0]), ("t", ids[0]), ("u", ids[1])] {
                    try transaction.createSession(
                        StoredSession(id: session, userID: user, createdAt: Self.noon, expiresAt: Self.noon))
                    try transaction.createRefreshToken(
                        StoredRefreshToken(sessionID: session, expiresAt: Self.noon.advanced(by: .seconds(9))),
                        hash: "r\(session)")
                }
                try transaction.rotateRefreshToken(
                    hash: "rs", at: Self.noon, keptUntil: Self.noon.advanced(by: .seconds(11)))
                try transaction.createRefreshToken(
                    StoredRefreshToken(sessionID: "s", expiresAt: Self.noon.advanced(by: .seconds(10))), hash: "rs2")
            }
            try await store.read { transaction throws -> Void in
                #expect(try transaction.session("s")?.expiresAt == Self.noon.advanced(by: .seconds(10)))
                #expect(try transaction.session("t")?.expiresAt == Self.noon.advanced(by: .seconds(9)))
                #expect(try transaction.refreshToken(hash: "rs")?.isRotated == true)
                #expect(try transaction.refreshToken(hash: "rs")?.rotatedAt == Self.noon)
                #expect(try transaction.refreshToken(hash: "rs")?.expiresAt == Self.noon.advanced(by: .seconds(11)))
                #expect(try transaction.refreshToken(hash: "rs2")?.isRotated == false)
            }
            try await store.write { try $0.deleteSession("s") }
            try await store.read { transaction throws -> Void in
                #expect(try transaction.session("s") == nil)
                #expect(try transaction.refreshToken(hash: "rs") == nil)
                #expect(try transaction.refreshToken(hash: "rs2") == nil)
                #expect(try transaction.refreshToken(hash: "rt")?.sessionID == "t")
            }
            try await store.write { try $0.deleteSessions(of: ids[0]) }
            #expect(try await store.read { try $0.session("t") } == nil)
            #expect(try await store.read { try $0.session("u") }?.userID == ids[1])
        }
    }

    @Test(arguments: StoreKind.allCases) func whatExpiredIsForgotten(kind: StoreKind) async throws {
        try await withStore(kind) { store in
            let user = try await addUsers(["a"], to: store)[0]
            try await store.write { transaction in
                for (session, seconds) in [("old", 0), ("new", 10)] {
                    let expiry = Self.noon.advanced(by: .seconds(seconds))
                    try transaction.createSession(
                        StoredSession(id: session, userID: user, createdAt: Self.noon, expiresAt: expiry))
                    try transaction.createRefreshToken(
                        StoredRefreshToken(sessionID: session, expiresAt: expiry), hash: session)
                }
                try transaction.forgetSessions(before: Self.noon)
                #expect(try transaction.session("old") != nil)
                try transaction.forgetSessions(before: Self.noon.advanced(by: .seconds(1)))
            }
            try await store.read { transaction throws -> Void in
                #expect(try transaction.session("old") == nil)
                #expect(try transaction.refreshToken(hash: "old") == nil)
                #expect(try transaction.session("new") != nil)
                #expect(try transaction.refreshToken(hash: "new") != nil)
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func usersAreFoundThroughLiveMembershipsOfLiveProjects(
        kind: StoreKind
    ) async throws {
        try await withStore(kind) { store in
            let ids = try await addUsers(["a", "b", "c", "d", "e"], to: store)
            try await store.write { transaction in
                for (project, members) in [("p", [0, 1, 2]), ("q", [1, 3]), ("dead", [0, 4])] {
                    try transaction.createProject(project)
                    for member in members {
                        let role: Role? = project == "p" && member == 2 ? nil : project == "p" ? .member : .owner
                        try transaction.setAccess(
                            project: project, user: ids[member],
                            Access(role: role, widenedSeq: .zero, narrowedSeq: .zero))
                    }
                }
                try transaction.setState(project: "dead", isArchived: false, isDeleted: true)
                try transaction.setState(project: "q", isArchived: true, isDeleted: false)
            }
            try await store.read { transaction throws -> Void in
                func found(_ scope: UserScope, after: Int = 0, limit: Int = 10) throws -> [String] {
                    try transaction.users(scope, after: after == 0 ? 0 : ids[after - 1], limit: limit).map(
                        \.username.rawValue)
                }
                #expect(try found(.everyone) == ["a", "b", "c", "d", "e"])
                #expect(try found(.everyone, after: 2, limit: 2) == ["c", "d"])
                #expect(try found(.sharing(with: ids[0])) == ["a", "b"])
                #expect(try found(.sharing(with: ids[1])) == ["a", "b", "d"])
                #expect(try found(.sharing(with: ids[1]), after: 1, limit: 1) == ["b"])
                #expect(try found(.sharing(with: ids[2])) == ["c"])
                #expect(try found(.sharing(with: ids[4])) == ["e"])
                #expect(try found(.members(of: "p")) == ["a", "b"])
                #expect(try found(.members(of: "q"), after: 2) == ["d"])
                #expect(try found(.members(of: "nope")) == [])
                #expect(try transaction.shareProject(ids[0], ids[1]))
                #expect(try !transaction.shareProject(ids[0], ids[2]))
                #expect(try !transaction.shareProject(ids[0], ids[4]))
                #expect(try transaction.highestRole(of: ids[0]) == .member)
                #expect(try transaction.highestRole(of: ids[1]) == .owner)
                #expect(try transaction.highestRole(of: ids[2]) == nil)
                #expect(try transaction.highestRole(of: ids[4]) == nil)
            }
        }
    }
}
