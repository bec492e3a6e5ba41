import Foundation
package import SyncProtocol

/// The server's source of time. Injected, so tests can set it. Nothing is ordered by it.
package struct WallClock: Sendable {
    private let read: @Sendable () -> SyncProtocol.Instant

    package init(_ read: @escaping @Sendable () -> SyncProtocol.Instant) { self.read = read }

    package func now() -> SyncProtocol.Instant { read() }

    /// The machine's clock.
    package static let system = WallClock {
        SyncProtocol.Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}

extension SyncProtocol.Instant {
    /// The instant `duration` later.
    package func advanced(by duration: Duration) -> SyncProtocol.Instant {
        let (seconds, attoseconds) = duration.components
        return SyncProtocol.Instant(milliseconds: milliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
