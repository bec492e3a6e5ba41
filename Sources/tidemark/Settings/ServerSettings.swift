import SyncAccounts
import SyncServer
import SyncStoreSQL
import SyncStoreSQLite

/// Everything that an operator can set.
struct ServerSettings: Equatable {
    var sync = SyncSettings()
    var accounts = AccountSettings()
    var http = HTTPSettings()
    var events = EventSettings()
    var observation = ObservationSettings()
    var server = ListenerSettings()
    var backup = BackupSettings()
    var database = DatabaseSettings()
    var files = FileSettings()
}

/// Where the server listens, and how it stops.
struct ListenerSettings: Equatable {
    /// The address to listen on; `TIDEMARK_SERVER_HOST`.
    var host = "127.0.0.1"
    /// The port to listen on, 0 for a free one; `TIDEMARK_SERVER_PORT`.
    var port = 8080
    /// How long requests under way may take to end, in seconds; `TIDEMARK_SERVER_SHUTDOWN_SECONDS`.
    var shutdownSeconds = 10
    /// How many megabytes (MiB) should be free on the disks of the database, the files and the backups; 0 for any.
    /// `TIDEMARK_DISK_LOW_MB`.
    var diskLowMegabytes = 1024
    /// How many megabytes (MiB) of the database's disk are kept for the time when it is full;
    /// `TIDEMARK_DISK_RESERVE_MB`.
    var diskReserveMegabytes = DiskReserve.size >> 20
}

/// What the server does with a PostgreSQL database.
struct DatabaseSettings: Equatable {
    /// What is done at a start after a failover that no running server has seen; `TIDEMARK_DATABASE_FAILOVER`.
    var failover = FailoverRule.ask
}

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
