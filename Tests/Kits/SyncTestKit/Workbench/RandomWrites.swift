package import SyncProtocol
import SyncSchema

/// Random but repeatable writes to a workbench, all through the services that HTTP calls: uploads, edits in every kind
/// of collection, cascading deletes, retros that open and close, members who leave, return, and change roles.
package struct RandomWrites: Sendable {
    /// One write, as a value. It can be performed on several stores.
    package enum Write: Sendable {
        /// A batch; `changes` has the buckets by collection.
        case upload(_ changes: [String: JSON], author: Role, batch: Int)
        case insert(collection: String, id: String, fields: [String: JSON], author: Role)
        case update(collection: String, id: String, fields: [String: JSON], author: Role)
        case delete(collection: String, id: String, author: Role)
        /// Changes the role of a user. Nil ends the membership.
        case role(of: Role, to: Role?)
        /// Removes all tombstones.
        case purge
    }

    private var ids: [String: [String]] = [:]
    /// The author of each time entry. Nobody else can change it.
    private var authors: [String: Role] = [:]
    private var counter = 0
    /// Begins each id, because ids are unique over all projects.
    private let prefix: String
    /// The present role of each user of the workbench, by the role that the user began with. Users who left have none.
    package private(set) var roles: [Role: Role]

    /// `members` are the users who are members at first, each with the role of that name.
    package init(prefix: String = "", members: [Role] = Role.allCases) {
        self.prefix = prefix
        roles = Dictionary(uniqueKeysWithValues: members.map { ($0, $0) })
    }

    /// Draws the next write. About half of the writes to single rows are uploaded.
    package mutating func next(_ random: inout SeededGenerator) -> Write {
        let write = nextWrite(&random)
        return random.oneIn(2) ? write.uploaded(as: counter) : write
    }

    private mutating func nextWrite(_ random: inout SeededGenerator) -> Write {
        counter += 1
        switch random.below(13) {
        case 0...4: return upload(&random)
        case 5: return insertRetroOrItem(&random)
        case 6: return insertOther(&random)
        case 7: return visibilityChange(&random)
        case 8: return deleteSomething(&random)
        case 9: return roleChange(&random)
        case 10: return random.oneIn(2) ? .purge : upload(&random)
        default: return editSomething(&random)
        }
    }

    /// Draws the next write, limited to sprints, retros and their content.
    package mutating func nextRetro(_ random: inout SeededGenerator) -> Write {
        counter += 1
        guard let sprint = known("sprints", &random), random.oneIn(2) else { return insertRetroOrItem(&random) }
        guard random.oneIn(2) else { return visibilityChange(&random) }
        if random.oneIn(4) { return .delete(collection: "sprints", id: sprint, author: .owner) }
        return .insert(
            collection: "sprint_retros", id: newID("sprint_retros"),
            fields: ["sprint": .string(sprint), "team_visibility": random.oneIn(2) ? "project" : "team_only"],
            author: .owner)
    }

    /// The ids that writes have used so far, whether or not their rows were created.
    package func ids(of collection: String) -> [String] { ids[collection] ?? [] }

    private mutating func newID(_ collection: String) -> String {
        let id = prefix + "\(collection.prefix(2))-\(counter)-\((ids[collection] ?? []).count)"
        ids[collection, default: []].append(id)
        return id
    }

    private func known(_ collection: String, _ random: inout SeededGenerator) -> String? {
        random.pick(ids[collection] ?? [])
    }

    private mutating func upload(_ random: inout SeededGenerator) -> Write {
        var updated: [String: JSON] = [:]
        for _ in 0..<random.below(4) {
            guard let id = known("tasks", &random) else { break }
            updated[id] = ["id": .string(id), "percent_complete": .int(Int64(random.below(101)))]
        }
        var created: [JSON] = []
        for _ in 0...random.below(4) {
            let parent = random.oneIn(3) ? known("tasks", &random) : nil
            let id = newID("tasks")
            created.append([
                "id": .string(id), "name": .string("Task \(id) \"ü\"\n"), "parent": parent.map(JSON.string) ?? .null,
                "sprint": known("sprints", &random).map(JSON.string) ?? .null,
            ])
        }
        let deleted = random.oneIn(4) ? known("tasks", &random).map { [JSON.string($0)] } ?? [] : []
        let tasks: JSON = [
            "created": .array(created), "updated": .array(updated.values.sorted { $0.text < $1.text }),
            "deleted": .array(deleted),
        ]
        return .upload(["tasks": tasks], author: .owner, batch: counter)
    }

    private mutating func insertRetroOrItem(_ random: inout SeededGenerator) -> Write {
        if let retro = known("sprint_retros", &random), random.oneIn(2) {
            return .insert(
                collection: "retro_action_items", id: newID("retro_action_items"),
                fields: ["retro": .string(retro), "text": "Do better"], author: .owner)
        }
        let sprint = newID("sprints")
        return .insert(
            collection: "sprints", id: sprint,
            fields: ["name": "Sprint", "start_date": "2026-01-05", "finish_date": "2026-01-16"], author: .owner)
    }

    private mutating func insertOther(_ random: inout SeededGenerator) -> Write {
        guard let task = known("tasks", &random) else { return insertRetroOrItem(&random) }
        switch random.below(4) {
        case 0:
            guard let sprint = known("sprints", &random) else { return insertRetroOrItem(&random) }
            return .insert(
                collection: "sprint_retros", id: newID("sprint_retros"),
                fields: [
                    "sprint": .string(sprint), "team_visibility": random.oneIn(2) ? "project" : "team_only",
                ], author: .owner)
        case 1:
            let (id, author) = (newID("time_entries"), random.pick(Role.allCases)!)
            authors[id] = author
            return .insert(
                collection: "time_entries", id: id,
                fields: ["task": .string(task), "minutes": 30, "entry_date": "2026-01-05"], author: author)
        case 2:
            return .insert(
                collection: "risks", id: newID("risks"),
                fields: ["title": "Risk", "probability": 3, "impact": 2, "task_ids": [.string(task)]],
                author: .owner)
        default:
            return .insert(
                collection: "task_links", id: newID("task_links"),
                fields: ["task": .string(task), "url": "https://example.org/a"], author: .owner)
        }
    }

    private mutating func visibilityChange(_ random: inout SeededGenerator) -> Write {
        guard let retro = known("sprint_retros", &random) else { return insertOther(&random) }
        let visibility: JSON = random.oneIn(2) ? "team_only" : "project"
        let fields = ["team_visibility": visibility]
        return .update(collection: "sprint_retros", id: retro, fields: fields, author: .owner)
    }

    private mutating func deleteSomething(_ random: inout SeededGenerator) -> Write {
        let collections = ["tasks", "sprints", "sprint_retros", "retro_action_items", "time_entries", "risks"]
        guard let collection = random.pick(collections), let id = known(collection, &random) else {
            return upload(&random)
        }
        return .delete(collection: collection, id: id, author: authors[id] ?? .owner)
    }

    private mutating func editSomething(_ random: inout SeededGenerator) -> Write {
        let edits: [(String, [String: JSON])] = [
            ("sprints", ["goal": .string("Goal \(counter)")]),
            ("sprint_retros", ["notes": .string("Notes \(counter)")]),
            ("retro_action_items", ["text": .string("Text \(counter)")]),
            ("retro_action_items", known("sprint_retros", &random).map { ["retro": .string($0)] } ?? [:]),
            ("time_entries", ["note": .string("Note \(counter)")]),
        ]
        guard let (collection, fields) = random.pick(edits), let id = known(collection, &random) else {
            return upload(&random)
        }
        return .update(collection: collection, id: id, fields: fields, author: authors[id] ?? .owner)
    }

    private mutating func roleChange(_ random: inout SeededGenerator) -> Write {
        let user: Role = random.oneIn(2) ? .member : .viewer
        let role = random.pick([Role.member, .viewer, nil])!
        roles[user] = role
        return .role(of: user, to: role)
    }
}

extension RandomWrites.Write {
    /// The write of a single row as a batch of its author; any other write as it is.
    fileprivate func uploaded(as batch: Int) -> RandomWrites.Write {
        func row(_ id: String, _ fields: [String: JSON]) -> JSON { .object(fields.merging(["id": .string(id)]) { $1 }) }
        return switch self {
        case .insert(let collection, let id, let fields, let author):
            .upload([collection: ["created": [row(id, fields)]]], author: author, batch: batch)
        case .update(let collection, let id, let fields, let author):
            .upload([collection: ["updated": [row(id, fields)]]], author: author, batch: batch)
        case .delete(let collection, let id, let author):
            .upload([collection: ["deleted": [.string(id)]]], author: author, batch: batch)
        case .upload, .role, .purge: self
        }
    }
}
