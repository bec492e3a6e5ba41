import Synchronization

/// Numbers the commits of this server within a second, also if nobody asks for their numbers. A purge works by numbers.
final class Numberer: Sendable {
    private static let pause: Duration = .seconds(1)

    private let pool: ConnectionPool
    private let isAwake = Mutex(false)

    init(_ pool: ConnectionPool) { self.pool = pool }

    /// Called after a commit.
    func wake() {
        let begins = isAwake.withLock { isAwake in
            defer { isAwake = true }
            return !isAwake
        }
        guard begins else { return }
        Task {
            try? await Task.sleep(for: Self.pause)
            isAwake.withLock { $0 = false }
            try? await pool.use { try Numbering.settle($0) }
        }
    }
}
