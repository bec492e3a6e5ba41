/// Why a file can't be read as a plan: where, why, and what the operator can do about it.
package struct PlanError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path that was given.
    var file: String
    /// Counted from 1.
    var line: Int?
    /// Counted from 1.
    var column: Int?
    var reason: String
    /// What to do, as a whole sentence.
    var hint: String

    package var description: String {
        let place = [file, line.map(String.init), column.map(String.init)].compactMap(\.self).joined(separator: ":")
        return "\(place): \(reason). \(hint)"
    }
}
