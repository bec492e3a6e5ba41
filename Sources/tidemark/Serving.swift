import Dispatch
import Foundation
import Logging
import ServiceLifecycle
import SyncStore
import SyncStores
import Synchronization
import UnixSignals

/// Runs a server until the database is closed.
struct Serving {
    let store: EngineStore
    /// How long requests under way may take to end, in seconds.
    let patience: Int
    /// What runs beside the server.
    let services: [any Service]
    let logger: Logger

    /// Serves until SIGTERM or SIGINT, or until the database can't be used any more. Then it accepts no more
    /// connections, answers the requests under way, moves the write-ahead log into the file and closes it. What does
    /// not end in time is cut off. A write that is cut off is committed as a whole, or not at all. Throws a
    /// `StoreError` if the database can't be used any more.
    func run(_ application: some Service) async throws {
        // They are stopped in reverse order.
        var configuration = ServiceGroupConfiguration(
            services: services + [application, LastResort(seconds: patience + LastResort.grace)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(patience)
        let group = ServiceGroup(configuration: configuration)
        let end = Mutex<StoreError?>(nil)
        store.onEnd { reason in
            end.withLock { $0 = reason }
            Task { await group.triggerGracefulShutdown() }
        }
        store.onClockGap { [logger] in logger.warning("\($0)") }
        do {
            try await group.run()
        } catch is CancellationError {
            // Requests were cut off. The file is closed anyway.
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
        if let reason = end.withLock({ $0 }) { throw reason }
    }
}

/// Ends the process if even work that was cut off does not end, such as a commit to a disk that hangs.
private struct LastResort: Service {
    /// How long a commit and the closing of the file may take, in seconds.
    static let grace = 15

    let seconds: Int

    func run() async throws {
        try? await gracefulShutdown()
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) {
            Terminal.message("Stopped after \(seconds) s without closing the database. What was acknowledged is safe.")
            Terminal.flush()
            exit(1)
        }
    }
}
