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
