package import SyncProtocol
import Synchronization

/// What keeps a store from working, as the store itself knows.
package struct StoreTroubles: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    /// There is no room for the database. Only vital writes are tried.
    package static let diskFull = StoreTroubles(rawValue: 1)
    /// The database, or the disk that it is on, takes no writes.
    package static let readOnly = StoreTroubles(rawValue: 2)
    /// The database has reported damaged data.
    package static let damaged = StoreTroubles(rawValue: 4)

    package init(rawValue: UInt8) { self.rawValue = rawValue }
}

/// The troubles of a store, which any thread may note and clear. Reading them costs a load.
package final class TroubleBoard: Sendable {
    private let troubles = Atomic<UInt8>(0)

    package init() {}

    package var current: StoreTroubles { StoreTroubles(rawValue: troubles.load(ordering: .acquiring)) }

    package func note(_ trouble: StoreTroubles) {
        troubles.bitwiseOr(trouble.rawValue, ordering: .acquiringAndReleasing)
    }

    package func clear(_ trouble: StoreTroubles) {
        guard !current.isDisjoint(with: trouble) else { return }
        troubles.bitwiseAnd(~trouble.rawValue, ordering: .acquiringAndReleasing)
    }
}

extension Problem {
    /// How many seconds a client waits that found the disk full, or the database read-only.
    private static let pause: JSON = 30

    package static let diskFull = Problem(
        .diskFull, "The server's disk is full. Nothing was applied. Try again later.",
        members: ["retry_after": pause])
    package static let databaseReadOnly = Problem(
        .busy, "The database takes no writes now. Nothing was applied. Try again later.",
        members: ["retry_after": pause])
}
