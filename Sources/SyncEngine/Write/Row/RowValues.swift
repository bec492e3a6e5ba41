import SyncProtocol
import SyncSchema
import SyncStore

/// The values of an edited row, and what was put right on the way.
struct RowValues {
    struct Repair {
        let field: String
        let from: JSON
        let to: JSON
    }

    var values: [JSON]
    var repairs: [Repair] = []
    /// Something is not stored as it was sent: put into another form, left out, or the server's to write.
    var isAltered = false
    /// Fields that were sent as they are already.
    var unchanged: [String] = []
}
