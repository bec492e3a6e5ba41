/// A fault in a database.
package struct CheckFinding: Sendable, Equatable {
    package let code: CheckCode
    /// The name of a table or an index, a file's path, or `the file`.
    package let place: String
    /// The id of the project; empty if the fault belongs to no project.
    package let project: String
    /// The row or record, or the engine's description of the damage.
    package let subject: String

    package init(code: CheckCode, place: String, project: String, subject: String) {
        (self.code, self.place, self.project, self.subject) = (code, place, project, subject)
    }
}
