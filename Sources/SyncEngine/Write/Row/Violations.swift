import SyncSchema

/// Everything that is wrong with a row.
struct Violations: Error {
    var list: [Violation]
}
