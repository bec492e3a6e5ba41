import Foundation
import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// A token that was used and not stored ends the session, so a new pair is stored before it is used.
@Suite struct StoredPairTests {
    private let scratch: Scratch
    private let secrets: MemorySecrets
    private let server: PairServer

    init() throws {
        scratch = try Scratch()
        secrets = MemorySecrets(folder: scratch.folder)
        server = PairServer(secrets: secrets)
    }

    private func logIn() async throws -> Account {
        let account = try await Account.logIn(
            "alice", password: "p", server: "http://server", secrets: secrets, transport: server)
        server.watchTokens()
        return account
    }

    @Test func everyTokenIsStoredBeforeARequestHasIt() async throws {
        let account = try await logIn()
        for number in 2...4 {
            server.expire()
            #expect(try await account.request(.get, "/auth/me/")["id"]?.int == 7)
            #expect(try await account.token() == "access-\(number)")
        }
        let pairs = ["access-1", "refresh-1", "access-2", "access-2", "refresh-2", "access-3"]
        #expect(server.used.starts(with: pairs) && server.used.last == "access-4")
        #expect(server.strays == [])
    }

    @Test func ifThePairCantBeStoredTheOldOneStaysInUse() async throws {
        let account = try await logIn()
        secrets.fail(true)
        await #expect(throws: MemorySecrets.IsFull.self) { try await account.renewed(after: "access-1") }
        #expect(try await account.token() == "access-1")
        #expect(try await account.request(.get, "/auth/me/")["id"]?.int == 7)
        #expect(try account.isLoggedIn() && secrets.have("refresh-1"))
        #expect(server.used == ["refresh-1", "access-1"] && server.strays == [])
        // The server gives the same pair to whoever repeats a refresh.
        secrets.fail(false)
        #expect(try await account.renewed(after: "access-1") == "access-2")
        #expect(secrets.have("refresh-2") && server.strays == [])
    }

    @Test func copiesSetAsideAreCountedAtALogOutToo() async throws {
        let account = try await logIn()
        let replica = try scratch.replicaWithTables()
        try replica.take(Fixture.page(Fixture.tasks(updated: [["id": "a", "server_version": 3, "name": "A"]])))
        try replica.insert(["name": "N"], into: "tasks", id: "n")
        let tasks = try #require(Fixture.schema["tasks"])
        try replica.write { try SetAside(reason: "deleted", time: Instant.test.text).copy($0, "a", of: tasks) }
        let error = await #expect(throws: AccountError.self) { try await account.logOut(of: [replica]) }
        #expect(error == .unsentEdits(1, setAside: 1))
        let words = "1 edit not sent yet, and 1 set aside. Sync first, or leave them behind."
        #expect(try error?.description == words && account.isLoggedIn())
        try await account.logOut(of: [replica], leavingUnsent: true)
        #expect(try !account.isLoggedIn() && replica.unsentCount() == 1 && replica.setAsideCount() == 1)
    }
}

/// Secrets in memory, in a store that may be full.
private final class MemorySecrets: SecretStore {
    struct IsFull: Error {}

    private let folder: String
    private let secrets = Mutex<[String: Data]>([:])
    private let isFull = Mutex(false)

    init(folder: String) { self.folder = folder }

    func fail(_ fails: Bool) { isFull.withLock { $0 = fails } }

    /// Whether a secret has the token.
    func have(_ token: String) -> Bool {
        secrets.withLock { $0.values.contains { String(decoding: $0, as: UTF8.self).contains("\"\(token)\"") } }
    }

    func names() -> [String] { secrets.withLock { $0.keys.sorted() } }
    func secret(named name: String) -> Data? { secrets.withLock { $0[name] } }
    func remove(named name: String) { secrets.withLock { $0[name] = nil } }
    func lockPath(named name: String) -> String { "\(folder)/\(name)-lock" }

    func store(_ secret: Data, named name: String) throws {
        guard !isFull.withLock({ $0 }) else { throw IsFull() }
        secrets.withLock { $0[name] = secret }
    }
}

/// Gives out pairs of tokens, such as `access-2` and `refresh-2`, and notes those that come and were not stored.
private final class PairServer: Transport {
    private struct State {
        /// The pair whose access token is good.
        var good = 1
        var isWatching = false
        var used: [String] = []
        var strays: [String] = []
    }

    private let secrets: MemorySecrets
    private let state = Mutex(State())

    init(secrets: MemorySecrets) { self.secrets = secrets }

    /// The tokens that came, in their order.
    var used: [String] { state.withLock(\.used) }
    /// Those that were not stored when they came.
    var strays: [String] { state.withLock(\.strays) }

    /// From now on. During the log-in it is not yet known whose tokens they are.
    func watchTokens() { state.withLock { $0.isWatching = true } }

    /// The present access token is refused from now on.
    func expire() { state.withLock { $0.good += 1 } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let path = request.url.split(separator: "/v1").last ?? ""
        let bearer = request.headers["Authorization"]?.split(separator: " ").last.map(String.init)
        let token = (try? JSON(parsing: request.body))?["refresh"]?.string ?? bearer
        note(token)
        switch path {
        case "/auth/token/": return pair(1)
        case "/auth/token/refresh/": return pair(number(of: token) + 1)
        case "/auth/logout/": return TransportResponse(status: 204)
        default:
            guard number(of: token) >= state.withLock(\.good) else { return .problem(401, .unauthorized) }
            return .json(["id": 7, "username": "alice"])
        }
    }

    private func note(_ token: String?) {
        guard let token, state.withLock(\.isWatching) else { return }
        let isStored = secrets.have(token)
        state.withLock { state in
            state.used.append(token)
            if !isStored { state.strays.append(token) }
        }
    }

    private func number(of token: String?) -> Int { token?.split(separator: "-").last.flatMap { Int($0) } ?? 0 }

    private func pair(_ number: Int) -> TransportResponse {
        .json(["access": .string("access-\(number)"), "refresh": .string("refresh-\(number)")])
    }
}
