import SyncProtocol
import SyncSchema
import SyncStore

/// A new project that was checked against one committed state, and the rows to store for it.
struct JudgedProject: Sendable {
    struct Part: Sendable {
        let collection: Collection
        var rows: [StoredRow]
    }

    let id: String
    /// How many short ids the rows take.
    let shortIDs: Int64
    /// In an order in which they can be stored: each row after those that it refers to.
    private(set) var parts: [Part] = []
    /// The rows that make it a project: its own row and its memberships. They are stored last.
    private(set) var keystone: [Part] = []

    init(_ draft: Draft) {
        id = draft.project
        shortIDs = draft.shortIDs.taken
        let rows = Dictionary(grouping: draft.entries, by: \.key.collection)
        for collection in draft.registry.collections {
            guard let found = rows[collection.name]?.map(\.value.current) else { continue }
            let part = Part(collection: collection, rows: JudgedProject.ordered(found, of: collection))
            if collection.scope == .ordinary { parts.append(part) } else { keystone.append(part) }
        }
    }

    /// The number of rows to store before the keystone.
    var count: Int { parts.reduce(0) { $0 + $1.rows.count } }

    /// The parts, cut into steps of at most `size` rows.
    func steps(of size: Int) -> [Part] {
        parts.flatMap { part in
            stride(from: 0, to: part.rows.count, by: size).map { start in
                Part(
                    collection: part.collection, rows: Array(part.rows[start..<min(start + size, part.rows.count)]))
            }
        }
    }

    /// By id, but parents before their children.
    private static func ordered(_ rows: [StoredRow], of collection: Collection) -> [StoredRow] {
        let rows = rows.sorted { $0.id < $1.id }
        guard !collection.places.trees.isEmpty else { return rows }
        let indexes = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.id, $0) })
        var (ordered, isDone): ([StoredRow], [Bool]) = ([], rows.map { _ in false })
        for start in rows.indices {
            var path = [start]
            while let last = path.last {
                let parents = collection.places.trees.compactMap {
                    rows[last].values[$0].string.flatMap { indexes[$0] }
                }
                if let open = parents.first(where: { !isDone[$0] && $0 != last }), !isDone[last] {
                    path.append(open)
                } else {
                    path.removeLast()
                    if !isDone[last] { ordered.append(rows[last]) }
                    isDone[last] = true
                }
            }
        }
        return ordered
    }
}
