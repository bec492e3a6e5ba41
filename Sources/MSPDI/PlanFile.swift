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
        case "Calendar": calendars.append(PlanCalendar(Fields(record, .calendar, omissions)))
        case "Resource": resources.append(PlanResource(Fields(record, .resource, omissions)))
        case "Assignment": assignments.append(PlanAssignment(Fields(record, .assignment, omissions)))
        default: addCustomField(CustomField(Fields(record, .customField, omissions)))
        }
    }

    /// To be called after the last record.
    mutating func finish() {
        guard let undecided, tasks.count > 1, summary == nil else { return decide() }
        self.undecided = nil
        summary = tasks.removeFirst()
        Fields(undecided.record, .summary, omissions).tallyOmitted()
    }

    private mutating func addTask(_ record: PlanElement) throws(PlanFault) {
        let fields = Fields(record, .task, omissions)
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
            return omissions.count("", "blank line", "between tasks")
        }
        let task = PlanTask(uid: uid, fields)
        if uid == 0, (task.level ?? 0) == 0 {
            summary = task
            Fields(record, .summary, omissions).tallyOmitted()
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
