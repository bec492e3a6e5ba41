package import SyncProtocol

/// One synced table, as its schema file declares it.
package struct Collection: Sendable {
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
    /// The schema document itself, for `GET /schemas/`.
    package let document: JSON

    /// The field of that name.
    package func field(_ name: String) -> Field? { positions[name].map { fields[$0] } }

    /// The field's place in a record's values.
    package func position(_ name: String) -> Int? { positions[name] }

    let positions: [String: Int]

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
    }
}

/// One field of a collection.
package struct Field: Sendable {
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
