import HTTPTypes
import SyncProtocol
import SyncSchema
import SyncStore

/// REST over the collections. Each collection has its own paths, which contain its name.
extension Endpoint {
    /// Every operation on rows of `collection`.
    static func items(of collection: Collection) -> [Endpoint] {
        collection.scope == .project
            ? [listProjects(collection), createProject(collection)] + single(collection) + archiving(collection)
            : [list(collection), create(collection)] + single(collection)
    }

    static func listProjects(_ projects: Collection) -> Endpoint {
        Endpoint(
            method: .get, path: "/projects/", id: "list_\(projects.name)", tag: tag(projects),
            summary: "List the caller's projects.",
            details:
                "Live projects, in the order of their ids unless `sort` says otherwise. A superuser gets all of them.",
            parameters: Parameter.keyset + Parameter.selection(of: projects), isList: true,
            answers: [.ok("One page of the list.", Schema.reference("\(projects.name)_list"))])
    }

    static func createProject(_ projects: Collection) -> Endpoint {
        Endpoint(
            method: .post, path: "/projects/", id: "create_\(projects.name)", tag: tag(projects),
            summary: "Create a project.",
            details: "The caller becomes its OWNER. The project gets a calendar unless the body names one.",
            parameters: [.idempotencyKey], body: Schema.reference("\(projects.name)_create"),
            answers: [created(projects, headers: [.rowETag, .location, .idempotentReplayed])],
            ownCodes: [
                .readOnlyToken, .invalidRows, .idUnavailable, .idempotencyKeyReused, .invalidHeader, .rateLimited,
            ])
    }

    static func list(_ collection: Collection) -> Endpoint {
        Endpoint(
            method: .get, path: "/projects/{project}/\(collection.name)/", id: "list_\(collection.name)",
            tag: tag(collection), summary: "List the rows of a project.",
            details: "Only rows that the caller may see, in the order of their creation unless `sort` says otherwise.",
            parameters: [.project] + Parameter.keyset + Parameter.selection(of: collection), isList: true,
            answers: [.ok("One page of the list.", Schema.reference("\(collection.name)_list"))], ownCodes: access)
    }

    static func create(_ collection: Collection) -> Endpoint {
        Endpoint(
            method: .post, path: "/projects/{project}/\(collection.name)/", id: "create_\(collection.name)",
            tag: tag(collection), summary: "Create a row.", details: least(collection.roles.create),
            parameters: [.project, .idempotencyKey], body: Schema.reference("\(collection.name)_create"),
            answers: [created(collection, headers: [.rowETag, .location, .idempotentReplayed])],
            ownCodes: write + rowCodes + [.idUnavailable, .idempotencyKeyReused, .invalidHeader, .rateLimited])
    }

    static func read(_ collection: Collection) -> Endpoint {
        Endpoint(
            method: .get, path: path(collection), id: "read_\(collection.name)", tag: tag(collection),
            summary: "Read a row.",
            details: "A row that the caller may not see is answered like a missing one.",
            parameters: [parameter(collection), .ifNoneMatch],
            answers: [.ok("The row.", row(collection), headers: [.rowETag]), .notModified], ownCodes: access)
    }

    static func patch(_ collection: Collection) -> Endpoint {
        Endpoint(
            method: .patch, path: path(collection), id: "patch_\(collection.name)", tag: tag(collection),
            summary: "Change fields of a row.",
            details: "Absent fields keep their value. " + least(collection.roles.update),
            parameters: [parameter(collection), .idempotencyKey] + Parameter.preconditions,
            body: Schema.reference("\(collection.name)_patch"),
            answers: [.ok("The row as it is now.", row(collection), headers: [.rowETag, .idempotentReplayed])],
            ownCodes: write + rowCodes + [.invalidHeader, .staleVersion, .idempotencyKeyReused, .rateLimited])
    }

    static func delete(_ collection: Collection) -> Endpoint {
        Endpoint(
            method: .delete, path: path(collection), id: "delete_\(collection.name)", tag: tag(collection),
            summary: "Delete a row, and the rows that its deletion cascades to.",
            details: least(collection.roles.delete),
            parameters: [parameter(collection), .dryRun] + Parameter.preconditions,
            answers: [.noContent, .ok("With `dry_run`: what would be deleted.", Schema.reference("Deletion"))],
            ownCodes: write + [.invalidHeader, .staleVersion, .inUse, .lastOwner, .rateLimited])
    }

    static func archive(_ projects: Collection) -> Endpoint { archiving(projects)[0] }
    static func unarchive(_ projects: Collection) -> Endpoint { archiving(projects)[1] }

    private static func archiving(_ projects: Collection) -> [Endpoint] {
        [
            ("archive", "Archive a project: it takes no more writes."),
            ("unarchive", "Unarchive a project: it takes writes again."),
        ].map { verb, summary in
            Endpoint(
                method: .post, path: "/projects/{project}/\(verb)/", id: "\(verb)_\(projects.name)", tag: tag(projects),
                summary: summary, details: least(.owner), parameters: [.project],
                answers: [.ok("The project's row.", row(projects), headers: [.rowETag])],
                ownCodes: access + [.readOnlyToken, .forbidden, .rateLimited])
        }
    }

    private static func single(_ collection: Collection) -> [Endpoint] {
        [read(collection), patch(collection), delete(collection)]
    }
}

extension Endpoint {
    /// The codes that can refuse a whole request because of a row's values.
    private static let rowCodes: [ErrorCode] = [
        .invalidRows, .fieldForbidden, .inUse, .lastOwner, .cyclicDependency,
    ]

    static func tag(_ collection: Collection) -> Tag { Tag(name: collection.name, summary: collection.summary) }

    private static func row(_ collection: Collection) -> JSON { Schema.reference("\(collection.name)_row") }

    static func path(_ collection: Collection) -> String {
        collection.scope == .project ? "/projects/{project}/" : "/\(collection.name)/{id}/"
    }

    static func parameter(_ collection: Collection) -> Parameter {
        collection.scope == .project ? .project : .id("The row's id.")
    }

    private static func created(_ collection: Collection, headers: [Header]) -> Answer {
        Answer(status: .created, summary: "The new row.", schema: row(collection), headers: headers)
    }

    private static func least(_ role: Role?) -> String {
        role.map { "Needs at least the role \($0.word)." } ?? "For every user."
    }
}
