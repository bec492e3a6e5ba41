import SyncAccounts
import SyncClientCore
import SyncProtocol
import SyncStore
import SyncTestKit

/// The rows that an upload names although its sender may not see them, as they were before it.
struct HiddenRows: Sendable {
    /// The codes with which such a row may be reported, by bucket.
    private static let codes: [String: Set<String>] = [
        "created": ["id_unavailable", "forbidden"], "updated": ["id_unavailable"], "deleted": ["not_found"],
    ]

    /// By row: the bucket that it was sent in.
    var rows: [RowKey: String] = [:]
    var stamps: [RowKey: Stamp] = [:]

    struct Stamp: Sendable, Equatable {
        let version: ServerVersion
        let seq: SyncSeq

        init(_ row: StoredRow) { (version, seq) = (row.version, row.seq) }
    }

    /// Throws a `Failure` if the answer says anything of such a row, or if the upload has changed it. A cascade may
    /// have deleted it.
    func check(_ response: TransportResponse, in world: isolated World) async throws {
        guard response.status == 200, response.headers["idempotent-replayed"] == nil,
            let answer = try? JSON(parsing: response.body)
        else { return }
        for list in ["applied", "conflicts", "repaired", "skipped", "rejected"] {
            for (row, entry) in entries(of: answer[list] ?? [:], isApplied: list == "applied") {
                guard let bucket = rows[row] else { continue }
                guard let code = entry["code"]?.string, Self.mayTell(code, of: row, sentIn: bucket) else {
                    throw Failure("an upload tells of \(row), which its sender may not see: \(answer.text)")
                }
            }
        }
        let stamps = stamps
        let touched = try await world.server.bench.store.read { transaction in
            try stamps.filter { row, stamp in
                guard let record = try transaction.record(row), !record.isDeleted else { return false }
                return Stamp(record) != stamp
            }
        }
        guard touched.isEmpty else {
            throw Failure("an upload touched \(touched.keys), which its sender may not see: \(answer.text)")
        }
    }

    /// An edit of a row that was listed for the sender is skipped as that of a deleted one.
    private static func mayTell(_ code: String, of row: RowKey, sentIn bucket: String) -> Bool {
        let wasListed = ["inspections", "findings"].contains(row.collection) && code == "deleted"
        return codes[bucket]?.contains(code) == true || wasListed && bucket != "deleted"
    }

    private func entries(of list: JSON, isApplied: Bool) -> [(RowKey, JSON)] {
        (list.object ?? [:]).flatMap { collection, content in
            let entries = isApplied ? (content.object ?? [:]).values.flatMap { $0.array ?? [] } : content.array ?? []
            return entries.map { (RowKey(collection, $0["id"]?.string ?? $0.string ?? ""), $0) }
        }
    }
}

extension World {
    /// The collections with rows that some users may not see.
    private static let collections: Set = [
        "time_entries", "sprint_retros", "retro_action_items", "inspections", "findings",
    ]

    /// Nil if the request is no upload of rows that may be hidden from somebody.
    func hiddenRows(in request: TransportRequest) async throws -> HiddenRows? {
        guard request.method == .post, let sender = sender(of: request),
            let changes = (try? JSON(parsing: request.body))?["changes"]?.object
        else { return nil }
        let isUserWide = !request.url.contains("/projects/")
        let roles = try await roles(of: sender).filter { isUserWide || $0.key == Edit.first }
        guard !roles.isEmpty else { return nil }
        let sent = changes.filter { Self.collections.contains($0.key) }
        guard !sent.isEmpty else { return nil }
        let visible = try await truth(for: sender, in: roles)
        var hidden = HiddenRows()
        for (collection, buckets) in sent {
            for (bucket, elements) in buckets.object ?? [:] {
                for element in elements.array ?? [] {
                    let row = RowKey(collection, element["id"]?.string ?? element.string ?? "")
                    guard visible[row] == nil else { continue }
                    hidden.rows[row] = bucket
                }
            }
        }
        let rows = hidden.rows.keys
        hidden.stamps = try await server.bench.store.read { transaction in
            try rows.reduce(into: [:]) { stamps, row in
                // A batch over all projects tells why it refuses the rows of a lost one.
                guard let record = try transaction.record(row), !record.isDeleted,
                    !isUserWide || roles[record.project] != nil
                else { return }
                stamps[row] = HiddenRows.Stamp(record)
            }
        }
        hidden.rows = hidden.rows.filter { hidden.stamps[$0.key] != nil }
        return hidden
    }

    /// The user of a request; nil without a token that is known.
    func sender(of request: TransportRequest) -> Role? {
        tokens.first { request.headers["Authorization"] == "Bearer \($0.value)" }?.key
    }
}
