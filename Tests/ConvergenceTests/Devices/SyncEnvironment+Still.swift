import Foundation
import SyncClientCore
import SyncProtocol
import Synchronization

extension SyncEnvironment {
    /// Time passes only while somebody sleeps. Seeds and batch ids are counted, and differ between devices.
    static func still(device: Int) -> SyncEnvironment {
        let state = Still()
        return SyncEnvironment(
            now: { state.time.withLock { $0 } },
            sleep: { duration in state.time.withLock { $0 += duration } },
            wallClock: { Instant(milliseconds: 1_780_000_000_000) },
            seed: { UInt64(device + 1) << 32 + UInt64(state.next()) },
            newBatchID: { String(format: "00000000-0000-4000-9%03d-%012d", device, state.next()) })
    }

    private final class Still: Sendable {
        let time = Mutex(Duration.zero)
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }
}
