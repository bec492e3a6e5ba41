package import SyncAccounts

extension Passwords {
    /// Hashing that takes no time and gives no protection against guessing.
    package static var quick: Passwords {
        Passwords(cost: PasswordCost(logRounds: 4, blockSize: 8, parallelism: 1), queue: HashingQueue())
    }
}
