import SyncProtocol
import SyncSchema
import SyncStore

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
            throw Violation("successor", .cyclicDependency, "A task can't depend on itself.")
        }
        try SummaryLinks(row.collection, row.draft)?.check(row.record)
        guard let cycle = try cycle(closedBy: from, to, row) else { return }
        throw Violation(
            "successor", .cyclicDependency, "The links make a cycle: \(AcyclicDependencies.text(cycle)).")
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
        let (predecessor, successor) = (
            row.collection.position(named: "predecessor"), row.collection.position(named: "successor")
        )
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
