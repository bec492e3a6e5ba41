import SyncServer

/// Backups that the server makes by itself.
struct BackupSettings: Equatable {
    /// The folder for backups, empty for none; `TIDEMARK_BACKUP_FOLDER`.
    var folder = ""
    /// The age of the newest backup, in hours, at which the next one is made; `TIDEMARK_BACKUP_HOURS`.
    var hours = 24
    var interval: Duration { .seconds(hours * 3600) }
    /// How many backups of the database stay in the folder; `TIDEMARK_BACKUP_KEEP`.
    var keep = 7
}
