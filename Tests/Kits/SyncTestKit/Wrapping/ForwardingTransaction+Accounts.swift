import SyncProtocol
import SyncStore

extension ForwardingTransaction {
    func user(id: Int64) throws -> User? { try forward { try $0.user(id: id) } }
    func user(named username: ExactText) throws -> User? { try forward { try $0.user(named: username) } }
    func users(folded name: ExactText) throws -> [User] { try forward { try $0.users(folded: name) } }
    func users() throws -> [User] { try forward { try $0.users() } }
    func users(_ scope: UserScope, after: Int64, limit: Int) throws -> [User] {
        try forward { try $0.users(scope, after: after, limit: limit) }
    }
    func shareProject(_ user: Int64, _ other: Int64) throws -> Bool {
        try forward { try $0.shareProject(user, other) }
    }
    func highestRole(of user: Int64) throws -> Role? { try forward { try $0.highestRole(of: user) } }
    func passwordHash(of user: Int64) throws -> String? { try forward { try $0.passwordHash(of: user) } }
    func userID(issuer: ExactText, subject: ExactText) throws -> Int64? {
        try forward { try $0.userID(issuer: issuer, subject: subject) }
    }
    func createUser(username: ExactText, displayName: String, isSuperuser: Bool, at: Instant) throws -> User {
        try forward {
            try $0.createUser(username: username, displayName: displayName, isSuperuser: isSuperuser, at: at)
        }
    }
    func setDisabled(_ isDisabled: Bool, user: Int64) throws {
        try forward { try $0.setDisabled(isDisabled, user: user) }
    }
    func setDisplayName(_ name: String, user: Int64) throws { try forward { try $0.setDisplayName(name, user: user) } }
    func setPasswordHash(_ hash: String?, user: Int64) throws {
        try forward { try $0.setPasswordHash(hash, user: user) }
    }
    func link(issuer: ExactText, subject: ExactText, to user: Int64) throws {
        try forward { try $0.link(issuer: issuer, subject: subject, to: user) }
    }

    func token(hash: String) throws -> StoredToken? { try forward { try $0.token(hash: hash) } }
    func tokens(of user: Int64, after: Int64, limit: Int) throws -> [StoredToken] {
        try forward { try $0.tokens(of: user, after: after, limit: limit) }
    }
    func createToken(_ token: NewToken, hash: String) throws -> StoredToken {
        try forward { try $0.createToken(token, hash: hash) }
    }
    func deleteToken(_ id: Int64, of user: Int64) throws -> Bool { try forward { try $0.deleteToken(id, of: user) } }
    func session(_ id: String) throws -> StoredSession? { try forward { try $0.session(id) } }
    func sessions(of user: Int64) throws -> [StoredSession] { try forward { try $0.sessions(of: user) } }
    func refreshToken(hash: String) throws -> StoredRefreshToken? { try forward { try $0.refreshToken(hash: hash) } }
    func ticket(hash: String) throws -> StoredTicket? { try forward { try $0.ticket(hash: hash) } }
    func createTicket(_ ticket: StoredTicket, hash: String) throws {
        try forward { try $0.createTicket(ticket, hash: hash) }
    }
    func deleteTicket(hash: String) throws { try forward { try $0.deleteTicket(hash: hash) } }
    func forgetTickets(before date: Instant) throws { try forward { try $0.forgetTickets(before: date) } }
    func createSession(_ session: StoredSession) throws { try forward { try $0.createSession(session) } }
    func createRefreshToken(_ token: StoredRefreshToken, hash: String) throws {
        try forward { try $0.createRefreshToken(token, hash: hash) }
    }
    func rotateRefreshToken(hash: String, at date: Instant, keptUntil expiry: Instant) throws {
        try forward { try $0.rotateRefreshToken(hash: hash, at: date, keptUntil: expiry) }
    }
    func deleteSession(_ id: String) throws { try forward { try $0.deleteSession(id) } }
    func deleteSessions(of user: Int64) throws { try forward { try $0.deleteSessions(of: user) } }
    func forgetSessions(before date: Instant) throws { try forward { try $0.forgetSessions(before: date) } }
}
