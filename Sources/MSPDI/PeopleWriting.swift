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

/// The tasks of a project in the order of an outline, each below its parent.
struct WrittenOutline {
    struct Node {
        let row: [String: JSON]
        /// The level; 1 at the top.
        let level: Int
        /// The outline number, such as `1.2.1`.
        let number: String
        /// Indexes of the direct children.
        var children: [Int] = []
        /// The index of the last task below it, or its own.
        var last = 0
    }

    private(set) var nodes: [Node] = []
    private(set) var indexByID: [String: Int] = [:]

    init(_ rows: [[String: JSON]]) {
        let ids = Set(rows.map(\.id))
        var below: [String: [[String: JSON]]] = [:]
        for row in rows {
            below[row["parent"]?.string.flatMap { ids.contains($0) ? $0 : nil } ?? "", default: []].append(row)
        }
        below = below.mapValues(OrderKey.sorted)
        // Uses a list instead of recursion, so a tree may have any depth.
        var open = WrittenOutline.places(of: below[""] ?? [], below: nil, level: 1, number: "")
        while let place = open.popLast() {
            let index = nodes.count
            nodes.append(Node(row: place.row, level: place.level, number: place.number))
            indexByID[place.row.id] = index
            if let parent = place.parent { nodes[parent].children.append(index) }
            open += WrittenOutline.places(
                of: below[place.row.id] ?? [], below: index, level: place.level + 1, number: place.number + ".")
        }
        for index in nodes.indices.reversed() {
            nodes[index].last = nodes[index].children.last.map { nodes[$0].last } ?? index
        }
    }

    /// Whether the first task lies below the second, at any depth.
    func isWithin(_ index: Int, _ summary: Int) -> Bool { index > summary && index <= nodes[summary].last }

    /// The UID in the plan. 0 is the project's summary task.
    func uid(_ index: Int) -> Int { index + 1 }

    private struct Place {
        let row: [String: JSON]
        let parent: Int?
        let level: Int
        let number: String
    }

    /// The rows in reverse order, since they are popped from a stack.
    private static func places(
        of rows: [[String: JSON]], below parent: Int?, level: Int, number: String
    ) -> [Place] {
        rows.enumerated().map { Place(row: $1, parent: parent, level: level, number: number + "\($0 + 1)") }.reversed()
    }
}
