package import SyncProtocol
package import SyncSchema

/// Which rows of a list, and in which order: what `?status=REVIEW&sort=-planned_start` says.
package struct ListQuery: Sendable {
    /// Rows whose field is this value; texts are compared by their bytes.
    package struct Filter: Sendable {
        package let field: Field
        package let value: JSON
    }

    /// Null comes before every value, false before true, texts by their bytes; descending all of that the other way
    /// round.
    package struct SortKey: Sendable {
        package let field: Field
        package let isDescending: Bool
    }

    /// Characters (code points) of a text that have a say in the order: a row's place, which holds its keys, has to fit
    /// into an address.
    package static let sortedCharacters = 128
    package static let maximumKeys = 3

    package let collection: Collection
    package private(set) var filters: [Filter] = []
    /// Rows that are equal in all of them are in the list's own order.
    package private(set) var keys: [SortKey] = []

    /// All rows in the list's own order.
    package init(_ collection: Collection) { self.collection = collection }

    package var isPlain: Bool { filters.isEmpty && keys.isEmpty }

    /// Throws a `Violation` where no row's field can have that value.
    package mutating func filter(_ field: Field, by text: String) throws(Violation) {
        filters.append(Filter(field: field, value: try field.value(ofQuery: text)))
    }

    package mutating func sort(by field: Field, isDescending: Bool) {
        keys.append(SortKey(field: field, isDescending: isDescending))
    }

    /// What a text of `field` counts for in the order.
    package static func sorted(_ value: JSON) -> JSON {
        guard case .string(let text) = value, text.utf8.count > sortedCharacters else { return value }
        return .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(sortedCharacters))))
    }
}

extension Collection {
    /// Parameters of lists, which a field of that name can't be asked for by.
    private static let listParameters: Set<String> = ["limit", "after", "sort", "project"]

    /// The fields that a list can be filtered and sorted by: one value each, and not the same in every row.
    package var listFields: [Field] {
        fields.filter {
            !$0.value.isStructured && $0.serverValue != .project && !Collection.listParameters.contains($0.name)
        }
    }
}

extension Field {
    /// A value as a query parameter has it: texts as they are, all else as in JSON. Nothing is null where the field
    /// takes it.
    fileprivate func value(ofQuery text: String) throws(Violation) -> JSON {
        if text.isEmpty, value.isNullable { return .null }
        // `null` is a text here, as it is no value of a query.
        guard value.kind != .string, let json = try? JSON(parsing: text), !json.isNull else {
            return try value.normalized(.string(text))
        }
        return try value.normalized(json)
    }
}
