/// A fault in a database.
package struct CheckFinding: Sendable, Equatable {
    package let code: CheckCode
    /// A table's name, a file's path, or `the file`.
    package let place: String
    /// The id of the project; empty if the fault belongs to no project.
    package let project: String
    /// The row or record, or SQLite's description of the damage.
    package let subject: String
}
