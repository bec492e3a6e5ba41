import Foundation
import SyncProtocol
import SyncStore
import Testing

/// A device that has the tasks of its last drain, edits them offline, and pushes whole rows.
struct EditingPhone {
    let client: Client
    private(set) var since: Int64 = 0
    private(set) var rows: [String: JSON] = [:]
    private var dirty: [String: Set<String>] = [:]
    /// Whether pushed rows name the columns that were edited.
    var namesColumns = false
    var device: String?

    init(_ client: Client, device: String? = nil) async throws {
        self.client = client
        self.device = device
        try await pull()
    }

    /// Applies what is new. Columns that were edited and not pushed keep the local value.
    mutating func pull() async throws {
        let drain = try await client.drain(since: since, collections: "tasks")
        for (key, row) in drain.rows {
            let local = dirty[key.id, default: []].map { ($0, rows[key.id]?[$0] ?? .null) }
            rows[key.id] = row.setting(Dictionary(uniqueKeysWithValues: local))
        }
        for key in drain.deleted { rows[key.id] = nil }
        since = drain.timestamp
    }

    mutating func edit(_ id: String, _ fields: [String: JSON]) {
        rows[id] = rows[id]?.setting(fields)
        dirty[id, default: []].formUnion(fields.keys)
    }

    /// Pushes every edited row whole. As in WatermelonDB's client, the edits are done after a 200.
    @discardableResult
    mutating func push(_ mode: String, members: [String: JSON] = [:]) async throws -> Answer {
        let updated = dirty.keys.sorted().compactMap { id in
            rows[id]?.setting(namesColumns ? ["_changed": .string(dirty[id]!.sorted().joined(separator: ","))] : [:])
        }
        var all: [String: JSON] = ["on_conflict": .string(mode), "last_pulled_at": .int(since)]
        all["device_id"] = device.map(JSON.string)
        let answer = try await client.upload(updated: updated, members: all.merging(members) { $1 })
        if answer.status == 200 { dirty = [:] }
        return answer
    }
}

extension JSON {
    /// The object with these members replaced.
    func setting(_ members: [String: JSON]) -> JSON { .object((object ?? [:]).merging(members) { $1 }) }
}

extension Client {
    /// The caller's inbox, each entry as `field code sent kept`.
    func inbox() async throws -> [String] {
        let answer = try await send("GET", "/projects/\(project)/rejected/")
        #expect(answer.status == 200, "\(answer.text)")
        return (answer.at("/results")?.array ?? []).map { entry in
            [
                entry["field"]?.string ?? "-", entry["code"]?.string ?? "", entry["sent"]?.text ?? "",
                entry["kept"]?.text ?? "",
            ]
            .joined(separator: " ")
        }
    }
}
