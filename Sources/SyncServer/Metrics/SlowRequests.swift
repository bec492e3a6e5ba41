import HTTPTypes
import SyncProtocol
import SyncStore
import Synchronization

/// The slowest requests of the last minutes: what an operator asks the log about.
final class SlowRequests: Sendable {
    struct Entry: Sendable, Equatable {
        let at: Instant
        /// As in the log and in `X-Request-Id`.
        let id: String
        let method: String
        let route: String
        let status: Int
        let milliseconds: Int64

        var json: JSON {
            [
                "at": .string(at.text), "request_id": .string(id), "method": .string(method),
                "route": .string(route), "status": .int(Int64(status)), "milliseconds": .int(milliseconds),
            ]
        }
    }

    /// How long a request is remembered, in seconds.
    static let memory = 300
    private static let most = 20
    /// Faster requests are never slow, and need no lock.
    private static let fast: Int64 = 10

    private let clock: WallClock
    private let entries = Mutex<[Entry]>([])

    init(_ clock: WallClock) { self.clock = clock }

    /// `entry` is made only for a request that may be one of the slowest.
    func note(milliseconds: Int64, _ entry: (Instant) -> Entry) {
        guard milliseconds >= Self.fast else { return }
        let entry = entry(clock.now())
        entries.withLock { entries in
            Self.forget(&entries, before: entry.at)
            let place = entries.firstIndex { $0.milliseconds < entry.milliseconds } ?? entries.endIndex
            entries.insert(entry, at: place)
            if entries.count > Self.most { entries.removeLast() }
        }
    }

    /// The slowest first.
    var all: [Entry] {
        let now = clock.now()
        return entries.withLock { entries in
            Self.forget(&entries, before: now)
            return entries
        }
    }

    private static func forget(_ entries: inout [Entry], before now: Instant) {
        let oldest = now.milliseconds - Int64(memory) * 1000
        entries.removeAll { $0.at.milliseconds < oldest }
    }
}
