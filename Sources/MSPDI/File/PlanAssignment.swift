/// One `Assignment` of the file: who works on what.
struct PlanAssignment {
    var taskUID: Int?
    var resourceUID: Int?

    init(_ fields: Fields) {
        taskUID = fields.integer("TaskUID")
        resourceUID = fields.integer("ResourceUID")
        if resourceUID != PlanAssignment.nobody { fields.tallyOmitted() }
    }

    /// The resource UID of an assignment to nobody.
    static let nobody = -65_535
}
