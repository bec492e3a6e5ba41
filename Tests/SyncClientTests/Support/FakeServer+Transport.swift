import Foundation
import SyncProtocol
import Synchronization

@testable import SyncClientCore

extension FakeServer: Transport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard let url = URLComponents(string: request.url) else { throw TransportError.invalidURL(request.url) }
        let query = Dictionary(
            (url.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { first, _ in first })
        return state.withLock { state in
            if url.path.hasSuffix("/auth/me/") {
                return TransportResponse(status: 200, headers: [:], body: Data(#"{"id": 1}"#.utf8))
            }
            if url.path.hasSuffix("/schemas/") { return Self.schemas(state, request.headers["If-None-Match"]) }
            if let refusal = state.refusal { return refusal }
            if state.refusesStreams, query["stream"] == "true" { return .problem(503, .busy) }
            defer { state.past[state.head] = state.rows }
            return request.method == .post ? state.upload(request.body) : Drain(state: state, query: query).answer
        }
    }

    private static func schemas(_ state: State, _ known: String?) -> TransportResponse {
        let version = state.schema["schema_version"]?.string ?? ""
        return known == "\"\(version)\"" ? TransportResponse(status: 304) : .json(state.schema)
    }
}

/// One request of a drain. The cursor holds everything that the server needs to know.
private struct Drain {
    struct Position: Comparable {
        var collection: Int
        var seq: Int64
        var id: String

        static func < (left: Self, right: Self) -> Bool {
            (left.collection, left.seq, left.id) < (right.collection, right.seq, right.id)
        }
    }

    let state: FakeServer.State
    let since: Int64
    let size: Int
    let cursor: String?
    /// The collections of which all rows are requested.
    let whole: [String]

    init(state: FakeServer.State, query: [String: String]) {
        self.state = state
        since = query["since"].flatMap { Int64($0) } ?? 0
        size = query["stream"] == "true" ? .max : query["page_size"].flatMap { Int($0) } ?? 1000
        cursor = query["cursor"]
        let migration = query["migration"].flatMap { try? JSON(parsing: Data($0.utf8)) }
        whole = (migration?["tables"]?.array ?? []).compactMap(\.string)
    }

    var answer: TransportResponse {
        if since > state.head { return .problem(409, .sinceAhead) }
        if since > 0 && since < state.horizon { return .problem(410, .sinceExpired) }
        guard let cursor else { return page(after: Position(collection: -1, seq: 0, id: ""), pinned: state.head) }
        let parts = cursor.split(separator: "~").map(String.init)
        guard parts.count == 6, parts[0] == stamp, Int64(parts[1]) == since, let pinned = Int64(parts[2]),
            let collection = Int(parts[3]), let seq = Int64(parts[4])
        else { return .problem(400, .invalidCursor) }
        return page(after: Position(collection: collection, seq: seq, id: parts[5]), pinned: pinned)
    }

    private var stamp: String { "\(state.generation).\(state.schema["schema_version"]?.string ?? "").\(whole)" }

    private func page(after start: Position, pinned: Int64) -> TransportResponse {
        let due = positions(pinned).filter { $0 > start }.sorted()
        let served = due.prefix(size)
        let next = due.count > size ? served.last.map { cursor(at: $0, pinned) } : nil
        let page = Fixture.page(
            .object(changes(served)), timestamp: .int(pinned), cursor: next,
            total: .int(Int64(positions(pinned).count)),
            digest: next != nil ? .none : pinned == state.head && state.hasDigests ? state.digests : .null)
        return .json(page, headers: ["Tidemark-Head": String(state.head)])
    }

    private func cursor(at last: Position, _ pinned: Int64) -> String {
        [stamp, String(since), String(pinned), String(last.collection), String(last.seq), last.id].joined(
            separator: "~")
    }

    private func positions(_ pinned: Int64) -> [Position] {
        state.collections.enumerated().flatMap { index, name in
            (state.rows[name] ?? [:]).filter { row in
                let isOld = row.value.seq <= since && !(whole.contains(name) && row.value.content != nil)
                return !isOld && row.value.seq <= pinned
            }
            .map { Position(collection: index, seq: $0.value.seq, id: $0.key) }
        }
    }

    private func changes(_ served: ArraySlice<Position>) -> [String: JSON] {
        var buckets = Dictionary(uniqueKeysWithValues: state.collections.map { ($0, (live: [JSON](), dead: [JSON]())) })
        for position in served {
            let name = state.collections[position.collection]
            guard let row = state.rows[name]?[position.id] else { continue }
            if let content = row.content {
                let own: [String: JSON] = ["id": .string(position.id), "server_version": .int(row.version)]
                buckets[name]?.live.append(.object(content.merging(own) { $1 }))
            } else {
                buckets[name]?.dead.append(.string(position.id))
            }
        }
        return buckets.mapValues { Fixture.changes(updated: $0.live, deleted: $0.dead) }
    }
}
