package import SyncSchema

/// The tables of all collections.
package final class CollectionTables: Sendable {
    package let registry: Registry
    private let tables: [String: CollectionTable]

    package init(_ registry: Registry, _ dialect: any SQLDialect) {
        self.registry = registry
        tables = Dictionary(
            uniqueKeysWithValues: registry.collections.map { ($0.name, CollectionTable($0, registry, dialect)) })
    }

    package subscript(collection: Collection) -> CollectionTable { tables[collection.name]! }
}
