import HTTPTypes
import SyncProtocol
import SyncSchema
import SyncStore

extension Endpoint.Parameter {
    static let project = Endpoint.Parameter(
        name: "project", place: .path, schema: Schema.id, summary: "The project's id.")

    static func id(_ summary: String) -> Endpoint.Parameter {
        Endpoint.Parameter(name: "id", place: .path, schema: Schema.id, summary: summary)
    }

    static func query(_ name: String, _ schema: JSON, _ summary: String) -> Endpoint.Parameter {
        Endpoint.Parameter(name: name, place: .query, schema: schema, summary: summary)
    }

    static func header(_ name: String, _ schema: JSON, _ summary: String) -> Endpoint.Parameter {
        Endpoint.Parameter(name: name, place: .header, schema: schema, summary: summary)
    }

    /// `limit` and `after`, which every list takes.
    static let keyset: [Endpoint.Parameter] = [
        query(
            "limit", ["type": "integer", "minimum": 1, "default": 100],
            "The most results. A number above 500 counts as 500."
        ),
        query("after", Schema.text, "The `next` of the previous page."),
    ]

    /// The filters of a list, and `sort`.
    static func selection(of collection: Collection) -> [Endpoint.Parameter] {
        let key = "-?[a-z][a-z0-9_]*"
        let sort = query(
            "sort", ["type": "string", "pattern": .string("^\(key)(,\(key)){0,\(ListQuery.maximumKeys - 1)}$")],
            "Up to \(ListQuery.maximumKeys) of the fields below, separated by commas. A leading `-` sorts descending.")
        return [sort] + collection.listFields.map { filter($0, in: collection) }
    }

    private static func filter(_ field: Field, in collection: Collection) -> Endpoint.Parameter {
        let rule = "Only rows with this value." + (field.value.isNullable ? " An empty value means null." : "")
        var parameter = query(field.name, FieldSchema(field, in: collection).ofValue, rule)
        parameter.mayBeEmpty = field.value.isNullable
        return parameter
    }

    static let ifNoneMatch = header(
        "If-None-Match", Schema.text, "The `ETag` of the client's copy. The answer is 304 if nothing has changed.")

    /// The two ways to name the version that an edit is based on.
    static let preconditions: [Endpoint.Parameter] = [
        header("If-Match", Schema.text, "The `ETag` of the version that was edited, for example `\"3\"`, or `*`."),
        header("X-Base-Version", ["type": "integer", "minimum": 1], "The same as a number, for example `3`."),
    ]

    static let dryRun = query(
        "dry_run", ["type": "boolean", "default": false],
        "`true`: delete nothing, and answer how many rows would go.")

    static let idempotencyKey = header(
        "Idempotency-Key", ["type": "string", "minLength": 1, "maxLength": 255],
        "Send the same key with every retry of a request. A retry then gets the first answer again.")
}

extension Endpoint.Answer {
    /// 200 with a body.
    static func ok(_ summary: String, _ schema: JSON, headers: [Endpoint.Header] = []) -> Endpoint.Answer {
        Endpoint.Answer(status: .ok, summary: summary, schema: schema, headers: headers)
    }

    static let noContent = Endpoint.Answer(status: .noContent, summary: "Done.")

    static let notModified = Endpoint.Answer(
        status: .notModified, summary: "The client's copy is current.", headers: [.eTag])
}

extension Endpoint.Header {
    static let eTag = Endpoint.Header(
        name: "ETag", schema: Schema.text, summary: "The value to send in `If-None-Match`.")

    static let rowETag = Endpoint.Header(
        name: "ETag", schema: ["type": "string", "pattern": "^\"[0-9]+\"$"],
        summary: "The row's `server_version` in quotes, for `If-Match` and `If-None-Match`.")

    static let location = Endpoint.Header(name: "Location", schema: Schema.text, summary: "The path to request next.")

    static let idempotentReplayed = Endpoint.Header(
        name: "Idempotent-Replayed", schema: ["const": "true"],
        summary: "Present if the answer is that of an earlier request.", isAlwaysThere: false)
}

extension Endpoint {
    /// The codes that refuse a caller who has no access to the project.
    static let access: [ErrorCode] = [.notFound, .projectDeleted, .notAMember, .membershipRevoked]

    /// The codes that refuse a write by a caller who has too few rights in the project.
    static let write: [ErrorCode] = access + [.readOnlyToken, .forbidden, .projectArchived]
}
