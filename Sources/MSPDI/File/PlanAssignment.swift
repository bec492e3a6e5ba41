/// One `Assignment` of the file: who works on what.
struct PlanAssignment {
    var taskUID: Int?
    var resourceUID: Int?

    init(_ fields: Fields) {
        taskUID = fields.listedUID("TaskUID")
        resourceUID = fields.listedUID("ResourceUID")
        if resourceUID != PlanAssignment.nobody { fields.tallyOmitted() }
    }

    /// The resource UID of an assignment to nobody.
    static let nobody = -65_535
}
