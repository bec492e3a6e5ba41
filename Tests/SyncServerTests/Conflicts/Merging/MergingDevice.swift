import Foundation
import SyncProtocol
import Testing

/// A device as the page about merging wants it: it pulls before it pushes, shows its own values until the server's
/// come, and names the version that each field was edited on.
struct MergingDevice {
    static let schema = OwnSchemas.notes([
        "title": ["type": "string", "default": ""],
        "tags": [
            "type": "array", "items": ["type": "string"], "uniqueItems": true, "maxItems": 6, "default": [],
            "x-merge": "set",
        ],
        "marks": ["type": "object", "default": [:], "x-merge": "map"],
        "hits": ["type": "integer", "default": 0, "minimum": 0, "maximum": 100, "x-merge": "counter"],
    ])
    static let fields = ["title", "tags", "marks", "hits"]

    let client: Client
    let name: String?
    private(set) var since: Int64 = 0
    /// The version that a drain has delivered.
    private(set) var drained: Int64 = 0
    /// What the user sees.
    private(set) var row: [String: JSON] = [:]
    /// What the last drain said.
    private var known: [String: JSON] = [:]
    /// The version of each edited field's base.
    private(set) var bases: [String: Int64] = [:]
    /// What the present edits send, until something else happens.
    private var batch = UUID().uuidString
    private let mistake: Mistake?

    /// What a client could do wrong.
    enum Mistake: CaseIterable {
        /// It names no base, so the watermark counts.
        case watermarkAsBase
        /// It takes the version in an answer for one that it has seen.
        case answerAsBase
        /// It puts what it pulls into its own unsent values, and keeps their base.
        case mergesToo
    }

    init(_ client: Client, named name: String?, making mistake: Mistake? = nil) async throws {
        self.client = client
        self.name = name
        self.mistake = mistake
        try await pull()
    }

    mutating func pull() async throws {
        let drain = try await client.drain(since: since, collections: "notes")
        since = drain.timestamp
        guard let new = drain.row("notes", "n") else { return }
        drained = new["server_version"]?.int ?? 0
        let before = known
        for field in Self.fields {
            known[field] = new[field]
            if bases[field] == nil {
                row[field] = new[field]
            } else if mistake == .mergesToo, field == "hits", let own = row[field]?.int, let old = before[field]?.int {
                row[field] = .int(min(100, max(0, own + (new[field]?.int ?? 0) - old)))
            }
        }
    }

    mutating func edit(_ changes: [String: JSON]) {
        for (field, value) in changes {
            row[field] = value
            bases[field] = bases[field] ?? drained
        }
        batch = UUID().uuidString
    }

    /// Forgets the edits. The next pull brings the server's values.
    mutating func giveUp() {
        bases = [:]
        since = 0
    }

    /// The edits as one element of a batch.
    var element: JSON {
        let oldest = bases.values.min() ?? drained
        let others = bases.filter { $0.value != oldest }.mapValues(JSON.int)
        var members = row.filter { bases[$0.key] != nil }
        members["id"] = "n"
        members["_changed"] = .string(bases.keys.sorted().joined(separator: ","))
        guard mistake != .watermarkAsBase else { return .object(members) }
        members["base_version"] = .int(oldest)
        if !others.isEmpty { members["base_versions"] = .object(others) }
        return .object(members)
    }

    /// Sends the edits. If the answer is lost, they are sent again, by the same batch or, if `isNew`, by another one.
    @discardableResult
    mutating func push(
        _ mode: String = "overwrite", losesAnswer: Bool = false, isNew: Bool = false
    ) async throws -> Answer {
        if isNew { batch = UUID().uuidString }
        var members: [String: JSON] = [
            "on_conflict": .string(mode), "last_pulled_at": .int(since), "client_batch_id": .string(batch),
        ]
        members["device_id"] = name.map(JSON.string)
        let answer = try await client.upload("notes", updated: [element], members: members)
        #expect(answer.status == 200, "\(answer.text)")
        if !losesAnswer { bases = [:] }
        if mistake == .answerAsBase, let version = answer.at("/applied/notes/updated/0/server_version")?.int {
            drained = version
        }
        return answer
    }
}
