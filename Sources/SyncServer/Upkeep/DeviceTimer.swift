import Logging
import ServiceLifecycle
import SyncEngine
import SyncProtocol
import SyncStore

/// Writes what was noted of devices: after each pause, and when the server ends. Counts them when it starts, and after
/// every tenth pause, because that looks at each of them.
struct DeviceTimer<Store: SyncStore>: Service {
    private let devices: DeviceService<Store>
    private let logger: Logger
    private let pause: @Sendable () async throws -> Void

    /// `pause` returns when it is time for the next write, by default after a minute.
    init(
        _ devices: DeviceService<Store>, logger: Logger,
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(60)) }
    ) {
        self.devices = devices
        self.logger = logger
        self.pause = pause
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var round = 0
            while !Task.isCancelled {
                if round.isMultiple(of: 10) { await attempt { try await devices.count() } }
                round += 1
                do { try await pause() } catch { break }
                await attempt { try await devices.write() }
            }
        }
        await attempt { try await devices.write() }
    }

    /// A write that fails is logged and tried again after the pause. Nothing but the ledger depends on it.
    private func attempt(_ work: () async throws -> Void) async {
        do {
            try await work()
        } catch is CancellationError {
        } catch let problem as Problem where [.busy, .diskFull].contains(problem.code) {
            logger.notice("The ledger of devices is written later: the database can't answer now.")
        } catch {
            logger.error("The ledger of devices could not be written.", metadata: ["error": "\(error)"])
        }
    }
}
