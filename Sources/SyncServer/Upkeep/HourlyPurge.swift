import Logging
import ServiceLifecycle
import SyncEngine
import SyncStore

/// Purges when the server starts and after each pause, until the server stops. While another server on the database
/// purges, it leaves that to it.
struct HourlyPurge<Store: SyncStore>: Service {
    private let store: Store
    private let tombstones: PurgeService<Store>
    private let retention: Duration?
    private let wait: Duration?
    private let traces: RecordPurge<Store>
    private let comparison: FileComparison<Store>?
    private let files: FileSweep<Store>?
    private let logger: Logger
    private let pause: @Sendable () async throws -> Void

    /// Without `retention`, tombstones are kept. With `wait`, they wait that long for devices. `pause` returns when it
    /// is time for the next purge, by default after an hour.
    init(
        _ store: Store, tombstones: PurgeService<Store>, retention: Duration?,
        waitingForDevices wait: Duration? = nil,
        traces: RecordPurge<Store>, comparing comparison: FileComparison<Store>? = nil,
        files: FileSweep<Store>? = nil, logger: Logger,
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(3600)) }
    ) {
        self.store = store
        self.tombstones = tombstones
        self.retention = retention
        self.wait = wait
        self.traces = traces
        self.comparison = comparison
        self.files = files
        self.logger = logger
        self.pause = pause
    }

    /// A purge that fails is logged and tried again after the pause.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await attempt("the database") { _ = try await store.exclusively(.purge, purge) }
                do { try await pause() } catch { return }
            }
        }
    }

    private func purge() async {
        await attempt("tombstones") {
            if let retention {
                _ = try await tombstones.purge(olderThan: retention, waitingForDevices: wait)
            }
        }
        await attempt("old records") { try await traces.purge() }
        await attempt("files") {
            if let report = try await comparison?.run() { tell(report) }
            _ = try await files?.run()
        }
    }

    private func tell(_ report: FileComparison<Store>.Report) {
        if report.missing > 0 {
            logger.warning(
                """
                The database was restored, and the file store lacks files that it names. Their rows are pending until \
                the files are put back, or are sent again.
                """, metadata: ["files": "\(report.missing)"])
        }
        if report.found > 0 {
            logger.info("Missing files are there again.", metadata: ["files": "\(report.found)"])
        }
    }

    private func attempt(_ what: String, _ purge: () async throws -> Void) async {
        do {
            try await purge()
        } catch is CancellationError {
        } catch {
            logger.error("The purge of \(what) failed; the next one is in an hour.", metadata: ["error": "\(error)"])
        }
    }
}
