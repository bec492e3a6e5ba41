import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

/// The links between tasks have no cycle, and none leads from a summary task into itself (`SummaryLinks`).
///
/// A link closes a cycle if its successor leads back to its predecessor. The only link of a write is judged by a search
/// from both ends (`LinkSearch`). Several are judged together, in a graph of the links around them (`LinkReach`). Once
/// a write has used `maximumLookups`, that graph is made of all links of the project, which are read once. So links
/// cost little where they can, and never more than reading all links once.
struct AcyclicDependencies: RowRule {
    /// Look-ups of one write after which reading all links is cheaper.
    static let maximumLookups = 64

    func check(_ row: RuleSubject) throws {
        guard let from = row["predecessor"].string, let to = row["successor"].string else { return }
        guard from != to else {
            throw Violation("successor", .cyclicDependency, detail: "A task can't depend on itself.")
        }
        try SummaryLinks(row.collection, row.draft)?.check(row.record)
        guard let cycle = try cycle(closedBy: from, to, row) else { return }
        throw Violation(
            "successor", .cyclicDependency, detail: "The links make a cycle: \(AcyclicDependencies.text(cycle)).")
    }

    /// A cycle that shows why the link is refused, with the same task at both ends; nil if the link closes none. The
    /// cycle contains the link, or, in a graph, is one in the same knot (see `LinkGraph`).
    private func cycle(closedBy from: String, _ to: String, _ row: RuleSubject) throws -> [String]? {
        let name = row.collection.name
        if row.draft.memory.links[name] == nil {
            let changed = row.draft.changedRows(of: row.collection)
            if changed.count == 1 {
                var search = LinkSearch(row, from: to, to: from)
                switch try search.run() {
                case .none: return nil
                case .path(let path): return [from] + path
                case .undecided: break
                }
            }
            row.draft.memory.links[name] = graph(try links(around: changed, row), row)
        }
        return row.draft.memory.links[name]?.cycle(through: from, to)
    }

    /// Enough links to judge the changed ones.
    private func links(around changed: [StoredRow], _ row: RuleSubject) throws -> [StoredRow] {
        var reach = LinkReach(row, around: changed)
        return try reach.links() ?? row.draft.liveRecords(in: row.collection)
    }

    private func graph(_ links: [StoredRow], _ row: RuleSubject) -> LinkGraph {
        let predecessor = row.collection.position(named: "predecessor")
        let successor = row.collection.position(named: "successor")
        var graph = LinkGraph()
        for link in links {
            if let from = link.values[predecessor].string, let to = link.values[successor].string {
                graph.add(from, to)
            }
        }
        graph.findKnots()
        return graph
    }

    /// The cycle as text. A long one is shown without its middle.
    static func text(_ cycle: [String]) -> String {
        guard cycle.count > 41 else { return cycle.joined(separator: " -> ") }
        let left = "(\(cycle.count - 41) more)"
        return (cycle.prefix(20) + [left] + cycle.suffix(21)).joined(separator: " -> ")
    }
}

/// Reads the links that cycles through a write's changed links could consist of, all at once: the links that lead on
/// from their successors, or those that lead up to their predecessors, whichever ends first. It goes a level at a time.
struct LinkReach {
    private struct Side {
        /// The end of a link to look up, and the end that it leads to.
        let near: Field
        let far: Field
        /// Tasks reached but not yet left.
        var frontier: [String]
        var reached: Set<String>
        var links: [StoredRow] = []

        init(near: Field, far: Field, starts: [String]) {
            self.near = near
            self.far = far
            reached = Set(starts)
            frontier = Array(reached)
        }

        /// Goes one level further.
        mutating func expand(_ subject: RuleSubject) throws {
            let found = try subject.draft.liveRecords(
                in: subject.collection, where: near, holdsAny: frontier.map(JSON.string))
            links += found
            frontier = found.compactMap { subject.value(of: far, in: $0) }.filter { reached.insert($0).inserted }
        }
    }

    private let subject: RuleSubject
    private var forward: Side
    private var backward: Side

    /// `changed` are the links of the write, of the subject's collection.
    init(_ subject: RuleSubject, around changed: [StoredRow]) {
        let predecessor = subject.collection.field(named: "predecessor")
        let successor = subject.collection.field(named: "successor")
        self.subject = subject
        forward = Side(
            near: predecessor, far: successor, starts: changed.compactMap { subject.value(of: successor, in: $0) })
        backward = Side(
            near: successor, far: predecessor, starts: changed.compactMap { subject.value(of: predecessor, in: $0) })
    }

    /// Nil once the write has used up its look-ups.
    mutating func links() throws -> [StoredRow]? {
        while !forward.frontier.isEmpty, !backward.frontier.isEmpty {
            guard subject.takeLinkLookup() else { return nil }
            if forward.frontier.count <= backward.frontier.count {
                try forward.expand(subject)
            } else {
                try backward.expand(subject)
            }
        }
        return forward.frontier.isEmpty ? forward.links : backward.links
    }
}
