package import SyncProtocol
package import SyncSchema

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
