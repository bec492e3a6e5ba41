import SyncProtocol

/// The rows of `tasks`. Their ranks are those of the file's lines: its WBS codes may be in any order.
struct TaskMapping {
    let file: PlanFile
    let outline: Outline
    let time: WorkTime
    let people: Assignees
    let omissions: Omissions

    func rows() -> [[String: JSON]] {
        let durations = DurationMapping(time: time, omissions: omissions)
        let custom = CustomFieldMapping(fields: file.customFields, durations: durations, omissions: omissions)
        return zip(outline.nodes, OrderKey.ranks(outline.nodes.count)).map { node, rank in
            row(node, durations: durations, percent: percent(node.task, custom))
                .merging(["rank": .string(rank)]) { _, new in new }
                .merging(custom.estimates(of: node.task)) { _, new in new }
                .merging(dates(node.task)) { _, new in new }
        }
    }

    private func row(_ node: Outline.Node, durations: DurationMapping, percent: Double) -> [String: JSON] {
        let task = node.task
        let texts = Texts(omissions)
        return [
            "id": .string(node.id),
            "parent": node.parent.map { .string(outline.nodes[$0].id) } ?? .null,
            "name": .string(node.name),
            "wbs_path": task.wbs.map { .string(texts.cut($0, to: 255, of: "task", "WBS code")) } ?? .null,
            "status": .string(status(task, percent)),
            "duration": .int(Int64(durations.days(of: task))),
            "percent_complete": JSON(percent),
            "notes": .string(texts.cut(task.notes, to: .max, of: "task", "notes")),
            "is_critical": task.isCritical.map(JSON.bool) ?? .null,
            "is_milestone": .bool(task.isMilestone),
            "total_float": float(task.totalSlack, "total"),
            "free_float": float(task.freeSlack, "free"),
            "assignee": people.userOfTask[task.uid].map(JSON.int) ?? .null,
        ]
    }

    private func dates(_ task: PlanTask) -> [String: JSON] {
        let earlyStart = task.earlyStart ?? task.start
        let dates = [
            "planned_start": task.start?.date, "scheduled_start": task.start?.date,
            "early_start": earlyStart?.date,
            "early_finish": lastDay(task.earlyFinish ?? task.finish, from: earlyStart, of: task),
            "late_start": task.lateStart?.date,
            "late_finish": lastDay(task.lateFinish, from: task.lateStart, of: task),
            "actual_start": task.actualStart?.date,
            "actual_finish": lastDay(task.actualFinish, from: task.actualStart, of: task),
        ]
        return dates.mapValues { $0.map { .string($0.text) } ?? .null }
    }

    /// The day on which the task is finished. A task that takes no time is finished on the day on which it starts.
    private func lastDay(_ finish: PlanMoment?, from start: PlanMoment?, of task: PlanTask) -> CalendarDate? {
        let takesTime = task.duration.map { !$0.span.isZero } ?? !task.isMilestone
        return finish.map { takesTime ? $0.lastDay(from: start) : $0.date }
    }

    private func status(_ task: PlanTask, _ percent: Double) -> String {
        if !task.isActive { omissions.count("", "inactive task", after: "became ON_HOLD") }
        return TaskMapping.status(isActive: task.isActive, percent: percent, hasStarted: task.actualStart != nil)
    }

    /// The status that follows from a task's progress.
    static func status(isActive: Bool, percent: Double, hasStarted: Bool) -> String {
        if !isActive { return "ON_HOLD" }
        if percent >= 100 { return "COMPLETE" }
        return percent > 0 || hasStarted ? "IN_PROGRESS" : "NOT_STARTED"
    }

    private func percent(_ task: PlanTask, _ custom: CustomFieldMapping) -> Double {
        if let exact = custom.exactPercent(of: task) { return exact }
        let percent = min(max(task.percentComplete, 0), 100)
        if percent != task.percentComplete { omissions.count("progress of", "task", after: "outside 0 to 100 percent") }
        return percent
    }

    private func float(_ slack: Int?, _ which: String) -> JSON {
        guard let slack else { return .null }
        let days = time.days(tenths: slack)
        if abs(days.rounded()) > Double(WorkTime.mostDays) {
            omissions.count("\(which) float of", "task", after: "cut to \(WorkTime.mostDays) days")
        } else if days != days.rounded() {
            omissions.count("\(which) float of", "task", after: "rounded to whole days")
        }
        return .int(Int64(days.wholeDays))
    }
}

/// The assignees of the tasks, for resources that are users of this server. A task has one
/// assignee: the first in the file.
struct Assignees {
    /// The assignee by the task's UID.
    private(set) var userOfTask: [Int: Int64] = [:]

    private let file: PlanFile
    private let outline: Outline
    private let omissions: Omissions
    private let matches: [Int: UserMatching.Match]
    /// By the resource's UID: the resource's tasks, and those of its tasks that already had another assignee.
    private var tasks: [Int: Set<Int>] = [:]
    private var further: [Int: Set<Int>] = [:]

    init(file: PlanFile, users: [PlanUser], outline: Outline, omissions: Omissions) {
        self.file = file
        self.outline = outline
        self.omissions = omissions
        let matching = UserMatching(users)
        matches = Dictionary(
            file.resources.compactMap { resource in
                resource.uid.map { ($0, resource.kind == .work ? matching.match(resource) : .nobody) }
            },
            uniquingKeysWith: { first, _ in first })
        for assignment in file.assignments where assignment.resourceUID != PlanAssignment.nobody { add(assignment) }
        for resource in file.resources where !resource.name.isEmpty { list(resource) }
    }

    private mutating func add(_ assignment: PlanAssignment) {
        guard let task = assignment.taskUID, outline.indexByUID[task] != nil, let uid = assignment.resourceUID,
            let match = matches[uid]
        else { return omissions.count("", "assignment", after: "to a task or resource that is not in the plan") }
        tasks[uid, default: []].insert(task)
        guard case .user(let user) = match else { return }
        let first = userOfTask[task, default: user]
        userOfTask[task] = first
        if first != user { further[uid, default: []].insert(task) }
    }

    private func list(_ resource: PlanResource) {
        guard let uid = resource.uid, let match = matches[uid] else {
            let reason =
                resource.uidText.map { "whose UID \"\($0.prefix(100))\" is not a whole number" } ?? "which has no UID"
            return omissions.add("resource \"\(resource.name)\", \(reason)")
        }
        let assigned = "assigned to \(counted(tasks[uid]?.count ?? 0, "task"))"
        switch match {
        case .user: break
        case _ where resource.kind != .work:
            omissions.add("resource \"\(resource.name)\", \(assigned): a \(resource.kind), which is no person")
        case .nobody: omissions.add("resource \"\(resource.name)\", \(assigned): no user has that name")
        case .several: omissions.add("resource \"\(resource.name)\", \(assigned): several users have that name")
        }
        if let number = further[uid]?.count {
            omissions.add("further assignee \"\(resource.name)\" of \(counted(number, "task"))")
        }
    }
}

/// Finds the user for a resource of a plan: by user name, then by e-mail and account, then by
/// display name. Case does not matter.
struct UserMatching {
    enum Match: Equatable {
        case user(Int64)
        case nobody
        case several
    }

    private var byUsername: [String: Set<Int64>] = [:]
    private var byDisplayName: [String: Set<Int64>] = [:]

    init(_ users: [PlanUser]) {
        for user in users {
            byUsername[user.username.lowercased(), default: []].insert(user.id)
            byDisplayName[user.displayName.trimmed.lowercased(), default: []].insert(user.id)
        }
        byDisplayName[""] = nil
    }

    func match(_ resource: PlanResource) -> Match {
        let email = resource.email?.lowercased()
        let candidates = [
            byUsername[resource.name.lowercased()],
            email.flatMap { byUsername[$0] },
            resource.account?.lowercased().split(separator: "\\").last.flatMap { byUsername[String($0)] },
            email?.split(separator: "@").first.flatMap { byUsername[String($0)] },
            byDisplayName[resource.name.lowercased()],
        ]
        guard let found = candidates.lazy.compactMap(\.self).first, let user = found.first else { return .nobody }
        return found.count == 1 ? .user(user) : .several
    }
}

/// Custom fields. Three of them, recognized by name, are the estimates of a task. All others are listed.
struct CustomFieldMapping {
    let fields: [String: CustomField]
    let durations: DurationMapping
    let omissions: Omissions

    /// From the shortest estimate to the longest.
    private static let estimates = [
        ("optimistic", "optimistic_duration"), ("most likely", "most_likely_duration"),
        ("pessimistic", "pessimistic_duration"),
    ]

    /// The field in which an export stores progress that is not a whole percentage.
    static let exactPercent = "Exact Percent Complete"

    /// The exact progress that an export stored, if it still agrees with `PercentComplete`. Otherwise nil.
    func exactPercent(of task: PlanTask) -> Double? {
        let text = task.customValues.first { isExactPercent($0) }?.text
        guard let percent = text.flatMap(Double.init), percent > 0, percent < 100,
            Double(CustomFieldWriting.wholePercent(percent)) == task.percentComplete
        else { return nil }
        return percent
    }

    private func isExactPercent(_ value: CustomValue) -> Bool {
        label(value).lowercased() == CustomFieldMapping.exactPercent.lowercased()
    }

    /// The row's three fields. All are null if the estimates contradict each other, or if all are 0: that is what
    /// Project writes for custom durations that were never set.
    func estimates(of task: PlanTask) -> [String: JSON] {
        var days = read(task)
        let ordered = CustomFieldMapping.estimates.compactMap { days[$0.1] }
        if ordered.count == 3, ordered != ordered.sorted() {
            omissions.count("the estimates of", "task", after: "that are not in order")
            days = [:]
        }
        if ordered.allSatisfy({ $0 == 0 }) { days = [:] }
        return Dictionary(
            uniqueKeysWithValues: CustomFieldMapping.estimates.map { _, field in
                (field, days[field].map { .int(Int64($0)) } ?? .null)
            })
    }

    /// The estimates in days, by the row's field.
    private func read(_ task: PlanTask) -> [String: Int] {
        var days: [String: Int] = [:]
        var others: Set<String> = []
        for value in task.customValues {
            if let field = estimate(value) {
                days[field] = self.days(value)
            } else if value.holdsSomething, !isExactPercent(value) || exactPercent(of: task) == nil {
                others.insert(label(value))
            }
        }
        for label in others.sorted() { omissions.count("custom field \"\(label)\":", "task") }
        return days
    }

    private func days(_ value: CustomValue) -> Int? {
        if let duration = PlanDuration(value.text, format: value.format) { return durations.days(duration, .estimates) }
        if !value.text.isEmpty, value.text != "NA" {
            omissions.count("\(WorkSpan.fault(of: value.text)) custom field \"\(label(value))\" of", "task")
        }
        return nil
    }

    private func estimate(_ value: CustomValue) -> String? {
        let label = label(value).lowercased()
        let bare = label.hasSuffix(" duration") ? String(label.dropLast(9)).trimmed : label
        return CustomFieldMapping.estimates.first { $0.0 == bare }?.1
    }

    private func label(_ value: CustomValue) -> String { fields[value.fieldID]?.label ?? value.fieldID }
}
