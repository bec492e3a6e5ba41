package import SyncSchema

/// The names of the tables and indexes of all collections, which share one space in a database.
package enum TableNames {
    /// Throws a `SchemaError` where a collection's table or index would have the name of another's: `tasks_sync` is both
    /// what a collection may be called and an index of `tasks`.
    package static func check(_ registry: Registry, _ dialect: any SQLDialect) throws(SchemaError) {
        var owners: [String: String] = [:]
        for collection in registry.collections {
            let indexes = TableLayout(collection, registry, dialect).indexes.keys
            for name in [collection.name] + indexes.sorted() {
                guard let owner = owners.updateValue(collection.name, forKey: name) else { continue }
                throw SchemaError(
                    file: collection.name, pointer: "/title",
                    reason: "the database has \(name) for \(owner) already; name the collection otherwise")
            }
        }
    }
}
