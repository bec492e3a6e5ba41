import SyncProtocol
import SyncSchema
import SyncValues

/// The component schemas of one collection, by name. Collection names are lower case
/// and all other component names begin with a capital letter, so the two can't collide.
struct CollectionSchemas {
    let collection: Collection

    var components: [String: JSON] {
        let name = collection.name
        return [
            "\(name)_row": row, "\(name)_pulled": pulled, "\(name)_create": create, "\(name)_patch": patch,
            "\(name)_upload": upload,
            "\(name)_changes": changes, "\(name)_list": Schema.page(of: Schema.reference("\(name)_row")),
        ]
    }

    /// A row as REST returns it: every field is present.
    private var row: JSON {
        var members = schemas(of: collection.fields)
        members["id"] = Schema.id
        members["server_version"] = CollectionSchemas.version
        return Schema.object(members, summary: collection.summary)
    }

    /// A row in a page of a pull, in any encoding.
    private var pulled: JSON {
        var members = collection.fields.reduce(into: [String: JSON]()) { members, field in
            let schema = FieldSchema(field, in: collection)
            members[field.name] = field.value.kind == .boolean ? schema.json : schema.inAnyEncoding
        }
        members["id"] = Schema.id
        members["project_id"] = Schema.id.described("The row's project; of a project, its own id.")
        members["server_version"] = CollectionSchemas.version
        return Schema.object(members, summary: collection.summary)
    }

    /// The body of a create: the fields that clients may write, with their defaults. Other members are refused.
    private var create: JSON {
        var members: [String: JSON] = [:]
        for field in writable { members[field.name] = FieldSchema(field, in: collection).withDefault }
        members["id"] = Schema.id.described("Chosen by the client. If it is absent, the server chooses one.")
        let optional = Set(writable.filter { !$0.isRequired }.map(\.name)).union(["id"])
        return Schema.object(members, optional: optional, isClosed: true, summary: collection.summary)
    }

    /// The body of a patch: any of the fields that clients may write.
    private var patch: JSON {
        let members = schemas(of: writable)
        return Schema.object(members, optional: Set(members.keys), isClosed: true, summary: collection.summary)
    }

    /// A row of an uploaded batch, in any encoding. Members other than the fields that clients may write are ignored.
    private var upload: JSON {
        var members = writable.reduce(into: [String: JSON]()) {
            $0[$1.name] = FieldSchema($1, in: collection).inAnyEncoding
        }
        let optional = Set(members.keys).union(["_changed", "project_id"])
        members["id"] = Schema.id
        members["project_id"] = Schema.id.described("Needed for a new row of a batch over several projects.")
        members["_changed"] = Schema.text.described("Column names, separated by commas: only these were edited.")
        return Schema.object(members, optional: optional, summary: collection.summary)
    }

    /// The collection's part of a page.
    private var changes: JSON {
        Schema.object(
            [
                "created": Schema.list(Schema.reference("\(collection.name)_pulled"))
                    .described("Empty unless `split_created`."),
                "updated": Schema.list(Schema.reference("\(collection.name)_pulled")),
                "deleted": Schema.list(Schema.id).described("Tombstones."),
                "left": Schema.list(Schema.id).described(
                    "Only with `filter` or `filter_was`, above 0: rows that are not in the part any more."),
            ], optional: ["left"])
    }

    private var writable: [Field] { collection.fields.filter { !$0.isServerOwned } }

    private func schemas(of fields: [Field]) -> [String: JSON] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0.name, FieldSchema($0, in: collection).json) })
    }

    static let version: JSON = ["type": "integer", "minimum": 1, "description": "Counts the row's edits."]
}
