import Foundation
import SyncAccounts
import SyncClientCore
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit

/// A device with a simple client that uses the protocol directly. After a lost
/// answer it sends whatever is unsent by then under the same batch id. It may do
/// so: either the server has not applied the first body, or it refuses the second.
final class NaiveDevice: Device {
    let spec: DeviceSpec
    private let index: Int
    private let token: String
    private var reader: NaiveReader
    /// Edits for which no answer has come yet.
    private var unsent: [Edit] = []
    private var flight: Flight?
    /// The ids of rows that were created on this device.
    private var own: Set<RowKey> = []
    private var batches = 0

    /// A batch id that was sent, and the bodies that were sent under it.
    private struct Flight {
        let id: String
        let first: [Edit]
        /// Does not change any more once a second body was sent: with three, nobody could tell which one was applied.
        var last: [Edit]
    }

    init(_ spec: DeviceSpec, index: Int, caller: Caller, token: String) {
        self.spec = spec
        self.index = index
        self.token = token
        reader = NaiveReader(caller, spec, encoding: index.isMultiple(of: 2) ? .json : .watermelondb)
    }

    func take(_ edit: Edit) throws -> Bool {
        // Without a base, a list would replace the other's.
        guard edit.fields[Edit.tags] == nil else { return false }
        switch edit.verb {
        case .insert: own.insert(edit.row)
        case .update:
            guard edit.isGuess || own.contains(edit.row) || reader.rows[edit.row] != nil else { return false }
        case .delete: return false
        }
        unsent.append(edit)
        return true
    }

    func restart() throws {}

    var watermark: SyncSeq { reader.since }

    var isDraining: Bool { reader.isDraining }

    func meet(_ server: ServerProcess, in world: isolated World) async throws {
        while reader.since > .zero { _ = try await reader.pull(from: server.bench, pageSize: 50) }
    }

    func isSettled(as roles: [String: Role]) throws -> Bool {
        unsent.isEmpty || !spec.isUserWide && roles[Edit.first].map { $0 < .member } ?? true
    }

    func keptTexts() throws -> String { unsent.map { JSON.object($0.fields).text }.joined(separator: "\n") }

    func hold(_ filters: [JSON]) {}

    func perform(_ exchange: Exchange, in world: isolated World) async throws {
        if exchange.verb != .pull { try await push(in: world) }
        if exchange.verb != .push { try await pull(by: exchange.pageSize, in: world) }
    }

    /// Reads pages directly from the service; the incidents planned for requests happen between the pages.
    private func pull(by pageSize: Int, in world: isolated World) async throws {
        for _ in 0..<10_000 {
            try await world.passInterlude(of: index)
            if try await reader.pull(from: world.server.bench, pageSize: pageSize) { return }
        }
        throw Failure("device \(index): the drain does not end")
    }

    func faults(as roles: [String: Role], in world: isolated World) async throws -> [String] {
        let truth = try await world.truth(for: spec.user, in: roles)
        let registry = world.server.bench.registry
        return Set(reader.rows.keys).union(truth.keys).compactMap { key in
            let expected = truth[key].map { registry[key.collection]!.encoded($0, as: reader.encoding) }
            guard reader.rows[key] != expected else { return nil }
            return "device \(index), \(key.collection) \(key.id): \(JSON.difference(reader.rows[key], expected))"
        }.sorted()
    }
}

// MARK: Uploads

extension NaiveDevice {
    private func push(in world: isolated World) async throws {
        guard !unsent.isEmpty else { return }
        let next = nextFlight()
        flight = next
        do {
            let network = DeviceNetwork(world: world, device: index)
            try settle(next, await network.send(request(next.id, next.last)))
        } catch is TransportError {
        }
    }

    private func nextFlight() -> Flight {
        if var flight {
            // Rows of a project that is unknown to the server are left out without a trace, so whoever does not know
            // the answer about them must ask again with the same body.
            if flight.last.count == flight.first.count, !spec.isUserWide { flight.last = unsent }
            return flight
        }
        batches += 1
        let id = String(format: "00000000-0000-4000-8%03d-%012d", index, batches)
        return Flight(id: id, first: unsent, last: unsent)
    }

    private func settle(_ flight: Flight, _ response: TransportResponse) throws {
        let answer = try? JSON(parsing: response.body)
        switch (response.status, answer?["code"]?.string) {
        case (200, nil): if answer != nil { drop(flight.last) }
        case (422, "batch_id_reused"): drop(flight.first)
        case (403, _), (500..., _): break
        case (let status, let code): throw Failure("device \(index) was answered \(status) \(code ?? "")")
        }
    }

    private func drop(_ edits: [Edit]) {
        unsent.removeFirst(edits.count)
        flight = nil
    }

    private func request(_ batch: String, _ edits: [Edit]) -> TransportRequest {
        var rows: [RowKey: [String: JSON]] = [:]
        for edit in edits {
            let id: [String: JSON] = ["id": .string(edit.row.id), "project_id": .string(edit.project)]
            rows[edit.row, default: id].merge(edit.fields) { $1 }
        }
        let changes = Dictionary(grouping: rows.sorted { $0.key.id < $1.key.id }, by: \.key.collection)
            .mapValues { rows -> JSON in
                ["created": [], "updated": .array(rows.map { .object($0.value) }), "deleted": []]
            }
        let body: JSON = [
            "client_batch_id": .string(batch), "on_error": "reject_rows", "encoding": .string(reader.encoding.rawValue),
            "changes": .object(changes),
        ]
        return TransportRequest(
            method: .post, url: "http://server/api/v1/\(spec.isUserWide ? "" : "projects/\(Edit.first)/")sync/",
            headers: ["Authorization": "Bearer \(token)", "Content-Type": "application/json"],
            body: Data(body.text.utf8), timeout: .seconds(30))
    }
}

extension Collection {
    /// A row of the encoding `json`, as it looks in `encoding`.
    fileprivate func encoded(_ row: JSON, as encoding: WireEncoding) -> JSON {
        var members = row.object ?? [:]
        for field in fields { members[field.name] = members[field.name].map { encoding.encoded($0, of: field) } }
        return .object(members)
    }
}
