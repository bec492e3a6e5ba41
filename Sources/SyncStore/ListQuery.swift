package import SyncProtocol
package import SyncSchema
package import SyncValues

/// The filters and the order of a list, as in `?status=REVIEW&sort=-planned_start`.
package struct ListQuery: Sendable {
    /// Selects rows whose field has this value. Texts are compared by their bytes.
    package struct Filter: Sendable {
        package let field: Field
        package let value: JSON
    }

    /// Sorts null before every value, false before true, and texts by their bytes. Descending is the exact reverse.
    package struct SortKey: Sendable {
        package let field: Field
        package let isDescending: Bool
    }

    /// How many characters (code points) of a text count for the order.
    /// A position contains the sort keys and has to fit into a URL.
    package static let sortedCharacters = 128
    package static let maximumKeys = 3

    package let collection: Collection
    package private(set) var filters: [Filter] = []
    /// Rows that are equal in all keys are sorted by creation.
    package private(set) var keys: [SortKey] = []

    /// All rows, sorted by creation.
    package init(_ collection: Collection) { self.collection = collection }

    /// Whether there are neither filters nor sort keys.
    package var isPlain: Bool { filters.isEmpty && keys.isEmpty }

    /// Throws a `Violation` if the field can never have this value.
    package mutating func filter(_ field: Field, by text: String) throws(Violation) {
        filters.append(Filter(field: field, value: try field.value(ofQuery: text)))
    }

    package mutating func sort(by field: Field, isDescending: Bool) {
        keys.append(SortKey(field: field, isDescending: isDescending))
    }

    /// The part of a value that counts for the order: a text is cut to `sortedCharacters`.
    package static func sorted(_ value: JSON) -> JSON {
        guard case .string(let text) = value, text.utf8.count > sortedCharacters else { return value }
        return .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(sortedCharacters))))
    }
}

extension Collection {
    /// Query parameters of lists. A field with one of these names can't be filtered by.
    private static let listParameters: Set<String> = ["limit", "after", "sort", "project"]

    /// The fields that a list can be filtered and sorted by: those that hold a single value, except the project's id,
    /// which is the same in every row.
    package var listFields: [Field] {
        fields.filter {
            !$0.value.isStructured && $0.serverValue != .project && !Collection.listParameters.contains($0.name)
        }
    }
}

extension Field {
    /// Reads a value from a query parameter. Texts are taken as they are, everything else is JSON. An empty parameter
    /// is null if the field allows null.
    fileprivate func value(ofQuery text: String) throws(Violation) -> JSON {
        if text.isEmpty, value.isNullable { return .null }
        // The word `null` is a text here. A query writes null as an empty parameter.
        guard value.kind != .string, let json = try? JSON(parsing: text), !json.isNull else {
            return try value.normalized(.string(text))
        }
        return try value.normalized(json)
    }
}

/// A request to the store for one page of a filtered or sorted list.
package struct Listing: Sendable {
    /// Where the rows come from.
    package enum Scope: Sendable {
        /// Rows of a project; the rows are `.all`, `.own` or `.ungated`.
        case rows(SegmentScan.Rows, project: String)
        /// The live projects that the user is a member of; with nil, all live projects.
        case projects(of: Int64?)
    }

    package let query: ListQuery
    package let scope: Scope
    /// The page begins after this position; nil for the start.
    package let after: ListPlace?
    package let limit: Int

    package init(_ query: ListQuery, scope: Scope, after: ListPlace?, limit: Int) {
        self.query = query
        self.scope = scope
        self.after = after
        self.limit = limit
    }
}

/// A row's position in a filtered or sorted list: its sort keys, then its creation. It is a value of its own and stays
/// the same when the row changes, so rows that don't change are neither missed nor repeated.
package struct ListPlace: Sendable, Equatable {
    /// The value of each sort key, shortened as by `ListQuery.sorted`.
    package let keys: [JSON]
    /// For projects only the id counts; the commit is zero.
    package let creation: CreationPosition

    package init(of row: StoredRow, in query: ListQuery) {
        keys = query.keys.map { ListQuery.sorted(row.values[query.collection.position(of: $0.field)]) }
        creation = query.collection.scope == .project ? CreationPosition(seq: .zero, id: row.id) : row.creation
    }

    package init(keys: [JSON], creation: CreationPosition) {
        self.keys = keys
        self.creation = creation
    }
}

/// A row's position in a list. Lists are sorted by creation: by the commit that created the row, then by id. A position
/// never changes, so a reader misses and repeats nothing when rows are edited or created while it reads.
///
/// As text it is `<created_seq>.<id>`. A list returns it as
/// `next` and accepts it as `after`. Clients treat it as opaque.
package struct CreationPosition: Sendable, Hashable, Comparable, LosslessStringConvertible {
    package let seq: SyncSeq
    package let id: String

    /// Before every row.
    package static let start = CreationPosition(seq: .zero, id: "")

    package init(seq: SyncSeq, id: String) {
        self.seq = seq
        self.id = id
    }

    /// Nil for a text that no list has returned.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let seq = SyncSeq(decimal: parts[0]), RowID.isValid(String(parts[1])) else {
            return nil
        }
        self.init(seq: seq, id: String(parts[1]))
    }

    package var description: String { "\(seq.rawValue).\(id)" }

    package static func < (one: CreationPosition, other: CreationPosition) -> Bool {
        (one.seq, one.id) < (other.seq, other.id)
    }
}

extension StoredRow {
    package var creation: CreationPosition { CreationPosition(seq: createdSeq, id: id) }
}
