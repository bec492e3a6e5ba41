import Foundation
import SyncStore
import SyncStoreSQL

/// Connects when the store is opened. A server waits for a database that is down or has no primary now, since a
/// failover may be under way and its supervisor would give up. A command does not wait.
struct FirstConnection {
    /// For how long a server waits.
    private static let patience: Duration = .seconds(60)
    private static let pause: Duration = .milliseconds(500)

    let address: ServerAddress
    let opener: DatabaseOpener
    /// Told at once why the server waits.
    let report: @Sendable (String) -> Void
    var now: () -> ContinuousClock.Instant = { .now }
    /// Nobody else uses the thread that opens a store.
    var sleep: (Duration) -> Void = { Thread.sleep(forTimeInterval: $0 / .seconds(1)) }

    func open() throws(StoreError) -> Connection {
        let deadline = now() + Self.patience
        var hasReported = false
        while true {
            let (reason, mayPass): (StoreError, Bool)
            do {
                let connection = try Connection(address, settings: SessionSettings.opening)
                guard connection.isReadOnly else { return connection }
                (reason, mayPass) = (readOnly, true)
            } catch let error as DatabaseError {
                (reason, mayPass) = diagnosis(error)
            } catch {
                throw StoreError("Can't connect to the database \(address).", hint: "Check its address.")
            }
            guard mayPass, opener.isServer, now() < deadline else { throw reason }
            if !hasReported {
                report("\(reason.reason) Trying again for \(Self.patience.components.seconds) s.")
                hasReported = true
            }
            sleep(Self.pause)
        }
    }

    /// Why there is no connection, and whether that may pass.
    private func diagnosis(_ error: DatabaseError) -> (StoreError, Bool) {
        switch address.reach() {
        case .readOnly: (readOnly, true)
        case .down: (unreachable(error), true)
        case .refused: (unreachable(error), error.isConnectionLost && error.state != nil)
        }
    }

    private func unreachable(_ error: DatabaseError) -> StoreError {
        StoreError(
            "Can't connect to the database \(address): \(error.message.trimmed).",
            hint: "Check the address (--database or TIDEMARK_DATABASE), and that the server runs.")
    }

    private var readOnly: StoreError {
        StoreError(
            "No server at \(address) takes writes: it is a standby, or set to be read-only.",
            hint: "Name the primary in the address, too, such as postgres://user@host1,host2/name.")
    }
}
