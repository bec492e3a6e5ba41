import SyncProtocol
package import SyncSchema
package import SyncValues

/// What an index of a database can hold.
package enum TableLimits {
    /// Throws a `SchemaError` if a unique key has texts that are too long for an index in this dialect.
    package static func check(_ registry: Registry, _ dialect: any SQLDialect) throws(SchemaError) {
        for collection in registry.collections {
            for (index, key) in collection.uniqueKeys.enumerated() {
                try check(key, index: index, of: collection, dialect: dialect)
            }
        }
    }

    private static func check(
        _ key: Collection.UniqueKey, index: Int, of collection: Collection, dialect: any SQLDialect
    ) throws(SchemaError) {
        guard let longest = dialect.longestKey else { return }
        var length = 0
        for name in key.fields {
            guard let field = collection.field(name), field.value.kind == .string else { continue }
            guard let most = field.longestText else {
                throw SchemaError(
                    file: collection.name, pointer: "/properties/\(name)",
                    reason: "the field is part of a unique key, whose texts may have \(longest) characters together in "
                        + "this database; give it a maxLength")
            }
            length += most
        }
        guard length > longest else { return }
        throw SchemaError(
            file: collection.name, pointer: key.isImplied ? "" : "/x-unique/\(index)",
            reason: "the texts of a unique key may have \(longest) characters together in this database, and these "
                + "have up to \(length); give the fields a smaller maxLength")
    }
}

extension Field {
    /// The longest id of a row or a project; dates and times are shorter. See `RowID`.
    private static let longestOfItsKind = 64

    /// The most characters that a value can have; nil if any number.
    fileprivate var longestText: Int? {
        if let most = value.maxLength { return most }
        if let allowed = value.allowed { return allowed.compactMap { $0.string?.unicodeScalars.count }.max() ?? 0 }
        let isShort = reference != nil || value.format != nil || serverValue == .project
        return isShort ? Self.longestOfItsKind : nil
    }
}
