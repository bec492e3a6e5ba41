/// The file's content in its own terms: decoded values, not yet related to each other or converted.
struct PlanFile {
    let omissions: Omissions
    private(set) var project: [String: String] = [:]
    private(set) var calendars: [PlanCalendar] = []
    /// The project summary task: UID 0 at the top level, or the only task at level 0, as ProjectLibre writes it. Its
    /// name may serve as the project's name.
    private(set) var summary: PlanTask?
    /// The tasks in document order, without the summary task and blank lines.
    private(set) var tasks: [PlanTask] = []
    private(set) var blankUIDs: Set<Int> = []
    private(set) var resources: [PlanResource] = []
    private(set) var assignments: [PlanAssignment] = []
    /// By `FieldID`.
    private(set) var customFields: [String: CustomField] = [:]

    private var taskUIDs: Set<Int> = []
    /// The first task, as long as it is the only one at level 0: if it stays so, it is the summary.
    private var undecided: Fields?

    init(omissions: Omissions) { self.omissions = omissions }

    /// Takes a field of the project itself.
    mutating func addField(_ name: String, _ text: String) {
        let text = text.trimmed
        guard !text.isEmpty, project[name] == nil else { return }
        project[name] = text
        if Fields.isOmitted(PlanElement(name: name, line: 0, text: text), of: .project) {
            omissions.add("project field \(name)", kind: "project field")
        }
    }

    /// Takes one record of a section.
    mutating func add(_ record: PlanElement) throws(PlanFault) {
        switch record.name {
        case "Task": try addTask(record)
        case "Calendar": calendars.append(PlanCalendar(Fields(record, kind: .calendar, omissions: omissions)))
        case "Resource": resources.append(PlanResource(Fields(record, kind: .resource, omissions: omissions)))
        case "Assignment": assignments.append(PlanAssignment(Fields(record, kind: .assignment, omissions: omissions)))
        default: addCustomField(CustomField(Fields(record, kind: .customField, omissions: omissions)))
        }
    }

    /// To be called after the last record.
    mutating func finish() {
        guard let undecided, tasks.count > 1, summary == nil else { return decide() }
        self.undecided = nil
        summary = tasks.removeFirst()
        Fields(undecided.record, kind: .summary, omissions: omissions).tallyOmitted()
    }

    private mutating func addTask(_ record: PlanElement) throws(PlanFault) {
        let fields = Fields(record, kind: .task, omissions: omissions)
        guard let uid = fields.uid("UID") else {
            let text = fields.text("UID").map { "the UID \"\($0.prefix(100))\", which is not a whole number" }
            throw PlanFault(
                line: record.line, reason: "a task has \(text ?? "no UID")", hint: PlanFault.saveAgain)
        }
        guard taskUIDs.insert(uid).inserted else {
            throw PlanFault(line: record.line, reason: "two tasks have the UID \(uid)", hint: PlanFault.saveAgain)
        }
        if fields.flag("IsNull") == true {
            blankUIDs.insert(uid)
            return omissions.count("", "blank line", after: "between tasks")
        }
        let task = PlanTask(uid: uid, fields)
        if uid == 0, (task.level ?? 0) == 0 {
            summary = task
            Fields(record, kind: .summary, omissions: omissions).tallyOmitted()
        } else {
            add(task, fields)
        }
    }

    private mutating func add(_ task: PlanTask, _ fields: Fields) {
        if tasks.isEmpty, task.level == 0 {
            undecided = fields
        } else {
            if task.level == 0 { decide() }
            fields.tallyOmitted()
        }
        tasks.append(task)
    }

    /// The first task is a task like others.
    private mutating func decide() {
        undecided?.tallyOmitted()
        undecided = nil
    }

    private mutating func addCustomField(_ field: CustomField) {
        customFields[field.id] = field
        if field.hasFormula { omissions.add("formula of custom field \"\(field.label)\"") }
    }
}

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

/// One `PredecessorLink`. The successor is the task that contains it.
struct PlanLink {
    var predecessorUID: Int?
    /// What the file has instead of a UID, if it has anything.
    var predecessorText: String?
    /// As in the file: 0 FF, 1 FS, 2 SF, 3 SS.
    var type: Int
    /// In tenths of a minute, or in percent of the predecessor's duration.
    var lag: Int
    var lagFormat: Int
    var isCrossProject: Bool

    init(_ fields: Fields) {
        predecessorUID = fields.uid("PredecessorUID")
        predecessorText = predecessorUID == nil ? fields.text("PredecessorUID") : nil
        type = fields.integer("Type") ?? 1
        lag = fields.integer("LinkLag") ?? 0
        lagFormat = fields.integer("LagFormat") ?? 7
        isCrossProject = fields.flag("CrossProject") ?? false
        fields.tallyOmitted()
    }
}

/// One `Resource` of the file.
struct PlanResource {
    /// A material is used up, a cost is only an amount: neither is somebody, whatever its name.
    enum Kind {
        case work, material, cost
    }

    var uid: Int?
    /// What the file has instead of a UID, if it has anything.
    var uidText: String?
    var kind = Kind.work
    var name: String
    var email: String?
    /// A Windows account, `DOMAIN\name`.
    var account: String?

    init(uid: Int? = nil, name: String, email: String?, account: String?) {
        self.uid = uid
        self.name = name
        self.email = email
        self.account = account
    }

    init(_ fields: Fields) {
        uid = fields.uid("UID")
        uidText = uid == nil ? fields.text("UID") : nil
        kind = PlanResource.kind(fields)
        name = fields.text("Name") ?? ""
        email = fields.text("EmailAddress")
        account = fields.text("NTAccount")
        // Project writes a nameless resource 0 for work that is assigned to nobody.
        if !name.isEmpty { fields.tallyOmitted() }
    }

    /// Project 2007 writes a cost as a material that `IsCostResource`; later versions have a type for it.
    private static func kind(_ fields: Fields) -> Kind {
        if fields.flag("IsCostResource") == true { return .cost }
        return switch fields.integer("Type") {
        case 0: .material
        case 2: .cost
        default: .work
        }
    }
}

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

/// The definition of a custom field: an `ExtendedAttribute` of the project.
struct CustomField {
    /// The `FieldID`, by which values refer to their field.
    let id: String
    /// What users see: the alias, or the field's name if it has none.
    let label: String
    let hasFormula: Bool

    init(_ fields: Fields) {
        let record = fields.record
        id = record["FieldID"] ?? ""
        label = record["Alias"] ?? record["FieldName"] ?? id
        hasFormula = record["Formula"] != nil
        fields.tallyOmitted()
    }
}

/// A task's value of a custom field.
struct CustomValue {
    var fieldID: String
    /// The value. Empty when the file only refers to an entry of a lookup table.
    var text: String
    var format: Int?
    /// Whether it holds more than what Project writes for a field that nobody filled in.
    var holdsSomething: Bool

    init(_ fields: Fields) {
        let record = fields.record
        fieldID = record["FieldID"] ?? ""
        text = record["Value"] ?? ""
        format = record["DurationFormat"].flatMap { Int($0) }
        let names: Set = ["Value", "ValueID", "ValueGUID"]
        holdsSomething = record.children.contains { names.contains($0.name) && Fields.holdsSomething($0) }
        fields.tallyOmitted()
    }
}
