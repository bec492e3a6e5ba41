import SyncProtocol
import SyncSchema
import SyncServer
import SyncStoreSQLite

/// An error of a command, for which there is no other type.
struct CommandError: OperatorError {
    let description: String
    init(_ description: String) { self.description = description }
}
