import SyncProtocol

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
