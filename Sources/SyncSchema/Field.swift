package import SyncProtocol

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
    /// If the field holds a user's id: what happens when the user leaves the project.
    package let user: OnLeave?
    /// The lowest role that may change it; nil if the role for the verb is enough.
    package let writeRole: Role?
    /// The name of the field with the user who may change it whatever the role.
    package let author: String?

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
        if serverValue != nil, !isServerOwned { throw reader.error("x-value needs readOnly") }
        guard value.isNullable || !fallback.isNull || serverValue != nil || isRequired && !isServerOwned else {
            throw reader.error("a new row needs a value: require the field, set a default or x-value, or allow null")
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
