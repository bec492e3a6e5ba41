import SyncClient
import SyncProtocol
import Synchronization

extension SyncEnvironment {
    /// Time passes only by being slept through; the seeds are `seed` and the numbers behind it.
    static func still(seed: UInt64) -> SyncEnvironment {
        let (time, seeds) = (Shared(Duration.zero), Shared(seed))
        return SyncEnvironment(
            now: { time.value.withLock { $0 } },
            sleep: { duration in time.value.withLock { $0 += duration } },
            wallClock: { Timestamp(milliseconds: 1_780_000_000_000) },
            seed: {
                seeds.value.withLock { seed in
                    seed += 1
                    return seed
                }
            })
    }

    private final class Shared<Value: Sendable>: Sendable {
        let value: Mutex<Value>

        init(_ value: Value) { self.value = Mutex(value) }
    }
}
