import SyncProtocol
import SyncSchema
import SyncStore

/// All that is wrong with a row.
struct FieldProblems: Error {
    var list: [FieldProblem]
}
