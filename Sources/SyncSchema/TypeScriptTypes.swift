import SyncProtocol
import SyncValues

/// TypeScript types of the rows in the wire encoding `json`, and of the requests and answers that carry them.
package struct TypeScriptTypes: Sendable {
    package let text: String

    /// With `allProjects`, the types of the endpoints for all of a user's projects: each row has a `project_id`.
    package init(_ registry: Registry, allProjects: Bool = false) {
        let uploadable = registry.collections
            .filter { $0.isUploadable(userWide: allProjects) }
            .map { "'\($0.name)'" }
        let members = registry.collections.map { "    \($0.name): \($0.rowType);" }
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
                """, TypeScriptTypes.edits(registry, allProjects: allProjects),
                TypeScriptTypes.envelopes(allProjects: allProjects),
            ]
        text = parts.joined(separator: "\n\n") + "\n"
    }

    /// What the client for browsers takes and returns.
    private static func edits(_ registry: Registry, allProjects: Bool) -> String {
        let editable = registry.collections.filter { $0.isUploadable(userWide: allProjects) }
        let inserts = editable.map { "    \($0.name): \(insert($0, allProjects: allProjects));" }
        let updates = editable.map { "    \($0.name): \(partial($0) { !$0.isServerOwned });" }
        return """
            /** A new row of each collection that can be edited. Without an id it gets one. */
            export interface Insert {
            \(inserts.joined(separator: "\n"))
            }

            /** The fields of a row that an edit may change. */
            export interface Update {
            \(updates.joined(separator: "\n"))
            }

            export type Rows = Collections;

            /** For `open<Schema>()` of the client for browsers. */
            export interface Schema {
                Rows: Rows;
                Insert: Insert;
                Update: Update;
            }
            """
    }

    /// A project's id is its own `project_id`.
    private static func insert(_ collection: Collection, allProjects: Bool) -> String {
        let own = allProjects && collection.name != "projects" ? "id?: string; project_id: string" : "id?: string"
        let required = fields(of: collection) { $0.isRequired }
        return "{ \(own) } & Pick<\(collection.rowType), \(required)> & "
            + partial(collection) { !$0.isServerOwned && !$0.isRequired }
    }

    /// A type with some fields, none of which has to be there.
    private static func partial(_ collection: Collection, where isOne: (Field) -> Bool) -> String {
        "Partial<Pick<\(collection.rowType), \(fields(of: collection, where: isOne))>>"
    }

    private static func fields(of collection: Collection, where isOne: (Field) -> Bool) -> String {
        let names = collection.fields.filter(isOne).map { "'\($0.name)'" }
        return names.isEmpty ? "never" : names.joined(separator: " | ")
    }

    private static let project = """
            /** The row's project, which never changes. */
            readonly project_id: string;

        """

    /// `own` are the lines of fields that the collection does not declare.
    private static func row(_ collection: Collection, _ own: String) -> String {
        let fields = collection.fields.map { field in
            comment(collection.documentation(of: field), indent: "    ")
                + "    \(field.isServerOwned ? "readonly " : "")\(field.name): \(TypeScriptType(field.value).text);"
        }
        return """
            \(comment(collection.summary, indent: ""))export interface \(collection.rowType) {
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
}

extension TypeScriptTypes {
    /// The types that rows are sent in. They are the same for all schemas.
    static func envelopes(allProjects: Bool) -> String {
        [bucket, allProjects ? pageOfAllProjects : page, upload, answer(allProjects: allProjects), refusals]
            .joined(separator: "\n\n")
    }

    private static let bucket = """
        export interface Bucket<Row> {
            created: Row[];
            updated: Row[];
            deleted: string[];
        }
        """

    private static let page = """
        /** One page of a pull. With the parameter `collections`, `changes` has only those. */
        export interface PageResponse {
            changes: { [Name in keyof Collections]: Bucket<Collections[Name]> };
            /** Adopt it as `since` when `has_more` is false. */
            timestamp: number;
            next_cursor: string | null;
            has_more: boolean;
            progress: { rows: number; total: number | null };
            digest?: { [Name in keyof Collections]?: { count: number; digest: string } } | null;
        }
        """

    private static let pageOfAllProjects = """
        /** One page of a pull of all projects. With the parameter `collections`, `changes` has only those. */
        export interface PageResponse {
            changes: { [Name in keyof Collections]: Bucket<Collections[Name]> };
            /** On page 1: the projects that the user has lost since the last pull. */
            left_projects?: { project_id: string; code: 'membership_revoked' | 'project_deleted' }[];
            /** Projects that begin on this page and are sent whole: drop their rows that the drain does not name. */
            replaced?: string[];
            /** Adopt it as `since` when `has_more` is false. */
            timestamp: number;
            next_cursor: string | null;
            has_more: boolean;
            progress: { rows: number; total: number | null };
            /** On the last page, by project; null for a project that was written to since. */
            digest?: { [project: string]: { [Name in keyof Collections]?: { count: number; digest: string } } | null };
            /** On the last page: the head that each project was drained at. */
            heads?: { [project: string]: number };
        }
        """

    private static let upload = """
        /** A row in an upload: absent fields keep their value. */
        export type Edit<Row> = { id: string; _changed?: string; base_version?: number; \
        base_versions?: { [Field in keyof Row]?: number } } & Partial<Omit<Row, 'id' | 'server_version'>>;

        export interface Upload {
            /** A UUID. All retries of the batch have the same one. */
            client_batch_id: string;
            last_pulled_at?: number;
            device_id?: string;
            encoding?: 'json' | 'watermelondb';
            on_conflict?: 'overwrite' | 'newest' | 'merge' | 'reject';
            on_error?: 'reject_batch' | 'reject_rows' | 'repair';
            changes: { [Name in Uploadable]?: Partial<Bucket<Edit<Collections[Name]>>> };
        }
        """

    private static func answer(allProjects: Bool) -> String {
        """
        export interface UploadAnswer {
            client_batch_id: string;
        \(allProjects ? commits : commit)
            applied: { [Name in Uploadable]?: Bucket<{ id: string; server_version: number }> };
            skipped: { [Name in Uploadable]?: { id: string; field?: string; code: string }[] };
            conflicts: { [Name in Uploadable]?: Conflict[] };
            rejected: { [Name in Uploadable]?: Refusal[] };
            rejected_ids: { [Name in Uploadable]?: string[] };
            repaired: { [Name in Uploadable]?: { id: string; field: string; from: unknown; to: unknown }[] };
        }
        """
    }

    private static let commit = """
            /** The batch's commit number. It is not a watermark: don't adopt it. */
            timestamp: number;
        """

    private static let commits = """
            timestamp: null;
            /** The batch's commit number in each project. A drain has the batch when its `heads` have reached them. */
            timestamps: { [project: string]: number };
        """

    private static let refusals = """
        export interface Refusal {
            id: string;
            field: string | null;
            code: string;
            detail: string;
            /** With `not_unique`: the id of the row that has the key, if the sender may see it. */
            existing?: string;
        }

        export interface Conflict {
            id: string;
            fields: string[];
            server_version: number;
            server_values: { [field: string]: unknown };
            client_values: { [field: string]: unknown };
        }
        """
}

/// A value's type in TypeScript, in the wire encoding `json`.
struct TypeScriptType {
    let text: String

    init(_ value: ValueSchema) {
        let plain =
            value.allowed.map { $0.filter { !$0.isNull }.map(\.text).joined(separator: " | ") }
            ?? TypeScriptType.plain(value)
        text = value.isNullable ? "\(plain) | null" : plain
    }

    private static func plain(_ value: ValueSchema) -> String {
        switch value.kind {
        case .string: "string"
        case .integer, .number: "number"
        case .boolean: "boolean"
        case .array: value.items.map { "(\(TypeScriptType($0).text))[]" } ?? "unknown[]"
        case .object: object(value)
        }
    }

    private static func object(_ value: ValueSchema) -> String {
        let members = value.properties.sorted { $0.key < $1.key }.map { name, member in
            "\(JSON.string(name).text)\(value.required.contains(name) ? "" : "?"): \(TypeScriptType(member).text)"
        }
        return members.isEmpty ? "{ [member: string]: unknown }" : "{ \(members.joined(separator: "; ")) }"
    }
}
