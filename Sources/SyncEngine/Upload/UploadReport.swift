import SyncProtocol
import SyncSchema
import SyncStore

/// What happened to a batch, row by row, as the answer reports it.
struct UploadReport {
    /// Why a row was not applied as sent.
    enum Event {
        /// The row was left alone, or one field of it.
        case skipped(RowKey, field: String?, ErrorCode)
        /// Further unknown fields of the row were left out.
        case unlistedFields(RowKey, count: Int)
        /// One field of the row was repaired.
        case repaired(RowKey, field: String, from: JSON, to: JSON)
        /// The row was left out because of a mistake.
        case rejected(RowProblem)
        /// Somebody else's edit won.
        case conflict(RowConflict)
    }

    private(set) var events: [Event] = []
    private var rejectedIDs: [String: [String]] = [:]
    private var unsent: Set<RowKey> = []
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

    /// Reports the unknown fields of a row that was applied.
    mutating func add(_ fields: UnknownFields, of key: RowKey) {
        for name in fields.listed { add(.skipped(key, field: name, .unknownField)) }
        if !fields.rest.isEmpty { add(.unlistedFields(key, count: fields.rest.count)) }
    }

    /// Names a refused row that the server doesn't have. The client keeps it to correct it.
    mutating func keepUnsent(_ key: RowKey) {
        // A row without an id can't be named.
        guard !key.id.isEmpty, unsent.insert(key).inserted else { return }
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
        answer.merge(ListedEvents(events, as: request.encoding).members) { $1 }
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
}
