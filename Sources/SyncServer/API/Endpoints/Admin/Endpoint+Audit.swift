import HTTPTypes
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
                    "user", ["type": "integer", "minimum": 1], "What this user did, and what was done to this user."),
                .query("project", Schema.text, "Only what concerns this project."),
                .query("action", ["enum": actions], "Only this action."),
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

    /// An endpoint for superusers.
    init(
        admin path: String, _ registry: Registry, method: HTTPRequest.Method, id: String, summary: String,
        details: String, parameters: [Parameter] = [], isList: Bool = false, body: JSON? = nil, answer: Answer,
        ownCodes: [ErrorCode] = []
    ) {
        let paths = Endpoint.adminPaths(path, registry)
        let others = paths.dropFirst().map { "`\($0)`" }.joined(separator: ", ")
        self.init(
            method: method, path: paths[0], otherPaths: Array(paths.dropFirst()), id: id, tag: Endpoint.adminTag,
            summary: summary, details: details + (others.isEmpty ? "" : " Answers at \(others) too."),
            parameters: parameters, isList: isList, body: body, answers: [answer], ownCodes: [.forbidden] + ownCodes)
    }
}
