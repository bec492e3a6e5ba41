public import SyncProtocol

/// One synced table, as its schema file declares it.
public struct Collection: Sendable {
    /// The name in paths, in `changes` and in SQL.
    public let name: String
    /// One sentence for people.
    public let summary: String
    /// What the collection means for access.
    public let scope: Scope
    /// The declared fields in the order of their names; `id` and `server_version` are not among them.
    public let fields: [Field]
    public let roles: Roles
    /// Whether batches may carry it.
    public let isUploadable: Bool
    public let visibility: Visibility
    public let uniqueKeys: [UniqueKey]
    /// Names of rules that no schema can say; see `RowRule` in the engine.
    public let rules: [String]
    /// The tie-break of the drain order.
    let order: Int
    /// The schema document itself, for `GET /schemas/`.
    public let document: JSON

    /// The field of that name.
    public func field(_ name: String) -> Field? { positions[name].map { fields[$0] } }

    /// The field's place in a record's values.
    public func position(_ name: String) -> Int? { positions[name] }

    let positions: [String: Int]

    /// What rows of a collection mean for access.
    public enum Scope: String, Sendable, CaseIterable {
        /// The row is a project: its id is the scope of all others.
        case project
        /// The row makes a user a member.
        case membership
        /// The row belongs to a project.
        case ordinary
    }

    /// The least role for each verb; nil for any user.
    public struct Roles: Sendable, Equatable {
        public let create: Role?
        public let update: Role?
        public let delete: Role?
    }

    /// Who sees a row of the collection.
    public enum Visibility: Sendable, Equatable {
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
    public struct UniqueKey: Sendable, Equatable {
        public let fields: [String]
        public let condition: [String: JSON]
    }
}

/// One field of a collection.
public struct Field: Sendable {
    public let name: String
    public let value: ValueSchema
    /// The value of a new row that has none: the schema's default, or null.
    public let fallback: JSON
    /// A new row must have it.
    public let isRequired: Bool
    /// Clients can't write it.
    public let isServerOwned: Bool
    /// How the server fills it.
    public let serverValue: ServerValue?
    public let reference: Reference?
    /// The field holds a user's id.
    public let user: OnLeave?
    /// The least role that may change it; nil for the verb's own.
    public let writeRole: Role?
    /// The field with the user who may change it whatever the role.
    public let author: String?

    /// Where a server-owned value comes from.
    public enum ServerValue: String, Sendable, CaseIterable {
        case project
        case shortID = "short-id"
        case caller
        case createdAt = "created-at"
        case updatedAt = "updated-at"
        case displayName = "display-name"
        case linkProvider = "link-provider"
    }

    /// What happens to a user's id when the user leaves the project.
    public enum OnLeave: String, Sendable, CaseIterable {
        case clear
        case keep
    }

    /// A reference to a row of the same project.
    public struct Reference: Sendable, Equatable {
        public let collection: String
        public let onDelete: OnDelete
        /// The field is a list of ids.
        public let isList: Bool
    }

    /// What happens to the referring row when the row referred to is deleted.
    public enum OnDelete: String, Sendable, CaseIterable {
        /// It is deleted too.
        case cascade
        /// The reference becomes null, or leaves the list.
        case clear
        /// The delete is refused.
        case restrict
    }
}
