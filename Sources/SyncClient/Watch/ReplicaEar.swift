import GRDB
import Synchronization

/// Notices that somebody has written to a replica, in this process or in another. A look costs microseconds.
final class ReplicaEar: Sendable {
    private let queue: DatabaseQueue
    private let last = Mutex<Int64?>(nil)

    init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        queue = try ReplicaError.naming(path) { try DatabaseQueue(path: path, configuration: configuration) }
    }

    /// Whether anything was committed since the last call. True the first time.
    ///
    /// `data_version` changes when another connection commits: https://sqlite.org/pragma.html#pragma_data_version
    func hasHeard() throws -> Bool {
        let version = try queue.inDatabase { try Int64.fetchOne($0, sql: "PRAGMA data_version") }
        return last.withLock { last in
            defer { last = version }
            return last != version
        }
    }
}
