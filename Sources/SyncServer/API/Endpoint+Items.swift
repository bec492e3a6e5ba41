import HTTPTypes
import Hummingbird
import SyncEngine
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
            ownCodes: write + rowCodes
                + [.idUnavailable, .quotaExceeded, .idempotencyKeyReused, .invalidHeader, .rateLimited])
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
            details: "Absent fields keep their value. " + least(for: .update, collection),
            parameters: [parameter(collection), .idempotencyKey] + Parameter.preconditions,
            body: Schema.reference("\(collection.name)_patch"),
            answers: [.ok("The row as it is now.", row(collection), headers: [.rowETag, .idempotentReplayed])],
            ownCodes: write + rowCodes + [.invalidHeader, .staleVersion, .idempotencyKeyReused, .rateLimited])
    }

    static func delete(_ collection: Collection) -> Endpoint {
        Endpoint(
            method: .delete, path: path(collection), id: "delete_\(collection.name)", tag: tag(collection),
            summary: "Delete a row, and the rows that its deletion cascades to.",
            details: least(for: .delete, collection),
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

    private static func least(for change: Collection.Roles.Change, _ collection: Collection) -> String {
        let author = collection.roles.author.contains(change) ? " Or to be the row's author." : ""
        let listed = collection.roles.listed.contains(change) ? " Or to be listed in it." : ""
        return least(collection.roles.least(for: change)) + author + listed
    }

    private static func least(_ role: Role?) -> String {
        role.map { "Needs at least the role \($0.word)." } ?? "For every user."
    }
}

/// The rows of one collection: `/projects/{project}/{collection}/` and `/{collection}/{id}/`.
struct ItemController<Store: SyncStore>: Sendable {
    let collection: Collection
    let service: ItemService<Store>

    private func id(_ context: CallerContext) throws -> String {
        try context.parameters.require(collection.scope == .project ? "project" : "id")
    }

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let project = try context.parameters.require("project")
        let list = try query.listQuery(of: collection)
        let limit = try query.limit(default: 100, maximum: 500)
        let page =
            list.isPlain
            ? try await service.list(
                collection, of: project, after: try query.creationPosition(), limit: limit, for: context.caller)
            : try await service.list(
                list, of: project, after: try query.place(in: list), limit: limit, for: context.caller)
        return Reply(page).response(to: request)
    }

    func create(_ request: Request, _ context: CallerContext) async throws -> Response {
        let item = try await service.create(
            try await JSONBody.row(of: request, in: collection), in: collection,
            of: try context.parameters.require("project"),
            key: try ItemHeaders.idempotencyKey(request), by: context.caller)
        return Reply(created: item, in: collection).response(to: request)
    }

    func read(_ request: Request, _ context: CallerContext) async throws -> Response {
        let item = try await service.read(
            try id(context), in: collection, for: context.caller)
        if request.knows(item.entityTag) {
            return Response(status: .notModified, headers: [.eTag: item.entityTag])
        }
        return Reply(item).response(to: request)
    }

    func update(_ request: Request, _ context: CallerContext) async throws -> Response {
        let item = try await service.update(
            try id(context), in: collection, try await JSONBody.row(of: request, in: collection),
            if: try ItemHeaders.precondition(request), key: try ItemHeaders.idempotencyKey(request),
            by: context.caller)
        return Reply(item).response(to: request)
    }

    func delete(_ request: Request, _ context: CallerContext) async throws -> Response {
        let id = try self.id(context)
        let precondition = try ItemHeaders.precondition(request)
        guard try Query(request).flag("dry_run") else {
            try await service.delete(id, in: collection, if: precondition, by: context.caller)
            return Response(status: .noContent)
        }
        try request.requireAcceptance(ofAny: ["application/json"])
        let deletion = try await service.deletion(of: id, in: collection, if: precondition, by: context.caller)
        return Reply(deletion.json).response(to: request)
    }
}

extension Reply {
    /// A page of rows. `next` is null on the last page.
    init(_ page: ItemPage) {
        self.init(results: page.rows, next: page.next)
    }

    /// A row, with its `ETag`.
    init(_ item: Item, status: HTTPResponse.Status = .ok) {
        self.init(status: status, item.json)
        headers[.eTag] = item.entityTag
        if item.isReplay { headers[.idempotentReplayed] = "true" }
    }

    /// 201 with the new row, and its path in `Location`.
    init(created item: Item, in collection: Collection) {
        self.init(item, status: .created)
        headers[.location] = "/api/v1/\(collection.name)/\(item.id)/"
    }
}

/// The routes that only projects have: `/projects/` lists and creates them, and they can be archived.
struct ProjectController<Store: SyncStore>: Sendable {
    let collection: Collection
    let service: ProjectService<Store>
    let items: ItemService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let list = try query.listQuery(of: collection)
        let limit = try query.limit(default: 100, maximum: 500)
        let page =
            list.isPlain
            ? try await service.list(for: context.caller, after: query.text("after") ?? "", limit: limit)
            : try await service.list(list, after: try query.place(in: list), limit: limit, for: context.caller)
        return Reply(page).response(to: request)
    }

    func create(_ request: Request, _ context: CallerContext) async throws -> Response {
        let item = try await service.create(
            try await JSONBody.row(of: request, in: collection), key: try ItemHeaders.idempotencyKey(request),
            by: context.caller)
        return Reply(created: item, in: collection).response(to: request)
    }

    func archive(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await setArchived(true, request: request, context: context)
    }

    func unarchive(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await setArchived(false, request: request, context: context)
    }

    private func setArchived(
        _ isArchived: Bool, request: Request, context: CallerContext
    ) async throws -> Response {
        let id = try context.parameters.require("project")
        return Reply(try await items.archive(isArchived, project: id, by: context.caller)).response(to: request)
    }
}

/// The headers of requests for single rows.
enum ItemHeaders {
    /// `If-Match` (RFC 9110 section 13.1.1), or `X-Base-Version`,
    /// which has the version as a number. Throws `invalid_header`.
    static func precondition(_ request: Request) throws -> Precondition {
        if let header = request.headers[.ifMatch] { return try versions(in: header) }
        guard let header = request.headers[.baseVersion] else { return .none }
        guard let version = Int64(header), version > 0 else {
            throw Problem(.invalidHeader, "X-Base-Version must be the row's server_version.")
        }
        return .versions([version])
    }

    /// `Idempotency-Key`: 1 to 255 visible ASCII characters. Throws `invalid_header`.
    static func idempotencyKey(_ request: Request) throws -> String? {
        guard let key = request.headers[.idempotencyKey] else { return nil }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(.invalidHeader, "Idempotency-Key must have 1 to 255 visible ASCII characters.")
        }
        return key
    }

    /// A weak tag matches nothing here, because section 13.1.1 requires the strong comparison.
    private static func versions(in header: String) throws -> Precondition {
        let tags = EntityTags.list(header)
        if tags == ["*"] { return .none }
        guard !tags.isEmpty, tags.allSatisfy(EntityTags.isTag) else {
            throw Problem(.invalidHeader, "If-Match must be * or the ETag of the row, quotes included.")
        }
        // Compared byte for byte: "02" is not a tag of version 2.
        return .versions(Set(tags.compactMap(version)))
    }

    private static func version(_ tag: Substring) -> Int64? {
        Int64(tag.dropFirst().dropLast()).flatMap { "\"\($0)\"" == tag ? $0 : nil }
    }
}

extension Item {
    /// The row's entity tag (RFC 9110 section 8.8.3). The edit counter is a
    /// strong validator, because it changes with every change of content.
    var entityTag: String { "\"\(version)\"" }
}

extension HTTPField.Name {
    static let baseVersion = HTTPField.Name("X-Base-Version")!
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
}

/// A header's list of entity tags, or `*` (RFC 9110 section 8.8.3).
enum EntityTags {
    /// The entries of the header, without the spaces around them and without empty ones.
    static func list(_ header: String) -> [Substring] {
        header.split(separator: ",").map { $0.trimming(while: \.isWhitespace) }.filter { !$0.isEmpty }
    }

    /// Whether it is `"…"` or `W/"…"`.
    static func isTag(_ text: Substring) -> Bool {
        let quoted = text.hasPrefix("W/") ? text.dropFirst(2).utf8 : text.utf8
        let quote = UInt8(ascii: "\"")
        return quoted.count >= 2 && quoted.first == quote && quoted.last == quote
            && !quoted.dropFirst().dropLast().contains(quote)
    }
}

extension Request {
    /// Whether `If-None-Match` names the tag, by weak comparison (RFC 9110 section 13.1.2).
    func knows(_ tag: String) -> Bool {
        let opaque = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
        return EntityTags.list(headers[.ifNoneMatch] ?? "").contains {
            $0 == "*" || $0 == opaque || $0 == "W/" + opaque
        }
    }
}

extension Substring {
    /// The text without the characters at both ends that satisfy the condition.
    func trimming(while isTrimmed: (Character) -> Bool) -> Substring {
        var text = drop(while: isTrimmed)
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return text
    }
}
