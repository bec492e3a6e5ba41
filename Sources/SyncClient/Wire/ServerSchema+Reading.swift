public import SyncProtocol

// Names from the server become SQL identifiers. They are checked here, once; there is no other way to make a schema.

extension ServerSchema {
    /// Reads the response of `GET /schemas/`. With `allProjects`, for a replica of all projects: every collection has
    /// the column `project_id`. Throws `SyncError.unusableSchema` when no replica can be built from it.
    public init(_ json: JSON, allProjects: Bool = false) throws {
        guard let version = json["schema_version"]?.string, let documents = json["collections"]?.array else {
            throw SyncError.unusableSchema("it has no `schema_version` or no `collections`")
        }
        self.version = version
        self.json = json
        isForAllProjects = allProjects
        collections = try documents.map { try CollectionSchema($0, allProjects: allProjects) }
        try SQLName.checkDistinct(collections.map(\.name), in: "the schema")
    }
}

extension CollectionSchema {
    init(_ document: JSON, allProjects: Bool) throws {
        guard let title = document["title"]?.string, let properties = document["properties"]?.object else {
            throw SyncError.unusableSchema("a collection has no `title` or no `properties`")
        }
        name = title
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
    private static let everywhere: Set = ["id", "server_version"]
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
            onDelete: document["x-ref"]?["on-delete"]?.string.flatMap(OnDelete.init))
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
