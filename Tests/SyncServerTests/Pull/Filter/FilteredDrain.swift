import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Everything that a drain of a part named.
struct FilteredDrain: Sendable, Equatable {
    private(set) var updated: [RowKey: JSON] = [:]
    private(set) var deleted: Set<RowKey> = []
    private(set) var left: Set<RowKey> = []
    private(set) var timestamp: Int64 = -1
    private var seen: Set<RowKey> = []

    /// The ids of live rows of a collection.
    func ids(_ collection: String) -> Set<String> {
        Set(updated.keys.filter { $0.collection == collection }.map(\.id))
    }

    /// Adds a page, and records an issue for each promise of the protocol that it breaks. Returns the cursor.
    mutating func take(_ page: Answer) -> String? {
        #expect(page.status == 200, "\(page.text)")
        #expect(page.at("/filtered") == true)
        #expect(page.at("/progress/total") == .null)
        let pinned = page.json["timestamp"]?.int ?? -2
        #expect(timestamp == -1 || timestamp == pinned, "the timestamp moved within a drain")
        timestamp = pinned
        for (name, lists) in page.json["changes"]?.object ?? [:] { take(lists, of: name) }
        let next = page.json["next_cursor"]?.string
        #expect(page.json["has_more"] == .bool(next != nil))
        let digest: JSON? = next == nil ? .some(.null) : .none
        #expect(page.json["digest"] == digest)
        return next
    }

    private mutating func take(_ lists: JSON, of name: String) {
        #expect(lists["created"] == [])
        for row in lists["updated"]?.array ?? [] {
            let key = RowKey(name, row["id"]?.string ?? "")
            see(key)
            updated[key] = row
        }
        for id in (lists["deleted"] ?? []).strings {
            see(RowKey(name, id))
            deleted.insert(RowKey(name, id))
        }
        for id in (lists["left"] ?? []).strings {
            see(RowKey(name, id))
            left.insert(RowKey(name, id))
        }
    }

    private mutating func see(_ key: RowKey) {
        #expect(!seen.contains(key), "\(key) came twice")
        seen.insert(key)
    }
}

extension Client {
    /// The parameters of a pull of a part; nil leaves one out.
    static func part(_ filter: String?, was: String? = nil, since: Int64 = 0) -> [String: String] {
        var parameters = ["since": String(since)]
        (parameters["filter"], parameters["filter_was"]) = (filter, was)
        return parameters
    }

    /// Pulls a part to the end. `between` runs after every page except the last one.
    func filteredDrain(
        _ filter: String?, was: String? = nil, since: Int64 = 0, pageSize: Int = 1000,
        parameters others: [String: String] = [:], between: (Int) async throws -> Void = { _ in }
    ) async throws -> FilteredDrain {
        var drain = FilteredDrain()
        var parameters = Client.part(filter, was: was, since: since).merging(others) { $1 }
        parameters["page_size"] = String(pageSize)
        for page in 1...10_000 {
            guard let next = drain.take(try await self.page(parameters)) else { return drain }
            parameters["cursor"] = next
            try await between(page)
        }
        Issue.record("the drain does not end")
        return drain
    }
}

extension Scene {
    /// The tasks of the caller.
    static let mine = #"{"tasks":[{"assignee":"@me"}]}"#
    /// The tasks that are on hold.
    static let onHold = #"{"tasks":[{"status":"ON_HOLD"}]}"#
    /// The sprints under way.
    static let active = #"{"sprints":[{"state":"ACTIVE"}]}"#

    /// Tasks `a1` and `a2` of the member, `b1` and `b2` of nobody; `a2` and `b1` are on hold. `la1` and `lb1` are links
    /// of `a1` and `b1`; `d1` has the successor `a1`, and `d2` the successor `b2`. Also a sprint, a risk about `a1`,
    /// and tombstones of a task of the member and of its link.
    func fillParts() async throws {
        let member = userID(.member)
        try await insertSprint("s1")
        try await bench.edit { editor in
            let users: [String: JSON] = ["a1": member, "a2": member, "b1": nil, "b2": nil, "dead": member]
            for (id, user) in users {
                try editor.insert("tasks", id, ["name": .string(id), "assignee": user])
            }
            for id in ["a2", "b1"] { try editor.update("tasks", id, ["status": "ON_HOLD"]) }
            for id in ["a1", "b1", "dead"] {
                try editor.insert("task_links", "l\(id)", ["task": .string(id), "url": "https://example.org/"])
            }
            try editor.insert("dependencies", "d1", ["predecessor": "b1", "successor": "a1"])
            try editor.insert("dependencies", "d2", ["predecessor": "a1", "successor": "b2"])
            try editor.insert("risks", "r1", ["title": "R", "probability": 1, "impact": 1, "task_ids": ["a1"]])
        }
        try await bench.edit { try $0.delete("tasks", "dead") }
    }

    /// `a1` with what follows it.
    static let ofA1: Set = [RowKey("tasks", "a1"), RowKey("task_links", "la1"), RowKey("dependencies", "d1")]
    /// `b1` with what follows it.
    static let ofB1: Set = [RowKey("tasks", "b1"), RowKey("task_links", "lb1")]
    /// `b2` with what follows it.
    static let ofB2: Set = [RowKey("tasks", "b2"), RowKey("dependencies", "d2")]
}
