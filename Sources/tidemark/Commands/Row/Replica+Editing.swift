import Foundation
import SyncClient
import SyncProtocol

/// What `tidemark row` does, and `tidemark task` in the collection `tasks`. Everything throws `EditError`.
extension Replica {
    /// The collection that `tidemark task` edits.
    static let tasks = "tasks"

    /// The collection with this name, whether its rows can be edited or not.
    func known(_ name: String) throws -> CollectionSchema {
        guard let schema = try schema() else { throw EditError.notPulled }
        guard let collection = schema[name] else { throw EditError.unknownCollection(name) }
        return collection
    }

    /// The rows that were not deleted here.
    func liveRows(of name: String) throws -> [JSON] {
        try rows(of: known(name).name).filter { $0["_status"] != "deleted" }
    }

    /// Adds a row and returns its id; without one, a random UUID. Values in `fixed` win over `fields`.
    func add(
        _ fields: [FieldAssignment], _ fixed: [String: JSON] = [:], to name: String, id: String?
    ) throws -> String {
        let id = id ?? UUID().uuidString.lowercased()
        let values = try fields.values(in: editable(name)).merging(fixed) { $1 }
        try insert(values, into: name, id: id)
        return id
    }

    func set(_ fields: [FieldAssignment], of id: String, in name: String) throws {
        try update(id, in: name, fields.values(in: editable(name)))
    }

    func remove(_ id: String, from name: String) throws { try delete(id, from: editable(name).name) }

    private func editable(_ name: String) throws -> CollectionSchema {
        let collection = try known(name)
        guard collection.isUploadable else { throw EditError.notUploadable(name) }
        return collection
    }
}
