import HTTPTypes
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// Why a user sees a row or not.
extension Endpoint {
    static let adminTag = Tag(name: "admin", summary: "What superusers look at.")

    /// The paths of what superusers look at. A collection of an own schema that is named `admin` keeps the short one.
    static func adminPaths(_ name: String, _ registry: Registry) -> [String] {
        (registry["admin"] == nil ? ["/admin/\(name)/"] : []) + ["/sync/admin/\(name)/"]
    }

    static func explain(_ registry: Registry) -> Endpoint {
        let paths = adminPaths("explain", registry)
        let others = paths.dropFirst().map { "`\($0)`" }.joined(separator: ", ")
        let collections = registry.collections.map { JSON.string($0.name) }
        return Endpoint(
            method: .get, path: paths[0], otherPaths: Array(paths.dropFirst()), id: "explain",
            tag: adminTag, summary: "Explain what a user sees of a row.",
            details: """
                For superusers. `sees` is what the user gets over REST, `delivered_as` what a pull of the project from \
                `since` has. The reasons begin with the project and end with the row.
                """ + (others.isEmpty ? "" : " Answers at \(others) too."),
            parameters: [
                .query("user", Schema.text, "The user's id or name."),
                .query("collection", ["enum": .array(collections)], "The row's collection."),
                .query("id", Schema.text, "The row's id."),
                .query("since", Schema.commit, "The watermark of the pull; 0 for everything."),
            ], isList: true, answers: [.ok("The explanation.", explanation)],
            ownCodes: [.forbidden, .unknownCollection, .notFound, .invalidSince],
            example: Example(answer: explanationExample(registry)))
    }

    private static func explanationExample(_ registry: Registry) -> JSON {
        let collection = registry.collections.first { $0.scope == .ordinary && $0.visibility == .everyone }
        let name = (collection ?? registry.projects).name
        let facts: [(Explanation.Code, String, JSON)] = [
            (.member, "bob is a member of the project, with the role MEMBER.", 5),
            (.tombstone, "The row is deleted: only its id is left.", 42),
        ]
        let reasons = facts.map { code, detail, commit -> JSON in
            [
                "code": .string(code.rawValue), "detail": .string(detail), "commit": commit, "by": userExample,
                "at": "2026-01-05T09:00:00.000Z",
            ]
        }
        return [
            "user": ["id": 8, "username": "bob", "display_name": "Bob Birch"], "collection": .string(name),
            "id": .string("\(name.prefix(1))-1"), "project": "p-1", "sees": false,
            "delivered_as": .string(Explanation.Delivery.tombstone.rawValue), "reasons": .array(reasons),
        ]
    }

    private static var explanation: JSON {
        let codes = Explanation.Code.allCases.map { JSON.string($0.rawValue) }
        let reason = Schema.object(
            [
                "code": ["enum": .array(codes)], "detail": Schema.text.described("A sentence for people."),
                "commit": Schema.orNull(Schema.commit).described("The project's commit that made it so."),
                "by": Schema.orNull(user()).described("Who made the commit, if that is known."),
                "at": Schema.nullableInstant,
            ], title: "Reason")
        return Schema.object(
            [
                "user": user(), "collection": Schema.text, "id": Schema.text, "project": Schema.nullableText,
                "sees": Schema.flag, "reasons": Schema.list(reason),
                "delivered_as": ["enum": .array(Explanation.Delivery.allCases.map { .string($0.rawValue) })],
            ], title: "Explanation")
    }
}
