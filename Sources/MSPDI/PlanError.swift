/// Why a file can't be read as a plan, for the operator: where, why, and what to do about it.
package struct PlanError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path as it was given.
    var file: String
    /// Counted from 1.
    var line: Int?
    /// Counted from 1.
    var column: Int?
    var reason: String
    /// A whole sentence: what to do.
    var hint: String

    package var description: String {
        let place = [file, line.map(String.init), column.map(String.init)].compactMap(\.self).joined(separator: ":")
        return "\(place): \(reason). \(hint)"
    }
}
