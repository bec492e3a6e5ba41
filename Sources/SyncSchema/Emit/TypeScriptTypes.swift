import SyncProtocol

/// TypeScript types of the rows in the wire encoding `json`, and of the requests and answers that carry them.
package struct TypeScriptTypes: Sendable {
    package let text: String

    /// With `allProjects`, the types of the endpoints for all of a user's projects: each row has a `project_id`.
    package init(_ registry: Registry, allProjects: Bool = false) {
        let uploadable = registry.collections
            .filter { $0.isUploadable || allProjects && $0.document["x-uploadable-user-wide"] == true }
            .map { "'\($0.name)'" }
        let members = registry.collections.map { "    \($0.name): \(TypeScriptTypes.rowType($0));" }
        let parts =
            [
                """
                // Made by `tidemark schema --format typescript\(allProjects ? " --all-projects" : "")` of schema \
                \(registry.version).
                """
            ]
            + registry.collections.map { TypeScriptTypes.row($0, allProjects ? TypeScriptTypes.project : "") }
            + [
                """
                /** All collections, by name. */
                export interface Collections {
                \(members.joined(separator: "\n"))
                }
                """
            ]
            + [
                """
                /** The collections that an upload may carry. */
                export type Uploadable = \(uploadable.isEmpty ? "never" : uploadable.joined(separator: " | "));
                """, TypeScriptTypes.envelopes(allProjects: allProjects),
            ]
        text = parts.joined(separator: "\n\n") + "\n"
    }

    /// `task_links` has the rows `TaskLinksRow`.
    private static func rowType(_ collection: Collection) -> String {
        collection.name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Row"
    }

    private static let project = """
            /** The row's project, which never changes. */
            readonly project_id: string;

        """

    /// `own` are the lines of fields that the collection does not declare.
    private static func row(_ collection: Collection, _ own: String) -> String {
        let fields = collection.fields.map { field in
            comment(documentation(of: field, in: collection), indent: "    ")
                + "    \(field.isServerOwned ? "readonly " : "")\(field.name): \(TypeScriptType(field.value).text);"
        }
        return """
            \(comment(collection.summary, indent: ""))export interface \(rowType(collection)) {
                readonly id: string;
                /** The number of edits of this row. It is not a watermark. */
                readonly server_version: number;
            \(own)\(fields.joined(separator: "\n"))
            }
            """
    }

    /// A doc comment with its line break; empty if there is nothing to say.
    private static func comment(_ text: String, indent: String) -> String {
        text.isEmpty ? "" : "\(indent)/** \(text.onOneLine.replacing("*/", with: "* /")) */\n"
    }

    /// The documentation of a field: what its type does not say.
    private static func documentation(of field: Field, in collection: Collection) -> String {
        let description = collection.document["properties"]?[field.name]?["description"]?.string
        let target = field.reference.map { "\($0.isList ? "Ids of rows" : "The id of a row") of `\($0.collection)`." }
        let user = field.user.map { _ in "The id of a user." }
        return [description, target, user, field.value.format?.form].compactMap { $0 }.joined(separator: " ")
    }
}

extension ValueSchema.Format {
    /// The form of the text.
    fileprivate var form: String {
        switch self {
        case .date: "YYYY-MM-DD."
        case .dateTime: "YYYY-MM-DDTHH:MM:SS.mmmZ."
        case .time: "HH:MM:SS."
        case .timezone: "A time zone of the IANA database."
        }
    }
}
