/// A `PlanError` without its file. Without `line`, it is at the current line.
struct PlanFault: Error, Equatable {
    var line: Int?
    var reason: String
    var hint: String
}

extension PlanFault {
    /// The hint for a file that is not a plan at all.
    static let saveAsXML = "Save the plan as XML in Microsoft Project: File > Save As > XML."
    /// The hint for XML that no tool should have written.
    static let saveAgain = "Open the plan in the tool that wrote it and save it as XML again."
}
