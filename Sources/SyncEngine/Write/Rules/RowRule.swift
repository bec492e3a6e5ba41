import SyncProtocol
import SyncSchema
import SyncStore

/// A rule over several fields or rows that no schema can say, hooked to a collection by its name in `x-rules`. Throws a
/// `FieldProblem`, so that a batch can leave the row out.
protocol RowRule: Sendable {
    /// Judges the final state of a row that a write inserted or changed.
    func check(_ row: RuleSubject) throws
    /// Judges the delete of a row that the caller named, which a cascade did not take along, by what is left.
    func checkDelete(_ row: RuleSubject) throws
}

extension RowRule {
    func check(_ row: RuleSubject) throws {}
    func checkDelete(_ row: RuleSubject) throws {}
}
