import HTTPTypes
import Hummingbird
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// What was done to accounts, memberships, projects and the installation.
extension Endpoint {
    static func audit(_ registry: Registry) -> Endpoint {
        let actions = JSON.array(AuditAction.allCases.map { .string($0.rawValue) })
        return Endpoint(
            admin: "audit", registry, method: .get, id: "audit", summary: "List what was done to the installation.",
            details: """
                For superusers. Who did what, when and from where, newest first, for a year: changes of accounts, \
                credentials, memberships and projects, and commands of the command line.
                """,
            parameters: Parameter.keyset + [
                .query(
                    "user", ["type": "integer", "minimum": 1],
                    summary: "What this user did, and what was done to this user."),
                .query("project", Schema.text, summary: "Only what concerns this project."),
                .query("action", ["enum": actions], summary: "Only this action."),
            ], isList: true, answer: .ok("One page of the list.", Schema.page(of: entry, title: "AuditPage")))
    }

    private static var entry: JSON {
        let actor = Schema.object(
            [
                "user_id": Schema.orNull(Schema.integer).described("Null for a command."),
                "name": Schema.text.described("The user's name; of a command, the name of the system's account."),
                "credential": Schema.text.described("`session:…`, `token:…`, `identity:…` or `command`."),
                "address": Schema.nullableText.described("The client's address; of a command, the machine's name."),
            ], title: "Actor")
        return Schema.object(
            [
                "id": Schema.integer, "at": Schema.instant,
                "action": Schema.text.described("A later version may have others."), "actor": actor,
                "user_id": Schema.orNull(Schema.integer).described("The account that it was done to."),
                "username": Schema.nullableText, "project_id": Schema.nullableText,
                "details": ["type": "object", "description": "What else is known; never a secret."],
            ], title: "AuditEntry")
    }

    static let adminTag = Tag(name: "admin", summary: "What superusers look at.")

    /// An endpoint for superusers. A collection of an own schema that is named `admin` keeps the short path.
    init(
        admin name: String, _ registry: Registry, method: HTTPRequest.Method, id: String, summary: String,
        details: String, parameters: [Parameter] = [], isList: Bool = false, body: JSON? = nil, answer: Answer,
        ownCodes: [ErrorCode] = [], example: Example? = nil
    ) {
        let paths = Paths(["/admin/\(name)/", "/sync/admin/\(name)/"], keptBy: registry["admin"])
        self.init(
            method: method, path: paths.first, otherPaths: paths.others, id: id, tag: Endpoint.adminTag,
            summary: summary, details: details + paths.sentence, parameters: parameters, isList: isList, body: body,
            answers: [answer], ownCodes: [.forbidden] + ownCodes, example: example)
    }
}

/// `GET /admin/audit/`.
struct AuditController<Store: SyncStore>: Sendable {
    let service: AuditService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let (limit, before) = try query.newestFirstPage()
        var selection = AuditSelection(user: try query.userID(), project: query.text("project"), before: before)
        if let name = query.text("action") {
            guard let action = AuditAction(rawValue: name) else {
                throw Problem(.invalidParameter, "action must be the name of an action, such as user_disabled.")
            }
            selection.action = action
        }
        let page = try await service.list(selection, limit: limit, for: context.caller)
        return Reply(results: page.results, next: page.next.map(String.init)).response(to: request)
    }
}
