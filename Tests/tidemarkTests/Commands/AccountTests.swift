import Foundation
import SyncAccounts
import SyncAsyncHTTPClient
import SyncClientCore
import SyncEngine
import SyncProtocol
import SyncStoreSQLite
import SyncTestKit
import Synchronization
import Testing

@testable import tidemark

/// Accounts of the Swift client against the real server: log-in, refresh, log-out, several accounts and processes.
@Suite(.timeLimit(.minutes(20))) struct AccountTests {
    private static let password = "correct horse battery"

    private let server: ServedProject
    private let folder: String
    private let secrets: FileSecretStore
    private let transport: RefreshCounter

    init() async throws {
        server = try await ServedProject()
        folder = server.folder.path("secrets")
        secrets = try FileSecretStore(folder: folder)
        transport = RefreshCounter(plain: AsyncHTTPClientTransport())
    }

    private func name(_ role: Role) -> String { server.bench.caller(role).username.rawValue }

    private func logIn(_ role: Role = .member) async throws -> Account {
        try await server.bench.accounts.setPassword(Self.password, of: name(role))
        return try await Account.logIn(
            name(role), password: Self.password, server: server.url, secrets: secrets, transport: transport)
    }

    /// The account as another process has it.
    private func other(_ account: Account) throws -> Account {
        try #require(try Account.all(in: secrets, transport: transport).first { $0.name == account.name })
    }

    @Test func whoLogsInSyncs() async throws {
        let account = try await logIn()
        #expect(account.user.username == name(.member))
        let replica = try Replica(path: server.folder.path("a.replica"), scope: .allProjects)
        _ = try await account.syncer(for: replica).sync()
        try replica.insert(["name": "One", "project_id": "p1"], into: "tasks", id: "t-1")
        #expect(try await account.syncer(for: replica).sync().pushed?.applied == 1)
        #expect(try await account.request(.get, "/tasks/t-1/")["name"] == "One")
        let folderRights = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
        #expect(folderRights == 0o700)
    }

    @Test func aWrongPasswordIsSaid() async throws {
        await #expect {
            try await Account.logIn(
                name(.member), password: "wrong", server: server.url, secrets: secrets, transport: transport)
        } throws: {
            if case AccountError.wrongPassword(let detail) = $0 { !detail.isEmpty } else { false }
        }
        #expect(try Account.all(in: secrets, transport: transport).isEmpty)
    }

    @Test func whatTheServerRefusesIsThrownInItsWords() async throws {
        let account = try await logIn()
        let body: JSON = ["name": 1, "duration": -1]
        do {
            _ = try await account.request(.post, "/projects/p1/tasks/", body: body)
            Issue.record("it was taken")
        } catch AccountError.refused(let status, let code, _, let problems) {
            #expect(status == 400 && code == "invalid_rows")
            #expect(problems.map(\.field) == ["duration", "name"])
        }
    }

    /// Two processes that come with the same token at once would end each other's session without the lock.
    @Test func oneProcessRefreshesForAll() async throws {
        let first = try await logIn()
        let second = try other(first)
        let old = try await first.token()
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for account in [first, second, first, second, try other(first)] {
                group.addTask { try await account.renewed(after: old) }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens.count == 1 && !tokens.contains(old))
        #expect(transport.refreshes == 1)
        // A process that slept meanwhile still has the old token.
        #expect(try await second.renewed(after: old) == tokens.first)
        #expect(try await first.request(.get, "/auth/me/")["username"]?.string == name(.member))
        #expect(transport.refreshes == 1)
    }

    /// The answer is lost, or the process dies with it: the next one gets the same pair again.
    @Test func aRefreshWhoseAnswerIsLostIsRepeated() async throws {
        let account = try await logIn()
        let old = try await account.token()
        transport.loseNext()
        await #expect(throws: TransportError.self) { try await account.renewed(after: old) }
        let next = try other(account)
        let token = try await next.renewed(after: old)
        #expect(token != old)
        #expect(try await account.renewed(after: old) == token)
        #expect(try await next.request(.get, "/auth/me/")["id"]?.int == account.user.id)
    }

    /// The pair is stored before anything is sent with it.
    @Test func aNewPairIsStoredBeforeItIsUsed() async throws {
        let account = try await logIn()
        let token = try await account.renewed(after: try await account.token())
        let stored = try String(decoding: #require(try secrets.secret(named: account.name)), as: UTF8.self)
        #expect(stored.contains(token))
        let before = transport.refreshes
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder) }
        // Root may write anywhere.
        guard getuid() != 0 else { return }
        await #expect(throws: AccountError.self) { try await account.renewed(after: token) }
        #expect(transport.refreshes == before + 1)
    }

    @Test func aRefusedTokenIsRenewedOnceAndTheRequestIsSentAgain() async throws {
        let account = try await logIn()
        transport.refuseNext()
        #expect(try await account.request(.get, "/auth/me/")["id"]?.int == account.user.id)
        #expect(transport.refreshes == 1)
    }

    /// The token was good: no refresh, and no second wrong attempt.
    @Test func aWrongPasswordInARequestIsNoRefusedToken() async throws {
        let account = try await logIn()
        let body: JSON = ["current_password": "wrong", "new_password": "another long password"]
        await #expect {
            _ = try await account.request(.post, "/auth/password/", body: body)
        } throws: {
            if case AccountError.wrongPassword = $0 { true } else { false }
        }
        #expect(transport.refreshes == 0)
    }

    /// A name is a file's name, and no two servers or users have one.
    @Test func anAccountIsNamedByItsServerAndUser() async throws {
        let account = try await logIn()
        let port = try #require(URL(string: server.url)?.port)
        #expect(account.name == "127.0.0.1_3a\(port)-\(account.user.id)")
        #expect(account.name.utf8.allSatisfy { $0 != UInt8(ascii: "/") })
    }

    @Test func anEndedSessionIsSaidAndNothingIsLost() async throws {
        let account = try await logIn()
        let replica = try Replica(path: server.folder.path("a.replica"), scope: .allProjects)
        _ = try await account.syncer(for: replica).sync()
        try replica.insert(["name": "One", "project_id": "p1"], into: "tasks", id: "t-1")
        // A new password ends all sessions.
        try await server.bench.accounts.setPassword("another long password", of: name(.member))
        await #expect {
            _ = try await account.syncer(for: replica).sync()
        } throws: {
            if case SyncError.refused(401, _, _) = $0 { true } else { false }
        }
        await #expect(throws: AccountError.loggedOut) { try await account.token() }
        #expect(try !account.isLoggedIn() && replica.unsentCount() == 1)
        await #expect(throws: AccountError.otherUser(expected: name(.member))) {
            try await server.bench.accounts.setPassword(Self.password, of: name(.admin))
            try await account.logIn(name(.admin), password: Self.password)
        }
        try await account.logIn(name(.member), password: "another long password")
        #expect(try await account.syncer(for: replica).sync().pushed?.applied == 1)
    }

    @Test func whoLogsOutIsAskedAboutUnsentEdits() async throws {
        let account = try await logIn()
        let replica = try Replica(path: server.folder.path("a.replica"), scope: .allProjects)
        _ = try await account.syncer(for: replica).sync()
        try replica.insert(["name": "One", "project_id": "p1"], into: "tasks", id: "t-1")
        await #expect(throws: AccountError.unsentEdits(1, setAside: 0)) { try await account.logOut(of: [replica]) }
        #expect(try account.isLoggedIn())
        let token = try await account.token()
        try await account.logOut(of: [replica], leavingUnsent: true)
        #expect(try !account.isLoggedIn() && replica.unsentCount() == 1)
        // The session has ended on the server, too.
        let headers = ["Authorization": "Bearer \(token)"]
        let request = TransportRequest(
            url: server.url + "/api/v1/auth/me/", headers: headers, timeout: .seconds(30))
        #expect(try await transport.send(request).status == 401)
        #expect(try Account.all(in: secrets, transport: transport).map(\.name) == [account.name])
        try await account.forget()
        #expect(try Account.all(in: secrets, transport: transport).isEmpty)
    }

    /// A shared tablet: each user has a replica, and switches without a log-out.
    @Test func severalAccountsHaveTheirOwnReplicas() async throws {
        let (one, two) = (try await logIn(.member), try await logIn(.admin))
        #expect(one.name != two.name)
        #expect(try Account.all(in: secrets, transport: transport).map(\.name) == [one.name, two.name].sorted())
        let replicas = try [one, two].map {
            try Replica(path: server.folder.path($0.name + ".replica"), scope: .allProjects)
        }
        for (account, replica) in zip([one, two], replicas) { _ = try await account.syncer(for: replica).sync() }
        try replicas[0].insert(["name": "Mine", "project_id": "p1"], into: "tasks", id: "t-1")
        await #expect(throws: ReplicaError.self) { try await two.syncer(for: replicas[0]).sync() }
        #expect(try replicas[0].unsentCount() == 1)
        #expect(try await one.syncer(for: replicas[0]).sync().pushed?.applied == 1)
    }

    // MARK: Tokens of an issuer

    /// Tokens that do not come from a log-in here, as an issuer of one's own gives them.
    private func issuer(_ role: Role = .member) -> (Counter, Account.TokenIssuer) {
        let (server, asked) = (server, Counter())
        let issuer: Account.TokenIssuer = {
            asked.next()
            return try await server.token(role)
        }
        return (asked, issuer)
    }

    private func logIn(_ issuer: @escaping Account.TokenIssuer) async throws -> Account {
        try await Account.logIn(server: server.url, secrets: secrets, transport: transport, issuer: issuer)
    }

    @Test func anIssuersTokenIsReplacedWhenItIsRefused() async throws {
        let (asked, issuer) = issuer()
        let account = try await logIn(issuer)
        #expect(account.user.username == name(.member) && asked.count == 1)
        transport.refuseNext()
        #expect(try await account.request(.get, "/auth/me/")["id"]?.int == account.user.id)
        #expect(asked.count == 2 && transport.refreshes == 0)
        let replica = try Replica(path: server.folder.path("a.replica"), scope: .allProjects)
        #expect(try await account.syncer(for: replica).sync().pulled != nil)
    }

    @Test func oneProcessAsksTheIssuerForAll() async throws {
        let (asked, issuer) = issuer()
        let first = try await logIn(issuer)
        let all = { try Account.all(in: secrets, transport: transport) { _ in try await issuer() } }
        let old = try await first.token()
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for account in [first, first] + (try all()) + (try all()) {
                group.addTask { try await account.renewed(after: old) }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens.count == 1 && !tokens.contains(old) && asked.count == 2)
    }

    @Test func withoutAnIssuersTokenTheSessionHasEnded() async throws {
        let (asked, issuer) = issuer()
        let account = try await logIn { asked.count > 0 ? nil : try await issuer() }
        let replica = try Replica(path: server.folder.path("a.replica"), scope: .allProjects)
        _ = try await account.syncer(for: replica).sync()
        transport.refuseNext()
        await #expect {
            _ = try await account.syncer(for: replica).sync()
        } throws: {
            if case SyncError.refused(401, _, _) = $0 { true } else { false }
        }
        #expect(try !account.isLoggedIn())
        asked.reset()
        let again = try await logIn(issuer)
        #expect(again.name == account.name)
        #expect(try await account.request(.get, "/auth/me/")["id"]?.int == account.user.id)
    }

    /// Nothing of one user is sent with a token of another one.
    @Test func anIssuersTokenOfSomebodyElseIsNotUsed() async throws {
        let (asked, member) = issuer()
        let (_, admin) = issuer(.admin)
        let account = try await logIn { asked.count > 0 ? try await admin() : try await member() }
        transport.refuseNext()
        await #expect(throws: AccountError.otherUser(expected: name(.member))) {
            try await account.request(.get, "/auth/me/")
        }
    }

    @Test func whoLogsOutOfAnIssuersAccountUsesItsTokenNoMore() async throws {
        let account = try await logIn(issuer().1)
        try await account.logOut(of: [])
        await #expect(throws: AccountError.loggedOut) { try await account.token() }
    }

    @Test func anAddressOfSomethingElseIsSaid() async throws {
        let page = StaticTransport(status: 200, body: "<html>")
        await #expect(throws: AccountError.notTidemark(status: 200)) {
            try await Account.logIn("a", password: "b", server: server.url, secrets: secrets, transport: page)
        }
    }
}

/// Counts calls.
private final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }

    func next() { value.withLock { $0 += 1 } }
    func reset() { value.withLock { $0 = 0 } }
}

/// Counts refreshes, and does harm to single requests.
private final class RefreshCounter: Transport {
    private struct State {
        var refreshes = 0
        var losesNext = false
        var refusesNext = false
    }

    private let plain: AsyncHTTPClientTransport
    private let state = Mutex(State())

    init(plain: AsyncHTTPClientTransport) { self.plain = plain }

    deinit { Task { [plain] in try await plain.shutdown() } }

    var refreshes: Int { state.withLock(\.refreshes) }

    /// The next refresh reaches the server, and its answer gets lost.
    func loseNext() { state.withLock { $0.losesNext = true } }

    /// The next request that is no refresh is refused with 401.
    func refuseNext() { state.withLock { $0.refusesNext = true } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard request.url.hasSuffix("/auth/token/refresh/") else {
            let isRefused = state.withLock { state in
                defer { state.refusesNext = false }
                return state.refusesNext
            }
            return isRefused ? TransportResponse(status: 401) : try await plain.send(request)
        }
        let isLost = state.withLock { state in
            defer { state.losesNext = false }
            state.refreshes += 1
            return state.losesNext
        }
        let answer = try await plain.send(request)
        if isLost { throw TransportError.interrupted("the answer was lost") }
        return answer
    }
}

private struct StaticTransport: Transport {
    let status: Int
    let body: String

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(status: status, body: Data(body.utf8))
    }
}
