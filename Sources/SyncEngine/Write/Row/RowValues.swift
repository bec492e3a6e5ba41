import SyncProtocol
import SyncSchema
import SyncStore

/// The values of an edited row, and the repairs that were made.
struct RowValues {
    struct Repair {
        let field: String
        let from: JSON
        let to: JSON
    }

    var values: [JSON]
    var repairs: [Repair] = []
    /// Whether something is not stored as it was sent: it was put into
    /// another form, left out, or is the server's to write.
    var isAltered = false
    /// Fields that were sent with the value they already have.
    var unchanged: [String] = []
}
