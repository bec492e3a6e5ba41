import Logging
import SyncServer
import Synchronization

/// The lines that a server has logged.
final class CapturedLog: Sendable {
    private let storage = Mutex<[String]>([])

    var lines: [String] { storage.withLock { $0 } }

    func logger(_ settings: LogSettings) -> Logger {
        settings.logger { line in self.storage.withLock { $0.append(line) } }
    }
}
