package import SyncProtocol

/// One synced table, as its schema file declares it.
///
/// A class, since every row that is written or served looks at it: a copy of a struct of that size counts a dozen
/// references.
package final class Collection: Sendable {
    /// The name in paths, in `changes` and in SQL.
    package let name: String
    /// One sentence for people.
    package let summary: String
    /// What the collection means for access.
    package let scope: Scope
    /// The declared fields in the order of their names; `id` and `server_version` are not among them.
    package let fields: [Field]
    package let roles: Roles
    /// Whether batches may carry it.
    package let isUploadable: Bool
    package let visibility: Visibility
    package let uniqueKeys: [UniqueKey]
    /// Names of rules that no schema can say; see `RowRule` in the engine.
    package let rules: [String]
    /// The tie-break of the drain order.
    let order: Int
    /// The schema document itself without its removed fields, for `GET /schemas/`.
    package let document: JSON
    /// Fields with `x-removed`: their values are kept where they are, and nobody is told of them.
    package let removedFields: [Field]
    /// Whether the collection itself is of that kind.
    let isRemoved: Bool

    /// Which of the fields are what.
    package let places: FieldPlaces

    /// The field of that name.
    package func field(_ name: String) -> Field? { positions[name].map { fields[$0] } }

    /// The field's place in a record's values.
    package func position(_ name: String) -> Int? { positions[name] }

    private let positions: [String: Int]

    /// Reads one schema file. `file` is its name without `.json`, which must be the collection's name.
    init(file: String, _ document: JSON) throws(SchemaError) {
        var reader = try SchemaReader(file: file, document)
        try Collection.checkHeader(&reader, file: file)
        name = file
        summary = try reader.string("description") ?? ""
        order = try reader.integer("x-order") ?? 1000
        scope = try reader.word("x-scope", Scope.self) ?? .ordinary
        isUploadable = try reader.flag("x-uploadable")
        rules = try Collection.rules(&reader, scope)
        roles = try Collection.roles(&reader)
        isRemoved = try reader.flag("x-removed")
        (fields, removedFields) = try Collection.fields(&reader, scope)
        visibility = try Collection.visibility(&reader)
        uniqueKeys = try Collection.uniqueKeys(&reader, fields, scope)
        try reader.finish()
        self.document = document.without(removedFields.map(\.name))
        positions = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) })
        places = FieldPlaces(fields, of: file)
    }

    /// What rows of a collection mean for access.
    package enum Scope: String, Sendable, CaseIterable {
        /// The row is a project: its id is the scope of all others.
        case project
        /// The row makes a user a member.
        case membership
        /// The row belongs to a project.
        case ordinary
    }

    /// The least role for each verb; nil for any user.
    package struct Roles: Sendable, Equatable {
        package let create: Role?
        package let update: Role?
        package let delete: Role?
    }

    /// Who sees a row of the collection.
    package enum Visibility: Sendable, Equatable {
        /// Every member.
        case everyone
        /// The user in `field` alone, whatever the role.
        case own(field: String)
        /// Rows with `value` in `field`: `role` and above only.
        case gate(field: String, value: JSON, role: Role)
        /// As the row that `field` refers to.
        case inherited(field: String)
    }

    /// Fields that together are unique among live rows (of those with `condition`, where there is one).
    package struct UniqueKey: Sendable, Equatable {
        package let fields: [String]
        package let condition: [String: JSON]
        /// It holds although the file does not name it.
        package var isImplied = false
    }
}

/// One field of a collection. A class for the same reason as `Collection`.
package final class Field: Sendable {
    package let name: String
    package let value: ValueSchema
    /// The value of a new row that has none: the schema's default, or null.
    package let fallback: JSON
    /// A new row must have it.
    package let isRequired: Bool
    /// Clients can't write it.
    package let isServerOwned: Bool
    /// How the server fills it.
    package let serverValue: ServerValue?
    package let reference: Reference?
    /// The field holds a user's id.
    package let user: OnLeave?
    /// The least role that may change it; nil for the verb's own.
    package let writeRole: Role?
    /// The field with the user who may change it whatever the role.
    package let author: String?

    /// Reads one member of a collection's `properties`.
    init(name: String, isRequired: Bool, in scope: Collection.Scope, _ reader: SchemaReader) throws(SchemaError) {
        var reader = reader
        guard Naming.isColumn(name) else {
            throw reader.error(
                "a field's name has lower-case letters, digits and _, and is none of id, base_version, rowid, …")
        }
        var value = try ValueSchema(&reader)
        let isList = value.kind == .array
        if scope == .membership, name == "role" { value.allowRoles() }
        fallback = try Field.fallback(&reader, value)
        reference = try Field.reference(&reader, isList: isList)
        if reference != nil, isList { value.hasUniqueItems = true }
        self.value = value
        self.name = name
        self.isRequired = isRequired
        serverValue = try reader.word("x-value", ServerValue.self)
        isServerOwned = try reader.flag("readOnly")
        let user = try Field.user(&reader)
        self.user = scope == .membership && name == "user" ? .keep : user
        writeRole = try reader.role("x-role")
        author = try reader.string("x-author")
        try reader.finish()
        if serverValue != nil, !isServerOwned { throw reader.error("x-value goes with readOnly") }
        guard value.isNullable || !fallback.isNull || serverValue != nil || isRequired && !isServerOwned else {
            throw reader.error("a new row needs a value: require the field, give a default or x-value, or allow null")
        }
        try checkReference(reader)
        try checkUser(user, reader)
        try checkServerValue(reader)
        try checkRole(reader)
    }

    /// Whether rows are looked up by the field: it refers to a row or to a user.
    package var isLookedUp: Bool { reference != nil || user != nil }

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

    /// A reference to a row of the same project.
    package struct Reference: Sendable, Equatable {
        package let collection: String
        package let onDelete: OnDelete
        /// The field is a list of ids.
        package let isList: Bool
    }

    /// What happens to the referring row when the row referred to is deleted.
    package enum OnDelete: String, Sendable, CaseIterable {
        /// It is deleted too.
        case cascade
        /// The reference becomes null, or leaves the list.
        case clear
        /// The delete is refused.
        case restrict
    }
}
