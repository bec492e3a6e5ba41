import SyncProtocol
import SyncSchema

/// Members of a row for which the app has a column but the server has no field. With `_changed`, these are the members
/// that it names. Without it, they are the members whose value is not the default of a column of their type. Other
/// columns that only the app has are not reported.
///
/// A client invents them, so only a few are dealt with one by one.
struct UnknownFields: Sendable {
    /// How many of a row are reported and kept one by one.
    static let mostListed = 64

    /// Their names, sorted, the first ones.
    private(set) var listed: [String] = []
    /// The names of all others.
    private(set) var rest: [String] = []
    /// The values of the others, as far as they are kept.
    fileprivate(set) var values: [String: JSON] = [:]

    var isEmpty: Bool { listed.isEmpty }

    init() {}

    /// `names` are the members that are not fields.
    fileprivate init(_ names: [String], of row: UploadRequest.Row) {
        let own = names.filter { !UnknownFields.isOfTheProtocol($0) }
        // Nearly always the case. The rest is too slow for every row.
        guard !own.isEmpty else { return }
        let changed = row.value(of: "_changed")?.string.map { Set($0.split(separator: ",").map(String.init)) } ?? []
        let unknown = own.filter {
            changed.isEmpty ? row.value(of: $0)?.isBlank == false : changed.contains($0)
        }.sorted()
        listed = Array(unknown.prefix(UnknownFields.mostListed))
        rest = Array(unknown.dropFirst(UnknownFields.mostListed))
    }

    private static func isOfTheProtocol(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: "_")
            || ["id", "server_version", "base_version", "base_versions", "project_id"].contains(name)
    }
}

extension UploadRequest.Row {
    /// The most bytes of members that are not fields which are kept, of a batch and of a row of it.
    static let mostForeign = (batch: 4 << 20, row: 64 << 10)
    /// More members than this are no fields of a row that a client of this protocol makes.
    private static let fewForeign = 16

    /// Finds the unknown fields among `names`, the members that are not fields. If there are many of them, they are
    /// taken out of `fields`, so that applying the row does not walk through them, and only those that fit into `room`
    /// are kept. All this is done before the writer is taken.
    mutating func setAsideForeign(_ names: [String], room: inout Int) {
        var unknown = UnknownFields(names, of: self)
        defer { extras.unknownFields = unknown }
        guard names.count > UploadRequest.Row.fewForeign else { return }
        let listed = Set(unknown.listed)
        var others: [String: JSON] = [:]
        var left = min(room, UploadRequest.Row.mostForeign.row)
        for name in names.sorted() {
            guard let value = fields.removeValue(forKey: name) else { continue }
            let size = listed.contains(name) ? 0 : name.utf8.count + value.roughBytes + 4
            guard size <= left else {
                extras.isCut = true
                continue
            }
            left -= size
            room -= size
            others[name] = value
        }
        extras.others = others
        for name in unknown.rest { unknown.values[name] = others[name] }
    }
}

extension JSON {
    /// Whether a column has this value if nobody has set it.
    fileprivate var isBlank: Bool {
        switch self {
        case .null: true
        case .bool(let flag): !flag
        case .int, .double: self == 0
        case .string(let text): text.isEmpty
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        }
    }
}
