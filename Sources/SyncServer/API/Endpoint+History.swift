import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// The history of single rows.
extension Endpoint {
    /// A collection of an own schema that is named `history` keeps the path of a project's history.
    static func history(of collection: Collection, _ registry: Registry) -> Endpoint {
        let paths = historyPaths(collection, registry)
        return Endpoint(
            method: .get, path: paths.first, otherPaths: paths.others, id: "history_of_\(collection.name)",
            tag: tag(collection), summary: "Read a row's history: who changed what, and when.",
            details: """
                Newest first, back to the row's insert, or to when the row last came into the caller's sight. A row \
                that the caller may not see is answered like a missing one.
                """ + paths.sentence,
            parameters: [parameter(collection)] + Parameter.keyset, isList: true,
            answers: [.ok("One page of the history.", historyPage)], ownCodes: access,
            example: Example(answer: historyExample(collection)))
    }

    private static func historyExample(_ collection: Collection) -> JSON {
        var changes: [String: JSON] = [:]
        if let field = collection.fields.first(where: { !$0.isServerOwned && $0.name != collection.editTime?.name }) {
            let value = SampleValue(schemas: [:]).of(FieldSchema(field, in: collection).json, name: field.name)
            changes[field.name] = ["before": field.fallback, "after": value]
        }
        let entry: JSON = [
            "version": 7, "at": "2026-01-05T09:00:00.000Z", "edited_at": "2026-01-05T08:58:30.000Z",
            "user": userExample, "device": "Alice's phone", "changes": .object(changes),
        ]
        return ["results": [entry], "next": "7", "is_complete": true]
    }

    /// A user in examples.
    static let userExample = AnswerShape.user.json(.alice)

    private static func historyPaths(_ collection: Collection, _ registry: Registry) -> Paths {
        guard collection.scope == .project else { return Paths([path(collection) + "history/"]) }
        return Paths(
            ["/projects/{project}/history/", "/projects/{project}/sync/history/", "/sync/projects/{project}/history/"],
            keptBy: registry["history"])
    }

    private static var historyPage: JSON {
        let change = Schema.object(["before": Schema.anything, "after": Schema.anything], title: "HistoryChange")
        let entry = Schema.object(
            [
                "version": Schema.integer.described("The row's `server_version` after it; 1 is the insert."),
                "at": Schema.instant.described("When the server applied it."),
                "edited_at": Schema.instant.described("When the user made it, if the client says so."),
                "user": Schema.orNull(user()).described(
                    "Who made it, former members included. Null for a command of the operator."),
                "device": Schema.nullableText.described(
                    "The device's name. Null for members below ADMIN, unless it is their own."),
                "changes": Schema.map(change).described("By field."),
            ], title: "HistoryEntry")
        let complete = Schema.flag.described("Whether all pages lead back to the row's insert, without a gap.")
        return Schema.page(of: entry, with: ["is_complete": complete], title: "HistoryPage")
    }
}

/// `/{collection}/{id}/history/`, and `/projects/{project}/history/` for projects.
struct HistoryController<Store: SyncStore>: Sendable {
    let collection: Collection
    let service: HistoryService<Store>

    func list(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let id = try context.parameters.require(collection.scope == .project ? "project" : "id")
        let page = try await service.page(
            of: id, in: collection, before: try place(query), limit: try query.limit(default: 100, maximum: 500),
            for: context.caller)
        return Reply([
            "results": .array(page.results), "next": page.next.map { .string($0.description) } ?? .null,
            "is_complete": .bool(page.isComplete),
        ]).response(to: request)
    }

    private func place(_ query: Query) throws -> ServerVersion? {
        guard let text = query.text("after"), !text.isEmpty else { return nil }
        guard let number = SyncSeq(decimal: text)?.rawValue, number > 0 else {
            throw Problem(.invalidParameter, "after takes the next of the previous page, unchanged.")
        }
        return ServerVersion(number)
    }
}
