import SyncProtocol
import SyncSchema

/// What became of a batch, row by row, as the answer tells it.
struct UploadReport {
    private(set) var skipped: [String: [JSON]] = [:]
    private(set) var repaired: [String: [JSON]] = [:]
    private var rejected: [String: [JSON]] = [:]
    private var rejectedIDs: [String: [String]] = [:]
    /// Pointers of rows that were refused.
    var leftOut: Set<String> = []
    /// Rows that were not applied at all.
    private(set) var skippedRows: Set<RowKey> = []

    /// The row was left alone.
    mutating func skip(_ key: RowKey, _ code: ErrorCode) {
        guard skippedRows.insert(key).inserted else { return }
        skipped[key.collection, default: []].append(["id": .string(key.id), "code": .string(code.rawValue)])
    }

    /// One field of the row was left alone.
    mutating func skip(_ key: RowKey, field: String, _ code: ErrorCode) {
        skipped[key.collection, default: []].append(
            ["id": .string(key.id), "field": .string(field), "code": .string(code.rawValue)])
    }

    /// One field of the row was put right.
    mutating func repair(_ key: RowKey, field: String, from: JSON, to: JSON) {
        repaired[key.collection, default: []].append(
            ["id": .string(key.id), "field": .string(field), "from": from, "to": to])
    }

    /// A mistake for which a row was left out.
    mutating func reject(_ problem: RowProblem) {
        rejected[problem.collection, default: []].append([
            "id": problem.id.map(JSON.string) ?? .null, "field": problem.field.map(JSON.string) ?? .null,
            "code": .string(problem.code.rawValue), "detail": .string(problem.detail),
        ])
    }

    /// A refused row that is not here: the client keeps it to be mended.
    mutating func keepUnsent(_ key: RowKey) {
        guard rejectedIDs[key.collection]?.contains(key.id) != true else { return }
        rejectedIDs[key.collection, default: []].append(key.id)
    }

    /// The answer of section 4.14 of the contract.
    func json(_ request: UploadRequest, timestamp: SyncSeq, version: (RowKey) throws -> ServerVersion?) rethrows -> JSON
    {
        [
            "client_batch_id": request.batchID.map(JSON.string) ?? .null, "timestamp": .int(timestamp.rawValue),
            "applied": try applied(request, version), "skipped": .object(skipped.mapValues(JSON.array)),
            "conflicts": [:], "rejected": .object(rejected.mapValues(JSON.array)),
            "rejected_ids": .object(rejectedIDs.mapValues { .array($0.map(JSON.string)) }),
            "repaired": .object(repaired.mapValues(JSON.array)),
        ]
    }

    /// Each row in the bucket that it was sent in.
    private func applied(_ request: UploadRequest, _ version: (RowKey) throws -> ServerVersion?) rethrows -> JSON {
        var collections: [String: [String: [JSON]]] = [:]
        for row in request.rows {
            let empty = ["created": [JSON](), "updated": [], "deleted": []]
            var buckets = collections[row.key.collection] ?? empty
            defer { collections[row.key.collection] = buckets }
            guard !leftOut.contains(row.pointer), !skippedRows.contains(row.key), let version = try version(row.key)
            else { continue }
            buckets[row.bucket.rawValue, default: []].append(
                row.bucket == .deleted
                    ? .string(row.key.id)
                    : ["id": .string(row.key.id), "server_version": .int(version.rawValue)])
        }
        return .object(collections.mapValues { .object($0.mapValues(JSON.array)) })
    }
}
