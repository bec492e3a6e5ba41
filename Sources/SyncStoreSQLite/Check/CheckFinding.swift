/// Something that is wrong with a database.
package struct CheckFinding: Sendable, Equatable {
    package let code: CheckCode
    /// A table, or the file.
    package let place: String
    /// The project that it is about; empty where it is about none.
    package let project: String
    /// Which row or record.
    package let subject: String
}
