import SyncEngine
package import SyncProtocol
import SyncSchema

/// Random but repeatable writes to a workbench: uploads, edits of every kind of collection, cascading deletes, retros
/// that open and close, members who come, go, rise and fall.
package struct RandomWrites: Sendable {
    /// One write, as a value, so that it can be done to several stores.
    package enum Write: Sendable {
        case upload(created: [JSON], updated: [JSON], deleted: [JSON], batch: Int)
        case insert(collection: String, id: String, fields: [String: JSON], role: Role)
        case update(collection: String, id: String, fields: [String: JSON])
        case delete(collection: String, id: String)
        case role(of: Role, to: Role)
    }

    private var ids: [String: [String]] = [:]
    private var counter = 0
    /// The role that each user of the workbench has by now.
    package private(set) var roles: [Role: Role] = Dictionary(uniqueKeysWithValues: Role.allCases.map { ($0, $0) })

    package init() {}

    /// Draws the next write.
    package mutating func next(_ random: inout SeededGenerator) -> Write {
        counter += 1
        switch random.below(12) {
        case 0...4: return upload(&random)
        case 5: return insertRetroOrItem(&random)
        case 6: return insertOther(&random)
        case 7: return visibilityChange(&random)
        case 8: return deleteSomething(&random)
        case 9: return roleChange(&random)
        default: return editSomething(&random)
        }
    }

    private mutating func newID(_ collection: String) -> String {
        let id = "\(collection.prefix(2))-\(counter)-\((ids[collection] ?? []).count)"
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
        return .upload(
            created: created, updated: updated.values.sorted { $0.text < $1.text }, deleted: deleted, batch: counter)
    }

    private mutating func insertRetroOrItem(_ random: inout SeededGenerator) -> Write {
        if let retro = known("sprint_retros", &random), random.oneIn(2) {
            return .insert(
                collection: "retro_action_items", id: newID("retro_action_items"),
                fields: ["retro": .string(retro), "text": "Do better"], role: .member)
        }
        let sprint = newID("sprints")
        return .insert(
            collection: "sprints", id: sprint,
            fields: ["name": "Sprint", "start_date": "2026-01-05", "finish_date": "2026-01-16"], role: .member)
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
                ], role: .member)
        case 1:
            return .insert(
                collection: "time_entries", id: newID("time_entries"),
                fields: ["task": .string(task), "minutes": 30, "entry_date": "2026-01-05"],
                role: random.pick(Role.allCases)!)
        case 2:
            return .insert(
                collection: "risks", id: newID("risks"),
                fields: ["title": "Risk", "probability": 3, "impact": 2, "task_ids": [.string(task)]], role: .member)
        default:
            return .insert(
                collection: "task_links", id: newID("task_links"),
                fields: ["task": .string(task), "url": "https://example.org/a"], role: .member)
        }
    }

    private mutating func visibilityChange(_ random: inout SeededGenerator) -> Write {
        guard let retro = known("sprint_retros", &random) else { return insertOther(&random) }
        let visibility: JSON = random.oneIn(2) ? "team_only" : "project"
        return .update(collection: "sprint_retros", id: retro, fields: ["team_visibility": visibility])
    }

    private mutating func deleteSomething(_ random: inout SeededGenerator) -> Write {
        let collections = ["tasks", "sprints", "sprint_retros", "retro_action_items", "time_entries", "risks"]
        guard let collection = random.pick(collections), let id = known(collection, &random) else {
            return upload(&random)
        }
        return .delete(collection: collection, id: id)
    }

    private mutating func editSomething(_ random: inout SeededGenerator) -> Write {
        let edits: [(String, [String: JSON])] = [
            ("sprints", ["goal": .string("Goal \(counter)")]),
            ("sprint_retros", ["notes": .string("Notes \(counter)")]),
            ("retro_action_items", ["text": .string("Text \(counter)")]),
            ("time_entries", ["note": .string("Note \(counter)")]),
        ]
        guard let (collection, fields) = random.pick(edits), let id = known(collection, &random) else {
            return upload(&random)
        }
        return .update(collection: collection, id: id, fields: fields)
    }

    private mutating func roleChange(_ random: inout SeededGenerator) -> Write {
        let user: Role = random.oneIn(2) ? .member : .viewer
        let role: Role = random.oneIn(2) ? .member : .viewer
        roles[user] = role
        return .role(of: user, to: role)
    }
}

extension Workbench {
    /// Does a write. Writes to rows that are gone or never came to be do nothing.
    package func perform(_ write: RandomWrites.Write) async throws {
        switch write {
        case .upload(let created, let updated, let deleted, let batch):
            let id = "00000000-0000-4000-8000-" + String(100_000_000_000 + batch)
            let changes: JSON = [
                "created": .array(created), "updated": .array(updated), "deleted": .array(deleted),
            ]
            _ = try await upload(changes, batch: id, as: .owner)
        case .insert(let collection, let id, let fields, let role):
            try await edit(as: role) { editor in
                if try editor.canRefer(collection, fields) { try editor.insert(collection, id, fields) }
            }
        case .update(let collection, let id, let fields):
            try await edit { editor in
                if try editor.isLive(collection, id) { try editor.update(collection, id, fields) }
            }
        case .delete(let collection, let id):
            try await edit { editor in if try editor.isLive(collection, id) { try editor.delete(collection, id) } }
        case .role(let user, let role):
            try await accounts.addMember(caller(user).username, to: project, as: role)
        }
    }
}

extension RowEditor {
    /// Whether the row is live.
    package func isLive(_ collection: String, _ id: String) throws -> Bool {
        try draft.liveRecord(RowKey(collection, id)) != nil
    }

    /// Whether everything that the fields refer to is live, and no unique key is in the way.
    func canRefer(_ collection: String, _ fields: [String: JSON]) throws -> Bool {
        for (name, value) in fields {
            guard let reference = draft.registry[collection]?.field(name)?.reference else { continue }
            for id in (value.array ?? [value]).compactMap(\.string) {
                guard try isLive(reference.collection, id) else { return false }
            }
        }
        guard collection == "sprint_retros", let sprint = fields["sprint"] else { return true }
        let retros = draft.registry[collection]!
        return try draft.transaction.records(in: retros, project: draft.project)
            .allSatisfy { $0.values[retros.position("sprint")!] != sprint }
    }
}
