import SyncAccounts
import SyncServer

/// Backups that the server makes by itself.
struct BackupSettings: Equatable {
    /// Empty for none; `TIDEMARK_BACKUP_FOLDER`.
    var folder = ""
    /// The age of the newest one at which the next is made; `TIDEMARK_BACKUP_HOURS`.
    var hours = 24
    var interval: Duration { .seconds(hours * 3600) }
    /// `TIDEMARK_BACKUP_KEEP`.
    var keep = 7
}
