package import SyncValues

/// WatermelonDB's `appSchema` with every collection, as an ES module. Columns have the types that values have in the
/// wire encoding `watermelondb`, so the client stores each value without loss.
package struct WatermelonSchema: Sendable {
    package let text: String

    /// With `allProjects`, for a database of all of a user's projects: each table has the column `project_id`. Throws a
    /// `SchemaError` if a field breaks one of WatermelonDB's own rules for column names.
    package init(_ registry: Registry, allProjects: Bool = false) throws(SchemaError) {
        let own = allProjects ? [WatermelonColumn.serverVersion, .project] : [.serverVersion]
        var tables: [String] = []
        for collection in registry.collections { tables.append(try WatermelonSchema.table(collection, own)) }
        text = """
            // Made by `tidemark schema --format watermelondb\(allProjects ? " --all-projects" : "")` of schema
            // \(registry.version).
            import { appSchema, tableSchema } from '@nozbe/watermelondb'

            export const tables = [
            \(tables.joined(separator: "\n"))
            ]

            // A shipped app counts its own versions, each with a migration: appSchema({ version: 2, tables })
            export default appSchema({ version: 1, tables })

            """
    }

    private static func table(_ collection: Collection, _ own: [WatermelonColumn]) throws(SchemaError) -> String {
        var columns = own
        for field in collection.fields { columns.append(try WatermelonColumn(field, of: collection)) }
        let summary = collection.summary.isEmpty ? "" : "  // \(collection.summary.onOneLine)\n"
        return """
            \(summary)  tableSchema({
                name: '\(collection.name)',
                columns: [
            \(columns.map { "      \($0.text)," }.joined(separator: "\n"))
                ],
              }),
            """
    }
}

/// One column of WatermelonDB's `tableSchema`.
struct WatermelonColumn {
    enum Kind: String {
        case string, number, boolean
    }

    let name: String
    let kind: Kind
    var isOptional = false
    var isIndexed = false

    /// Every row has it. In a row created offline it is 0 until the row is pushed.
    static let serverVersion = WatermelonColumn(name: "server_version", kind: .number)

    /// In a database of all projects every row has it.
    static let project = WatermelonColumn(name: "project_id", kind: .string, isIndexed: true)

    private init(name: String, kind: Kind, isIndexed: Bool = false) {
        self.name = name
        self.kind = kind
        self.isIndexed = isIndexed
    }

    /// Throws a `SchemaError` if WatermelonDB requires a number under this
    /// name. It accepts all other names that a field can have.
    init(_ field: Field, of collection: Collection) throws(SchemaError) {
        name = field.name
        kind = WatermelonColumn.kind(of: field)
        isOptional = field.value.isNullable
        isIndexed = field.reference.map { !$0.isList } ?? false
        let isStamp = ["created_at", "updated_at"].contains(name)
        guard isStamp && (kind != .number || isOptional) || name == "last_modified" && kind != .number else { return }
        throw SchemaError(
            file: collection.name, pointer: "/properties/\(name)",
            reason: "WatermelonDB requires a number here\(isStamp ? " that is never null" : ""): "
                + "make it a date-time, or rename it")
    }

    private static func kind(of field: Field) -> Kind {
        switch WireEncoding.watermelondb.form(of: field) {
        case .text: .string
        case .instant: .number
        case .flag: .boolean
        case .plain: field.value.kind == .string ? .string : .number
        }
    }

    var text: String {
        let members =
            ["name: '\(name)'", "type: '\(kind.rawValue)'"] + (isOptional ? ["isOptional: true"] : [])
            + (isIndexed ? ["isIndexed: true"] : [])
        return "{ \(members.joined(separator: ", ")) }"
    }
}
