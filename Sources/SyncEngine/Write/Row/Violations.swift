import SyncProtocol
import SyncSchema
import SyncStore

/// Everything that is wrong with a row.
struct Violations: Error {
    var list: [Violation]
}
