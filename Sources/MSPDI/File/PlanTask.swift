/// One `Task` of the file.
struct PlanTask {
    let uid: Int
    var name: String
    /// The outline level, 1 at the top. Nil when the file gives neither a level nor an outline number.
    var level: Int?
    var wbs: String?
    var notes: String
    var duration: PlanDuration?
    var percentComplete: Double
    var isMilestone: Bool
    var isActive: Bool
    var isRecurring: Bool
    var isCritical: Bool?
    var start, finish: PlanMoment?
    var earlyStart, earlyFinish, lateStart, lateFinish: PlanMoment?
    var actualStart, actualFinish: PlanMoment?
    /// In tenths of a minute of work.
    var totalSlack, freeSlack: Int?
    var links: [PlanLink]
    var customValues: [CustomValue]
    var hyperlink, hyperlinkAddress: String?

    init(uid: Int, _ fields: Fields) {
        self.uid = uid
        name = fields.text("Name") ?? ""
        let outline = fields.text("OutlineNumber")
        level = fields.integer("OutlineLevel") ?? outline.map { $0 == "0" ? 0 : $0.count { $0 == "." } + 1 }
        // An empty `WBS` element means that the task has no code.
        wbs = fields.text("WBS") ?? (fields.record.has("WBS") ? nil : outline)
        notes = fields.text("Notes") ?? ""
        percentComplete = fields.number("PercentComplete") ?? 0
        isMilestone = fields.flag("Milestone") ?? false
        isActive = fields.flag("Active") ?? true
        isRecurring = fields.flag("Recurring") ?? false
        isCritical = fields.flag("Critical")
        start = fields.moment("Start")?.asStart
        finish = fields.moment("Finish")
        earlyStart = fields.moment("EarlyStart")?.asStart
        earlyFinish = fields.moment("EarlyFinish")
        lateStart = fields.moment("LateStart")?.asStart
        lateFinish = fields.moment("LateFinish")
        actualStart = fields.moment("ActualStart")?.asStart
        actualFinish = fields.moment("ActualFinish")
        totalSlack = fields.integer("TotalSlack")
        freeSlack = fields.integer("FreeSlack")
        duration = fields.duration("Duration")
        links = fields.record.all("PredecessorLink").map { PlanLink(fields.part($0, .link)) }
        customValues = fields.record.all("ExtendedAttribute").map { CustomValue(fields.part($0, .customValue)) }
        hyperlink = fields.text("Hyperlink")
        hyperlinkAddress = fields.text("HyperlinkAddress")
    }
}

extension Fields {
    /// The duration in the field `name`, in the unit of `DurationFormat`. Listed when it can't be read.
    func duration(_ name: String) -> PlanDuration? {
        guard let text = text(name), text != "NA" else { return nil }
        let duration = PlanDuration(text, format: integer("DurationFormat"))
        if duration == nil { omissions.count("\(WorkSpan.fault(of: text)) \(name) of", noun) }
        return duration
    }
}
