/// The cost of a derivation with scrypt (RFC 7914).
package struct PasswordCost: Sendable, Equatable {
    /// Binary logarithm of the rounds.
    package let logRounds: Int
    package let blockSize: Int
    package let parallelism: Int

    package init(logRounds: Int, blockSize: Int, parallelism: Int) {
        self.logRounds = logRounds
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// Takes 32 MiB of memory, and about a tenth of a second.
    package static let standard = PasswordCost(logRounds: 15, blockSize: 8, parallelism: 1)
}
