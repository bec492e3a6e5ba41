/// The tasks of a plan in document order, with their place in the hierarchy and their new ids.
struct Outline {
    struct Node {
        let task: PlanTask
        let id: String
        /// The index of the parent, which is always smaller than the task's own.
        let parent: Int?
        let name: String
    }

    private(set) var nodes: [Node] = []
    private(set) var indexByUID: [Int: Int] = [:]
    /// The index of the last task below each task, or its own.
    private var lasts: [Int] = []

    init(_ tasks: [PlanTask], omissions: Omissions, newID: () -> String) {
        var open: [(level: Int, index: Int)] = []
        for task in tasks {
            let level = task.level ?? 1
            while let last = open.last, last.level >= level { open.removeLast() }
            let name = Outline.name(of: task, omissions)
            indexByUID[task.uid] = nodes.count
            open.append((level, nodes.count))
            let parent = open.dropLast().last?.index
            nodes.append(Node(task: task, id: newID(), parent: parent, name: name))
        }
        lasts = Array(nodes.indices)
        for index in nodes.indices.reversed() {
            if let parent = nodes[index].parent { lasts[parent] = max(lasts[parent], lasts[index]) }
        }
    }

    /// Whether the first task lies below the second, at any depth.
    func isWithin(_ index: Int, _ summary: Int) -> Bool { index > summary && index <= lasts[summary] }

    /// The direct children of each task.
    var children: [[Int]] {
        var children = [[Int]](repeating: [], count: nodes.count)
        for (index, node) in nodes.enumerated() {
            if let parent = node.parent { children[parent].append(index) }
        }
        return children
    }

    private static func name(of task: PlanTask, _ omissions: Omissions) -> String {
        if task.name.isEmpty {
            let name = "(unnamed task \(task.uid))"
            omissions.add("task \(task.uid) has no name: it became \"\(name)\"", kind: "nameless task")
            return name
        }
        return Texts(omissions).cut(task.name, to: 512, of: "task", "name")
    }
}
