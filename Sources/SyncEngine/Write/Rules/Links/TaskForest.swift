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
