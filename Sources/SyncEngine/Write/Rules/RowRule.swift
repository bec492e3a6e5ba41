import SyncSchema

/// A rule about several fields or rows that a schema can't express. A collection names its rules in `x-rules`. A rule
/// throws a `Violation`, so a batch can leave the row out.
protocol RowRule: Sendable {
    /// Judges the final state of a row that a write inserted or changed.
    func check(_ row: RuleSubject) throws
    /// Judges the delete of a row that the caller named, not one that a cascade took along, by what is left.
    func checkDelete(_ row: RuleSubject) throws
}

extension RowRule {
    func check(_ row: RuleSubject) throws {}
    func checkDelete(_ row: RuleSubject) throws {}
}
