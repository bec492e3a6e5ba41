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
        else { return omissions.count("", "assignment", "to a task or resource that is not in the plan") }
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
