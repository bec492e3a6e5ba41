import Hummingbird
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// `/admin/explain/`: whether a user sees a row, and why.
struct ExplainController<Store: SyncStore>: Sendable {
    let service: ExplainService<Store>

    func explain(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        let question = ExplainService<Store>.Question(
            user: try required("user", query), collection: try required("collection", query),
            id: try required("id", query), since: try query.since(), filter: query.text("filter"))
        let explanation = try await service.explain(question, for: context.caller)
        return Reply(AnswerShape.explanation.json(explanation)).response(to: request)
    }

    private func required(_ name: String, _ query: Query) throws -> String {
        guard let text = query.text(name), !text.isEmpty else {
            throw Problem(.invalidParameter, "\(name) is missing: name a user, a collection and the id of a row.")
        }
        return text
    }
}

extension AnswerShape<Explanation> {
    static var explanation: AnswerShape {
        AnswerShape(
            "Explanation",
            [
                .object("user", .user) { $0.user },
                .text("collection") { $0.key.collection },
                .text("id") { $0.key.id },
                .optionalText("project") { $0.project },
                .flag("sees") { $0.sees },
                .word("delivered_as") { $0.delivery },
                .list("reasons", of: .reason) { $0.reasons },
            ])
    }
}

extension AnswerShape<Explanation.Reason> {
    fileprivate static var reason: AnswerShape {
        AnswerShape(
            "Reason",
            [
                .word("code") { $0.code },
                .text("detail", "A sentence for people.") { $0.detail },
                .optionalCommit("commit", "The project's commit that made it so.") { $0.decision.commit },
                .optionalObject("by", "Who made the commit, if that is known.", shape: .user) { $0.decision.author },
                .optionalInstant("at") { $0.decision.at },
            ])
    }
}

extension AnswerShape<User> {
    /// What others may know of an account.
    static var user: AnswerShape {
        AnswerShape(
            "User",
            [
                .integer("id") { $0.id }, .text("username") { $0.username.rawValue },
                .text("display_name") { $0.displayName },
            ])
    }
}

extension Endpoint {
    static func explain(_ registry: Registry) -> Endpoint {
        let collections = registry.collections.map { JSON.string($0.name) }
        return Endpoint(
            admin: "explain", registry, method: .get, id: "explain", summary: "Explain what a user sees of a row.",
            details: """
                For superusers. `sees` is what the user gets over REST, `delivered_as` what a pull of the project from \
                `since` has. The reasons begin with the project and end with the row.
                """,
            parameters: [
                .query("user", Schema.text, summary: "The user's id or name."),
                .query("collection", ["enum": .array(collections)], summary: "The row's collection."),
                .query("id", Schema.text, summary: "The row's id."),
                .query("since", Schema.commit, summary: "The watermark of the pull; 0 for everything."),
                .query("filter", Schema.text, summary: "The filter of the pull, in which `@me` is the user."),
            ], isList: true, answer: .ok("The explanation.", AnswerShape.explanation.schema),
            ownCodes: [.unknownCollection, .notFound, .invalidSince, .invalidFilter],
            example: Example(answer: AnswerShape.explanation.json(.sample(registry))))
    }
}

extension Explanation {
    /// An explanation for the description of the API.
    fileprivate static func sample(_ registry: Registry) -> Explanation {
        let collection = registry.collections.first { $0.scope == .ordinary && $0.visibility == .everyone }
        let name = (collection ?? registry.projects).name
        func decision(_ commit: SyncSeq) -> Decision {
            Decision(commit: commit, author: .alice, at: Instant("2026-01-05T09:00:00.000Z"))
        }
        return Explanation(
            user: .bob, key: RowKey(name, "\(name.prefix(1))-1"), project: "p-1", sees: false, delivery: .tombstone,
            reasons: [
                Reason(
                    .member, "bob is a member of the project, with the role MEMBER.", decision: decision(SyncSeq(5))),
                Reason(.tombstone, "The row is deleted: only its id is left.", decision: decision(SyncSeq(42))),
            ])
    }
}

/// Users in examples.
extension User {
    static var alice: User { User(example: 7, "alice", "Alice Ash") }
    static var bob: User { User(example: 8, "bob", "Bob Birch") }

    private init(example id: Int64, _ username: String, _ displayName: String) {
        self.init(
            id: id, username: ExactText(username), displayName: displayName, isSuperuser: false, isDisabled: false)
    }
}
