import SyncProtocol

/// Writes assignees as resources, and their tasks as assignments.
struct PeopleWriting {
    private let resources: [(user: PlanUser, resource: PlanResource)]
    private let assignments: [(task: Int, user: Int64)]
    private let losses: Losses

    init(_ outline: WrittenOutline, users: [PlanUser], losses: Losses) {
        self.losses = losses
        let known = Dictionary(users.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let matching = UserMatching(users)
        var assignments: [(task: Int, user: Int64)] = []
        for (index, node) in outline.nodes.enumerated() {
            guard let user = node.row["assignee"]?.int else { continue }
            if known[user] == nil { losses.add("tasks.assignee", "the user is disabled or does not exist") }
            assignments.append((outline.uid(index), user))
        }
        self.assignments = assignments.filter { known[$0.user] != nil }
        resources = Set(self.assignments.map(\.user)).sorted().compactMap { known[$0] }
            .map { ($0, PeopleWriting.resource($0, matching)) }
        let tasks = Dictionary(self.assignments.map { ($0.user, 1) }, uniquingKeysWith: +)
        for (user, resource) in resources where matching.match(resource) != .user(user.id) {
            losses.add(
                "tasks.assignee", "an import can't tell \"\(user.username)\" from another user",
                rows: tasks[user.id] ?? 0)
        }
    }

    /// Lists the roles that are lost. An import creates one owner and makes the assignees members.
    func listRoles(_ memberships: [[String: JSON]]) {
        let roles = memberships.map { $0["role"]?.int.flatMap { Role(rawValue: Int($0)) } }
        let assignees = Set(resources.map(\.user.id))
        let owner = roles.firstIndex(of: .owner)
        let lost = memberships.indices.count { index in
            let isAssignee = memberships[index]["user"]?.int.map(assignees.contains) ?? false
            return index != owner && !(isAssignee && roles[index] == .member)
        }
        losses.add("memberships", "a plan has no roles: an import makes assignees members, and nobody else", rows: lost)
    }

    /// The resource for a user. Its name is the display name if an import finds the
    /// user by it, otherwise the user name.
    private static func resource(_ user: PlanUser, _ matching: UserMatching) -> PlanResource {
        let email = user.username.contains("@") ? user.username : nil
        let shown = PlanResource(name: user.displayName.trimmed, email: email, account: user.username)
        let isPlain = shown.name.unicodeScalars.allSatisfy(\.isXML) && !shown.name.isEmpty
        if isPlain, matching.match(shown) == .user(user.id) { return shown }
        return PlanResource(name: user.username, email: email, account: user.username)
    }

    func write(to xml: XMLWriter) {
        guard !resources.isEmpty else { return }
        xml.add("Resources") {
            for (index, (_, resource)) in resources.enumerated() { write(resource, uid: index + 1, to: xml) }
        }
        let uids = Dictionary(uniqueKeysWithValues: resources.enumerated().map { ($1.user.id, $0 + 1) })
        xml.add("Assignments") {
            for (index, assignment) in assignments.enumerated() {
                xml.add("Assignment") {
                    xml.add("UID", index + 1)
                    xml.add("TaskUID", assignment.task)
                    xml.add("ResourceUID", uids[assignment.user])
                    xml.add("Units", 1)
                }
            }
        }
    }

    private func write(_ resource: PlanResource, uid: Int, to xml: XMLWriter) {
        xml.add("Resource") {
            xml.add("UID", uid)
            xml.add("ID", uid)
            xml.add("Name", resource.name)
            xml.add("Type", 1)
            xml.add("IsNull", false)
            xml.add("NTAccount", resource.account)
            xml.add("EmailAddress", resource.email)
            xml.add("MaxUnits", 1)
        }
    }
}
