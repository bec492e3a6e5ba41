import Dispatch
import Foundation
import Logging
import ServiceLifecycle
import SyncStoreSQLite
import UnixSignals

/// A server's life from the first request to the closed file.
struct Serving {
    let store: SQLiteStore
    /// How long requests under way may take to end, in seconds.
    let patience: Int
    /// What runs beside the server.
    let services: [any Service]
    let logger: Logger

    /// Serves until SIGTERM or SIGINT. Then nobody is let in any more, what is under way is answered, and the file is
    /// closed, with its log moved in. What does not end in time is cut off: a write of it is committed as a whole, or
    /// not at all.
    func run(_ application: some Service) async throws {
        // Told to stop in the order from last to first.
        var configuration = ServiceGroupConfiguration(
            services: services + [application, LastResort(seconds: patience + LastResort.grace)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(patience)
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch is CancellationError {
            // Requests were cut off. The file is closed all the same.
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
    }
}

/// Ends the process where even what was cut off does not end, such as a commit to a disk that hangs.
private struct LastResort: Service {
    /// What a commit and the closing of the file may take, in seconds.
    static let grace = 15

    let seconds: Int

    func run() async throws {
        try? await gracefulShutdown()
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) {
            Terminal.message("Stopped after \(seconds) s without closing the database. What was acknowledged is safe.")
            exit(1)
        }
    }
}
