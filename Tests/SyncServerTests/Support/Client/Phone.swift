import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// A client as the protocol describes it: rows, a watermark, and new tasks for which no upload has been acknowledged.
struct Phone {
    var client: Client
    private(set) var rows: [RowKey: JSON] = [:]
    private(set) var since: Int64 = 0
    /// By id.
    var unsent: [String: JSON] = [:]
    /// The codes with which watermarks were refused.
    private(set) var refusals: [String] = []

    init(_ client: Client) { self.client = client }

    /// Makes a drain. If the watermark is refused, makes one from 0 that replaces all rows except the unsent ones.
    mutating func pull() async throws {
        _ = takesRefusal(try await client.page(["since": String(since), "page_size": "1"]))
        let drain = try await client.drain(since: since, pageSize: 7)
        if since == 0 { rows = [:] }
        rows.merge(drain.rows) { $1 }
        for key in drain.deleted { rows[key] = nil }
        since = drain.timestamp
    }

    /// Sends what is unsent. From then on it is in `rows`, until a drain changes that.
    @discardableResult
    mutating func push(members: [String: JSON] = [:]) async throws -> Answer {
        let created = unsent.sorted { $0.key < $1.key }.map(\.value)
        let known = members.merging(["last_pulled_at": .int(since)]) { $1 }
        let answer = try await client.upload(created: created, members: known)
        guard !takesRefusal(answer), answer.status == 200 else { return answer }
        let rejected = (answer.at("/rejected_ids/tasks") ?? []).strings
        for (id, row) in unsent where !rejected.contains(id) {
            rows[RowKey("tasks", id)] = row
            unsent[id] = nil
        }
        return answer
    }

    /// Pushes and pulls, again if the watermark was refused.
    mutating func sync() async throws {
        if try await push().status != 200 {
            try await pull()
            #expect(try await push().status == 200)
        }
        try await pull()
    }

    private mutating func takesRefusal(_ answer: Answer) -> Bool {
        guard let code = answer.code, ["since_ahead", "since_expired"].contains(code) else { return false }
        refusals.append(code)
        since = 0
        return true
    }
}
