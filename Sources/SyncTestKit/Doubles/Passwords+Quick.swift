package import SyncAccounts

extension Passwords {
    /// As good as nothing against guessing, and over at once.
    package static var quick: Passwords {
        Passwords(cost: PasswordCost(logRounds: 4, blockSize: 8, parallelism: 1), queue: HashingQueue())
    }
}
