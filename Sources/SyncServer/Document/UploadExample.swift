import SyncProtocol
import SyncSchema

/// An example batch with a new row, an edit and a delete, and the server's answer to it. In the example nobody
/// else has changed the edited and the deleted row. The rows are of the first collection that takes uploads, of those
/// that a MEMBER may write if there are any.
struct UploadExample {
    private static let batchID: JSON = "5f1b0a54-6c1b-4b0e-9c0e-0b8c3e1d7a11"

    let collection: Collection
    /// The ids of the new row, the edited row and the deleted row.
    let ids: (created: String, updated: String, deleted: String)
    private let newFields: [String: JSON]
    private let edit: (field: String, value: JSON)

    /// Nil if no collection takes uploads, or if the first one that does has no field for the example's edit.
    init?(_ registry: Registry) {
        let uploadable = registry.collections.filter(\.isUploadable)
        guard let collection = uploadable.first(where: \.roles.areMembers) ?? uploadable.first,
            let edit = UploadExample.edit(of: collection)
        else { return nil }
        let letter = collection.name.prefix(1)
        (self.collection, self.edit, ids) = (collection, edit, ("\(letter)-9", "\(letter)-1", "\(letter)-0"))
        let required = collection.fields.filter { $0.isRequired && !$0.isServerOwned }
        newFields = Dictionary(
            uniqueKeysWithValues: required.map {
                ($0.name, SampleValue(schemas: [:]).of(FieldSchema($0, in: collection).json, name: $0.name))
            })
    }

    /// The body of the upload.
    var body: JSON {
        let created = newFields.merging(["id": .string(ids.created)]) { $1 }
        let updated: JSON = ["id": .string(ids.updated), "_changed": .string(edit.field)]
        return [
            "client_batch_id": Self.batchID,
            "changes": ofCollection([
                "created": [.object(created)],
                "updated": [.object((updated.object ?? [:]).merging([edit.field: edit.value]) { $1 })],
                "deleted": [.string(ids.deleted)],
            ]),
        ]
    }

    /// The server's answer to the upload.
    var answer: JSON {
        [
            "client_batch_id": Self.batchID, "timestamp": 57,
            "applied": ofCollection([
                "created": [["id": .string(ids.created), "server_version": 1]],
                "updated": [["id": .string(ids.updated), "server_version": 2]], "deleted": [.string(ids.deleted)],
            ]),
            "skipped": [:], "repaired": [:], "conflicts": [:], "rejected": [:], "rejected_ids": [:],
        ]
    }

    /// A page of the next pull: it has the rows as the upload left them.
    func page(_ sample: SampleValue) -> JSON {
        var row = sample.of(Schema.reference("\(collection.name)_row")).object ?? [:]
        row.merge([edit.field: edit.value, "id": .string(ids.updated), "server_version": 2]) { $1 }
        return [
            "changes": ofCollection(["created": [], "updated": [.object(row)], "deleted": [.string(ids.deleted)]]),
            "timestamp": 57, "has_more": true, "next_cursor": "Zm9v…", "progress": ["rows": 2, "total": .null],
        ]
    }

    private func ofCollection(_ changes: JSON) -> JSON { .object([collection.name: changes]) }

    /// A field that everyone may change, and a value other than its default.
    private static func edit(of collection: Collection) -> (String, JSON)? {
        for field in collection.fields
        where !field.isServerOwned && field.writeRole == nil && field.author == nil && !field.isLookedUp {
            let wanted: [JSON] =
                switch field.value.kind {
                case .integer, .number: [3, 1]
                case .string: (field.value.allowed ?? ["Two coats"])
                default: []
                }
            if let value = wanted.first(where: { $0 != field.fallback && (try? field.value.normalized($0)) == $0 }) {
                return (field.name, value)
            }
        }
        return nil
    }
}

extension Collection.Roles {
    /// Whether the role MEMBER is enough for every verb.
    fileprivate var areMembers: Bool { [create, update, delete].allSatisfy { $0 ?? .viewer <= .member } }
}
