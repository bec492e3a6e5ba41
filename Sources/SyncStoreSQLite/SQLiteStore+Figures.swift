package import SyncEngine

extension SQLiteStore {
    package var figures: StoreFigures {
        var figures = StoreFigures()
        let version = SQLiteVersion.running
        figures.engine = "SQLite \(version.text)"
        if version.hasLogResetFault {
            figures.warnings = [
                "\(figures.engine) has a fault that can damage the database when other programs write to it or copy it "
                    + "while the server runs: use Tidemark's own commands alone, or SQLite from 3.51.3 on."
            ]
        }
        if failures.isDamaged {
            figures.warnings.append("The database file is damaged: run `tidemark check`, and restore a backup.")
        }
        figures.groups = writes.groupSizes
        figures.waitingWrites = writes.count
        figures.logBytes = checkpoints.walSize
        return figures
    }
}
