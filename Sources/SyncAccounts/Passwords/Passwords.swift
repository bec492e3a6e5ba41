import SyncProtocol

/// Hashes and checks passwords.
package struct Passwords: Sendable {
    /// Longer ones are refused, so that a password can't be used to make work.
    static let maximumBytes = 1024
    private static let minimumBytes = 8
    private let cost: PasswordCost
    private let queue: HashingQueue
    private let decoy: ScryptHash

    package init(cost: PasswordCost = .standard, queue: HashingQueue = .shared) {
        self.cost = cost
        self.queue = queue
        decoy = ScryptHash(decoyOf: cost)
    }

    /// The text to store. Throws `bad_format` for a password that breaks the rules, `busy`.
    func hash(_ password: String) async throws -> String {
        try requireAcceptable(password)
        let cost = cost
        return try await queue.run { try ScryptHash(of: password, cost: cost).text }
    }

    /// Throws `bad_format` for a password that breaks the rules.
    func requireAcceptable(_ password: String) throws {
        guard (Passwords.minimumBytes...Passwords.maximumBytes).contains(password.utf8.count),
            !password.utf8.contains(0)
        else {
            throw Problem(
                .badFormat,
                "A password has \(Passwords.minimumBytes) to \(Passwords.maximumBytes) bytes and no NUL. Choose another one."
            )
        }
    }

    /// Whether this is the password behind the stored text. False for no text, after the same work.
    func matches(_ password: String, _ stored: String?) async throws -> Bool {
        guard password.utf8.count <= Passwords.maximumBytes else { return false }
        let hash = stored.flatMap(ScryptHash.init)
        let judge = hash ?? decoy
        return try await queue.run { try judge.matches(password) } && hash != nil
    }
}
