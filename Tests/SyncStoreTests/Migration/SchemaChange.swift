import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// A change of schema files, with rows that were written before it, and the expected result.
struct SchemaChange: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Makes the files before the change from the built-in ones.
    var before: @Sendable (inout Documents) -> Void = { _ in }
    /// The rows, each a commit of its own in project p1. Another project p2 has a task `foreign`.
    var rows: [@Sendable (RowEditor) throws -> Void] = []
    /// Makes the files after the change from those before it.
    let after: @Sendable (inout Documents) -> Void
    /// What a client that was up to date pulls: fields of the delivered rows, by collection and id.
    var told: [String: [String: [String: JSON]]] = [:]
    /// The ids that come in `deleted`, by collection.
    var deleted: [String: Set<String>] = [:]
    /// Whether this client has to start from 0.
    var startsAnew = false
    /// What the server reports at its start.
    var mending = Mending()

    static func mending(changed: Int = 0, deleted: Int = 0) -> Mending {
        var mending = Mending()
        (mending.changed, mending.deleted) = (changed, deleted)
        return mending
    }
}

extension SchemaChange {
    /// A collection `notes` with this field, and three tasks: `live`, `dead`, and `foreign` in the other project.
    private static func notes(
        _ field: JSON, required: Bool = false, _ more: @escaping @Sendable (inout Documents) -> Void = { _ in }
    ) -> @Sendable (inout Documents) -> Void {
        { documents in
            documents.add(
                "notes", ["text": ["type": "string", "default": "", "maxLength": 100], "about": field],
                required: required ? ["about"] : [])
            more(&documents)
        }
    }

    private static let text: JSON = ["type": "string"]
    private static let optional: JSON = ["type": ["string", "null"], "default": nil]
    /// Short enough for a unique key.
    private static let short: JSON = ["type": ["string", "null"], "default": nil, "maxLength": 100]
    private static let list: JSON = ["type": "array", "items": ["type": "string"], "default": []]

    private static func reference(_ field: JSON, _ target: String, _ onDelete: String) -> JSON {
        var members = field.object ?? [:]
        members["x-ref"] = ["collection": .string(target), "on-delete": .string(onDelete)]
        return .object(members)
    }

    private static func about(_ values: [String: JSON]) -> [@Sendable (RowEditor) throws -> Void] {
        [
            { editor in for id in ["live", "dead"] { try editor.insert("tasks", id, ["name": "T"]) } },
            { try $0.delete("tasks", "dead") },
            { editor in
                for (id, value) in values { try editor.insert("notes", id, ["text": .string(id), "about": value]) }
            },
        ]
    }

    /// Deletes the rows with these ids.
    private static func deleting(_ ids: String...) -> @Sendable (RowEditor) throws -> Void {
        { editor in for id in ids { try editor.delete("notes", id) } }
    }

    static let all: [SchemaChange] = columns + removals + references + otherReferences

    private static let columns: [SchemaChange] = [
        SchemaChange(
            testDescription: "a field becomes nullable", before: notes(text, required: true),
            rows: about(["a": "x", "b": "y"]), after: { $0["notes", "about"] = optional }),
        SchemaChange(
            testDescription: "a field that is looked up becomes nullable",
            before: notes(reference(text, "tasks", "cascade"), required: true),
            rows: about(["a": "live"]), after: { $0["notes", "about"] = reference(optional, "tasks", "clear") }),
        SchemaChange(
            testDescription: "fields become nullable, and others come, in one go", before: notes(text, required: true),
            rows: about(["a": "x"]),
            after: { documents in
                documents["notes", "about"] = optional
                documents["notes", "number"] = ["type": "number", "default": 1.5]
                documents["notes", "flag"] = ["type": "boolean", "default": true]
                documents["notes", "list"] = ["type": "array", "default": ["it's"]]
            }, told: ["notes": ["a": ["number": 1.5, "flag": true, "list": ["it's"]]]]),
        SchemaChange(
            testDescription: "a collection becomes uploadable and gains modified_at", before: notes(optional),
            rows: about(["a": "x", "b": nil, "c": "y"]) + [deleting("c")],
            after: { $0["notes", keyword: "x-uploadable"] = true }),
        SchemaChange(
            testDescription: "a unique key that all rows keep", before: notes(short),
            rows: about(["a": "x", "b": "y", "c": nil, "d": nil, "e": "x"]) + [deleting("e")],
            after: { $0["notes", keyword: "x-unique"] = [["fields": ["about"]]] }),
        SchemaChange(
            testDescription: "a unique key goes, another has a new condition",
            before: notes(short) {
                $0["notes", keyword: "x-unique"] = [
                    ["fields": ["about"]], ["fields": ["text"], "where": ["about": "x"]],
                ]
            }, rows: about(["a": "x", "b": "y"]),
            after: { $0["notes", keyword: "x-unique"] = [["fields": ["text"], "where": ["about": "y"]]] }),
        SchemaChange(
            testDescription: "unique keys over the same fields trade places",
            before: notes(short) {
                $0["notes", keyword: "x-unique"] = [
                    ["fields": ["about"], "where": ["text": "a"]], ["fields": ["about"], "where": ["text": "b"]],
                ]
            }, rows: about(["a": "x", "b": "y"]),
            after: {
                $0["notes", keyword: "x-unique"] = [
                    ["fields": ["about"], "where": ["text": "b"]], ["fields": ["about"], "where": ["text": "a"]],
                ]
            }),
    ]

    private static func remove(_ field: String, of collection: String) -> @Sendable (inout Documents) -> Void {
        { documents in
            var members = documents[collection, field]?.object ?? [:]
            members["x-removed"] = true
            documents[collection, field] = .object(members)
        }
    }

    private static let removals: [SchemaChange] = [
        SchemaChange(
            testDescription: "a required field is removed", before: notes(text, required: true),
            rows: about(["a": "x"]),
            after: remove("about", of: "notes")),
        SchemaChange(
            testDescription: "a field with a default is removed", before: notes(["type": "string", "default": "it's"]),
            rows: about(["a": "x"]), after: remove("about", of: "notes")),
        SchemaChange(
            testDescription: "a reference is removed",
            before: notes(reference(text, "tasks", "cascade"), required: true),
            rows: about(["a": "live"]), after: remove("about", of: "notes")),
        SchemaChange(
            testDescription: "a list of references is removed", before: notes(reference(list, "tasks", "clear")),
            rows: about(["a": ["live"]]), after: remove("about", of: "notes")),
        SchemaChange(
            testDescription: "a field of the built-in tasks is removed", rows: about([:]).dropLast(),
            after: remove("notes", of: "tasks")),
        SchemaChange(
            testDescription: "a collection is removed",
            before: notes(reference(text, "tasks", "cascade"), required: true),
            rows: about(["a": "live"]), after: { $0["notes", keyword: "x-removed"] = true }),
        SchemaChange(
            testDescription: "a collection is removed with what refers to it",
            before: notes(reference(list, "tasks", "clear")) {
                $0.add("stickers", ["on": reference(optional, "notes", "clear")])
            },
            rows: about(["a": ["live"]]) + [{ try $0.insert("stickers", "s", ["on": "a"]) }],
            after: { documents in
                documents["notes", keyword: "x-removed"] = true
                remove("on", of: "stickers")(&documents)
            }),
    ]

    private static let references: [SchemaChange] = [
        SchemaChange(
            testDescription: "a reference that can be null", before: notes(optional),
            rows: about([
                "ok": "live", "none": nil, "gone": "dead", "lost": "never", "abroad": "foreign", "buried": "never",
            ])
                + [deleting("buried")],
            after: { $0["notes", "about"] = reference(optional, "tasks", "cascade") },
            told: ["notes": ["gone": ["about": nil], "lost": ["about": nil], "abroad": ["about": nil]]],
            mending: mending(changed: 3)),
        SchemaChange(
            testDescription: "a list of references", before: notes(list),
            rows: about([
                "ok": ["live"], "none": [], "mixed": ["dead", "live", "never", "foreign"], "twice": ["live", "live"],
                "buried": ["never", "live"],
            ]) + [deleting("buried")],
            after: { $0["notes", "about"] = reference(list, "tasks", "clear") },
            told: ["notes": ["mixed": ["about": ["live"]], "twice": ["about": ["live"]]]],
            mending: mending(changed: 2)),
        SchemaChange(
            testDescription: "a reference that can't be null, with a cascade",
            before: notes(text, required: true) {
                $0.add("stickers", ["on": reference(text, "notes", "cascade")], required: ["on"])
                $0.add("pins", ["on": reference(optional, "stickers", "clear")])
            },
            rows: about(["ok": "live", "gone": "dead", "lost": "never", "abroad": "foreign", "buried": "never"])
                + [
                    { editor in
                        try editor.insert("stickers", "s-ok", ["on": "ok"])
                        try editor.insert("stickers", "s-gone", ["on": "gone"])
                        try editor.insert("pins", "p", ["on": "s-gone"])
                    }, deleting("buried"),
                ],
            after: { $0["notes", "about"] = reference(text, "tasks", "restrict") },
            told: ["pins": ["p": ["on": nil]]],
            deleted: ["notes": ["gone", "lost", "abroad"], "stickers": ["s-gone"]],
            mending: mending(changed: 1, deleted: 4)),
        SchemaChange(
            testDescription: "what refuses a delete goes along, or lets go",
            before: notes(text, required: true) {
                $0.add("stickers", ["on": reference(text, "notes", "restrict")], required: ["on"])
                $0.add("pins", ["on": reference(optional, "notes", "restrict")])
            },
            rows: about(["gone": "dead"])
                + [
                    { editor in
                        try editor.insert("stickers", "s", ["on": "gone"])
                        try editor.insert("pins", "p", ["on": "gone"])
                    }
                ], after: { $0["notes", "about"] = reference(text, "tasks", "cascade") },
            told: ["pins": ["p": ["on": nil]]], deleted: ["notes": ["gone"], "stickers": ["s"]],
            mending: mending(changed: 1, deleted: 2)),
        SchemaChange(
            testDescription: "rows that can refer to nothing at all go at once", before: notes(text, required: true),
            rows: about(["a": "never", "buried": "nowhere"]) + [deleting("buried")],
            after: { $0["notes", "about"] = reference(text, "risks", "cascade") }, startsAnew: true,
            mending: mending(deleted: 1)),
    ]

    private static let otherReferences: [SchemaChange] = [
        SchemaChange(
            testDescription: "a reference is none any more",
            before: notes(reference(text, "tasks", "cascade"), required: true), rows: about(["a": "live"]),
            after: { $0["notes", "about"] = text }),
        SchemaChange(
            testDescription: "a list of references is none any more", before: notes(reference(list, "tasks", "clear")),
            rows: about(["a": ["live"]]), after: { $0["notes", "about"] = list }),
        SchemaChange(
            testDescription: "a reference leads to another collection",
            before: notes(reference(optional, "tasks", "clear")),
            rows: about(["a": "live", "b": nil]),
            after: { $0["notes", "about"] = reference(optional, "risks", "clear") },
            told: ["notes": ["a": ["about": nil]]], mending: mending(changed: 1)),
        SchemaChange(
            testDescription: "a delete is refused that took rows along",
            before: notes(reference(optional, "tasks", "cascade")),
            rows: about(["a": "live"]), after: { $0["notes", "about"] = reference(optional, "tasks", "restrict") }),
        SchemaChange(
            testDescription: "a tree has no circles",
            before: notes(optional),
            rows: about(["a": "b", "b": "c", "c": "a", "self": "self", "leaf": "b", "root": nil, "lost": "never"]),
            after: { $0["notes", "about"] = reference(optional, "notes", "cascade") },
            told: ["notes": ["a": ["about": nil], "self": ["about": nil], "lost": ["about": nil]]],
            mending: mending(changed: 3)),
        SchemaChange(
            testDescription: "a field holds a user", before: notes(["type": ["integer", "null"], "default": nil]),
            rows: about(["member": 1, "nobody": 999, "stranger": 6, "none": nil]),
            after: {
                $0["notes", "about"] = ["type": ["integer", "null"], "default": nil, "x-user": ["on-leave": "clear"]]
            }, told: ["notes": ["nobody": ["about": nil], "stranger": ["about": nil]]], mending: mending(changed: 2)),
        SchemaChange(
            testDescription: "rows inherit from another row",
            before: { documents in
                documents.add("notes", ["about": reference(optional, "sprint_retros", "cascade")])
                documents["notes", keyword: "x-visibility"] = ["inherit": "about"]
                documents.add("retros", ["secret": ["type": "boolean", "default": false]])
                documents["retros", keyword: "x-visibility"] = [
                    "gate": ["field": "secret", "value": true, "role": "MEMBER"]
                ]
            },
            rows: [
                { editor in
                    try editor.insert(
                        "sprints", "s", ["name": "S", "start_date": "2026-01-05", "finish_date": "2026-01-16"])
                    try editor.insert("sprint_retros", "re", ["sprint": "s", "team_visibility": "team_only"])
                    try editor.insert("retros", "re", ["secret": false])
                    try editor.insert("notes", "n", ["about": "re"])
                }
            ], after: { $0["notes", "about"] = reference(optional, "retros", "cascade") },
            told: ["notes": ["n": ["about": "re"]]]),
    ]
}
