import SyncServer
import SyncStores

extension Maintenance {
    /// What the settings make of backups, and checks of the database and of its backups. Throws what
    /// `BackupTimer.Place.init` throws.
    init(_ settings: BackupSettings, database: String, open store: EngineStore) throws {
        self.init()
        if let place = try BackupTimer.Place(settings, database: database, open: store) {
            let plan = Backups.Plan(every: settings.interval, folder: settings.folder, kept: settings.keep)
            backups = Backups(place, plan: plan)
        }
        if !store.isFile { withoutBackups = "Back up the PostgreSQL cluster with its own tools." }
        let folder = settings.folder
        checks = Checks { backup, onProgress in
            guard let backup else {
                return try await EngineStore.checkAside(database, open: store, onProgress: onProgress)
            }
            return try await EngineStore.checkAside(
                BackupTimer.Place.file(backup, in: folder, of: database), open: nil, onProgress: onProgress)
        }
    }
}
