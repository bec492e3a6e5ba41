public import SyncProtocol
import SyncTransport

/// The collections that the server syncs, as `GET /schemas/` lists them. A replica's tables are made from this.
public struct ServerSchema: Sendable, Equatable {
    /// The version. It changes whenever the schema changes.
    public let version: String
    /// The collections in drain order: parents before children.
    public let collections: [CollectionSchema]
    /// The server's response, from which `init(_:allProjects:)` reads an equal schema.
    public let json: JSON
    /// Whether it is for a replica of all projects, with a column `project_id` in every table.
    public let isForAllProjects: Bool

    /// The collection with this name, compared byte by byte. Nil when there is none.
    public subscript(name: String) -> CollectionSchema? { collections.first { $0.name.utf8.elementsEqual(name.utf8) } }
}

// Names from the server become SQL identifiers. They are checked here, once; there is no other way to make a schema.

extension ServerSchema {
    /// Reads the response of `GET /schemas/`. With `allProjects`, for a replica of all projects: every collection has
    /// the column `project_id`. Throws `SyncError.unusableSchema` when no replica can be built from it.
    public init(_ json: JSON, allProjects: Bool = false) throws {
        guard let version = json["schema_version"]?.string, let documents = json["collections"]?.array else {
            throw SyncError.notTidemark(TransportResponse(status: 200))
        }
        self.version = version
        self.json = json
        isForAllProjects = allProjects
        collections = try documents.map { try CollectionSchema($0, allProjects: allProjects) }
        try SQLName.checkDistinct(collections.map(\.name), in: "the schema")
    }
}

extension ServerSchema {
    /// The version of a schema that came with the app. No server has it, so the first pull replaces it.
    static let appVersion = "app"

    /// Reads what `tidemark schema --format jsonschema` prints: a list of the collections' documents.
    init(appText text: String, allProjects: Bool) throws {
        guard let documents = try? JSON(parsing: text), documents.array != nil else {
            throw SyncError.unusableSchema("it is not what `tidemark schema --format jsonschema` prints")
        }
        try self.init(
            ["schema_version": .string(Self.appVersion), "collections": documents], allProjects: allProjects)
    }
}

extension ServerSchema {
    /// This schema with the collections and fields that only the app's has. The tables hold them, too: the server may
    /// be the one that is behind.
    func widened(by app: ServerSchema?) -> ServerSchema {
        guard let app, app.version != version else { return self }
        let known = Set(collections.map { $0.name.lowercased() })
        let own = collections.map { collection in app[collection.name].map(collection.widened) ?? collection }
        return ServerSchema(
            version: version, collections: own + app.collections.filter { !known.contains($0.name.lowercased()) },
            json: json, isForAllProjects: isForAllProjects)
    }

    /// Whether it has a collection or a field that `other` lacks.
    func hasMore(than other: ServerSchema) -> Bool {
        collections.contains { collection in
            guard let known = other[collection.name] else { return true }
            return collection.columns.contains { known[$0.name] == nil }
        }
    }
}

extension CollectionSchema {
    fileprivate func widened(by app: CollectionSchema) -> CollectionSchema {
        let known = Set(columns.map { $0.name.lowercased() })
        let more = app.columns.filter { !known.contains($0.name.lowercased()) }
        return with((columns + more).sorted { $0.name < $1.name })
    }

    func without(_ column: ColumnSchema) -> CollectionSchema { with(columns.filter { $0 != column }) }

    private func with(_ columns: [ColumnSchema]) -> CollectionSchema {
        CollectionSchema(
            name: name, isUploadable: isUploadable, required: required, columns: columns,
            projectPlace: projectPlace.flatMap { _ in columns.firstIndex { $0.name == ProjectColumn.name } },
            document: document)
    }

    /// The columns that `other` lacks.
    func columns(beyond other: CollectionSchema?) -> [ColumnSchema] { columns.filter { other?[$0.name] == nil } }

    init(_ document: JSON, allProjects: Bool) throws {
        guard let title = document["title"]?.string, let properties = document["properties"]?.object else {
            throw SyncError.unusableSchema("a collection has no `title` or no `properties`")
        }
        name = title
        self.document = document
        isUploadable =
            (["x-uploadable"] + (allProjects ? ["x-uploadable-user-wide"] : [])).contains { document[$0] == true }
        try SQLName.checkTable(name)
        let own = try properties.filter { !Self.everywhere.contains($0.key) }
            .map { try ColumnSchema(name: $0.key, document: $0.value, in: title) }
        columns = (own + (allProjects ? [ProjectColumn.schema] : [])).sorted { $0.name < $1.name }
        projectPlace = allProjects ? columns.firstIndex { $0.name == ProjectColumn.name } : nil
        try SQLName.checkDistinct(columns.map(\.name), in: title)
        let writable = Set(columns.filter { !$0.isReadOnly }.map(\.name))
        required = (document["required"]?.array ?? []).compactMap(\.string).filter(writable.contains)
    }

    /// The fields that every row has; the replica declares their columns itself.
    static let everywhere: Set = ["id", "server_version"]
}

extension ColumnSchema {
    init(name: String, document: JSON, in collection: String) throws {
        try SQLName.checkColumn(name, in: collection)
        let types = Self.types(document)
        let kind = Kind(types: types.subtracting(["null"]))
        let value = document["default"] ?? .null
        self.init(
            name: name, kind: kind, defaultValue: kind.accepts(value) ? value : .null,
            isReadOnly: document["readOnly"]?.bool ?? false, isNullable: types.isEmpty || types.contains("null"),
            reference: document["x-ref"]?["collection"]?.string,
            onDelete: document["x-ref"]?["on-delete"]?.string.flatMap(OnDelete.init), document: document)
    }

    /// The names in `type`; empty when the schema does not restrict the type.
    private static func types(_ document: JSON) -> Set<String> {
        Set(document["type"]?.array?.compactMap(\.string) ?? [document["type"]?.string].compactMap { $0 })
    }
}

extension ColumnSchema.Kind {
    fileprivate init(types: Set<String>) {
        switch types {
        case ["string"]: self = .text
        case ["integer"]: self = .integer
        case ["number"], ["integer", "number"]: self = .real
        case ["boolean"]: self = .boolean
        case ["array"], ["object"], ["array", "object"]: self = .document
        default: self = .any
        }
    }
}

/// One synced collection. The replica has one table for it.
public struct CollectionSchema: Sendable, Equatable {
    /// The name on the wire, and of the table.
    public let name: String
    /// Whether its rows can be edited in the replica: the server accepts uploads of them.
    public let isUploadable: Bool
    /// The fields without which the server takes no new row, in the order of the schema.
    public let required: [String]
    /// Sorted by name. `id` and `server_version`, which every collection has, are not listed.
    public let columns: [ColumnSchema]
    /// The place of `project_id` in `columns`; nil in a replica of one project.
    let projectPlace: Int?
    /// The collection's schema, as the server has it.
    let document: JSON

    /// The column with this name, compared byte by byte. Nil when there is none.
    public subscript(name: String) -> ColumnSchema? { columns.first { $0.name.utf8.elementsEqual(name.utf8) } }
}

/// One field of a collection. The collection's table has one column for it.
public struct ColumnSchema: Sendable, Equatable {
    /// Which JSON values a column takes, and how SQLite stores them.
    public enum Kind: Sendable, Equatable {
        /// A JSON string, stored as TEXT.
        case text
        /// A whole number that fits 64 bits, stored as INTEGER.
        case integer
        /// Any number, stored as REAL.
        case real
        /// Stored as 0 or 1.
        case boolean
        /// An array or object, stored as JSON text.
        case document
        /// More than one of these types. Reading a value gives back whatever type SQLite stored.
        case any
    }

    /// The name on the wire, and of the column.
    public let name: String
    /// The type. A column may hold null as well, whatever its type, until the server has sent a value.
    public let kind: Kind
    /// The value that a row gets when the field is not given.
    public let defaultValue: JSON
    /// Whether only the server writes it.
    public let isReadOnly: Bool
    /// Whether the server accepts null.
    public let isNullable: Bool
    /// The collection whose ids the values are; nil when the field is not a reference.
    public let reference: String?
    /// What the server does when a row that the field refers to is deleted; nil when the field is not a reference.
    let onDelete: OnDelete?
    /// The field's schema, as the server has it.
    let document: JSON

    /// What happens to a row when one that it refers to is deleted.
    enum OnDelete: String, Sendable {
        /// The row is deleted along with it.
        case cascade
        /// The field loses the reference.
        case clear
        /// The deletion is refused.
        case restrict
    }
}

extension ColumnSchema.Kind {
    /// Whether a column of this type can hold `value` without loss.
    func accepts(_ value: JSON) -> Bool {
        switch (self, value) {
        case (_, .null), (.any, _), (.text, .string), (.integer, .int), (.real, .int), (.real, .double): true
        case (.boolean, .bool), (.document, .array), (.document, .object): true
        default: false
        }
    }
}

extension CollectionSchema {
    /// Judges values by this collection, and by that of the schema that the app brought, if it has the collection.
    func rowCheck(brought: ServerSchema?) -> RowCheck { RowCheck(schemas: [self] + [brought?[name]].compactMap { $0 }) }
}
