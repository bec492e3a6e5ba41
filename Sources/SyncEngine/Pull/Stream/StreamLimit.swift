import SyncProtocol
import Synchronization

/// Counts the long streams that are running, by user.
final class StreamLimit: Sendable {
    private let count: Int
    private let taken = Mutex([Int64: Int]())

    init(_ count: Int) { self.count = count }

    /// Takes a slot. Throws `busy` if all slots are taken, or if this would give one user all of
    /// several slots. Whoever has taken a slot must `leave`.
    func enter(_ user: Int64) throws {
        try taken.withLock { taken in
            guard taken.values.reduce(0, +) < count else {
                throw Problem(.busy, "Too many large streams are running. Try again, or pull in pages.")
            }
            guard taken[user, default: 0] < max(1, count - 1) else {
                throw Problem(.busy, "You have too many large streams running. Try again, or pull in pages.")
            }
            taken[user, default: 0] += 1
        }
    }

    func leave(_ user: Int64) {
        taken.withLock { $0[user] = $0[user].flatMap { $0 > 1 ? $0 - 1 : nil } }
    }
}
