import SyncProtocol
import SyncSchema
import SyncStore

/// The links between tasks have no cycle.
///
/// A link closes a cycle if its successor leads back to its predecessor. The first few links of a write are judged by a
/// search from both ends, which reads only the links near them (`LinkSearch`). Once a write has used `maximumLookups`,
/// all links of the project are read once and judged together (`LinkGraph`). So a single link costs little if possible,
/// and never more than reading all links. Any number of links costs that only once.
struct AcyclicDependencies: RowRule {
    /// Look-ups of one write after which reading all links is cheaper.
    static let maximumLookups = 64

    func check(_ row: RuleSubject) throws {
        guard let from = row["predecessor"].string, let to = row["successor"].string else { return }
        guard from != to else {
            throw Violation("successor", .cyclicDependency, "A task can't depend on itself.")
        }
        guard let cycle = try cycle(closedBy: from, to, row) else { return }
        throw Violation(
            "successor", .cyclicDependency, "The links make a cycle: \(AcyclicDependencies.text(cycle)).")
    }

    /// A cycle that shows why the link is refused, with the same task at both ends; nil if the link closes none. The
    /// cycle contains the link, or, once all links are read, is one in the same knot (see `LinkGraph`).
    private func cycle(closedBy from: String, _ to: String, _ row: RuleSubject) throws -> [String]? {
        let name = row.collection.name
        if row.draft.memory.links[name] != nil { return row.draft.memory.links[name]?.cycle(through: from, to) }
        var search = LinkSearch(row, from: to, to: from)
        switch try search.run() {
        case .none: return nil
        case .path(let path): return [from] + path
        case .undecided:
            row.draft.memory.links[name] = try links(row)
            return row.draft.memory.links[name]?.cycle(through: from, to)
        }
    }

    private func links(_ row: RuleSubject) throws -> LinkGraph {
        let (predecessor, successor) = (
            row.collection.position(named: "predecessor"), row.collection.position(named: "successor")
        )
        var links = LinkGraph()
        for link in try row.draft.liveRecords(in: row.collection) {
            if let from = link.values[predecessor].string, let to = link.values[successor].string {
                links.add(from, to)
            }
        }
        links.findKnots()
        return links
    }

    /// The cycle as text. A long one is shown without its middle.
    static func text(_ cycle: [String]) -> String {
        guard cycle.count > 41 else { return cycle.joined(separator: " -> ") }
        let left = "(\(cycle.count - 41) more)"
        return (cycle.prefix(20) + [left] + cycle.suffix(21)).joined(separator: " -> ")
    }
}
