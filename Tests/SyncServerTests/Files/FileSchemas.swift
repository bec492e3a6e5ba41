import SyncProtocol

/// Collections whose rows name files.
enum FileSchemas {
    /// Letters are for their author alone. Notices name one file after the other, and say nothing of it.
    static let all: [JSON] = [
        OwnSchemas.notes(
            [
                "name": ["type": "string", "default": ""], "size": ["type": ["integer", "null"]],
                "file": blob(["x-once": true, "x-blob": ["state": "state", "size": "size"]]),
                "state": ["type": "string", "default": "pending", "readOnly": true],
            ], named: "attachments"),
        OwnSchemas.notes(
            ["author": ["type": "integer", "readOnly": true, "x-value": "caller"], "file": blob()],
            ["x-visibility": ["own": "author"]], named: "letters"),
        OwnSchemas.notes(["file": blob(), "text": ["type": "string", "default": ""]], named: "notices"),
    ]

    static func blob(_ more: [String: JSON] = [:]) -> JSON {
        let all: [String: JSON] = ["type": ["string", "null"], "format": "blob"]
        return .object(all.merging(more) { $1 })
    }
}
