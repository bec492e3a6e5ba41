import Foundation
package import SyncProtocol

/// Where the server takes the time from; injected, so that tests can set it. Nothing is ordered by it.
package struct WallClock: Sendable {
    private let read: @Sendable () -> SyncProtocol.Timestamp

    package init(_ read: @escaping @Sendable () -> SyncProtocol.Timestamp) { self.read = read }

    package func now() -> SyncProtocol.Timestamp { read() }

    /// The machine's clock.
    package static let system = WallClock {
        SyncProtocol.Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }
}

extension SyncProtocol.Timestamp {
    /// The instant `duration` later.
    package func advanced(by duration: Duration) -> SyncProtocol.Timestamp {
        let (seconds, attoseconds) = duration.components
        return SyncProtocol.Timestamp(milliseconds: milliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
