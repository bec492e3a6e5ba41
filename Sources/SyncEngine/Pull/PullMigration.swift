import SyncProtocol
package import SyncSchema
import SyncStore

/// What a client lacks after an update of its schema, although it is older
/// than the client's watermark: WatermelonDB's `migration`.
package struct PullMigration: Sendable, Hashable {
    /// Collections whose rows are all needed.
    private var tables: Set<String> = []
    /// Columns by collection. Rows are needed if one of these columns has a value that the client does not have there
    /// yet.
    private var columns: [String: Set<String>] = [:]
    /// The projects whose rows are needed; nil for all.
    private var projects: Set<String>?

    /// Reads `{"from":n,"tables":[…],"columns":[{"table":…,"columns":[…]}],"projects":[…]}`, in which all members
    /// are optional; nil for `null`. Throws `invalid_parameter`. A name that is not in the schema is an error too, and
    /// the message quotes it, unless `ignoresUnknown` is true.
    package init?(parsing text: String, registry: Registry, ignoresUnknown: Bool = false) throws {
        let json = try? JSON(parsing: text)
        if json == .null { return nil }
        guard let members = json?.object else { throw PullMigration.malformed }
        if let from = members["from"], !from.isNull, from.int == nil { throw PullMigration.malformed }
        if let ids = members["projects"], !ids.isNull {
            projects = Set(
                try PullMigration.list(ids).map { id in
                    guard let id = id.string else { throw PullMigration.malformed }
                    return id
                })
        }
        for table in try PullMigration.list(members["tables"]) {
            guard
                let collection = try PullMigration.collection(table, registry: registry, ignoresUnknown: ignoresUnknown)
            else { continue }
            tables.insert(collection.name)
        }
        for entry in try PullMigration.list(members["columns"]) {
            let columns = try PullMigration.list(entry["columns"])
            let table = entry["table"] ?? .null
            guard
                let collection = try PullMigration.collection(table, registry: registry, ignoresUnknown: ignoresUnknown)
            else { continue }
            for column in columns { try add(column, of: collection, ignoresUnknown) }
        }
    }

    private mutating func add(_ column: JSON, of collection: Collection, _ ignoresUnknown: Bool) throws {
        guard let name = column.string else { throw PullMigration.malformed }
        // A client's default is 0 or an empty text. No row has it as its version or its project, so all are needed.
        if ["server_version", "project_id"].contains(name) {
            tables.insert(collection.name)
        } else if collection.field(name) != nil {
            columns[collection.name, default: []].insert(name)
        } else if !ignoresUnknown, !collection.removedFields.contains(where: { $0.name == name }) {
            throw Problem(.invalidParameter, "migration: \(collection.name) has no column \"\(name)\".")
        }
    }

    /// Nil for an unknown collection if those are ignored, and for a removed
    /// one: old clients may still ask for it, and get nothing.
    private static func collection(
        _ json: JSON, registry: Registry, ignoresUnknown: Bool
    ) throws -> Collection? {
        guard let name = json.string else { throw malformed }
        if let collection = registry[name] { return collection }
        guard ignoresUnknown || registry.removed.contains(name) else {
            throw Problem(.invalidParameter, "migration: there is no table \"\(name)\".")
        }
        return nil
    }

    private static func list(_ json: JSON?) throws -> [JSON] {
        guard let json, !json.isNull else { return [] }
        guard let list = json.array else { throw malformed }
        return list
    }

    private static var malformed: Problem {
        Problem(
            .invalidParameter,
            """
            migration must be {"from":n,"tables":[…],"columns":[{"table":…,"columns":[…]}],"projects":[…]}, \
            or null.
            """)
    }

    /// Equal for migrations that ask for the same rows.
    var binding: String {
        let columns = columns.map { "\($0):\($1.sorted().joined(separator: ","))" }.sorted()
        let rows = tables.sorted().joined(separator: ",") + ";" + columns.joined(separator: ";")
        return rows + (projects.map { ";;" + $0.sorted().joined(separator: ",") } ?? "")
    }

    /// Whether it asks for rows of the project.
    func concerns(_ project: String) -> Bool { projects?.contains(project) ?? true }

    /// Extends a segment that begins after 0 to serve also what the migration asks for.
    func extend(_ segment: inout DrainPlan.Segment, since: SyncSeq) {
        let name = segment.collection.name
        if tables.contains(name) {
            segment.lower = .zero
        } else if let columns = columns[name] {
            segment.lower = .zero
            let positions = columns.compactMap(segment.collection.position).sorted()
            segment.oldRows = SegmentScan.OldRows(upTo: since, positions: positions)
        }
    }
}
