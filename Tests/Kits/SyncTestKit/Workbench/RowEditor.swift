import SyncAccounts
package import SyncEngine
package import SyncProtocol
import SyncSchema
import SyncStore

/// Edits rows of a draft, with fields by name.
package struct RowEditor {
    package let draft: Draft

    package init(draft: Draft) { self.draft = draft }

    /// Inserts a row with these fields; other fields get the schema's defaults.
    package func insert(_ collection: String, _ id: String, _ fields: [String: JSON]) throws {
        let collection = draft.registry.collection(collection)
        try draft.insert(
            RowKey(collection.name, id), values: collection.fields.map { fields[$0.name] ?? $0.fallback })
    }

    /// Changes fields of a row.
    package func update(_ collection: String, _ id: String, _ fields: [String: JSON]) throws {
        let collection = draft.registry.collection(collection)
        try draft.update(RowKey(collection.name, id)) { values in
            for (name, value) in fields { values[collection.position(named: name)] = value }
        }
    }

    /// Deletes the row and everything that the schema deletes with it.
    package func delete(_ collection: String, _ id: String) throws { try draft.delete(RowKey(collection, id)) }
}
