package import SyncProtocol
package import SyncValues

/// One field of a collection. It is a class for the same reason as `Collection`.
package final class Field: Sendable {
    package let name: String
    package let value: ValueSchema
    /// The value in a new row that brings none: the schema's default, or null.
    package let fallback: JSON
    /// Whether a new row must bring a value.
    package let isRequired: Bool
    /// Whether only the server can write it.
    package let isServerOwned: Bool
    /// How the server fills it; nil if it doesn't.
    package let serverValue: ServerValue?
    package let reference: Reference?
    /// If the field holds a user's id, or a list of them: what happens when the user leaves the project.
    package let user: OnLeave?
    /// The lowest role that may change it; nil if the role for the verb is enough.
    package let writeRole: Role?
    /// The name of the field with the user who may change it whatever the role.
    package let author: String?
    /// Whether a pull can ask for a part of the rows by it.
    package let isFilterable: Bool
    /// How values that two sides changed merge; nil if the field has one value, whole.
    package let merge: FieldMerge?
    /// Whether clients can only set it from null, once.
    package let isSetOnce: Bool
    /// If the field names a file: which fields tell of it.
    package let blob: Blob?

    /// Reads one member of a collection's `properties`.
    init(name: String, isRequired: Bool, in scope: Collection.Scope, _ reader: SchemaReader) throws(SchemaError) {
        var reader = reader
        guard Naming.isColumn(name) else {
            throw reader.error(
                "a field's name has lower-case letters, digits and _, and is not id, base_version, rowid, …")
        }
        var value = try ValueSchema(&reader)
        let isList = value.kind == .array
        if scope == .membership, name == "role" { value.allowRoles() }
        fallback = try Field.fallback(&reader, value)
        reference = try Field.reference(&reader, isList: isList)
        let user = try Field.user(&reader)
        if isList, reference != nil || user != nil { value.hasUniqueItems = true }
        self.value = value
        self.name = name
        self.isRequired = isRequired
        serverValue = try reader.word("x-value", ServerValue.self)
        isServerOwned = try reader.flag("readOnly")
        self.user = scope == .membership && name == "user" ? .keep : user
        writeRole = try reader.role("x-role")
        author = try reader.string("x-author")
        isFilterable = try reader.flag("x-filterable")
        merge = try reader.word("x-merge", FieldMerge.self)
        isSetOnce = try reader.flag("x-once")
        blob = try Field.blob(&reader, value)
        try reader.finish()
        if serverValue != nil, !isServerOwned { throw reader.error("x-value needs readOnly") }
        guard value.isNullable || !fallback.isNull || serverValue != nil || isRequired && !isServerOwned else {
            throw reader.error("a new row needs a value: require the field, set a default or x-value, or allow null")
        }
        try checkReference(reader)
        try checkUser(user, reader)
        try checkServerValue(reader)
        try checkRole(reader)
        try checkFilterable(reader)
        try checkMerge(in: scope, reader)
        try checkOnce(reader)
        try checkBlob(reader)
    }

    /// Whether rows are looked up by the field: it refers to a row or to a user, or to several.
    package var isLookedUp: Bool { reference != nil || user != nil }

    /// Whether the value is a list of ids, of rows or of users, each once.
    package var isListOfIDs: Bool { isLookedUp && value.kind == .array }

    /// Whether the value is a user's id.
    package var holdsUser: Bool { value.kind == .integer && (user != nil || serverValue == .caller) }

    /// Whether the value is a list of users' ids.
    package var holdsUsers: Bool { user != nil && value.kind == .array }

    /// The most users that a list of them may hold.
    package static let mostUsers = 50

    /// Where a server-owned value comes from.
    package enum ServerValue: String, Sendable, CaseIterable {
        case project
        case shortID = "short-id"
        case caller
        case createdAt = "created-at"
        case updatedAt = "updated-at"
        case displayName = "display-name"
        case linkProvider = "link-provider"
        /// When the field `state` became `accepted`.
        case acceptedAt = "accepted-at"
        /// When the field `state` became `declined`.
        case declinedAt = "declined-at"
    }

    /// What happens to a user's id when the user leaves the project.
    package enum OnLeave: String, Sendable, CaseIterable {
        case clear
        case keep
    }

    /// A field that holds the SHA-256 of a file, and the fields of the same row in which the server tells of it.
    package struct Blob: Sendable, Equatable {
        /// Says whether the server has the bytes: `BlobState`.
        package let state: String?
        /// Gets the true size in bytes once the server has them.
        package let size: String?
    }

    /// The words of `Blob.state`. There may be more in later versions.
    package enum BlobState: String, Sendable, CaseIterable {
        /// Nobody has sent the bytes who may name them, or the row names no file.
        case pending
        case stored
    }

    /// A reference to a row of the same project.
    package struct Reference: Sendable, Equatable {
        package let collection: String
        package let onDelete: OnDelete
        /// Whether the field is a list of ids.
        package let isList: Bool
    }

    /// What happens to the referring row when the row that it refers to is deleted.
    package enum OnDelete: String, Sendable, CaseIterable {
        /// It is deleted too.
        case cascade
        /// The reference becomes null, or leaves the list.
        case clear
        /// The delete is refused.
        case restrict
    }
}

/// Reads the parts of a property, for `Field.init`.
extension Field {
    /// The default in normal form; null if there is none.
    static func fallback(_ reader: inout SchemaReader, _ value: ValueSchema) throws(SchemaError) -> JSON {
        guard let fallback = reader.take("default") else { return .null }
        do {
            return try value.normalized(fallback)
        } catch {
            throw reader.error("the default \(error.detail)", at: "default")
        }
    }

    static func reference(_ reader: inout SchemaReader, isList: Bool) throws(SchemaError) -> Reference? {
        guard var object = try reader.object("x-ref") else { return nil }
        guard let collection = try object.string("collection"),
            let onDelete = try object.word("on-delete", OnDelete.self)
        else { throw object.error("needs collection and on-delete") }
        try object.finish()
        if isList, onDelete != .clear { throw object.error("a list of references can only be cleared") }
        return Reference(collection: collection, onDelete: onDelete, isList: isList)
    }

    static func blob(_ reader: inout SchemaReader, _ value: ValueSchema) throws(SchemaError) -> Blob? {
        guard var object = try reader.object("x-blob") else {
            return value.format == .blob ? Blob(state: nil, size: nil) : nil
        }
        guard value.format == .blob else { throw reader.error("is for the format blob; remove it", at: "x-blob") }
        let blob = Blob(state: try object.string("state"), size: try object.string("size"))
        try object.finish()
        return blob
    }

    static func user(_ reader: inout SchemaReader) throws(SchemaError) -> OnLeave? {
        guard var object = try reader.object("x-user") else { return nil }
        guard let onLeave = try object.word("on-leave", OnLeave.self) else { throw object.error("needs on-leave") }
        try object.finish()
        return onLeave
    }
}

/// The field `modified_at`, in which clients say when they edited a row, for `on_conflict=newest`. Every uploadable
/// collection has it, even if its file does not name it.
enum EditTime {
    static let name = "modified_at"

    private static let schema: JSON = [
        "type": ["string", "null"], "format": "date-time", "default": nil,
        "description": "The client's edit time, for on_conflict=newest.",
    ]

    /// The document with the field, if the collection needs it and the file does not name it.
    static func added(to document: JSON) -> JSON {
        let isUploadable =
            document["x-scope"] == "project"
            ? document["x-uploadable-user-wide"] != false : document["x-uploadable"] == true
        guard isUploadable, document["properties"]?[name] == nil, var members = document.object,
            var properties = members["properties"]?.object
        else { return document }
        properties[name] = schema
        members["properties"] = .object(properties)
        return .object(members)
    }

    /// The field, if it can hold an edit time.
    static func field(in fields: [Field]) -> Field? {
        fields.first { $0.name == name && $0.value.format == .dateTime && !$0.isServerOwned }
    }
}
