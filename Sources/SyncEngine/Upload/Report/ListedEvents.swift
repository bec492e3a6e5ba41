import SyncProtocol
import SyncSchema
import SyncStore

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
