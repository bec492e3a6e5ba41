import SyncProtocol
import SyncStore

// MARK: Users

extension ModelTransaction {
    func user(id: Int64) -> User? { state.users.first { $0.id == id } }
    func user(named username: ExactText) -> User? { state.users.first { $0.username == username } }
    func users(folded name: ExactText) -> [User] {
        Array(state.users.filter { Username.folded($0.username.rawValue) == name }.prefix(2))
    }
    func users() -> [User] { state.users.sorted { $0.username < $1.username } }

    func users(_ scope: UserScope, after: Int64, limit: Int) -> [User] {
        let matching = state.users.filter { user in
            switch scope {
            case .everyone: true
            case .sharing(let other): user.id == other || shareProject(user.id, other)
            case .members(let project): access(project: project, user: user.id)?.role != nil
            }
        }
        return Array(matching.filter { $0.id > after }.sorted { $0.id < $1.id }.prefix(limit))
    }

    func shareProject(_ user: Int64, _ other: Int64) -> Bool {
        !liveRoles(of: user).keys.filter { liveRoles(of: other)[$0] != nil }.isEmpty
    }

    func highestRole(of user: Int64) -> Role? { liveRoles(of: user).values.max() }

    private func liveRoles(of user: Int64) -> [String: Role] {
        state.projects.filter { !$0.value.isDeleted }.keys.reduce(into: [:]) { roles, project in
            roles[project] = access(project: project, user: user)?.role
        }
    }

    func passwordHash(of user: Int64) -> String? { state.passwords[user] }

    func userID(issuer: ExactText, subject: ExactText) -> Int64? {
        state.identities[.init(issuer: issuer, subject: subject)]
    }

    func createUser(username: ExactText, displayName: String, isSuperuser: Bool, at: Instant) -> User {
        let user = User(
            id: Int64(state.users.count + 1), username: username, displayName: displayName, isSuperuser: isSuperuser,
            isDisabled: false)
        state.users.append(user)
        return user
    }

    func setDisabled(_ isDisabled: Bool, user: Int64) { change(user) { $0.isDisabled = isDisabled } }
    func setDisplayName(_ name: String, user: Int64) { change(user) { $0.displayName = name } }
    func setPasswordHash(_ hash: String?, user: Int64) { state.passwords[user] = hash }

    func link(issuer: ExactText, subject: ExactText, to user: Int64) {
        state.identities[.init(issuer: issuer, subject: subject)] = user
    }

    private func change(_ id: Int64, _ change: (inout User) -> Void) {
        for index in state.users.indices where state.users[index].id == id { change(&state.users[index]) }
    }
}

// MARK: Credentials

extension ModelTransaction {
    func token(hash: String) -> StoredToken? { state.tokens[hash] }

    func tokens(of user: Int64, after: Int64, limit: Int) -> [StoredToken] {
        let mine = state.tokens.values.filter { $0.content.userID == user && $0.id > after }
        return Array(mine.sorted { $0.id < $1.id }.prefix(limit))
    }

    func createToken(_ token: NewToken, hash: String) -> StoredToken {
        state.lastToken += 1
        let stored = StoredToken(id: state.lastToken, token)
        state.tokens[hash] = stored
        return stored
    }

    func deleteToken(_ id: Int64, of user: Int64) -> Bool {
        guard let hash = state.tokens.first(where: { $0.value.id == id && $0.value.content.userID == user })?.key else {
            return false
        }
        state.tokens[hash] = nil
        return true
    }

    func ticket(hash: String) -> StoredTicket? { state.tickets[hash] }
    func createTicket(_ ticket: StoredTicket, hash: String) { state.tickets[hash] = ticket }
    func deleteTicket(hash: String) { state.tickets[hash] = nil }
    func forgetTickets(before date: Instant) { state.tickets = state.tickets.filter { $0.value.expiresAt >= date } }

    func session(_ id: String) -> StoredSession? { state.sessions[id] }
    func sessions(of user: Int64) -> [StoredSession] {
        state.sessions.values.filter { $0.userID == user }.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    func refreshToken(hash: String) -> StoredRefreshToken? { state.refreshTokens[hash] }
    func createSession(_ session: StoredSession) { state.sessions[session.id] = session }

    func createRefreshToken(_ token: StoredRefreshToken, hash: String) {
        state.refreshTokens[hash] = token
        state.sessions[token.sessionID]?.expiresAt = token.expiresAt
    }

    func rotateRefreshToken(hash: String, at date: Instant, keptUntil expiry: Instant) {
        guard let token = state.refreshTokens[hash] else { return }
        state.refreshTokens[hash] = StoredRefreshToken(
            sessionID: token.sessionID, expiresAt: expiry, isRotated: true, rotatedAt: date)
    }

    func deleteSession(_ id: String) {
        state.sessions[id] = nil
        state.refreshTokens = state.refreshTokens.filter { $0.value.sessionID != id }
    }

    func deleteSessions(of user: Int64) {
        for session in state.sessions.values where session.userID == user { deleteSession(session.id) }
    }

    func forgetSessions(before date: Instant) {
        state.refreshTokens = state.refreshTokens.filter { $0.value.expiresAt >= date }
        for session in state.sessions.values where session.expiresAt < date { deleteSession(session.id) }
    }
}
