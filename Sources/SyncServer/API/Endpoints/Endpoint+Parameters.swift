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

    /// `limit` and `after`, of every list.
    static let keyset: [Endpoint.Parameter] = [
        query(
            "limit", ["type": "integer", "minimum": 1, "default": 100], "The most results; more than 500 is cut to 500."
        ),
        query("after", Schema.text, "The `next` of the page before."),
    ]

    /// The filters of a list, and `sort`.
    static func selection(of collection: Collection) -> [Endpoint.Parameter] {
        let key = "-?[a-z][a-z0-9_]*"
        let sort = query(
            "sort", ["type": "string", "pattern": .string("^\(key)(,\(key)){0,\(ListQuery.maximumKeys - 1)}$")],
            "Up to \(ListQuery.maximumKeys) of the fields below, commas between, `-` in front for descending.")
        return [sort] + collection.listFields.map { filter($0, in: collection) }
    }

    private static func filter(_ field: Field, in collection: Collection) -> Endpoint.Parameter {
        let rule = "Only rows with this value" + (field.value.isNullable ? "; empty for null." : ".")
        var parameter = query(field.name, FieldSchema(field, in: collection).ofValue, rule)
        parameter.mayBeEmpty = field.value.isNullable
        return parameter
    }

    static let ifNoneMatch = header(
        "If-None-Match", Schema.text, "The `ETag` of what the client has; it answers 304 where nothing changed.")

    /// The two ways to name the version that an edit was made on.
    static let preconditions: [Endpoint.Parameter] = [
        header("If-Match", Schema.text, "The `ETag` of the row that was edited, as `\"3\"`, or `*`."),
        header("X-Base-Version", ["type": "integer", "minimum": 1], "The same, as a number: `3`."),
    ]

    static let idempotencyKey = header(
        "Idempotency-Key", ["type": "string", "minLength": 1, "maxLength": 255],
        "Stays with the request over all retries; the second answer is then the first one again.")
}

extension Endpoint.Answer {
    /// 200 with a body.
    static func ok(_ summary: String, _ schema: JSON, headers: [Endpoint.Header] = []) -> Endpoint.Answer {
        Endpoint.Answer(status: .ok, summary: summary, schema: schema, headers: headers)
    }

    static let noContent = Endpoint.Answer(status: .noContent, summary: "Done.")

    static let notModified = Endpoint.Answer(
        status: .notModified, summary: "The client has it already.", headers: [.eTag])
}

extension Endpoint.Header {
    static let eTag = Endpoint.Header(name: "ETag", schema: Schema.text, summary: "What `If-None-Match` takes.")

    static let rowETag = Endpoint.Header(
        name: "ETag", schema: ["type": "string", "pattern": "^\"[0-9]+\"$"],
        summary: "The row's `server_version` in quotes, for `If-Match` and `If-None-Match`.")

    static let location = Endpoint.Header(name: "Location", schema: Schema.text, summary: "The path to go on to.")

    static let idempotentReplayed = Endpoint.Header(
        name: "Idempotent-Replayed", schema: ["const": "true"],
        summary: "There where the answer is that of an earlier request.", isAlwaysThere: false)
}

extension Endpoint {
    /// What the caller's standing in a project can end a request with.
    static let access: [ErrorCode] = [.notFound, .projectDeleted, .notAMember, .membershipRevoked]

    /// The same for a write.
    static let write: [ErrorCode] = access + [.readOnlyToken, .forbidden, .projectArchived]
}
