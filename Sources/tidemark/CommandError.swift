import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStoreSQLite

/// A failure of a command.
struct CommandError: OperatorError {
    let description: String
    init(_ description: String) { self.description = description }
}
