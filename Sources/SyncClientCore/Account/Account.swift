import Foundation
public import SyncProtocol
import Synchronization

/// Somebody's account on a server: logs in and out, keeps the session alive, and makes requests.
///
/// ```swift
/// let account = try await Account.logIn(
///     "alice", password: password, server: "https://tidemark.example.org",
///     secrets: FileSecretStore(folder: folder), transport: transport)
/// let outcome = try await account.syncer(for: replica).sync()
/// ```
///
/// A device may have several accounts, each with replicas of its own. `all(in:)` finds those of earlier runs. Several
/// processes may use one account at the same time: one refreshes, the others take what it got. A new pair of tokens is
/// stored before it is used, and a refresh whose answer was lost is repeated with the same token, so a process may be
/// killed at any point (`POST /auth/token/refresh/` in docs/protocol.md).
public final class Account: Sendable {
    /// The server's address.
    public var server: String { known.server }
    /// Whose account it is. Known without a network.
    public var user: AccountUser { known.user }
    /// A name for the account on this device, of letters, digits, `_`, `.` and `-`, such as for the replica's file.
    /// It never changes, and two accounts have two.
    public let name: String

    private let known: AccountSession
    private let secrets: any SecretStore
    private let plain: any Transport
    private let issuer: TokenIssuer?
    fileprivate let environment: SyncEnvironment
    private let memory = Mutex(Memory())

    /// What this process knows of the tokens.
    private struct Memory {
        var tokens: SessionTokens?
        /// When to ask for the next pair; nil if that is not known.
        var renewal: Duration?
    }

    private init(
        _ session: AccountSession, name: String, secrets: any SecretStore, transport: any Transport,
        issuer: TokenIssuer?, environment: SyncEnvironment
    ) {
        known = session
        self.issuer = issuer
        self.name = name
        self.secrets = secrets
        plain = transport
        self.environment = environment
        memory.withLock { $0.tokens = session.tokens }
    }
}

// MARK: Logging in and out

extension Account {
    /// Logs in. The session is stored when this returns. If this device has the account already, its session is
    /// replaced, and the former one ends.
    ///
    /// Throws `AccountError.wrongPassword`, `refused` (`rate_limited` after too many attempts), `notTidemark`,
    /// `TransportError`, and errors of the secrets.
    public static func logIn(
        _ username: String, password: String, server: String, secrets: any SecretStore, transport: any Transport,
        environment: SyncEnvironment = .live
    ) async throws -> Account {
        let requests = AccountRequests(base: try Remote.base(server), transport: transport)
        let tokens = try await requests.logIn(username, password)
        return try await open(
            tokens, server: server, secrets: secrets, transport: transport, issuer: nil, environment: environment)
    }

    /// Logs in whoever has the tokens of an issuer, which the server is set up to accept
    /// (docs/operations/people.md, “Outside identity”).
    ///
    /// `issuer` returns a token that is good now, or nil if the user has to log in with the issuer again; then requests
    /// throw `AccountError.sessionEnded`. It is called half a minute before a token ends and when the server refuses
    /// one, by one process at a time, and the others take what it got. It must not wait for the user. If it throws
    /// `TransportError`, a sync tries again; any other error ends the sync.
    ///
    /// Throws as `logIn(_:password:server:secrets:transport:)` does.
    public static func logIn(
        server: String, secrets: any SecretStore, transport: any Transport, environment: SyncEnvironment = .live,
        issuer: @escaping TokenIssuer
    ) async throws -> Account {
        guard let token = try await issuer() else { throw AccountError.sessionEnded }
        return try await open(
            SessionTokens(issued: token), server: server, secrets: secrets, transport: transport, issuer: issuer,
            environment: environment)
    }

    private static func open(
        _ tokens: SessionTokens, server: String, secrets: any SecretStore, transport: any Transport,
        issuer: TokenIssuer?, environment: SyncEnvironment
    ) async throws -> Account {
        let requests = AccountRequests(base: try Remote.base(server), transport: transport)
        let user = try await requests.user(tokens.access)
        let session = AccountSession(server: server, user: user, tokens: tokens)
        let name = try Self.name(server, user)
        let former = try await FileLock(ofSecretAt: secrets.lockPath(named: name)).withLock(environment) {
            let former = AccountSession(try secrets.secret(named: name))?.tokens
            try secrets.store(session.secret, named: name)
            return former
        }
        if let former = former?.refresh { try? await requests.logOut(former) }
        return Account(
            session, name: name, secrets: secrets, transport: transport, issuer: issuer, environment: environment)
    }

    /// The accounts that this device has, logged in or not, by name. A secret that is none of an account is left out.
    /// `issuer` gives tokens to accounts of an issuer.
    public static func all(
        in secrets: any SecretStore, transport: any Transport, environment: SyncEnvironment = .live,
        issuer: (@Sendable (AccountUser) async throws -> String?)? = nil
    ) throws -> [Account] {
        try secrets.names().compactMap { name -> Account? in
            guard let session = AccountSession(try secrets.secret(named: name)) else { return nil }
            var own: TokenIssuer?
            if let issuer { own = { try await issuer(session.user) } }
            return Account(
                session, name: name, secrets: secrets, transport: transport, issuer: own, environment: environment)
        }
    }

    /// Logs the user in again, after `AccountError.sessionEnded` or a log-out. Throws `AccountError.otherUser` if the
    /// name and password are somebody else's; nothing changes then.
    public func logIn(_ username: String, password: String) async throws {
        let tokens = try await requests.logIn(username, password)
        let user = try await requests.user(tokens.access)
        guard user.id == self.user.id else {
            if let refresh = tokens.refresh { try? await requests.logOut(refresh) }
            throw AccountError.otherUser(expected: self.user.username)
        }
        try await locked { try self.keep(tokens) }
    }

    /// Whether there is a session, as far as this device knows.
    public func isLoggedIn() throws -> Bool { try stored()?.tokens != nil }

    /// Ends the session, on the server and here. Replicas stay, and whoever logs in to this account again goes on with
    /// them; `forget()` removes the account.
    ///
    /// If edits or files in `replicas` have not been sent, throws `AccountError.unsentEdits`, and does nothing, unless
    /// `leavingUnsent` is true: ask the user. If the server can't be reached, the tokens are removed here all the same.
    public func logOut(of replicas: [Replica], leavingUnsent: Bool = false) async throws {
        let unsent = try replicas.reduce(0) { try $0 + $1.unsentCount() + $1.files.list().count }
        if unsent > 0, !leavingUnsent {
            throw AccountError.unsentEdits(unsent, setAside: try replicas.reduce(0) { try $0 + $1.setAsideCount() })
        }
        let former = try await locked {
            let former = try self.stored()?.tokens
            try self.keep(nil)
            return former
        }
        if let former = former?.refresh { try? await requests.logOut(former) }
    }

    /// Removes the account from this device. Its replicas are the app's to remove.
    public func forget() async throws {
        try await locked {
            try self.secrets.remove(named: self.name)
            self.memory.withLock { $0 = Memory() }
        }
    }

    /// The server's address and the user's number. What is no small letter, digit, `.` or `-` is written as `_` and two
    /// hex digits, so no two addresses get one name, on any file system.
    private static func name(_ server: String, _ user: AccountUser) throws -> String {
        let url = URL(string: try Remote.base(server))
        let place = (url?.host() ?? "").lowercased() + (url?.port.map { ":\($0)" } ?? "") + (url?.path() ?? "")
        let plain = place.utf8.dropLast("/api/v1".utf8.count).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
                UInt8(ascii: "-"):
                String(UnicodeScalar(byte))
            default: "_" + [byte].hex
            }
        }
        return plain.joined() + "-\(user.id)"
    }

    private var requests: AccountRequests {
        get throws { AccountRequests(base: try Remote.base(server), transport: plain) }
    }

    private func stored() throws -> AccountSession? { AccountSession(try secrets.secret(named: name)) }

    private func locked<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await FileLock(ofSecretAt: secrets.lockPath(named: name)).withLock(environment, body)
    }

    /// Stores the tokens, and only then uses them.
    private func keep(_ tokens: SessionTokens?) throws {
        try secrets.store(AccountSession(server: server, user: user, tokens: tokens).secret, named: name)
        use(tokens, issuedNow: true)
    }

    private func use(_ tokens: SessionTokens?, issuedNow: Bool) {
        let lifetime = issuedNow ? tokens?.lifetime : nil
        let renewal = lifetime.map { environment.now() + max($0 - .seconds(30), $0 / 2) }
        memory.withLock { $0 = Memory(tokens: tokens, renewal: renewal) }
    }
}

// MARK: Tokens

extension Account {
    /// A token for requests. It is renewed half a minute before its end.
    ///
    /// Throws `AccountError.sessionEnded` and `loggedOut`, `TransportError` if the server can't be reached, and errors
    /// of the secrets.
    public func token() async throws -> String {
        let (tokens, renewal) = memory.withLock { ($0.tokens, $0.renewal) }
        guard let tokens else { return try await renewed(after: nil) }
        guard let renewal, environment.now() >= renewal else { return tokens.access }
        return try await renewed(after: tokens.access)
    }

    /// Another token than `refused`. Whoever refreshes first does it for all: the secrets are read again under the
    /// lock, and a pair that somebody else has got meanwhile is taken. Throws as `token` does.
    public func renewed(after refused: String?) async throws -> String {
        try await locked {
            guard let stored = try self.stored()?.tokens else { throw AccountError.loggedOut }
            if stored.access != refused {
                self.use(stored, issuedNow: false)
                return stored.access
            }
            do {
                let next = try await self.next(after: stored)
                try self.keep(next)
                return next.access
            } catch AccountError.sessionEnded {
                try self.keep(nil)
                throw AccountError.sessionEnded
            } catch AccountError.refused(let status, _, let detail, _) where status == 429 || status >= 500 {
                throw TransportError.interrupted("the session can't be renewed now. \(detail)")
            }
        }
    }
}

extension Account {
    /// Gets a token of an issuer; nil if the user has to log in there.
    public typealias TokenIssuer = @Sendable () async throws -> String?

    /// The next pair of the server, or another token of the issuer, which may have another user by now.
    private func next(after tokens: SessionTokens) async throws -> SessionTokens {
        if let refresh = tokens.refresh { return try await requests.refresh(refresh) }
        guard let token = try await issuer?(), token != tokens.access else { throw AccountError.sessionEnded }
        do {
            guard try await requests.user(token).id == user.id else {
                throw AccountError.otherUser(expected: user.username)
            }
        } catch AccountError.refused(401, _, _, _) { throw AccountError.sessionEnded }
        return SessionTokens(issued: token)
    }
}

// MARK: Requests and syncing

extension Account {
    /// A transport whose requests carry the account's token. A refused token is renewed, and the request is sent once
    /// more.
    public var transport: any Transport { AccountTransport(account: self, plain: plain) }

    /// Syncs a replica of this account. If the session has ended, the syncer's methods throw `SyncError.refused` with
    /// status 401.
    public func syncer(for replica: Replica, options: SyncOptions = SyncOptions()) throws -> Syncer {
        let remote = try Remote(url: server, scope: replica.state().scope, token: "")
        return try Syncer(
            remote: remote, transport: transport, replica: replica, options: options, environment: environment)
    }

    /// Makes a request to the API, such as for members and the inbox: `request(.get, "/projects/p/memberships/")`.
    /// `path` follows `/api/v1`, with its query. Returns the answer's body; null if it has none. With an
    /// `idempotencyKey`, a UUID, a POST whose answer was lost can be repeated.
    ///
    /// Throws `AccountError.refused` with the server's code and sentence, `notTidemark`, and `TransportError`.
    public func request(
        _ method: TransportRequest.Method = .get, _ path: String, body: JSON? = nil, idempotencyKey: String? = nil
    ) async throws -> JSON {
        var headers = ["Accept": "application/json"]
        if body != nil { headers["Content-Type"] = "application/json" }
        headers["Idempotency-Key"] = idempotencyKey
        let request = TransportRequest(
            method: method, url: try Remote.base(server) + path, headers: headers,
            body: body.map { Data($0.text.utf8) } ?? Data(), timeout: .seconds(30))
        return try AccountRequests.body(of: try await transport.send(request))
    }
}

/// Sends requests with the account's token.
private struct AccountTransport: Transport {
    let account: Account
    let plain: any Transport

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (answer, token) = try await authorized(request, plain.send) { $0.status == 401 && !$0.saysWrongPassword }
        return answer.judged(token: token, at: account.environment.wallClock())
    }

    func open(_ request: TransportRequest) async throws -> TransportStream? {
        try await authorized(request, plain.open) { $0?.status == 401 }.answer
    }

    /// The answer, and the token that was sent for it; empty for none.
    private func authorized<Answer>(
        _ request: TransportRequest, _ send: (TransportRequest) async throws -> Answer,
        isTokenRefused: (Answer) -> Bool
    ) async throws -> (answer: Answer, token: String) {
        let token: String
        do {
            token = try await account.token()
        } catch AccountError.sessionEnded, AccountError.loggedOut {
            return (try await send(request), "")
        }
        let answer = try await send(request.authorized(token))
        guard isTokenRefused(answer) else { return (answer, token) }
        do {
            let next = try await account.renewed(after: token)
            return (try await send(request.authorized(next)), next)
        } catch AccountError.sessionEnded, AccountError.loggedOut {
            return (answer, token)
        }
    }
}

extension TransportRequest {
    fileprivate func authorized(_ token: String) -> TransportRequest {
        var request = self
        request.headers["Authorization"] = "Bearer \(token)"
        return request
    }
}

extension TransportResponse {
    /// Whether a password in the request was wrong: the token was good, and another one makes no difference.
    fileprivate var saysWrongPassword: Bool {
        (try? JSON(parsing: body))?["code"]?.string == ErrorCode.invalidCredentials.rawValue
    }
}
