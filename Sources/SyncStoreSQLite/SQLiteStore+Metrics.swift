import Foundation
import GRDB
package import SyncStore

extension SQLiteStore {
    package var metrics: StoreMetrics {
        var metrics = StoreMetrics()
        let version = SQLiteVersion.running
        metrics.engine = "SQLite \(version.text)"
        if version.hasLogResetFault {
            metrics.warnings = [
                "\(metrics.engine) has a fault that can damage the database if other programs write to it or copy it "
                    + "while the server runs. Use only Tidemark's own commands, or SQLite 3.51.3 or later."
            ]
        }
        if failures.isDamaged {
            metrics.warnings.append("The database file is damaged. Run `tidemark check`, and restore a backup.")
        }
        metrics.groups = writes.groupSizes
        metrics.waitingWrites = writes.count
        metrics.logBytes = checkpoints.walSize
        metrics.freeBytes = freeBytes
        return metrics
    }

    private var freeBytes: Int64? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: pool.path)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}
