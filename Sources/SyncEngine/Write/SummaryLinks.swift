import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

/// No link connects a task with one that lies above it: a summary task begins and ends with what is below it, so such a
/// link could never hold.
///
/// A link is judged when it gets its ends, and a task when it gets another parent. Links from before this rule stay,
/// and nothing else that is written to them or their tasks is refused. The server's own writes are not judged, since a
/// database of an earlier version may be imported.
///
/// All changed links of a write are judged with one look-up of what lies below their ends, and all moved tasks with two
/// of the links of what lies above them. Only what lies on the way up from tasks that are found so is read one by one,
/// and each once.
struct SummaryLinks {
    private let draft: Draft
    private let links: Collection
    private let tasks: Collection
    private let ends: (predecessor: Int, successor: Int)
    private let tree: Field

    /// Nil if the linked rows have no parents, or if the write is the server's own.
    init?(_ links: Collection, _ draft: Draft) {
        let name = links.field(named: "predecessor").reference?.collection
        guard draft.access != nil, let name, links.field(named: "successor").reference?.collection == name,
            let tasks = draft.registry[name], let tree = tasks.places.trees.first
        else { return nil }
        self.draft = draft
        self.links = links
        self.tasks = tasks
        ends = (links.position(named: "predecessor"), links.position(named: "successor"))
        self.tree = tasks.fields[tree]
    }

    // MARK: A link

    /// Throws a `Violation` if the draft gave the link ends of which one lies above the other.
    func check(_ link: StoredRow) throws {
        guard hasNewEnds(link), let (one, other) = ends(of: link) else { return }
        let summaries = try summaries()
        guard summaries.contains(one) || summaries.contains(other) else { return }
        var forest = draft.memory.forests.removeValue(forKey: tasks.name) ?? TaskForest()
        defer { draft.memory.forests[tasks.name] = forest }
        for task in [one, other] { try forest.grow(to: task, parent: parent(of:)) }
        if forest.isAbove(one, other) { throw violation("successor", above: one, below: other) }
        if forest.isAbove(other, one) { throw violation("successor", above: other, below: one) }
    }

    /// The ends of changed links that have tasks below them.
    private func summaries() throws -> Set<String> {
        if let known = draft.memory.summaries[links.name] { return known }
        let changed = draft.changedRows(of: links).filter(hasNewEnds)
        let ids = Set(changed.compactMap { ends(of: $0) }.flatMap { [$0.0, $0.1] })
        let below = try draft.liveRecords(in: tasks, where: tree, holdsAny: ids.map(JSON.string))
        let summaries = Set(below.compactMap(parent(in:)))
        draft.memory.summaries[links.name] = summaries
        return summaries
    }

    private func hasNewEnds(_ link: StoredRow) -> Bool {
        guard let old = draft.entries[RowKey(links.name, link.id)]?.original else {
            return draft.entries[RowKey(links.name, link.id)] != nil
        }
        return [ends.predecessor, ends.successor].contains { old.values[$0] != link.values[$0] }
    }

    private func ends(of link: StoredRow) -> (String, String)? {
        guard let from = link.values[ends.predecessor].string, let to = link.values[ends.successor].string else {
            return nil
        }
        return (from, to)
    }

    // MARK: A moved task

    /// Throws a `Violation` if the draft, which moved the task, put it below one that it, or a task below it, is linked
    /// with.
    func check(moved task: StoredRow) throws {
        let refusals = try draft.memory.moves[links.name] ?? judgeMoves()
        draft.memory.moves[links.name] = refusals
        if let refusal = refusals[task.id] { throw refusal }
    }

    /// What is wrong with the moved tasks, by id.
    private func judgeMoves() throws -> [String: Violation] {
        let moved = draft.changedRows(of: tasks).filter { draft.isMoved($0, tasks) }
        var forest = draft.memory.forests.removeValue(forKey: tasks.name) ?? TaskForest()
        defer { draft.memory.forests[tasks.name] = forest }
        var above: Set<String> = []
        for task in moved {
            try forest.grow(to: task.id, parent: parent(of:))
            var next = parent(in: task)
            while let id = next, above.insert(id).inserted { next = forest.parent(of: id) }
        }
        let ids = above.map(JSON.string)
        let moving = Set(moved.map(\.id))
        var refusals: [String: Violation] = [:]
        for (end, field) in [(ends.predecessor, ends.successor), (ends.successor, ends.predecessor)] {
            for link in try draft.liveRecords(in: links, where: links.fields[end], holdsAny: ids) {
                guard !hasNewEnds(link), let top = link.values[end].string, let task = link.values[field].string else {
                    continue
                }
                try forest.grow(to: task, parent: parent(of:))
                guard forest.isAbove(top, task) else { continue }
                let blamed = forest.line(from: task, below: top).filter { moving.contains($0) && refusals[$0] == nil }
                guard !blamed.isEmpty, try !wasAbove(top, task) else { continue }
                for id in blamed { refusals[id] = violation(tree.name, above: top, below: task) }
            }
        }
        return refusals
    }

    /// Whether the stored rows already had one task above the other.
    private func wasAbove(_ top: String, _ task: String) throws -> Bool {
        var seen: Set<String> = []
        var next: String? = task
        while let id = next, seen.insert(id).inserted {
            let key = RowKey(tasks.name, id)
            next = try (draft.entries[key].map(\.original) ?? draft.reads.record(key)).flatMap(parent(in:))
            if next == top { return true }
        }
        return false
    }

    // MARK: Helpers

    private func parent(of id: String) throws -> String? {
        try draft.record(RowKey(tasks.name, id)).flatMap(parent(in:))
    }

    private func parent(in task: StoredRow) -> String? { task.values[tasks.position(of: tree)].string }

    private func violation(_ field: String, above: String, below: String) -> Violation {
        Violation(
            field, .cyclicDependency,
            detail:
                "\(above) is a summary task above \(below): the two can't be linked, because a summary task begins and "
                + "ends with the tasks below it.")
    }
}

extension Draft {
    /// Judges a row that got another parent by the links of the rows above it.
    func checkMove(_ row: StoredRow, _ collection: Collection) throws {
        guard access != nil, isMoved(row, collection) else { return }
        for referrer in registry.referrers(of: collection.name) where referrer.field.name == "predecessor" {
            let links = registry.collection(referrer.collection)
            guard links.rules.contains(.acyclicDependencies) else { continue }
            try SummaryLinks(links, self)?.check(moved: row)
        }
    }

    /// Whether a stored row got another parent. A new row has no links but the draft's own, which are judged as links.
    fileprivate func isMoved(_ row: StoredRow, _ collection: Collection) -> Bool {
        guard let tree = collection.places.trees.first, !row.values[tree].isNull,
            let old = entries[RowKey(collection.name, row.id)]?.original
        else { return false }
        return old.values[tree] != row.values[tree]
    }
}

/// Which tasks lie above which, of the tasks that were asked about and all above them.
///
/// Each task knows a task far above it, so that the way up takes few steps however deep the tree is: the "jump
/// pointers" of https://doi.org/10.1016/0020-0190(83)90106-0.
struct TaskForest {
    private struct Place {
        let parent: String?
        let depth: Int
        /// A task above this one. A root's is itself.
        let jump: String
    }

    private var places: [String: Place] = [:]

    /// Takes in a task and those above it. `parent` is asked once for each. A cycle is cut open: whatever closed it is
    /// refused by itself.
    mutating func grow(to task: String, parent: (String) throws -> String?) rethrows {
        var way: [(id: String, parent: String?)] = []
        var seen: Set<String> = []
        var next: String? = task
        while let id = next, places[id] == nil, seen.insert(id).inserted {
            next = try parent(id)
            way.append((id, next))
        }
        for step in way.reversed() { places[step.id] = place(of: step.id, below: step.parent) }
    }

    private func place(of id: String, below parent: String?) -> Place {
        guard let parent, let above = places[parent], let far = places[above.jump] else {
            return Place(parent: nil, depth: 0, jump: id)
        }
        let isEven = above.depth - far.depth == far.depth - (places[far.jump]?.depth ?? 0)
        return Place(parent: parent, depth: above.depth + 1, jump: isEven ? far.jump : parent)
    }

    /// Nil for a task without a parent.
    func parent(of task: String) -> String? { places[task]?.parent }

    /// Whether one task lies above the other. Both must have been taken in.
    func isAbove(_ top: String, _ task: String) -> Bool {
        guard let depth = places[top]?.depth, var place = places[task], place.depth > depth else { return false }
        var id = task
        while place.depth > depth {
            guard let parent = place.parent, let jump = places[place.jump] else { return false }
            id = jump.depth < depth ? parent : place.jump
            guard let next = places[id] else { return false }
            place = next
        }
        return id == top
    }

    /// The tasks from `task` up to the last one below `top`, which must lie above it.
    func line(from task: String, below top: String) -> [String] {
        var line: [String] = []
        var next: String? = task
        while let id = next, id != top {
            line.append(id)
            next = parent(of: id)
        }
        return line
    }
}
