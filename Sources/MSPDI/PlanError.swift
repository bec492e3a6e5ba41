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

/// A `PlanError` of which the file is not known yet, nor the line when it is the current one.
struct PlanFault: Error, Equatable {
    var line: Int?
    var reason: String
    var hint: String
}

extension PlanFault {
    /// The remedy for what is no plan at all.
    static let saveAsXML = "Save the plan as XML in Microsoft Project: File > Save As > XML."
    /// The remedy for XML that no tool should have written.
    static let saveAgain = "Open the plan in the tool that wrote it and save it as XML again."
}
