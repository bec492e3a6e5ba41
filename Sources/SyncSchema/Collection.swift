package import SyncProtocol
package import SyncValues

/// One synced table, as its schema file declares it.
///
/// It is a class because every row that is written or served looks at it: a copy of such a large struct would take a
/// dozen reference counts.
package final class Collection: Sendable {
    /// The name in paths, in `changes` and in SQL.
    package let name: String
    /// A description for people, in one sentence.
    package let summary: String
    /// What the collection means for access.
    package let scope: Scope
    /// The fields, sorted by name, without `id` and `server_version`.
    package let fields: [Field]
    package let roles: Roles
    /// Which batches may carry it.
    package let uploads: Uploads
    package let visibility: Visibility
    /// The reference that a row follows where a pull narrows the collection referred to: the row comes if the row that
    /// it refers to comes, or if it refers to none. Nil if the collection follows none.
    package let follows: String?
    /// The field in which clients say when they edited a row. Every uploadable collection has it.
    package let editTime: Field?
    package let uniqueKeys: [UniqueKey]
    /// The rules that a schema can't express.
    package let rules: [RuleName]
    /// Decides the drain order where references leave a choice.
    let order: Int
    /// The schema document without its removed fields, for `GET /schemas/`.
    package let document: JSON
    /// Fields with `x-removed`. Their values stay in the database, but no client gets them.
    package let removedFields: [Field]
    /// Whether the collection itself has `x-removed`.
    let isRemoved: Bool

    /// The positions of the fields, by what they are for.
    package let places: FieldPlaces

    /// The positions of the fields that decide in which parts of a project a row is, and whose it is.
    package let deciding: [Int]

    /// The field with that name.
    package func field(_ name: String) -> Field? { positions[name].map { fields[$0] } }

    /// The field's position in a row's values.
    package func position(_ name: String) -> Int? { positions[name] }

    /// The position of one of the collection's own fields.
    package func position(of field: Field) -> Int { position(named: field.name) }

    /// The position of a field that the collection has: by its own schema, or because `RegistryCheck` and `RuleName`
    /// have required it when the schema files were read.
    package func position(named name: String) -> Int { positions[name]! }

    /// Whether the user is the author of the row with these values: the one who is in the field with `x-value: caller`.
    package func isAuthor(_ user: Int64, of values: [JSON]) -> Bool {
        places.authors.contains { values[$0] == .int(user) }
    }

    /// A field that the collection has, like `position(named:)`.
    package func field(named name: String) -> Field { fields[position(named: name)] }

    private let positions: [String: Int]

    /// Reads one schema file. `file` is its name without `.json`, which must be the collection's name.
    init(file: String, _ document: JSON) throws(SchemaError) {
        let document = EditTime.added(to: document)
        var reader = try SchemaReader(file: file, document)
        try Collection.checkHeader(&reader, file: file)
        name = file
        summary = try reader.string("description") ?? ""
        order = try reader.integer("x-order") ?? 1000
        scope = try reader.word("x-scope", Scope.self) ?? .ordinary
        uploads = try Collection.uploads(&reader, scope)
        rules = try Collection.rules(&reader, scope)
        roles = try Collection.roles(&reader)
        isRemoved = try reader.flag("x-removed")
        (fields, removedFields) = try Collection.fields(&reader, scope)
        visibility = try Collection.visibility(&reader)
        follows = try reader.string("x-follows")
        uniqueKeys = try Collection.uniqueKeys(&reader, fields: fields, scope: scope)
        try reader.finish()
        self.document = document.without(removedFields.map(\.name)).setting(uploads, of: scope)
        editTime = EditTime.field(in: fields)
        positions = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) })
        places = FieldPlaces(fields, of: file)
        deciding = Collection.deciding(fields, follows: follows, visibility)
    }

    private static func deciding(_ fields: [Field], follows: String?, _ visibility: Visibility) -> [Int] {
        let sight: [String] =
            switch visibility {
            case .own(let field), .inheritedList(let field, _): [field]
            case .listed(let fields, _): fields
            case .everyone, .gate, .inherited: []
            }
        let names = Set(sight + [follows].compactMap(\.self))
        return fields.indices.filter { fields[$0].isFilterable || names.contains(fields[$0].name) }
    }

    /// The same collection, except that no batch may carry it.
    convenience init(closingUploadsOf other: Collection) {
        self.init(
            other, uploads: .none, visibility: other.visibility,
            document: other.document.setting(Uploads.none, of: other.scope))
    }

    /// The same collection, of which it is known what it inherits.
    convenience init(_ other: Collection, visibility: Visibility) {
        self.init(other, uploads: other.uploads, visibility: visibility, document: other.document)
    }

    private init(_ other: Collection, uploads: Uploads, visibility: Visibility, document: JSON) {
        name = other.name
        summary = other.summary
        scope = other.scope
        fields = other.fields
        roles = other.roles
        self.uploads = uploads
        self.visibility = visibility
        follows = other.follows
        editTime = other.editTime
        uniqueKeys = other.uniqueKeys
        rules = other.rules
        order = other.order
        self.document = document
        removedFields = other.removedFields
        isRemoved = other.isRemoved
        places = other.places
        deciding = Collection.deciding(other.fields, follows: other.follows, visibility)
        positions = other.positions
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

    /// Which batches may carry rows of a collection.
    package enum Uploads: Sendable {
        case none
        /// Only batches over all projects of a user.
        case userWide
        case all
    }

    /// Whether batches of one project, or of all projects of a user, may carry it.
    package func isUploadable(userWide: Bool) -> Bool { uploads == .all || (userWide && uploads == .userWide) }

    /// Whether a batch of one project may carry it.
    package var isUploadable: Bool { isUploadable(userWide: false) }

    /// Who may create, change and delete rows.
    package struct Roles: Sendable, Equatable {
        /// The lowest role for each verb; nil if any user may do it.
        package let create: Role?
        package let update: Role?
        package let delete: Role?
        /// What a row's author may do below these roles too.
        package let author: Set<Change>
        /// What the users in the fields of `listed` may do below these roles too.
        package let listed: Set<Change>

        /// What can be done to a row that is there.
        package enum Change: String, Sendable, CaseIterable {
            case update
            case delete
        }

        /// The lowest role that may make the change; nil if any user may.
        package func least(for change: Change) -> Role? {
            switch change {
            case .update: update
            case .delete: delete
            }
        }
    }

    /// Who sees a row of the collection.
    package enum Visibility: Sendable, Equatable {
        /// Every member.
        case everyone
        /// Only the user in `field`, whatever the role.
        case own(field: String)
        /// The users in these fields, each of which holds one user or a list of them, and every member with `role` or a
        /// higher one; without a role, these users alone.
        case listed(fields: [String], role: Role?)
        /// Rows with `value` in `field` are only for `role` and above. Other rows are for every member.
        case gate(field: String, value: JSON, role: Role)
        /// Whoever sees the row that `field` refers to, over any number of references up to one with a gate.
        case inherited(field: String)
        /// The same, up to a row of which `listed` says who sees it. `role` is the one that is named there.
        case inheritedList(field: String, role: Role?)

        /// The reference by which the row's sight is another row's; nil if it is the row's own.
        package var parent: String? {
            switch self {
            case .everyone, .own, .listed, .gate: nil
            case .inherited(let field), .inheritedList(let field, _): field
            }
        }
    }

    /// The role that sees all rows of a collection in which `listed` decides, its own or that of rows above; nil if the
    /// listed alone see them, and in all other collections.
    package var listedRole: Role? {
        switch visibility {
        case .listed(_, let role), .inheritedList(_, let role): role
        case .everyone, .own, .gate, .inherited: nil
        }
    }

    /// Whether users in lists see the rows, the rows' own or those of rows above.
    package var isListed: Bool {
        switch visibility {
        case .listed, .inheritedList: true
        case .everyone, .own, .gate, .inherited: false
        }
    }

    /// Fields that together are unique among live rows. With a `condition`, only the rows that meet it count.
    package struct UniqueKey: Sendable, Equatable {
        package let fields: [String]
        package let condition: [String: JSON]
        /// Whether the key applies although the file does not name it.
        package var isImplied = false
    }
}

extension JSON {
    /// The schema document of a collection of this scope that these batches may carry.
    fileprivate func setting(_ uploads: Collection.Uploads, of scope: Collection.Scope) -> JSON {
        guard scope != .project else { return setting("x-uploadable-user-wide", to: .bool(uploads == .userWide)) }
        return uploads == .none && self["x-uploadable"] == true ? setting("x-uploadable", to: false) : self
    }
}

extension Collection {
    /// Throws if the collection has the name of a path of the server. Older versions allowed these names, so a
    /// collection that a database already has keeps its name and its paths. The server's own answer below `/sync/` as
    /// well.
    package func requireFreePath() throws(SchemaError) {
        guard Naming.laterPaths.contains(name) else { return }
        throw SchemaError(
            file: name, pointer: "/title",
            reason: """
                \(name) is a path of the server, and the database has no such collection yet. Give the collection and \
                its file another name.
                """)
    }
}

/// The positions of a collection's fields, by what they are for. Computed
/// once, because every row that is written needs them.
package struct FieldPlaces: Sendable {
    /// The values of a new row, by position, where nobody gives any.
    package let fallbacks: [JSON]
    /// Fields for which a new row must bring a value.
    package let required: [Int]
    /// Fields that the server fills.
    package let serverValued: [Int]
    /// Fields by which rows are looked up: they refer to rows or to users.
    package let lookedUp: [Int]
    /// Of those, references to a row that takes this row along when it is deleted.
    package let cascading: [Int]
    /// Of those, references to another row of the same collection.
    package let trees: [Int]
    /// Fields whose values are matched against a pattern, as a whole or in part.
    package let patterned: [Int]
    /// Fields with `x-value: caller`.
    package let authors: [Int]
    /// Fields whose values merge.
    package let merged: [Int]
    /// Fields that name files.
    package let blobs: [Int]
    /// Fields that get the sizes of files.
    package let fileSizes: Set<Int>

    init(_ fields: [Field], of collection: String) {
        fallbacks = fields.map(\.fallback)
        required = fields.indices.filter { fields[$0].isRequired }
        serverValued = fields.indices.filter { fields[$0].serverValue != nil }
        lookedUp = fields.indices.filter { fields[$0].isLookedUp }
        cascading = fields.indices.filter { fields[$0].reference?.onDelete == .cascade }
        patterned = fields.indices.filter { fields[$0].value.hasPattern }
        authors = fields.indices.filter { fields[$0].serverValue == .caller }
        merged = fields.indices.filter { fields[$0].merge != nil }
        blobs = fields.indices.filter { fields[$0].blob != nil }
        let sizes = Set(fields.compactMap(\.blob?.size))
        fileSizes = Set(fields.indices.filter { sizes.contains(fields[$0].name) })
        trees = cascading.filter { fields[$0].reference.map { $0.collection == collection && !$0.isList } ?? false }
    }
}

/// The names that a schema may use. They work both in SQL and as WatermelonDB columns.
enum Naming {
    private static let reserved: Set<String> = [
        "id", "project_id", "server_version", "sync_seq", "content_seq", "created_seq", "is_deleted", "is_gated",
        "row_checksum", "gate_seq", "inserted_by", "inserted_at", "gate_changes", "filter_seq", "base_version",
        "rowid", "oid", "constructor",
    ]

    /// Path segments after the base path or a project. They can't be names of collections.
    static let paths: Set<String> = [
        "auth", "users", "schemas", "health", "ready", "metrics", "openapi", "docs", "sync", "archive", "unarchive",
        "rejected", "api",
    ]

    /// Paths that came later. A collection that was there before keeps its own; a new one can't take such a name.
    static let laterPaths: Set<String> = [
        "devices", "events", "admin", "console", "client", "history", "files", "uploads",
    ]

    /// Whether a field may have this name.
    static func isColumn(_ name: String) -> Bool { isName(name) && !reserved.contains(name) }

    /// At most 48 lower-case letters, digits and `_`, beginning with a letter, but not with `sqlite_` or `tidemark_`.
    static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, (0x61...0x7A).contains(first), name.utf8.count <= 48 else { return false }
        return name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0.isASCIIDigit || $0 == 0x5F }
            && !name.hasPrefix("sqlite_") && !name.hasPrefix("tidemark_")
    }
}
