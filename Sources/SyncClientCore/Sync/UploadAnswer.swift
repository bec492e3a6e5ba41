import SyncProtocol

/// What the server did with a batch, read from its 200 response (`docs/protocol.md#the-answer`).
struct UploadAnswer: Sendable, Equatable {
    /// The batch's commit. A drain that reaches it delivers everything that the batch did. Nil for a batch over all
    /// projects.
    let timestamp: SyncSeq?
    /// The commit of a batch over all projects in each project whose rows were judged.
    let timestamps: [String: SyncSeq]
    private var fates: [SentRow.Key: Fate] = [:]

    /// What became of a row.
    enum Fate: Sendable, Equatable {
        /// The server accepted the row, which now has this version. It did not accept
        /// the edits of the columns in `kept`.
        case applied(ServerVersion, kept: Set<String> = [])
        /// The row or its parent was deleted on the server, or the server never had it.
        case skipped(code: String)
        /// The server has the row and did not change it.
        case refused([Refusal])
        /// The server does not have the row.
        case notCreated([Refusal])
    }

    /// Why the server refused a row. `field` is nil when the reason concerns the whole row.
    struct Refusal: Sendable, Equatable {
        let field: String?
        let code: String
        let detail: String
        /// The row that has the unique key, if the server names it.
        var existing: String?
    }

    /// What became of `row`; nil when the answer does not mention it.
    func fate(of row: SentRow) -> Fate? { fates[row.key] }
}

extension UploadAnswer {
    /// Reads the answer to the batch with the id `batch`. Throws `SyncError.violation`.
    init(_ json: JSON, to batch: String, allProjects: Bool = false) throws {
        guard json["client_batch_id"]?.string?.lowercased() == batch.lowercased() else {
            throw SyncError.violation("the answer to an upload is about another batch")
        }
        if allProjects {
            guard let timestamps = json["timestamps"]?.object else {
                throw SyncError.violation("the answer to an upload has no `timestamps`")
            }
            timestamp = nil
            self.timestamps = try timestamps.mapValues(Self.commit)
        } else {
            timestamp = try Self.commit(json["timestamp"] ?? .null)
            timestamps = [:]
        }
        for (collection, buckets) in json["applied"]?.object ?? [:] { readApplied(buckets, collection) }
        each("skipped", in: json) { $0.readSkipped($1, $2) }
        each("conflicts", in: json) { answer, key, _ in
            answer.refuse(key, Refusal(field: nil, code: "conflict", detail: "The row was changed on the server."))
        }
        each("rejected", in: json) { $0.refuse($1, Refusal($2)) }
        for (collection, ids) in json["rejected_ids"]?.object ?? [:] {
            for id in ids.array ?? [] { markNotCreated(SentRow.Key(collection: collection, id: id.string ?? "")) }
        }
    }

    private static func commit(_ json: JSON) throws -> SyncSeq {
        guard let number = json.int, (1...SyncSeq.maximum.rawValue).contains(number) else {
            throw SyncError.violation("the answer to an upload has no `timestamp`")
        }
        return SyncSeq(number)
    }

    private mutating func each(_ member: String, in json: JSON, body: (inout Self, SentRow.Key, JSON) -> Void) {
        for (collection, entries) in json[member]?.object ?? [:] {
            for entry in entries.array ?? [] {
                body(&self, SentRow.Key(collection: collection, id: entry["id"]?.string ?? ""), entry)
            }
        }
    }

    private mutating func readApplied(_ buckets: JSON, _ collection: String) {
        for bucket in [Bucket.created, .updated] {
            for entry in buckets[bucket.rawValue]?.array ?? [] {
                guard let id = entry["id"]?.string, let version = entry["server_version"]?.int else { continue }
                fates[SentRow.Key(collection: collection, id: id)] = .applied(ServerVersion(version))
            }
        }
        for id in (buckets[Bucket.deleted.rawValue]?.array ?? []).compactMap(\.string) {
            fates[SentRow.Key(collection: collection, id: id)] = .applied(ServerVersion(0))
        }
    }

    private mutating func readSkipped(_ key: SentRow.Key, _ entry: JSON) {
        guard let field = entry["field"]?.string else {
            fates[key] = .skipped(code: entry["code"]?.string ?? "")
            return
        }
        guard case .applied(let version, let kept) = fates[key] else { return }
        fates[key] = .applied(version, kept: kept.union([field]))
    }

    private mutating func refuse(_ key: SentRow.Key, _ refusal: Refusal) {
        guard case .refused(let others) = fates[key] else {
            fates[key] = .refused([refusal])
            return
        }
        fates[key] = .refused(others + [refusal])
    }

    private mutating func markNotCreated(_ key: SentRow.Key) {
        guard case .refused(let refusals) = fates[key] else {
            fates[key] = .notCreated([])
            return
        }
        fates[key] = .notCreated(refusals)
    }
}

extension UploadAnswer.Refusal {
    /// Whether the row was refused because of its project. Only a batch over all projects has such rows.
    var isOfProject: Bool {
        switch ErrorCode(rawValue: code) {
        case .projectArchived, .membershipRevoked, .projectDeleted, .notAMember, .notFound: true
        default: false
        }
    }

    /// The form in which the server writes it and the replica stores it.
    var json: JSON {
        var members: [String: JSON] = [
            "field": field.map(JSON.string) ?? .null, "code": .string(code), "detail": .string(detail),
        ]
        members["existing"] = existing.map(JSON.string)
        return .object(members)
    }

    init(_ json: JSON) {
        field = json["field"]?.string
        code = json["code"]?.string ?? ""
        detail = json["detail"]?.string ?? "The server refused the row."
        existing = json["existing"]?.string
    }
}
