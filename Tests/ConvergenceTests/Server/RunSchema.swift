import SyncProtocol
import SyncSchema

/// The schema of all runs: the built-in one, and collections of an operator. Inspections are for those whom they name
/// and for admins, with their findings. Everybody puts tags on labels, and nobody takes one off.
enum RunSchema {
    static func registry() throws -> Registry {
        let builtIn = try Registry.builtIn().collections.map { ($0.name, $0.document) }
        return try Registry(
            documents: builtIn + [("inspections", inspections), ("findings", findings), ("labels", labels)])
    }

    /// The collections that the run adds.
    static let names = ["inspections", "findings", "labels"]

    private static let inspections = collection(
        "inspections",
        [
            "title": text, "assignee": ["type": ["integer", "null"], "x-user": ["on-leave": "clear"]],
            "reviewers": [
                "type": "array", "items": ["type": "integer"], "maxItems": 5, "default": [],
                "x-user": ["on-leave": "clear"],
            ],
        ], ["x-visibility": ["listed": ["assignee", "reviewers"], "role": "ADMIN"]])

    private static let findings = collection(
        "findings",
        [
            "text": text,
            "inspection": ["type": "string", "x-ref": ["collection": "inspections", "on-delete": "cascade"]],
        ], ["x-visibility": ["inherit": "inspection"], "required": ["inspection"]])

    private static let labels = collection(
        "labels",
        [
            "title": text,
            "tags": [
                "type": "array", "items": ["type": "string"], "uniqueItems": true, "default": [], "x-merge": "set",
            ],
        ])

    private static let text: JSON = ["type": "string", "default": ""]

    private static func collection(_ name: String, _ fields: JSON, _ members: [String: JSON] = [:]) -> JSON {
        let own: [String: JSON] = [
            "$schema": "urn:tidemark:meta-schema", "title": .string(name), "type": "object", "x-uploadable": true,
            "x-roles": ["create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"], "properties": fields,
        ]
        return .object(own.merging(members) { $1 })
    }
}
