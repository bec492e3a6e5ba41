import SyncProtocol
import SyncSchema
import SyncStore

/// Everything that is wrong with a row.
struct FieldProblems: Error {
    var list: [FieldProblem]
}
