import SyncAccounts
import SyncServer

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
}
