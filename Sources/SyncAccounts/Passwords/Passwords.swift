import SyncProtocol

/// Hashes and checks passwords.
package struct Passwords: Sendable {
    /// Longer passwords are refused, so nobody can use them to make work.
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

    /// The text to store for a password. Throws `bad_format` for a password that breaks the rules, and `busy`.
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
                "A password has \(Passwords.minimumBytes) to \(Passwords.maximumBytes) bytes and no NUL. "
                    + "Choose another one.")
        }
    }

    /// Whether the stored text is the hash of this password. False if there
    /// is no stored text, after the same work. Throws `busy`.
    func matches(_ password: String, _ stored: String?) async throws -> Bool {
        guard password.utf8.count <= Passwords.maximumBytes else { return false }
        let hash = stored.flatMap(ScryptHash.init)
        let judge = hash ?? decoy
        return try await queue.run { try judge.matches(password) } && hash != nil
    }
}
