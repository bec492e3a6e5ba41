import Logging
import ServiceLifecycle
import SyncEngine

/// Purges when the server starts, and after each pause, until the server ends.
struct HourlyPurge<Store: SyncStore>: Service {
    private let service: PurgeService<Store>
    private let retention: Duration
    private let logger: Logger
    private let pause: @Sendable () async throws -> Void

    /// `pause` returns when it is time for the next purge, an hour later unless told otherwise.
    init(
        _ service: PurgeService<Store>, retention: Duration, logger: Logger,
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(3600)) }
    ) {
        self.service = service
        self.retention = retention
        self.logger = logger
        self.pause = pause
    }

    /// A purge that fails is logged and tried again after the pause.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await purge()
                do { try await pause() } catch { return }
            }
        }
    }

    private func purge() async {
        do {
            _ = try await service.purge(olderThan: retention)
        } catch is CancellationError {
        } catch {
            logger.error("The purge of tombstones failed; the next one is in an hour.", metadata: ["error": "\(error)"])
        }
    }
}
