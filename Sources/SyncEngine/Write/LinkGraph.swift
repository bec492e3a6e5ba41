/// All links between tasks, and which tasks lie on cycles together.
struct LinkGraph {
    private var numbers: [String: Int] = [:]
    private var tasks: [String] = []
    private var successors: [[Int]] = []
    /// By task: its knot. Tasks of one knot reach each other. A task on no cycle is a knot of its own.
    private var knots: [Int] = []

    /// By knot: a cycle in it, once one was searched for.
    private var cycles: [Int: [String]] = [:]

    mutating func add(_ from: String, _ to: String) {
        let near = number(from)
        let far = number(to)
        successors[near].append(far)
    }

    private mutating func number(_ task: String) -> Int {
        if let number = numbers[task] { return number }
        numbers[task] = tasks.count
        tasks.append(task)
        successors.append([])
        return tasks.count - 1
    }

    /// To be called once, after all links are added.
    mutating func findKnots() {
        var search = KnotSearch(successors)
        search.run()
        knots = search.knots
    }

    /// A cycle in the knot of a link's two tasks, with the same task at both ends; nil if the link is on no cycle. All
    /// links of a knot get the same cycle, so refusing thousands of links costs one search.
    mutating func cycle(through from: String, _ to: String) -> [String]? {
        guard let start = numbers[from], let next = numbers[to], knots[start] == knots[next] else { return nil }
        if let cycle = cycles[knots[start]] { return cycle }
        let cycle = way(from: next, back: start)
        cycles[knots[start]] = cycle
        return cycle
    }

    /// The shortest cycle that begins with the link from `start` to `next`.
    private func way(from next: Int, back start: Int) -> [String] {
        var before = [next: next]
        var level = [next]
        while before[start] == nil, !level.isEmpty {
            var reached: [Int] = []
            for task in level {
                for far in successors[task] where knots[far] == knots[start] && before[far] == nil {
                    before[far] = task
                    reached.append(far)
                }
            }
            level = reached
        }
        var way = [start]
        while let last = way.last, let task = before[last], task != last { way.append(task) }
        return ([start] + way.reversed()).map { tasks[$0] }
    }
}

/// Tarjan's strongly connected components in one pass (https://doi.org/10.1137/0201010). It uses a list instead of the
/// call stack, so a chain can have any length.
private struct KnotSearch {
    private(set) var knots: [Int]
    private let successors: [[Int]]
    private var order: [Int]
    /// By task: the earliest task, by order, that it is known to reach among those without a knot.
    private var low: [Int]
    private var open: [Int] = []
    private var path: [(task: Int, next: Int)] = []
    private var count = 0

    init(_ successors: [[Int]]) {
        self.successors = successors
        knots = successors.map { _ in -1 }
        order = knots
        low = knots
    }

    mutating func run() {
        for task in successors.indices where order[task] < 0 {
            enter(task)
            while let last = path.last {
                if last.next < successors[last.task].count { step(last.task, last.next) } else { leave(last.task) }
            }
        }
    }

    private mutating func enter(_ task: Int) {
        order[task] = count
        low[task] = count
        count += 1
        open.append(task)
        path.append((task, 0))
    }

    private mutating func step(_ task: Int, _ next: Int) {
        path[path.count - 1].next += 1
        let far = successors[task][next]
        if order[far] < 0 {
            enter(far)
        } else if knots[far] < 0 {
            low[task] = min(low[task], order[far])
        }
    }

    private mutating func leave(_ task: Int) {
        path.removeLast()
        if let before = path.last { low[before.task] = min(low[before.task], low[task]) }
        guard low[task] == order[task] else { return }
        while let last = open.popLast() {
            knots[last] = task
            if last == task { break }
        }
    }
}
