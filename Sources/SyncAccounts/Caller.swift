package import SyncProtocol
package import SyncStore

/// The user that a request authenticated as, and with which credential.
package struct Caller: Sendable, Hashable {
    package let userID: Int64
    package let username: ExactText
    package let isSuperuser: Bool
    /// Whether the credential may only read.
    package let isReadOnly: Bool
    /// The credential: `token:12`, `session:<id>`, `identity:<subject>`. Renewing
    /// a session or an outside token does not change it.
    package let credential: ExactText
    /// When the credential ends for good; nil if it never ends, or is renewed.
    package let expiresAt: Instant?
    /// The client's address, if the request is one that the audit list may keep.
    package private(set) var address: String?

    package init(
        userID: Int64, username: ExactText, isSuperuser: Bool = false, isReadOnly: Bool = false,
        credential: ExactText = "",
        expiresAt: Instant? = nil
    ) {
        self.userID = userID
        self.username = username
        self.isSuperuser = isSuperuser
        self.isReadOnly = isReadOnly
        self.credential = credential
        self.expiresAt = expiresAt
    }

    /// Nil for a missing or a disabled user, whom no credential authenticates.
    init?(_ user: User?, isReadOnly: Bool = false, credential: ExactText, expiresAt: Instant? = nil) {
        guard let user, !user.isDisabled else { return nil }
        self.init(
            userID: user.id, username: user.username, isSuperuser: user.isSuperuser, isReadOnly: isReadOnly,
            credential: credential, expiresAt: expiresAt)
    }
}

extension Caller {
    /// The same caller, with the client's address.
    package func from(_ address: String) -> Caller {
        var caller = self
        caller.address = address
        return caller
    }

    /// The caller as the audit list names it.
    package var actor: Actor { Actor(userID: userID, name: username, credential: credential, address: address) }

    /// Throws `read_only_token` if the credential may only read.
    package func requireWrite() throws {
        guard !isReadOnly else { throw Problem(.readOnlyToken, "This token may only read.") }
    }

    /// Throws `forbidden` unless the user is a superuser. `action` begins a sentence: "Reading the server's status".
    package func requireSuperuser(_ action: String) throws {
        guard isSuperuser else { throw Problem(.forbidden, "\(action) needs the account of a superuser.") }
    }
}

extension Caller {
    /// How long after a login its session may change the accounts of others.
    package static let freshness = Duration.seconds(600)
    /// By how much a login may seem to be in the future, since a clock may be set back a little.
    private static let leeway = Duration.seconds(60)

    /// Throws unless the caller is a superuser who may change something now: `forbidden`, `read_only_token`,
    /// `reauthentication_required`. `action` begins a sentence: "Making a backup".
    package func requireFreshSuperuser(_ action: String, by clock: WallClock, in store: some SyncStore) async throws {
        try requireSuperuser(action)
        try requireWrite()
        try await store.read(.accounts) { try requireFreshPassword(at: $0.now(by: clock), in: $0) }
    }

    /// Throws `reauthentication_required` unless the caller's session began with a password at most 10 minutes ago. So
    /// a copied token does not do. Renewing a session does not make it younger, and neither does a clock that was set
    /// back behind the login.
    private func requireFreshPassword(at now: Instant, in transaction: any ReadTransaction) throws {
        guard let id = sessionID, let session = try transaction.session(id),
            session.createdAt <= now.advanced(by: Self.leeway),
            now < session.createdAt.advanced(by: Self.freshness)
        else {
            throw Problem(
                .reauthenticationRequired,
                "This needs a session whose password was given in the last 10 minutes. Log in again: POST /auth/token/")
        }
    }

    /// Nil for any other credential.
    private var sessionID: String? {
        let prefix = "session:"
        guard credential.rawValue.utf8.starts(with: prefix.utf8) else { return nil }
        return String(credential.rawValue.dropFirst(prefix.count))
    }
}

/// Says whether callers who authenticated earlier still could, with the same credential.
package struct CredentialCheck<Store: SyncStore>: Sendable {
    /// Callers that are looked up in one read, which keeps a thread for some milliseconds.
    private static var batch: Int { 200 }

    private let store: Store

    package init(store: Store) { self.store = store }

    /// The elements whose caller could not authenticate now: the token was deleted, the session has ended or the
    /// account is disabled. That a credential has expired is not looked at.
    package func invalid<Element>(
        among elements: [Element], _ caller: (Element) -> Caller
    ) async throws -> [Element] {
        var invalid: [Element] = []
        for start in stride(from: 0, to: elements.count, by: Self.batch) {
            let batch = elements[start..<min(start + Self.batch, elements.count)]
            let callers = batch.map(caller)
            let known = try await store.readInline(.accounts) { transaction in
                try callers.map { try transaction.knows($0) }
            }
            invalid += zip(batch, known).filter { !$0.1 }.map(\.0)
        }
        return invalid
    }
}

extension ReadTransaction {
    /// Whether the caller's credential still exists, and the account is not disabled.
    func knows(_ caller: Caller) throws -> Bool {
        guard let user = try user(id: caller.userID), !user.isDisabled else { return false }
        let credential = caller.credential.rawValue
        if let token = credential.dropping(prefix: "token:").flatMap(Int64.init) {
            return try tokens(of: caller.userID, after: token - 1, limit: 1).first?.id == token
        }
        if let session = credential.dropping(prefix: "session:") {
            return try self.session(session)?.userID == caller.userID
        }
        return true
    }
}

extension String {
    fileprivate func dropping(prefix: String) -> String? { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil }
}
