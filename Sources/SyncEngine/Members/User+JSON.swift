import SyncProtocol
import SyncStore

extension User {
    /// What others may know of an account.
    var json: JSON {
        ["id": .int(id), "username": .string(username.rawValue), "display_name": .string(displayName)]
    }
}
