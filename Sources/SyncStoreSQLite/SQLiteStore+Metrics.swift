package import SyncStore

extension SQLiteStore {
    package var metrics: StoreMetrics {
        var metrics = StoreMetrics()
        let version = SQLiteVersion.running
        metrics.engine = "SQLite \(version.text)"
        if version.hasLogResetFault {
            metrics.warnings = [
                "\(metrics.engine) has a fault that can damage the database when other programs write to it or copy it "
                    + "while the server runs: use Tidemark's own commands alone, or SQLite from 3.51.3 on."
            ]
        }
        if failures.isDamaged {
            metrics.warnings.append("The database file is damaged: run `tidemark check`, and restore a backup.")
        }
        metrics.groups = writes.groupSizes
        metrics.waitingWrites = writes.count
        metrics.logBytes = checkpoints.walSize
        return metrics
    }
}
