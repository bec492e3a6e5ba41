import SyncProtocol
import Synchronization

/// What keeps streams from taking the store's readers and holding its log.
package struct StreamLimits: Sendable {
    let patience: Patience
    let places: StreamPlaces
    /// Bytes of a chunk, exceeded by one row at the most.
    let chunkBytes: Int

    /// At most `places` streams that are longer than a chunk at a time.
    package init(patience: Patience = Patience(), places: Int = 2, chunkBytes: Int = 256 << 10) {
        self.patience = patience
        self.places = StreamPlaces(places)
        self.chunkBytes = chunkBytes
    }
}

/// Counts the long streams under way.
final class StreamPlaces: Sendable {
    private let free: Mutex<Int>

    init(_ count: Int) { free = Mutex(count) }

    /// Throws `busy` where all are taken. Who took one leaves it.
    func enter() throws {
        try free.withLock { free in
            guard free > 0 else {
                throw Problem(.busy, "Too many large streams are under way. Try again, or pull in pages.")
            }
            free -= 1
        }
    }

    func leave() { free.withLock { $0 += 1 } }
}
