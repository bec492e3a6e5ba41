import SyncProtocol
import SyncSchema
import SyncValues
import Testing

/// Files whose rules can't be kept are refused at the start, with the place and what to do. Each of these schemas was
/// once served, and then failed at a write or did not keep what it says.
@Suite struct UnsafeSchemaTests {
    /// Files, one of which is unsafe.
    struct Case: Sendable, CustomTestStringConvertible {
        let file: String
        let pointer: String
        /// A part of the message about it.
        let reason: String
        let documents: [JSON]

        var testDescription: String { "\(file)#\(pointer): \(reason)" }

        /// A field `f` of `notes`, next to others that a case may name.
        static func field(
            _ keyword: String, _ field: JSON, _ reason: String, _ members: [String: JSON] = [:]
        ) -> Case {
            let fields: [String: JSON] = [
                "f": field, "text": ["type": "string", "default": ""], "number": ["type": "integer", "default": 0],
                "list": ["type": "array", "default": []], "date": ["type": ["string", "null"], "format": "date"],
                "who": ["type": ["integer", "null"], "x-user": ["on-leave": "clear"]],
                "word": ["type": "string", "enum": ["a", "b"], "default": "a"],
                "updated": ["type": "string", "format": "date-time", "readOnly": true, "x-value": "updated-at"],
            ]
            return Case(
                file: "notes", pointer: keyword.isEmpty ? "/properties/f" : "/properties/f/\(keyword)", reason: reason,
                documents: [OwnSchemas.notes(.object(fields), members)])
        }

        /// A keyword of `notes`.
        static func notes(_ pointer: String, _ members: [String: JSON], _ reason: String) -> Case {
            let sound = field("", ["type": "string", "default": ""], reason, members)
            return Case(file: "notes", pointer: pointer, reason: reason, documents: sound.documents)
        }

        /// A change of `projects`.
        static func projects(_ pointer: String, _ members: [String: JSON], _ reason: String) -> Case {
            Case(
                file: "projects", pointer: pointer, reason: reason,
                documents: [OwnSchemas.projects.setting(members), OwnSchemas.notes([:])])
        }

        /// Further fields of `projects`.
        static func project(_ name: String, _ keyword: String, _ field: JSON, _ reason: String) -> Case {
            let fields = OwnSchemas.projects["properties"]!.setting([name: field])
            return projects("/properties/\(name)" + keyword, ["properties": fields], reason)
        }

        /// A change of `memberships`.
        static func memberships(_ pointer: String, _ members: [String: JSON], _ reason: String) -> Case {
            Case(
                file: "memberships", pointer: pointer, reason: reason,
                documents: [OwnSchemas.memberships.setting(members), OwnSchemas.notes([:])])
        }

        /// Other or further fields of `memberships`.
        static func membership(_ name: String, _ keyword: String, _ field: JSON, _ reason: String) -> Case {
            let fields = OwnSchemas.memberships["properties"]!.setting([name: field])
            return memberships("/properties/\(name)" + keyword, ["properties": fields], reason)
        }
    }

    @Test(arguments: references + users + values + serverValues + authors + keys + visibilities + rules + scopes)
    func anUnsafeSchemaIsRefusedAtTheStart(unsafe: Case) throws {
        let error = #expect(throws: SchemaError.self) { try OwnSchemas.registry(unsafe.documents) }
        #expect(error?.file == unsafe.file)
        #expect(error?.pointer == unsafe.pointer)
        #expect(error?.reason.contains(unsafe.reason) == true, "\(error?.reason ?? "")")
    }

    /// No client could add a row to one of another name.
    @Test func theCollectionOfProjectsHasTheNameThatClientsKnow() {
        let projects = OwnSchemas.projects.setting(["title": "customers"])
        let error = #expect(throws: SchemaError.self) {
            try Registry(documents: [("customers", projects), ("memberships", OwnSchemas.memberships)])
        }
        #expect(error?.file == "customers" && error?.pointer == "/title")
        #expect(error?.reason.contains("called projects") == true, "\(error?.reason ?? "")")
    }

    static func reference(_ type: JSON, _ onDelete: String = "clear", to collection: String = "notes") -> [String: JSON]
    {
        ["type": type, "x-ref": ["collection": .string(collection), "on-delete": .string(onDelete)]]
    }

    static let references: [Case] = [
        .field("x-ref", .object(reference(["integer", "null"])), "string"),
        .field("x-ref", .object(reference(["boolean", "null"])), "string"),
        .field("x-ref", .object(reference("object").merging(["default": [:]]) { $1 }), "string"),
        .field(
            "x-ref", .object(reference("array").merging(["items": ["type": "integer"], "default": []]) { $1 }),
            "items of type string"),
        .field("x-ref", .object(reference("array").merging(["default": []]) { $1 }), "items of type string"),
        .field(
            "x-ref",
            .object(reference("array").merging(["items": ["type": ["string", "null"]], "default": []]) { $1 }),
            "items of type string"),
        .field("x-ref", .object(reference("string")), "allow null", ["required": ["f"]]),
        .field("default", .object(reference(["string", "null"]).merging(["default": "n1"]) { $1 }), "null"),
        .field(
            "default",
            .object(reference("array").merging(["items": ["type": "string"], "default": ["n1"]]) { $1 }), "[]"),
        .field("format", .object(reference(["string", "null"]).merging(["format": "date"]) { $1 }), "id"),
    ]

    private static func listOfUsers(_ members: [String: JSON]) -> JSON {
        .object(["type": "array", "default": [], "x-user": ["on-leave": "keep"]].merging(members) { $1 })
    }

    static let users: [Case] = [
        .field("x-user", ["type": ["string", "null"], "x-user": ["on-leave": "keep"]], "integer"),
        .field("x-user", ["type": "array", "default": [], "x-user": ["on-leave": "keep"]], "integer"),
        .field("x-user", listOfUsers(["items": ["type": "string"], "maxItems": 3]), "items of type integer"),
        .field("x-user", listOfUsers(["items": ["type": ["integer", "null"]], "maxItems": 3]), "of type integer"),
        .field("x-user", listOfUsers(["items": ["type": "integer"]]), "maxItems of at most 50"),
        .field("x-user", listOfUsers(["items": ["type": "integer"], "maxItems": 51]), "maxItems of at most 50"),
        .field("default", listOfUsers(["items": ["type": "integer"], "maxItems": 5, "default": [1]]), "[]"),
        .field("x-user", ["type": "integer", "x-user": ["on-leave": "clear"]], "allow null", ["required": ["f"]]),
        .field("default", ["type": "integer", "default": 1, "x-user": ["on-leave": "keep"]], "null"),
        .field(
            "x-user",
            .object(reference(["string", "null"]).merging(["x-user": ["on-leave": "keep"]]) { $1 }), "one of"),
    ]

    static let values: [Case] = [
        .field("maxLength", ["type": "integer", "default": 0, "maxLength": 3], "string"),
        .field("pattern", ["type": "array", "default": [], "pattern": "a"], "string"),
        .field("format", ["type": "integer", "default": 0, "format": "date"], "string"),
        .field("minimum", ["type": "string", "default": "", "minimum": 3], "number"),
        .field("maximum", ["type": "array", "default": [], "maximum": 3], "number"),
        .field("exclusiveMinimum", ["type": "boolean", "default": true, "exclusiveMinimum": 3], "number"),
        .field("maxItems", ["type": "string", "default": "", "maxItems": 3], "array"),
        .field("uniqueItems", ["type": "string", "default": "", "uniqueItems": true], "array"),
        .field("items", ["type": "object", "default": [:], "items": ["type": "string"]], "array"),
        .field("properties", ["type": "array", "default": [], "properties": ["a": ["type": "string"]]], "object"),
        .field("required", ["type": "string", "default": "", "required": ["a"]], "object"),
        .field(
            "required",
            ["type": "object", "default": [:], "required": ["b"], "properties": ["a": ["type": "string"]]], "\"b\""),
        .field("enum", ["type": ["string", "null"], "enum": []], "at least one"),
        .field("enum/1", ["type": ["string", "null"], "enum": ["a", 5]], "must be a string"),
        .field("enum/0", ["type": ["string", "null"], "maxLength": 1, "enum": ["ab"]], "at most 1"),
        .field("minimum", ["type": ["integer", "null"], "minimum": 5, "maximum": 3], "maximum"),
        .field("exclusiveMinimum", ["type": ["number", "null"], "exclusiveMinimum": 3, "maximum": 3], "maximum"),
        .field("minimum", ["type": ["integer", "null"], "minimum": 0.2, "maximum": 0.8], "whole number"),
        .field(
            "items/minimum",
            ["type": "array", "default": [], "items": ["type": "integer", "minimum": 5, "maximum": 3]], "maximum"),
        .notes("/required", ["required": ["updated"]], "server"),
        .notes("/properties/base_version", base, "name"),
        .notes("/properties", wide, "1000 fields"),
    ]

    private static let base: [String: JSON] = ["properties": ["base_version": ["type": "integer", "default": 0]]]

    private static let wide: [String: JSON] = [
        "properties": .object(
            (0...1000).reduce(into: [:]) { $0["f\($1)"] = ["type": ["integer", "null"]] })
    ]

    private static func filled(_ word: String, _ type: JSON, _ members: [String: JSON] = [:]) -> JSON {
        .object(members.merging(["type": type, "readOnly": true, "x-value": .string(word)]) { $1 })
    }

    static let serverValues: [Case] = [
        .field("x-value", filled("project", "integer"), "string"),
        .field("x-value", filled("short-id", "integer"), "string"),
        .field("x-value", filled("caller", "string"), "integer"),
        .field("x-value", filled("caller", "boolean"), "integer"),
        .field("x-value", filled("created-at", "integer"), "string"),
        .field("x-value", filled("updated-at", "array"), "string"),
        .field("x-value", filled("updated-at", "string", ["format": "date"]), "date-time"),
        .field("x-value", filled("short-id", "string", ["format": "date-time"]), "format"),
        .field("x-value", filled("short-id", "string", ["maxLength": 4]), "maxLength"),
        .field("x-value", filled("project", "string", ["enum": ["p1"]]), "enum"),
        .field("x-value", filled("caller", "integer", ["maximum": 9]), "maximum"),
        .field("x-value", filled("display-name", "string"), "field user"),
        .field("x-value", filled("link-provider", "string"), "field url"),
        .notes("/properties/f/x-value", moment("string", default: "2026-01-01T00:00:00Z"), "null"),
        .notes("/properties/f/x-value", moment(["string", "null"], default: "2026-01-01T00:00:00Z"), "null"),
        .notes("/properties/f/x-value", moment(["string", "null"], state: "integer"), "state"),
        .notes("/properties/f/x-value", moment(["string", "null"], states: ["open"]), "accepted"),
    ]

    private static func moment(
        _ type: JSON, default fallback: JSON = nil, state: JSON = "string", states: JSON? = nil
    ) -> [String: JSON] {
        var field: [String: JSON] = ["type": state, "enum": states ?? nil]
        if states == nil { field["enum"] = nil }
        return [
            "required": ["state"],
            "properties": [
                "f": filled("accepted-at", type, ["format": "date-time", "default": fallback]), "state": .object(field),
            ],
        ]
    }

    private static func roles(_ authors: JSON) -> [String: JSON] {
        ["x-roles": ["create": "MEMBER", "update": "ADMIN", "delete": "ADMIN", "author": authors]]
    }

    private static let author: JSON = ["type": ["integer", "null"], "readOnly": true, "x-value": "caller"]

    static let authors: [Case] = [
        .notes("/x-roles/author", roles(["update"]), "exactly one"),
        Case(
            file: "notes", pointer: "/x-roles/author", reason: "2 have",
            documents: [OwnSchemas.notes(["f": author, "g": author], roles(["update"]))]),
        .notes("/x-roles/author", roles(["create"]), "update and delete"),
        .projects(
            "/x-roles/author",
            ["x-roles": ["create": "ANYONE", "update": "ADMIN", "delete": "OWNER", "author": ["delete"]]], "rows of"),
        .memberships("/x-roles/author", roles(["update"]), "rows of"),
        .field("x-author", ["type": ["string", "null"], "x-author": "who"], "x-role"),
        .field("x-author", ["type": ["string", "null"], "x-role": "ADMIN", "x-author": "text"], "user"),
        .field("x-author", ["type": ["string", "null"], "x-role": "ADMIN", "x-author": "number"], "user"),
        .field("x-author", ["type": ["string", "null"], "x-role": "ADMIN", "x-author": "who"], "x-role"),
        .field("x-role", ["type": ["string", "null"], "x-role": "ADMIN", "readOnly": true], "readOnly"),
    ]

    static let keys: [Case] = [
        .notes("/x-unique/0/fields", ["x-unique": [["fields": ["text", "text"]]]], "twice"),
        .notes("/x-unique/0/fields", ["x-unique": [["fields": ["list"]]]], "list"),
        .notes("/x-unique/0/fields", ["x-unique": [["fields": ["updated"]]]], "updated-at"),
        .notes("/x-unique/0/fields", ["x-unique": [["fields": ["nothing"]]]], "no field"),
        .notes("/x-unique/0/where/date", ["x-unique": [["fields": ["text"], "where": ["date": nil]]]], "null"),
        .notes("/x-unique/0/where/word", ["x-unique": [["fields": ["text"], "where": ["word": "c"]]]], "one of"),
        .notes("/x-unique/0/where/number", ["x-unique": [["fields": ["text"], "where": ["number": "1"]]]], "integer"),
        .notes("/x-unique/0/where/list", ["x-unique": [["fields": ["text"], "where": ["list": []]]]], "list"),
        .projects("/x-unique", ["x-unique": [["fields": ["name"]]]], "project"),
    ]

    private static func gate(_ field: String, _ value: JSON, _ role: String = "MEMBER") -> [String: JSON] {
        ["x-visibility": ["gate": ["field": .string(field), "value": value, "role": .string(role)]]]
    }

    private static func inherited(_ reference: [String: JSON], from parent: [String: JSON]) -> Case {
        Case(
            file: "notes", pointer: "/x-visibility/inherit", reason: parent.isEmpty ? "gate" : "cascade or restrict",
            documents: [
                OwnSchemas.notes(["f": .object(reference)], ["x-visibility": ["inherit": "f"]]),
                OwnSchemas.notes(["word": ["type": "string", "default": "a"]], parent, named: "books"),
            ])
    }

    private static let ownAndRequired: [String: JSON] = ["x-visibility": ["own": "f"], "required": ["f"]]

    /// Former owners of rows that get another owner must learn of it.
    @Test(
        arguments: [
            ["type": ["integer", "null"], "x-user": ["on-leave": "clear"]],
            ["type": ["integer", "null"], "x-user": ["on-leave": "keep"]],
            ["type": "integer", "x-user": ["on-leave": "keep"]],
            filled("caller", ["integer", "null"], ["x-user": ["on-leave": "clear"]]), filled("caller", "integer"),
        ] as [JSON])
    func ownRowsMayChangeHands(owner: JSON) throws {
        let members: [String: JSON] = ["x-visibility": ["own": "f"]]
        let isWritten = owner["readOnly"] == nil && owner["type"] == "integer"
        let required: [String: JSON] = isWritten ? ["required": ["f"]] : [:]
        let notes = OwnSchemas.notes(["f": owner], members.merging(required) { $1 })
        #expect(try OwnSchemas.registry([notes])["notes"]?.visibility == .own(field: "f"))
    }

    static let visibilities: [Case] = [
        .notes("/x-visibility/gate/value", gate("word", "c"), "one of"),
        .notes("/x-visibility/gate/value", gate("number", "1"), "integer"),
        .notes("/x-visibility/gate/value", gate("text", nil), "null"),
        .notes("/x-visibility/gate/field", gate("list", []), "list"),
        .notes("/x-visibility/gate/field", gate("nothing", 1), "no field"),
        .notes("/x-visibility/gate/role", gate("word", "a", "VIEWER"), "every member"),
        .notes("/x-visibility/own", ["x-visibility": ["own": "text"]], "hold a user"),
        .notes("/x-visibility/own", ["x-visibility": ["own": "number"]], "hold a user"),
        .field("x-user", ["type": "integer", "x-user": ["on-leave": "clear"]], "allow null", ownAndRequired),
        inherited(reference(["string", "null"], to: "books"), from: gate("word", "a")),
        inherited(
            reference("array", to: "books").merging(["items": ["type": "string"], "default": []]) { $1 },
            from: gate("word", "a")),
        inherited(reference(["string", "null"], "cascade", to: "books"), from: [:]),
        Case(
            file: "notes", pointer: "/x-visibility/inherit", reason: "another collection",
            documents: [
                OwnSchemas.notes(
                    ["f": .object(reference(["string", "null"], "cascade"))], ["x-visibility": ["inherit": "f"]])
            ]),
        .projects("/x-visibility", gate("name", "x"), "every member"),
        .memberships("/x-visibility", ["x-visibility": ["own": "user"]], "every member"),
        .memberships("/x-visibility", gate("role", 1), "every member"),
    ]

    static let rules: [Case] = [
        .notes("/x-rules", ["x-rules": ["no-such-rule"]], "no-such-rule"),
        .notes("/x-rules", ["x-rules": ["sprint-dates"]], "finish_date"),
        .notes("/x-rules", ["x-rules": ["ordered-estimates"]], "most_likely_duration"),
        .notes("/x-rules", ["x-rules": ["recurrence-pattern"]], "day_of_month"),
        .notes("/x-rules", ["x-rules": ["suggestion-states"]], "state"),
        .notes("/x-rules", ["x-rules": ["acyclic-dependencies"]], "predecessor"),
        .notes(
            "/x-rules",
            ["x-rules": ["acyclic-dependencies"], "properties": ["predecessor": text, "successor": text]], "x-ref"),
        .notes("/x-rules", ["x-rules": ["last-owner"], "properties": ["role": number]], "membership"),
        .notes("/x-rules", ["x-rules": ["project-calendar"], "properties": ["calendar": text]], "project"),
        .notes("/x-rules", ["x-rules": ["known-user"], "properties": ["user": text]], "integer"),
        .projects("/x-rules", ["x-rules": ["project-calendar"]], "calendar"),
    ]

    private static let text: JSON = ["type": "string", "default": ""]
    private static let one: JSON = ["type": "integer", "default": 1]
    private static let number: JSON = ["type": "integer", "default": 0]

    /// Memberships with a field that clients can't write.
    private static func owned(_ name: String, _ members: [String: JSON]) -> [String: JSON] {
        let field = JSON.object(members.merging(["type": "integer", "readOnly": true]) { $1 })
        return ["required": [], "properties": (["user": one, "role": one] as JSON).setting([name: field])]
    }

    static let scopes: [Case] = [
        .projects("/x-uploadable", ["x-uploadable": true], "x-uploadable-user-wide"),
        .memberships("/x-uploadable-user-wide", ["x-uploadable-user-wide": true], "x-scope project"),
        .project("modified_at", "", number, "x-uploadable-user-wide"),
        .projects(
            "/x-roles/create", ["x-roles": ["create": "ADMIN", "update": "ADMIN", "delete": "OWNER"]], "ANYONE"),
        .project("note", "/x-ref", .object(reference(["string", "null"], "cascade")), "clear or restrict"),
        .project("is_archived", "", ["type": ["string", "null"], "readOnly": true], "boolean"),
        .project("is_archived", "", ["type": "boolean", "default": false], "readOnly"),
        .project("is_archived", "", ["type": "boolean", "default": true, "readOnly": true], "false"),
        .project("calendar", "/x-ref", .object(reference(["string", "null"], to: "days")), "title").with(
            OwnSchemas.notes(["title": ["type": "string"]], ["required": ["title"]], named: "days")),
        .memberships("/x-scope", ["properties": ["user": ["type": "integer"]], "required": ["user"]], "role"),
        .membership("user", "", ["type": "string"], "integer"),
        .membership("user", "", ["type": ["integer", "null"]], "null"),
        .memberships("/properties/user", owned("user", ["x-value": "caller"]), "readOnly"),
        .membership("role", "", ["type": "string"], "integer"),
        .membership("role", "", ["type": ["integer", "null"]], "null"),
        .memberships("/properties/role", owned("role", ["default": 1]), "readOnly"),
        .membership("role", "", ["type": "integer", "maximum": 300], "400"),
        .membership("role", "/default", ["type": "integer", "default": 50], "one of"),
        .membership("role", "", ["type": "integer", "enum": [1, 100]], "400"),
        .membership("team", "/x-ref", .object(reference(["string", "null"], "cascade")), "clear or restrict"),
        .memberships(
            "/required",
            [
                "required": ["user", "role", "since"],
                "properties": OwnSchemas.memberships["properties"]!.setting(["since": text]),
            ], "default"),
        Case(
            file: "projects", pointer: "/title", reason: "path",
            documents: [
                OwnSchemas.notes([:], named: "projects"),
                OwnSchemas.projects.setting(["title": "boards"]),
            ]),
        Case(file: "api", pointer: "/title", reason: "path", documents: [OwnSchemas.notes([:], named: "api")]),
    ]
}

extension UnsafeSchemaTests.Case {
    /// The same files and one more.
    fileprivate func with(_ document: JSON) -> Self {
        Self(file: file, pointer: pointer, reason: reason, documents: documents + [document])
    }
}
