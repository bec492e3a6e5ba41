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
