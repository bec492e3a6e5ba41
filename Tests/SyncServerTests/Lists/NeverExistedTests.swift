import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Two servers with the same history, but one of them lacks the rows that are not listed for the viewer. To the viewer
/// they are alike.
@Suite struct NeverExistedTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func whatIsHiddenLooksAsIfItNeverWas(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let schemas = ListedScene.schemas(role: random.oneIn(2) ? nil : "ADMIN")
        var (whole, twin) = try await (Side(ListedScene(schemas)), Side(ListedScene(schemas)))
        var history = ListedHistory()
        for step in 1...50 {
            guard let write = history.next(step, &random) else { continue }
            try await whole.perform(write)
            if !write.isHidden { try await twin.perform(write) }
            guard random.oneIn(4) else { continue }
            let pageSize = random.pick([1, 3, 1000])!
            let (left, right) = try await (whole.look(history, pageSize), twin.look(history, pageSize))
            for (place, answer) in left {
                #expect(answer == right[place], "seed \(seed), step \(step), \(place)")
            }
        }
    }
}

/// A write of an admin, who sees all rows or is in their lists.
private struct ListedWrite {
    enum Verb { case insert, update, delete }

    let verb: Verb
    let collection: String
    let id: String
    /// Whether the row is for others than the viewer.
    let isHidden: Bool
    var above: String?
    let text: String
}

/// Draws writes. Rows below a hidden one are hidden.
private struct ListedHistory {
    /// By collection: the rows that there were.
    private(set) var rows: [String: [(id: String, isHidden: Bool)]] = [:]

    mutating func next(_ step: Int, _ random: inout SeededGenerator) -> ListedWrite? {
        let collection = random.pick(ListedScene.names)!
        let text = "text \(step)"
        if let (id, isHidden) = random.pick(Array((rows[collection] ?? []).suffix(4))), !random.oneIn(2) {
            let verb = random.oneIn(5) ? ListedWrite.Verb.delete : .update
            return ListedWrite(verb: verb, collection: collection, id: id, isHidden: isHidden, text: text)
        }
        var isHidden = random.oneIn(2)
        var above: String?
        if let parent = ListedScene.parents[collection] {
            guard let row = random.pick(Array((rows[parent] ?? []).suffix(4))) else { return nil }
            (above, isHidden) = row
        }
        let id = "\(collection)-\(step)"
        rows[collection, default: []].append((id, isHidden))
        return ListedWrite(
            verb: .insert, collection: collection, id: id, isHidden: isHidden, above: above, text: text)
    }
}

/// One of the servers, with what the viewer has pulled from it.
private struct Side {
    let lists: ListedScene
    private var since: Int64 = 0

    init(_ lists: ListedScene) { self.lists = lists }

    /// Does nothing if the row is gone.
    func perform(_ write: ListedWrite) async throws {
        let admin = lists.client(.admin)
        switch write.verb {
        case .insert:
            var row: [String: JSON] = ["id": .string(write.id), "text": .string(write.text)]
            if let above = write.above {
                row["above"] = .string(above)
            } else {
                row["assignee"] = lists.user(.admin)
                row["reviewers"] = [lists.user(write.isHidden ? .member : .viewer)]
            }
            _ = try await admin.create(write.collection, .object(row))
        case .update: _ = try await admin.patch(write.collection, write.id, ["text": .string(write.text)])
        case .delete: try await admin.remove(write.collection, write.id)
        }
    }

    /// What the viewer is told everywhere, without numbers of commits and times.
    mutating func look(_ history: ListedHistory, _ pageSize: Int) async throws -> [String: String] {
        let viewer = lists.client(.viewer)
        var told: [String: String] = [:]
        for start in [0, since] {
            let drain = try await viewer.drain(since: start, pageSize: pageSize)
            let rows = drain.rows.map { "\($0.key.collection) \($0.key.id) \($0.value.plain.text)" }
            told["pull from \(start == 0 ? "0" : "before")"] = (rows + drain.deleted.map(\.id)).sorted()
                .joined(separator: "\n")
            since = drain.timestamp
        }
        var paths = ["/projects/p1/sync/digest/", "/projects/p1/rejected/"]
        for (collection, rows) in history.rows {
            paths += ["/projects/p1/\(collection)/", "/projects/p1/\(collection)/?limit=2"]
            paths += rows.flatMap { ["/\(collection)/\($0.id)/", "/\(collection)/\($0.id)/history/"] }
        }
        for path in paths {
            let answer = try await viewer.send("GET", path)
            told[path] = "\(answer.status) \((try? JSON(parsing: answer.body))?.plain.text ?? answer.text)"
        }
        for (collection, rows) in history.rows {
            for row in rows.filter(\.isHidden).suffix(2) {
                let change = try await viewer.patch(collection, row.id, ["text": "mine"])
                let removal = try await viewer.remove(collection, row.id)
                told["write to \(row.id)"] = "\(change.status) \(change.text) \(removal.status) \(removal.text)"
                let below = try await viewer.upload(
                    "findings", created: [["id": "mine", "above": .string(row.id)]])
                told["below \(row.id)"] = "\(below.status) \(below.text)"
            }
        }
        return told
    }
}

extension JSON {
    /// Without what counts commits or tells the time.
    fileprivate var plain: JSON {
        switch self {
        case .object(let members):
            let numbered = [
                "timestamp", "seq", "at", "edited_at", "head", "cursor", "next", "modified_at", "created_at",
            ]
            return .object(members.filter { !numbered.contains($0.key) }.mapValues(\.plain))
        case .array(let elements): return .array(elements.map(\.plain))
        default: return self
        }
    }
}
