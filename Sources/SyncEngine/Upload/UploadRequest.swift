import SyncAccounts
package import SyncProtocol
package import SyncSchema
import SyncStore
import SyncValues

/// A batch of local changes whose envelope was checked. The mistakes of single rows wait in `problems`,
/// because what the caller may do is judged first.
package struct UploadRequest: Sendable {
    /// The bucket that a row was sent in.
    enum Bucket: String, CaseIterable {
        case created, updated, deleted
    }

    /// What happens to rows that can't be accepted.
    package enum ErrorMode: String, Sendable, CaseIterable {
        /// They fail the batch.
        case rejectBatch = "reject_batch"
        /// They are left out. The others are applied.
        case rejectRows = "reject_rows"
        /// Slightly wrong values are repaired. Rows that can't be repaired are left out.
        case repair
    }

    /// A row of `created` or `updated`, or an id of `deleted`.
    struct Row: Sendable {
        let key: RowKey
        let bucket: Bucket
        /// RFC 6901 pointer into the body.
        let pointer: String
        var fields: [String: JSON]
        /// What few rows have.
        var extras = Extras()
        /// The only fields that count if the row is live; nil for all.
        var limits: Set<String>?
        /// The state that the client edited; nil for the row's state at `last_pulled_at`.
        let base: EditBase?
        /// Whether the client's row differs from what it sent, so the next drain must deliver the row.
        var wantsDelivery = false
        /// The member `project_id`. Only a batch over several projects looks at it.
        var project: String?
    }

    /// What few rows have. It is behind one reference, because rows are copied often.
    struct Extras: Sendable {
        private struct Values {
            var halves: [String: MendedJSON.Half] = [:]
            var judged = JudgedValues.none
            var others: [String: JSON] = [:]
            var isCut = false
            var unknownFields = UnknownFields()
            var bases: [String: ServerVersion] = [:]
            var sent: [String: JSON] = [:]
        }

        private indirect enum Box {
            case values(Values)
        }

        private var box: Box?
        private var values: Values {
            get { if case .values(let values) = box { values } else { Values() } }
            set { box = .values(newValue) }
        }

        /// Halves of surrogate pairs in the row's fields, by field. Their paths begin in the field.
        var halves: [String: MendedJSON.Half] {
            get { box == nil ? [:] : values.halves }
            set { if box != nil || !newValue.isEmpty { values.halves = newValue } }
        }
        /// What was found out of the row's fields before the writer was taken.
        var judged: JudgedValues {
            get { box == nil ? .none : values.judged }
            set { values.judged = newValue }
        }
        /// Members that are not fields, as they were sent, if there are many of them. A few may be in `fields`.
        var others: [String: JSON] {
            get { box == nil ? [:] : values.others }
            set { values.others = newValue }
        }
        /// Whether some of these were left out because they are too large.
        var isCut: Bool {
            get { box != nil && values.isCut }
            set { values.isCut = newValue }
        }
        /// Members that have a value but no field in the collection.
        var unknownFields: UnknownFields {
            get { box == nil ? UnknownFields() : values.unknownFields }
            set { if box != nil || !newValue.isEmpty { values.unknownFields = newValue } }
        }
        /// The versions that single fields were edited on, if they are others than the row's base.
        var bases: [String: ServerVersion] {
            get { box == nil ? [:] : values.bases }
            set { if box != nil || !newValue.isEmpty { values.bases = newValue } }
        }
        /// The values that the client sent for fields that were merged to others, by field.
        var sent: [String: JSON] {
            get { box == nil ? [:] : values.sent }
            set { if box != nil || !newValue.isEmpty { values.sent = newValue } }
        }
    }

    /// A row that is refused, and what is kept of it.
    struct Unreadable: Sendable {
        let sent: JSON
        /// Whether that is only its first part.
        let isCut: Bool
    }

    /// Empty for a batch over several projects.
    package private(set) var project: String
    /// In lower case; nil for a push whose answer is not stored.
    package let batchID: String?
    /// 0 for a client that never pulled.
    package private(set) var lastPulledAt: SyncSeq?
    /// The device's own name for itself.
    package let device: ExactText?
    let onConflict: ConflictMode
    let onError: ErrorMode
    /// The encoding of the values in the body and in the answer. `rows` hold
    /// values in normal form, as far as they could be read.
    let encoding: WireEncoding
    private(set) var rows: [Row]
    /// How many rows were sent.
    package var rowCount: Int { rows.count + unreadable.count }
    private(set) var problems: [RowProblem]
    /// Sent rows that are not in `rows`, as they were sent, by pointer.
    private(set) var unreadable: [String: Unreadable]
    /// The pointer to `changes` in the body.
    private let changesPointer: String
    /// SHA-256 of the canonical form of `changes` and the modes.
    let bodyHash: String

    /// Reads an envelope. Throws `invalid_body`, `invalid_batch_id`, `invalid_since`, `collection_not_uploadable`,
    /// `batch_too_large`, `base_required`. `halves` are those of surrogate pairs in the body.
    package init(
        project: String, body: JSON, halves: [MendedJSON.Half] = [], registry: Registry, maximumRows: Int
    ) throws {
        guard let members = body.object else { throw Problem(.invalidBody, "The body must be a JSON object.") }
        try self.init(
            project: project, members, halves: halves,
            batchID: try UploadRequest.batchID(members["client_batch_id"]), registry: registry,
            maximumRows: maximumRows, changesPointer: "/changes")
    }

    /// Reads an envelope's members. `changesPointer` is the pointer to `changes` in the body.
    init(
        project: String, _ members: [String: JSON], halves: [MendedJSON.Half], batchID: String?, registry: Registry,
        maximumRows: Int, changesPointer: String
    ) throws {
        self.project = project
        self.batchID = batchID
        self.changesPointer = changesPointer
        lastPulledAt = try UploadRequest.lastPulledAt(members["last_pulled_at"])
        device = try UploadRequest.device(members["device_id"])
        // Two devices whose ids differ in a half would become one.
        guard !halves.contains(where: { $0.path == ["device_id"] }) else {
            throw Problem(.invalidBody, "device_id \(Violation.half).")
        }
        try UploadRequest.checkModes(members)
        onConflict = members["on_conflict"]?.string.flatMap(ConflictMode.init) ?? .overwrite
        onError = members["on_error"]?.string.flatMap(ErrorMode.init) ?? .rejectBatch
        encoding = members["encoding"]?.string.flatMap(WireEncoding.init) ?? .json
        var reader = UploadRowReader(
            registry: registry, encoding: encoding, isUserWide: project.isEmpty, pointer: changesPointer,
            halves: halves)
        try reader.read(members["changes"] ?? .null)
        rows = reader.rows
        problems = reader.problems
        unreadable = reader.unreadable
        guard reader.count <= maximumRows else {
            throw Problem(
                .batchTooLarge, "The batch has \(reader.count) rows, the limit is \(maximumRows). Split it.",
                members: ["rows": .int(Int64(reader.count)), "limit": .int(Int64(maximumRows))])
        }
        try UploadRequest.requireFewReferences(rows, registry)
        bodyHash = UploadRequest.hash(members, halves)
        try requireBases()
    }

    /// The bucket of the row that the problem is about, and the pointer to that row: `/changes/tasks/created/3`.
    func place(of problem: RowProblem) -> (bucket: Bucket?, pointer: String) {
        let steps = problem.pointer.dropFirst(changesPointer.count).split(
            separator: "/", maxSplits: 4, omittingEmptySubsequences: false)
        // The first step is empty. Then come the collection, the bucket and the index.
        let bucket = steps.count > 2 ? Bucket(rawValue: String(steps[2])) : nil
        return (bucket, changesPointer + steps.prefix(4).joined(separator: "/"))
    }

    /// The part of a batch over several projects that is about one of them. `lastPulledAt` is that project's head at
    /// the batch's watermark.
    func part(
        of project: String, rows: [Row], problems: [RowProblem], lastPulledAt: SyncSeq?
    ) -> UploadRequest {
        var part = self
        part.project = project
        part.rows = rows
        part.problems = problems
        part.lastPulledAt = lastPulledAt
        let pointers = Set(problems.map { place(of: $0).pointer })
        let own = pointers.compactMap { pointer in unreadable[pointer].map { (pointer, $0) } }
        part.unreadable = Dictionary(uniqueKeysWithValues: own)
        return part
    }

    /// The same batch with other rows.
    func mappingRows(_ change: (Row) throws -> Row) rethrows -> UploadRequest {
        var request = self
        request.rows = try rows.map(change)
        return request
    }

    /// How many bytes of values are judged before others get their turn.
    private static let judgedAtOnce = 4096

    /// The same batch, with what can be said of its values without the writer. In between, others get their turn.
    func judged(_ registry: Registry) async -> UploadRequest {
        var request = self
        var bytes = 0
        for index in rows.indices where rows[index].bucket != .deleted {
            guard let collection = registry[rows[index].key.collection] else { continue }
            let judged = JudgedValues(rows[index].fields, of: collection, repairs: onError == .repair)
            // Most rows have nothing that takes long.
            guard !judged.isEmpty else { continue }
            request.rows[index].extras.judged = judged
            bytes += judged.bytes
            guard bytes > UploadRequest.judgedAtOnce else { continue }
            bytes = 0
            await Task.yield()
        }
        return request
    }

    /// Who writes, as the change history records it.
    func origin(of caller: Caller) -> Origin {
        Origin(userID: caller.userID, device: device, credential: caller.credential)
    }

    /// The state that the edit of a row was made on; nil if unknown.
    func base(of row: Row) -> EditBase? { row.base ?? lastPulledAt.map(EditBase.commit) }

    /// The states that the edit of a row was made on.
    func bases(of row: Row) -> EditBases {
        EditBases(row: base(of: row) ?? .commit(.zero), fields: row.extras.bases, pulled: lastPulledAt)
    }

    /// Whether the row's content may have changed since the state that the edit was made on.
    func isStale(_ record: StoredRow, for row: Row) -> Bool {
        switch base(of: row) {
        case .version(let version): record.version > version
        case .commit(let seq): record.contentSeq > seq
        case nil: true
        }
    }

    private func requireBases() throws {
        guard onConflict.needsBase, lastPulledAt == nil,
            let row = rows.first(where: { $0.bucket != .deleted && $0.base == nil })
        else { return }
        throw Problem(
            .baseRequired,
            "on_conflict \"\(onConflict.rawValue)\" needs last_pulled_at, or base_version in each row; "
                + "\(row.pointer) has neither.")
    }

    /// The most references in the lists of a batch of several rows. Each one is looked up while the writer is held.
    private static let mostReferences = 10_000

    private static func requireFewReferences(_ rows: [Row], _ registry: Registry) throws {
        guard rows.count > 1 else { return }
        let count = rows.reduce(0) { $0 + references(in: $1, registry) }
        guard count > mostReferences else { return }
        // A client that sends so many rows at a time stays below the limit, if its rows are alike.
        let limit = max(1, rows.count * mostReferences / count)
        throw Problem(
            .batchTooLarge, "The batch has \(count) references in lists, the limit is \(mostReferences). Split it.",
            members: ["rows": .int(Int64(rows.count)), "limit": .int(Int64(limit))])
    }

    private static func references(in row: Row, _ registry: Registry) -> Int {
        let collection = registry.collection(row.key.collection)
        return collection.places.lookedUp.reduce(0) { count, position in
            let field = collection.fields[position]
            guard field.value.kind == .array else { return count }
            return count + (row.fields[field.name]?.array?.count ?? 0)
        }
    }

    private static func batchID(_ json: JSON?) throws -> String {
        guard let text = json?.string, isUUID(text) else {
            throw Problem(.invalidBatchID, "client_batch_id must be a UUID that stays with the batch over retries.")
        }
        return text.lowercased()
    }

    /// Whether the text is hex digits of either case in groups of 8, 4, 4, 4 and 12 with hyphens
    /// between them (RFC 9562 section 4). Any version counts. It is read as bytes, because Foundation's
    /// parser takes as long as a write to the database.
    private static func isUUID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { place, byte in
                switch place {
                case 8, 13, 18, 23: byte == UInt8(ascii: "-")
                default: byte.isASCIIHexDigit
                }
            }
    }

    private static func lastPulledAt(_ json: JSON?) throws -> SyncSeq? {
        guard let json, !json.isNull else { return nil }
        guard let number = json.int, (0...SyncSeq.maximum.rawValue).contains(number) else {
            throw Problem(.invalidSince, "last_pulled_at must be an integer from 0 to 2^53 - 1.")
        }
        return SyncSeq(number)
    }

    private static func device(_ json: JSON?) throws -> ExactText? {
        guard let json, !json.isNull else { return nil }
        guard let name = json.string, (1...128).contains(name.utf8.count) else {
            throw Problem(.invalidBody, "device_id must be a text of 1 to 128 bytes that stays with the device.")
        }
        return ExactText(name)
    }

    /// The modes with their values, the default first.
    private static let modes: [(name: String, served: [String])] = [
        ("encoding", WireEncoding.allCases.map(\.rawValue)), ("on_conflict", ConflictMode.allCases.map(\.rawValue)),
        ("on_error", ErrorMode.allCases.map(\.rawValue)),
    ]

    private static func checkModes(_ members: [String: JSON]) throws {
        for mode in modes {
            guard let sent = members[mode.name], !mode.served.map(JSON.string).contains(sent) else { continue }
            let list = mode.served.map { "\"\($0)\"" }.joined(separator: " or ")
            throw Problem(.invalidBody, "\(mode.name) must be \(list).")
        }
    }

    /// Bodies that differ only in halves of surrogate pairs have different hashes, although they are read alike.
    private static func hash(_ members: [String: JSON], _ halves: [MendedJSON.Half]) -> String {
        var canonical = members.filter { $0.key == "changes" }
        if !halves.isEmpty {
            let sources = halves.map { JSON.array(($0.path + [$0.source]).map(JSON.string)) }
            canonical["halves"] = .array(sources.sorted { $0.text < $1.text })
        }
        for mode in modes { canonical[mode.name] = members[mode.name] ?? .string(mode.served[0]) }
        return IdempotencyRecords.hash(of: .object(canonical))
    }
}

extension UploadRequest {
    /// What applying the batch looks up first: its own rows, the rows that they refer to, and the users in them.
    func needs(_ registry: Registry) -> Needs {
        var rows = Set(self.rows.map(\.key))
        var users: Set<Int64> = []
        for row in self.rows {
            guard row.bucket != .deleted, let collection = registry[row.key.collection] else { continue }
            for (name, value) in row.fields {
                guard let field = collection.field(name) else { continue }
                if let target = field.reference?.collection {
                    rows.formUnion((value.array ?? [value]).compactMap(\.string).map { RowKey(target, $0) })
                } else if field.user != nil {
                    users.formUnion((value.array ?? [value]).compactMap(\.int))
                }
            }
        }
        return Needs(rows: Array(rows), users: Array(users))
    }
}

extension UploadRequest {
    /// Reads what WatermelonDB's documented `pushChanges` sends: the bare `changes`, of every collection that the app
    /// has. There is no batch id, so no answer is stored. A retry is applied again, to rows that already have these
    /// values. A row that somebody else has changed since fails the batch, so the client pulls first.
    ///
    /// Throws what an envelope throws, except `invalid_batch_id`.
    package init(
        project: String, stock changes: JSON, halves: [MendedJSON.Half] = [], lastPulledAt: SyncSeq,
        onError: ErrorMode = .rejectBatch, registry: Registry, maximumRows: Int
    ) throws {
        guard let collections = changes.object else {
            throw Problem(.invalidBody, "With last_pulled_at in the query, the body must be an object of collections.")
        }
        let envelope: [String: JSON] = [
            "last_pulled_at": .int(lastPulledAt.rawValue), "encoding": .string(WireEncoding.watermelondb.rawValue),
            "on_conflict": .string(ConflictMode.reject.rawValue), "on_error": .string(onError.rawValue),
            "changes": .object(
                collections.filter { name, buckets in
                    registry[name]?.isUploadable(userWide: project.isEmpty) == true || !UploadRequest.isEmpty(buckets)
                }),
        ]
        try self.init(
            project: project, envelope, halves: halves, batchID: nil, registry: registry, maximumRows: maximumRows,
            changesPointer: "")
    }

    private static func isEmpty(_ buckets: JSON) -> Bool { buckets.object?.values.allSatisfy { $0 == [] } ?? false }
}

/// What happens to an uploaded edit if somebody else has changed the row since the uploader's base.
package enum ConflictMode: String, Sendable, CaseIterable {
    /// The last writer wins.
    case overwrite
    /// The later edit wins.
    case newest
    /// Edits of different fields are both kept. If both changed the same field, the row is left alone.
    case merge
    /// The batch fails.
    case reject

    /// Whether every edit must name its base.
    var needsBase: Bool { self == .merge || self == .reject }
}
