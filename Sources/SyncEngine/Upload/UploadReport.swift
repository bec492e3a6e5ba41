import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

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

/// What happened to the rows of a batch that was not refused as a whole.
package struct UploadCounts: Sendable, Equatable {
    package var applied = 0
    /// Left alone, such as a tombstone.
    package var skipped = 0
    /// Left out because of a mistake, or because of somebody else's edit.
    package var rejected = 0

    package init() {}
}

extension UploadReport {
    func counts(_ request: UploadRequest) -> UploadCounts {
        var counts = UploadCounts()
        counts.applied = request.rows.count
        counts.rejected = request.unreadable.count
        guard !leftOut.isEmpty || !skippedRows.isEmpty else { return counts }
        for row in request.rows {
            if leftOut.contains(row.pointer) {
                counts.rejected += 1
            } else if skippedRows.contains(row.key) {
                counts.skipped += 1
            } else {
                continue
            }
            counts.applied -= 1
        }
        return counts
    }
}

/// The lists of an answer that say what was not applied as sent. They are bounded, however much a client sends: the
/// first entry of each row is always there, further ones as long as there are not too many, and large values are left
/// out once they come to too many bytes.
struct ListedEvents {
    /// The most entries, unless the batch has more rows.
    static let mostEntries = 1000
    /// The most bytes of all values together.
    private static let mostBytes = 4 << 20

    /// The lists, and how many entries they leave out.
    private(set) var members: [String: JSON]
    private var bytesLeft = ListedEvents.mostBytes
    private let encoding: WireEncoding

    private enum List: String, CaseIterable {
        case skipped, conflicts, rejected, repaired
    }

    private typealias Entry = (list: List, collection: String, json: [String: JSON])

    init(_ events: [UploadReport.Event], as encoding: WireEncoding) {
        self.encoding = encoding
        members = [:]
        let listed = FirstOfEach(ListedEvents.mostEntries).kept(of: events, by: \.row)
        var lists: [List: [String: [JSON]]] = [:]
        for event in listed {
            let entry = entry(event)
            lists[entry.list, default: [:]][entry.collection, default: []].append(.object(entry.json))
        }
        for list in List.allCases { members[list.rawValue] = .object((lists[list] ?? [:]).mapValues(JSON.array)) }
        if listed.count < events.count { members["not_listed"] = .int(Int64(events.count - listed.count)) }
    }

    private mutating func entry(_ event: UploadReport.Event) -> Entry {
        switch event {
        case .skipped(let key, let field, let code):
            var json: [String: JSON] = ["id": .string(key.id), "code": .string(code.rawValue)]
            json["field"] = field.map(JSON.string)
            return (.skipped, key.collection, json)
        case .unlistedFields(let key, let count):
            // A field's name is there because clients take an entry without one for a whole row.
            let json: [String: JSON] = [
                "id": .string(key.id), "field": "*", "code": .string(ErrorCode.unknownField.rawValue),
                "more": .int(Int64(count)),
            ]
            return (.skipped, key.collection, json)
        case .repaired(let key, let field, let from, let to):
            let json: [String: JSON] = ["id": .string(key.id), "field": .string(field), "from": from, "to": to]
            return (.repaired, key.collection, bounded(json, ["from", "to"]))
        case .rejected(let problem): return (.rejected, problem.collection, problem.inAnswer)
        case .conflict(let conflict):
            let json = conflict.json(as: encoding).object ?? [:]
            return (.conflicts, conflict.row.key.collection, bounded(json, ["server_values", "client_values"]))
        }
    }

    /// The entry, with null or an empty object for values that don't fit any more.
    private mutating func bounded(_ json: [String: JSON], _ names: [String]) -> [String: JSON] {
        let bytes = names.reduce(0) { $0 + (json[$1]?.roughBytes ?? 0) }
        guard bytes > bytesLeft else {
            bytesLeft -= bytes
            return json
        }
        var json = json
        for name in names { json[name] = json[name]?.object == nil ? .null : [:] }
        json["cut"] = true
        return json
    }
}

extension UploadReport.Event {
    /// What tells the event's row and list from others.
    fileprivate var row: RowKey {
        switch self {
        case .skipped(let key, _, _), .unlistedFields(let key, _): RowKey("skipped " + key.collection, key.id)
        case .repaired(let key, _, _, _): RowKey("repaired " + key.collection, key.id)
        case .conflict(let conflict): RowKey("conflicts " + conflict.row.key.collection, conflict.row.key.id)
        case .rejected(let problem): problem.row
        }
    }
}

extension RowProblem {
    /// What tells the row from others, whether its id can be read or not.
    var row: RowKey { id.map { RowKey("rejected " + collection, $0) } ?? RowKey("rejected", pointer) }

    fileprivate var inAnswer: [String: JSON] {
        var json: [String: JSON] = [
            "id": id.map(JSON.string) ?? .null, "field": field.map(JSON.string) ?? .null,
            "code": .string(code.rawValue), "detail": .string(detail),
        ]
        json["existing"] = members["existing"]
        return json
    }
}

/// Shortens a list: the first element of each group is kept, and further ones as long as there are not too many.
struct FirstOfEach {
    private let most: Int

    init(_ most: Int) { self.most = most }

    /// In the order of the list.
    func kept<Element, Group: Hashable>(of list: [Element], by group: (Element) -> Group) -> [Element] {
        guard list.count > most else { return list }
        var seen: Set<Group> = []
        let isFirst = list.map { seen.insert(group($0)).inserted }
        var room = most - seen.count
        return zip(list, isFirst).compactMap { element, isFirst in
            if isFirst { return element }
            room -= 1
            return room >= 0 ? element : nil
        }
    }
}

extension Problem {
    /// The most bytes of the values of all rows together.
    private static let mostBytes = 4 << 20

    /// The same refusal with as many entries in `errors` as an answer may have: the first of each row, and further ones
    /// as long as there are not too many. Values that would make the answer too large are left out.
    var shortened: Problem {
        var problem = self
        problem.errors = FirstOfEach(ListedEvents.mostEntries).kept(of: errors, by: \.row)
        let unlisted = errors.count - problem.errors.count
        if unlisted > 0 { problem.members["not_listed"] = .int(Int64(unlisted)) }
        var left = Problem.mostBytes
        for index in problem.errors.indices {
            guard let values = problem.errors[index].members["server_values"] else { continue }
            left -= values.roughBytes
            guard left < 0 else { continue }
            problem.errors[index].members["server_values"] = [:]
            problem.errors[index].members["cut"] = true
        }
        return problem
    }
}
