import Foundation
import SyncProtocol
import Synchronization

@testable import SyncClientCore

/// A server in memory that follows the pull protocol: fixed timestamps, cursors, tombstones, a purge horizon.
final class FakeServer: Sendable {
    struct Stored: Sendable {
        var seq: Int64
        var version: Int64
        /// Nil for a tombstone.
        var content: [String: JSON]?
    }

    struct State: Sendable {
        var schema = Fixture.schemaJSON
        var head: Int64 = 1
        var horizon: Int64 = 0
        /// A cursor of another generation is invalid.
        var generation = 0
        var rows: [String: [String: Stored]] = [:]
        /// If set, the answer to every sync request.
        var refusal: TransportResponse?

        /// The collection for which it sends a wrong digest.
        var miscounted: String?
        /// Every upload that arrived, and the answers to the accepted ones, by batch id.
        var uploads: [JSON] = []
        var answers: [String: JSON] = [:]
        /// The ids of rows that the caller may not see.
        var hidden: Set<String> = []
        /// Whether the last page of a drain has digests.
        var hasDigests = true
        /// Whether it answers 503 to streams.
        var refusesStreams = false
        /// The rows at each head that there was.
        var past: [Int64: [String: [String: Stored]]] = [:]
        /// How many rows a batch may have.
        var batchLimit = 500

        var collections: [String] { schema["collections"]?.array?.compactMap { $0["title"]?.string } ?? [] }

        mutating func put(_ collection: String, _ id: String, _ content: [String: JSON]) {
            head += 1
            let version = (rows[collection]?[id]?.version ?? 0) + 1
            rows[collection, default: [:]][id] = Stored(seq: head, version: version, content: content)
        }

        /// Changes tasks in one commit, except those that have a tombstone: their ids are in use until the purge.
        mutating func commit(_ tasks: [String: [String: JSON]]) {
            head += 1
            for (id, content) in tasks {
                let row = rows["tasks"]?[id]
                if let row, row.content == nil { continue }
                rows["tasks", default: [:]][id] = Stored(
                    seq: head, version: (row?.version ?? 0) + 1,
                    content: (row?.content ?? [:]).merging(content) { $1 })
            }
        }

        mutating func delete(_ collection: String, _ id: String) {
            guard let row = rows[collection]?[id], row.content != nil else { return }
            head += 1
            rows[collection]?[id] = Stored(seq: head, version: row.version + 1, content: nil)
        }

        var digests: JSON {
            let digests = collections.map { name in
                var digest = CollectionDigest(count: 0, bits: name == miscounted ? 1 : 0)
                for (id, row) in rows[name] ?? [:] where row.content != nil {
                    digest.insert(id, ServerVersion(row.version))
                }
                return (name, digest.json)
            }
            return .object(Dictionary(uniqueKeysWithValues: digests))
        }

        mutating func purge() {
            for (name, rows) in rows {
                horizon = max(horizon, rows.values.filter { $0.content == nil }.map(\.seq).max() ?? 0)
                self.rows[name] = rows.filter { $0.value.content != nil }
            }
        }
    }

    let state: Mutex<State>

    init() { state = Mutex(State()) }

    func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.past[state.head] = state.rows
        }
    }

    /// The ids of the rows that devices have written or deleted in commits above the number.
    func sent(above number: Int64) -> Set<String> {
        state.withLock { state in
            let answers = state.answers.values.filter { ($0["timestamp"]?.int ?? 0) > number }
            let ids = Set(answers.compactMap { $0["client_batch_id"]?.string })
            let batches = state.uploads.filter { ids.contains($0["client_batch_id"]?.string ?? "") }
            let deleted = batches.flatMap { Self.entries($0["changes"]).filter { $0.object == nil } }
            return Set(
                (answers.flatMap { Self.entries($0["applied"]) } + deleted).compactMap {
                    $0.string ?? $0["id"]?.string
                })
        }
    }

    /// The rows and ids of all collections and buckets.
    private static func entries(_ changes: JSON?) -> [JSON] {
        (changes?.object ?? [:]).values.flatMap { ($0.object ?? [:]).values.flatMap { $0.array ?? [] } }
    }

    /// The live rows at this head, as a replica should have them, with `_status` and `_changed`.
    func live(_ collection: String, at head: SyncSeq) -> [String: JSON]? {
        state.withLock { state in
            state.past[head.rawValue].map { Self.live($0[collection] ?? [:]) }
        }
    }

    private static func live(_ rows: [String: Stored]) -> [String: JSON] {
        rows.reduce(into: [:]) { result, row in
            guard let content = row.value.content else { return }
            let own: [String: JSON] = [
                "id": .string(row.key), "server_version": .int(row.value.version), "_status": "synced", "_changed": "",
            ]
            result[row.key] = .object(content.merging(own) { $1 })
        }
    }

    /// The live rows as a replica should have them, with `_status` and `_changed`.
    func live(_ collection: String, upTo limit: Int64 = .max) -> [String: JSON] {
        state.withLock { Self.live(($0.rows[collection] ?? [:]).filter { $0.value.seq <= limit }) }
    }
}
