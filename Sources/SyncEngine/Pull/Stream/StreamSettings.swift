import SyncProtocol
import Synchronization

/// What keeps streams from taking the store's readers and holding its log.
package struct StreamSettings: Sendable {
    let deadline: StreamDeadline
    let places: StreamLimit
    /// Bytes of a chunk, exceeded by one row at the most.
    let chunkBytes: Int

    /// At most `places` streams that are longer than a chunk at a time.
    package init(deadline: StreamDeadline = StreamDeadline(), places: Int = 2, chunkBytes: Int = 256 << 10) {
        self.deadline = deadline
        self.places = StreamLimit(places)
        self.chunkBytes = chunkBytes
    }
}

/// Counts the long streams under way, by user.
final class StreamLimit: Sendable {
    private let count: Int
    private let taken = Mutex([Int64: Int]())

    init(_ count: Int) { self.count = count }

    /// Throws `busy` where all are taken, or one user would have all of several. Who took one leaves it.
    func enter(_ user: Int64) throws {
        try taken.withLock { taken in
            guard taken.values.reduce(0, +) < count else {
                throw Problem(.busy, "Too many large streams are under way. Try again, or pull in pages.")
            }
            guard taken[user, default: 0] < max(1, count - 1) else {
                throw Problem(.busy, "Too many large streams of yours are under way. Try again, or pull in pages.")
            }
            taken[user, default: 0] += 1
        }
    }

    func leave(_ user: Int64) {
        taken.withLock { $0[user] = $0[user].flatMap { $0 > 1 ? $0 - 1 : nil } }
    }
}
