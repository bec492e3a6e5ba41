package import SyncSchema

/// The names of all collections' tables and indexes. They share one namespace in a database.
package enum TableNames {
    /// Throws a `SchemaError` if a table or an index of one collection has the same name as one of another. For
    /// example, `tasks_sync` is an index of `tasks` and also a valid name of a collection.
    package static func check(_ registry: Registry, _ dialect: any SQLDialect) throws(SchemaError) {
        var owners: [String: String] = [:]
        for collection in registry.collections {
            let indexes = TableLayout(collection, registry, dialect).indexes.keys
            for name in [collection.name] + indexes.sorted() {
                if let longest = dialect.longestName, name.utf8.count > longest {
                    throw SchemaError(
                        file: collection.name, pointer: "/title",
                        reason: "\(name) is the name of a table or index, and has more than \(longest) bytes; "
                            + "give the collection or the field a shorter name")
                }
                guard let owner = owners.updateValue(collection.name, forKey: name) else { continue }
                throw SchemaError(
                    file: collection.name, pointer: "/title",
                    reason: "\(name) is already the name of a table or index of \(owner); rename the collection")
            }
        }
    }
}
