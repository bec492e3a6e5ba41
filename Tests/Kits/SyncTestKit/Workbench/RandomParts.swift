import SyncAccounts
package import SyncProtocol
package import SyncSchema

/// Random filters, and writes that move rows in and out of them.
package struct RandomParts {
    private let registry: Registry
    /// The ids of users who may be assignees.
    private let users: [Int64]
    /// The risks that were made here.
    private var risks: [String] = []
    private var counter = 500_000

    package init(_ registry: Registry, users: [Int64]) {
        self.registry = registry
        self.users = users
    }

    // MARK: Filters

    /// A filter as text. It asks for few enough collections that others follow.
    package func filter(_ writes: RandomWrites, _ random: inout SeededGenerator) -> String {
        var members: [String: JSON] = [:]
        for name in ["tasks", "sprints", "risks", "time_entries", "task_suggested_assignees"] where random.oneIn(3) {
            let alternatives = (0..<random.below(3)).map { _ in alternative(name, writes, &random) }
            members[name] = .array(alternatives)
        }
        return JSON.object(members).text
    }

    /// What a client asks for that had `former`: often the same with other values in places, or an alternative less.
    package func filter(
        after former: String?, _ writes: RandomWrites, _ random: inout SeededGenerator
    ) -> String {
        guard random.oneIn(2), let members = former.flatMap({ try? JSON(parsing: $0).object }), !members.isEmpty else {
            return filter(writes, &random)
        }
        var rolled: [String: JSON] = [:]
        for name in members.keys.sorted() {
            let alternatives = (members[name]?.array ?? []).filter { _ in !random.oneIn(6) }
            rolled[name] = .array(alternatives.map { .object(moved($0.object ?? [:], name, writes, &random)) })
        }
        return JSON.object(rolled).text
    }

    private func moved(
        _ alternative: [String: JSON], _ name: String, _ writes: RandomWrites, _ random: inout SeededGenerator
    ) -> [String: JSON] {
        var moved = alternative
        let others = conditions(name, writes, &random)
        if let field = random.pick(alternative.keys.sorted()), !random.oneIn(4) { moved[field] = others[field] }
        if let field = random.pick(others.keys.sorted()), random.oneIn(6) {
            moved[field] = alternative[field] == nil ? others[field] : nil
        }
        return moved
    }

    private func alternative(_ name: String, _ writes: RandomWrites, _ random: inout SeededGenerator) -> JSON {
        let all = conditions(name, writes, &random)
        let fields = all.keys.sorted()
        var chosen: [String: JSON] = [:]
        for _ in 0...random.below(2) where !random.oneIn(8) {
            if let field = random.pick(fields) { chosen[field] = all[field] }
        }
        return .object(chosen)
    }

    private func conditions(
        _ name: String, _ writes: RandomWrites, _ random: inout SeededGenerator
    ) -> [String: JSON] {
        let ends = [0, 1].map { _ in JSON.string("2026-01-0\(random.below(7) + 1)") }
        let window: JSON = ["from": ends[0], "until": ends[1]]
        switch name {
        case "tasks":
            let sprints = writes.ids(of: "sprints").map(JSON.string) + [.null]
            return [
                "assignee": random.pick(["@me", .null, ["not": "@me"], .array(users.map(JSON.int))])!,
                "sprint": random.pick([
                    random.pick(sprints)!, .array([random.pick(sprints)!, random.pick(sprints)!]),
                    ["not": random.pick(sprints)!],
                ])!,
                "status": random.pick([
                    "COMPLETE", ["not": ["COMPLETE", "REVIEW"]], ["REVIEW", "NOT_STARTED"], ["REVIEW", "COMPLETE"],
                ])!,
                "planned_start": random.pick([
                    ["from": "2026-01-03"], ["until": "2026-01-05"], ["from": "2026-01-02", "until": "2026-01-06"],
                    .null, ["not": "2026-01-04"], window, window, window,
                ])!,
                "is_milestone": .bool(random.oneIn(3)),
            ]
        case "sprints": return ["state": random.pick(["ACTIVE", ["not": "ACTIVE"], ["PLANNED", "COMPLETED"]])!]
        case "risks":
            let tasks = writes.ids(of: "tasks").map(JSON.string)
            return [
                "status": random.pick(["OPEN", ["not": "OPEN"]])!,
                "task_ids": ["has": .array(tasks.filter { _ in random.oneIn(3) }.suffix(20) + ["t-none"])],
            ]
        case "time_entries":
            return ["entry_date": random.pick([["from": "2026-01-05"], ["until": "2026-01-04"], window])!]
        default: return ["suggested_user": random.pick(["@me", ["not": "@me"]])!]
        }
    }

    // MARK: Own rows

    /// A task that a client sends as new, also under an id that is taken, or with a value that no task has.
    package mutating func newTask(_ writes: RandomWrites, _ random: inout SeededGenerator) -> (id: String, row: JSON) {
        counter += 1
        let taken = random.oneIn(2) ? random.pick(writes.ids(of: "tasks")) : nil
        let id = taken ?? "up-\(counter)"
        let fields = taskFields(writes, &random).merging(["id": .string(id), "name": "Sent"]) { $1 }
        return (id, .object(random.oneIn(3) ? fields.merging(["status": "NO_STATUS"]) { $1 } : fields))
    }

    // MARK: Moves

    /// A write that changes what decides about parts. It may be refused, if its row is gone.
    package mutating func move(_ writes: RandomWrites, _ random: inout SeededGenerator) -> RandomWrites.Write {
        counter += 1
        let tasks = writes.ids(of: "tasks")
        guard let task = random.pick(tasks) else {
            return .insert(
                collection: "tasks", id: "mv-\(counter)", fields: ["name": "Moves"], author: .owner)
        }
        switch random.below(14) {
        case 0...4: return update("tasks", task, taskFields(writes, &random))
        case 5:
            let link = random.pick(writes.ids(of: "task_links")) ?? "none"
            return update("task_links", link, ["task": .string(task)])
        case 6...8: return moveRisk(tasks, &random)
        case 9:
            return .insert(
                collection: "task_suggested_assignees", id: "sg-\(counter)",
                fields: ["task": .string(task), "suggested_user": .int(random.pick(users)!)], author: .owner)
        case 10...12: return moveInSprint(writes, &random)
        default:
            return .insert(
                collection: "tasks", id: "mv-\(counter)",
                fields: taskFields(writes, &random).merging(["name": "Moves"]) { $1 }, author: .member)
        }
    }

    private mutating func moveRisk(_ tasks: [String], _ random: inout SeededGenerator) -> RandomWrites.Write {
        let ids = Set(tasks.filter { _ in random.oneIn(4) }).sorted().map(JSON.string)
        let fields: [String: JSON] = ["task_ids": .array(ids), "status": random.oneIn(2) ? "OPEN" : "CLOSED"]
        if let risk = random.pick(risks), !random.oneIn(risks.count + 1) { return update("risks", risk, fields) }
        risks.append("rk-\(counter)")
        let whole = fields.merging(["title": "Risk", "probability": 3, "impact": 2]) { $1 }
        return .insert(collection: "risks", id: "rk-\(counter)", fields: whole, author: .owner)
    }

    /// A write to sprints, to retros that follow them, or to action items, which follow retros.
    private func moveInSprint(_ writes: RandomWrites, _ random: inout SeededGenerator) -> RandomWrites.Write {
        let sprint = random.pick(writes.ids(of: "sprints")) ?? "none"
        let retro = random.pick(writes.ids(of: "sprint_retros")) ?? "none"
        switch random.below(4) {
        case 0: return update("sprints", sprint, sprintFields(&random))
        case 1: return update("sprint_retros", retro, ["sprint": .string(sprint)])
        case 2:
            return .insert(
                collection: "sprint_retros", id: "rt-\(counter)",
                fields: ["sprint": .string(sprint), "team_visibility": "project"], author: .owner)
        default:
            return .insert(
                collection: "retro_action_items", id: "ai-\(counter)",
                fields: ["retro": .string(retro), "text": "Do better"], author: .owner)
        }
    }

    private func update(_ collection: String, _ id: String, _ fields: [String: JSON]) -> RandomWrites.Write {
        .update(collection: collection, id: id, fields: fields, author: .owner)
    }

    private func sprintFields(_ random: inout SeededGenerator) -> [String: JSON] {
        ["state": random.pick(["PLANNED", "ACTIVE", "COMPLETED"])!]
    }

    private func taskFields(_ writes: RandomWrites, _ random: inout SeededGenerator) -> [String: JSON] {
        let all: [String: JSON] = [
            "assignee": random.pick(users.map(JSON.int) + [.null])!,
            "sprint": random.pick(writes.ids(of: "sprints").map(JSON.string) + [.null])!,
            "status": random.pick(["COMPLETE", "REVIEW", "NOT_STARTED"])!,
            "planned_start": random.pick([.null] + (1...7).map { .string("2026-01-0\($0)") })!,
            "is_milestone": .bool(random.oneIn(2)),
        ]
        return all.filter { _ in random.oneIn(2) }
    }
}
