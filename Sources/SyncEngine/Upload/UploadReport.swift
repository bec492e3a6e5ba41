import SyncProtocol
import SyncSchema
import SyncStore

/// What happened to a batch, row by row, as the answer reports it.
struct UploadReport {
    /// Why a row was not applied as sent.
    enum Event {
        /// The row was left alone, or one field of it.
        case skipped(RowKey, field: String?, ErrorCode)
        /// One field of the row was repaired.
        case repaired(RowKey, field: String, from: JSON, to: JSON)
        /// The row was left out because of a mistake.
        case rejected(RowProblem)
        /// Somebody else's edit won.
        case conflict(RowConflict)
    }

    private(set) var events: [Event] = []
    private var rejectedIDs: [String: [String]] = [:]
    /// Pointers of rows that were refused, or left alone because of a conflict.
    var leftOut: Set<String> = []
    /// Rows that were not applied at all.
    private(set) var skippedRows: Set<RowKey> = []

    /// The mistakes of the rows that were left out.
    var rejections: [RowProblem] {
        events.compactMap { event in
            if case .rejected(let problem) = event { problem } else { nil }
        }
    }

    /// The row was left alone.
    mutating func skip(_ key: RowKey, _ code: ErrorCode) {
        guard skippedRows.insert(key).inserted else { return }
        add(.skipped(key, field: nil, code))
    }

    mutating func add(_ event: Event) { events.append(event) }

    /// Names a refused row that the server doesn't have. The client keeps it to correct it.
    mutating func keepUnsent(_ key: RowKey) {
        // A row without an id can't be named.
        guard !key.id.isEmpty, rejectedIDs[key.collection]?.contains(key.id) != true else { return }
        rejectedIDs[key.collection, default: []].append(key.id)
    }

    /// The row's id stays unsent on the client, and nothing of the row is applied.
    mutating func leaveOut(_ row: UploadRequest.Row, _ problem: Violation) {
        add(.rejected(row.problem(problem)))
        leftOut.insert(row.pointer)
        keepUnsent(row.key)
    }

    /// The same for a row that the server names by its mistake, because it could not be read or has others.
    mutating func leaveOut(_ problem: RowProblem, of request: UploadRequest) {
        add(.rejected(problem))
        let (bucket, pointer) = request.place(of: problem)
        leftOut.insert(pointer)
        if let id = problem.id, bucket != .deleted { keepUnsent(RowKey(problem.collection, id)) }
    }

    /// Takes in what happened to the rows of another project of the same batch.
    mutating func merge(_ other: UploadReport) {
        events += other.events
        for (collection, ids) in other.rejectedIDs { for id in ids { keepUnsent(RowKey(collection, id)) } }
        leftOut.formUnion(other.leftOut)
        skippedRows.formUnion(other.skippedRows)
    }

    /// The answer to an upload: `docs/protocol.md#the-answer`. `timestamps` has the members that say at which commits
    /// it was applied.
    func json(
        _ request: UploadRequest, _ timestamps: [String: JSON], version: (RowKey) throws -> ServerVersion?
    ) rethrows -> JSON {
        var answer: [String: JSON] = [
            "client_batch_id": request.batchID.map(JSON.string) ?? .null,
            "applied": try applied(request, version),
            "rejected_ids": .object(rejectedIDs.mapValues { .array($0.map(JSON.string)) }),
        ]
        answer.merge(timestamps) { $1 }
        for list in List.allCases { answer[list.rawValue] = members(of: list, request.encoding) }
        return .object(answer)
    }

    /// The applied rows, each in the bucket that it was sent in.
    private func applied(_ request: UploadRequest, _ version: (RowKey) throws -> ServerVersion?) rethrows -> JSON {
        let empty = ["created": [JSON](), "updated": [], "deleted": []]
        var collections = Dictionary(request.rows.map { ($0.key.collection, empty) }) { first, _ in first }
        for row in request.rows {
            guard !leftOut.contains(row.pointer), !skippedRows.contains(row.key), let version = try version(row.key)
            else { continue }
            collections[row.key.collection]![row.bucket.rawValue]!.append(
                row.bucket == .deleted
                    ? .string(row.key.id)
                    : ["id": .string(row.key.id), "server_version": .int(version.rawValue)])
        }
        return .object(collections.mapValues { .object($0.mapValues(JSON.array)) })
    }

    private func members(of list: List, _ encoding: WireEncoding) -> JSON {
        let members = events.map { $0.member(as: encoding) }.filter { $0.list == list }
        let collections = Dictionary(grouping: members, by: \.collection)
        return .object(collections.mapValues { .array($0.map(\.json)) })
    }
}

extension UploadReport {
    /// The lists of the answer that report events.
    fileprivate enum List: String, CaseIterable {
        case skipped, conflicts, rejected, repaired
    }
}

extension UploadReport.Event {
    fileprivate func member(as encoding: WireEncoding) -> (list: UploadReport.List, collection: String, json: JSON) {
        switch self {
        case .skipped(let key, let field, let code):
            var json: [String: JSON] = ["id": .string(key.id), "code": .string(code.rawValue)]
            json["field"] = field.map(JSON.string)
            return (.skipped, key.collection, .object(json))
        case .repaired(let key, let field, let from, let to):
            return (
                .repaired, key.collection, ["id": .string(key.id), "field": .string(field), "from": from, "to": to]
            )
        case .rejected(let problem):
            var json: [String: JSON] = [
                "id": problem.id.map(JSON.string) ?? .null, "field": problem.field.map(JSON.string) ?? .null,
                "code": .string(problem.code.rawValue), "detail": .string(problem.detail),
            ]
            json["existing"] = problem.members["existing"]
            return (.rejected, problem.collection, .object(json))
        case .conflict(let conflict):
            return (.conflicts, conflict.row.key.collection, conflict.json(as: encoding))
        }
    }
}
