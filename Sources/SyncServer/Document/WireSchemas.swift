import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// The component schemas that do not belong to one collection.
struct WireSchemas {
    let registry: Registry

    var components: [String: JSON] {
        [
            "ID": id, "ErrorCode": code, "Problem": problem, "RowProblem": rowProblem, "Schemas": schemas,
            "PullPage": pullPage,
            "UserPullPage": userPullPage, "UserDigest": userDigest, "Digest": digest,
            "Upload": upload, "UserUpload": userUpload,
            "UploadAnswer": uploadAnswer,
            "Deletion": deletion, "UserUploadAnswer": userUploadAnswer, "Rejected": rejected,
            "UserRejected": userRejected,
        ]
    }

    /// The rule of `RowID`, as a schema.
    private var id: JSON {
        [
            "type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$",
            "description": "Chosen by whoever creates the row, and returned byte for byte.",
        ]
    }

    /// A new version of the server may add codes. A client should treat an unknown code by its HTTP status.
    private var code: JSON {
        [
            "type": "string",
            "enum": .array(ErrorCode.allCases.map { .string($0.rawValue) }.sorted { $0.text < $1.text }),
        ]
    }

    /// A problem document (RFC 9457).
    private var problem: JSON {
        Schema.object(
            [
                "type": Schema.constant("about:blank"), "title": Schema.text, "status": Schema.integer,
                "detail": Schema.text.described("One sentence that a person can act on."),
                "code": Schema.reference("ErrorCode"),
                "errors": Schema.list(Schema.reference("RowProblem")).described("One entry for each row at fault."),
            ], summary: "A refusal. Nothing was applied.")
    }

    private var rowProblem: JSON {
        Schema.object(
            [
                "pointer": Schema.text.described(
                    "A JSON Pointer (RFC 6901) into the request's body or its query parameters."),
                "collection": Schema.text,
                "id": Schema.nullableText, "field": Schema.nullableText,
                "code": Schema.reference("ErrorCode"), "detail": Schema.text,
                "fields": Schema.list(Schema.text).described("In a conflict: the fields that differ."),
                "server_version": CollectionSchemas.version,
                "server_values": ["type": "object"],
                "existing": Schema.text.described("With `not_unique`: the id of the row that has the key."),
            ], optional: ["fields", "server_version", "server_values", "existing"])
    }

    private var schemas: JSON {
        Schema.object([
            "schema_version": ["type": "string", "pattern": "^[0-9a-f]{16}$"],
            "collections": Schema.list(["type": "object"]).described("JSON Schema documents, parents first."),
        ])
    }

    /// The members of a page. `digest` is that of the last page.
    private func page(digest: JSON) -> [String: JSON] {
        let changes = registry.collections.map { ($0.name, Schema.reference("\($0.name)_changes")) }
        return [
            "changes": Schema.object(
                Dictionary(uniqueKeysWithValues: changes), optional: Set(changes.map(\.0)),
                summary: "Every collection that was asked for.", title: "PulledCollections"),
            "timestamp": Schema.commit.described("The same on every page of a drain."),
            "next_cursor": Schema.nullableText.described(
                "Send it as `cursor` to get the next page. Null on the last page."),
            "has_more": Schema.flag,
            "progress": Schema.object(
                [
                    "rows": Schema.integer.described("Rows served in this drain so far."),
                    "total": ["type": ["integer", "null"], "description": "Rows of the whole drain, if known."],
                ], title: "PullProgress"),
            "digest": Schema.orNull(digest).described(
                "Only on the last page. Null if something was written since the drain began."),
        ]
    }

    private var pullPage: JSON {
        var members = page(digest: digests)
        members["filtered"] = filtered
        return Schema.object(members, optional: ["digest", "filtered"])
    }

    private var userPullPage: JSON {
        var members = page(digest: Schema.map(Schema.orNull(digests)))
        members["left_projects"] = Schema.list(
            Schema.object(
                [
                    "project_id": Schema.id,
                    "code": ["enum": ["membership_revoked", "project_deleted", "filtered"]],
                ], title: "LeftProject")
        ).described("Only on page 1: projects that the caller has no longer, or that the filter has no longer.")
        members["replaced"] = Schema.list(Schema.id).described(
            "Projects that begin on this page, of which the drain has every row: drop the rows that it does not name.")
        members["heads"] = heads
        members["filtered"] = filtered
        return Schema.object(members, optional: ["digest", "left_projects", "replaced", "heads", "filtered"])
    }

    private var filtered: JSON {
        (["const": true] as JSON).described(
            "Only with `filter` or `filter_was`. Without it, an older server has ignored them.")
    }

    private var heads: JSON {
        Schema.map(Schema.commit).described("By project, the head that the drain was made at. Only on the last page.")
    }

    private var deletion: JSON {
        let counts = Schema.map(["type": "integer", "minimum": 1])
        return Schema.object([
            "deletes": counts.described("By collection, how many rows would be deleted, the named one included."),
            "hidden": counts.described("By collection, how many of them the caller can't see."),
        ])
    }

    private var userDigest: JSON {
        Schema.object([
            "timestamp": Schema.commit.described("The user-wide watermark at which the digests were computed."),
            "digest": Schema.map(Schema.orNull(digests)), "heads": heads,
        ])
    }

    private var digest: JSON {
        Schema.object([
            "timestamp": Schema.commit.described("The head at which the digests were computed."),
            "digest": Schema.orNull(digests).described("Null if the filter takes a look at more than 20,000 rows."),
        ])
    }

    private var digests: JSON {
        Schema.map(
            Schema.object(
                [
                    "count": ["type": "integer", "minimum": 0],
                    "digest": ["type": "string", "pattern": "^[0-9a-f]{16}$"],
                ], title: "CollectionDigest")
        ).described("By collection, over the rows that the caller sees.")
    }
}

extension WireSchemas {
    var upload: JSON { upload(userWide: false) }

    var userUpload: JSON { upload(userWide: true) }

    private func upload(userWide: Bool) -> JSON {
        let names = registry.collections.filter { $0.isUploadable(userWide: userWide) }.map(\.name)
        let changes = names.map { ($0, buckets(of: $0)) }
        return Schema.object(
            [
                "client_batch_id": ["type": "string", "format": "uuid"],
                "last_pulled_at": [
                    "type": ["integer", "null"], "minimum": 0, "maximum": .int(SyncSeq.maximum.rawValue),
                    "description": "The client's watermark.",
                ],
                "device_id": [
                    "type": ["string", "null"], "minLength": 1, "maxLength": 128,
                    "description":
                        "The device's own name for itself. A device's edits don't conflict with its own earlier edits.",
                ],
                "encoding": Schema.encoding,
                "on_conflict": ["enum": .array(ConflictMode.allCases.map { .string($0.rawValue) })],
                "on_error": ["enum": ["reject_batch", "reject_rows", "repair"]],
                "changes": Schema.object(
                    Dictionary(uniqueKeysWithValues: changes), optional: Set(names), isClosed: true,
                    title: userWide ? "UserUploadedCollections" : "UploadedCollections"),
            ], optional: ["last_pulled_at", "device_id", "encoding", "on_conflict", "on_error"])
    }

    private func buckets(of name: String) -> JSON {
        let rows = Schema.list(Schema.reference("\(name)_upload"))
        return Schema.object(
            ["created": rows, "updated": rows, "deleted": Schema.list(Schema.id)],
            optional: ["created", "updated", "deleted"], isClosed: true, title: "\(name)_batch")
    }

    var uploadAnswer: JSON {
        answer([
            "timestamp": Schema.commit.described(
                "The commit number of the batch. Don't adopt it as a watermark: pull instead.")
        ])
    }

    var userUploadAnswer: JSON {
        answer([
            "timestamp": ["type": "null"],
            "timestamps": Schema.map(Schema.commit).described(
                "By project, the commit number of the batch, or the head if nothing was written."),
        ])
    }

    /// `timestamps` has the members that say at which commits the batch was applied.
    private func answer(_ timestamps: [String: JSON]) -> JSON {
        let members: [String: JSON] = [
            "client_batch_id": [
                "type": ["string", "null"], "format": "uuid", "description": "Null for WatermelonDB's own push.",
            ],
            "applied": Schema.map(applied).described("Each row is in the bucket in which it was sent."),
            "skipped": Schema.map(Schema.list(skipped)), "repaired": Schema.map(Schema.list(repaired)),
            "conflicts": Schema.map(Schema.list(conflict)),
            "rejected": Schema.map(Schema.list(refused)),
            "rejected_ids": Schema.map(Schema.list(Schema.id)),
            "not_listed": Schema.integer.described(
                "How many further entries the lists leave out; absent if there are none."),
        ]
        return Schema.object(members.merging(timestamps) { $1 }, optional: ["not_listed"])
    }

    private var applied: JSON {
        let rows = Schema.list(
            Schema.object(["id": Schema.id, "server_version": CollectionSchemas.version], title: "AppliedRow"))
        return Schema.object(
            ["created": rows, "updated": rows, "deleted": Schema.list(Schema.id)], title: "AppliedRows")
    }

    private var conflict: JSON {
        Schema.object(
            [
                "id": Schema.id, "fields": Schema.list(Schema.text), "server_version": CollectionSchemas.version,
                "server_values": ["type": "object"], "client_values": ["type": "object"], "cut": cut,
            ], optional: ["cut"], title: "RowConflict")
    }

    private var cut: JSON { Schema.flag.described("Whether the values are left out because they are too large.") }

    private var refused: JSON {
        Schema.object(
            [
                "id": Schema.nullableText, "field": Schema.nullableText.described("Null if it is about the whole row."),
                "code": Schema.reference("ErrorCode"), "detail": Schema.text,
                "existing": Schema.text.described("With `not_unique`: the id of the row that has the key."),
            ], optional: ["existing"], title: "RefusedRow")
    }

    /// One page of an inbox.
    var rejected: JSON { inbox(title: "LostEdit", [:]) }

    /// One page of the inbox of all projects.
    var userRejected: JSON { inbox(title: "UserLostEdit", ["project_id": projectOfInbox]) }

    private var projectOfInbox: JSON {
        Schema.nullableText.described("Null for a row of no project that the author is or was a member of.")
    }

    private func inbox(title: String, _ more: [String: JSON]) -> JSON {
        let members: [String: JSON] =
            [
                "entry": Schema.text.described("The entry's id, for dismissing it."),
                "id": Schema.text.described("The row's id."),
                "collection": Schema.text, "field": Schema.nullableText.described("Null if it is about the whole row."),
                "code": Schema.text, "sent": [:], "kept": ["description": "What the project has instead."],
                "cut": Schema.flag.described("Whether a value was too large and is only its first part."),
                "at": ["type": "string", "format": "date-time"], "client_batch_id": Schema.nullableText,
            ]
        let entry = Schema.object(members.merging(more) { $1 }, title: title)
        return Schema.object(["results": Schema.list(entry), "next": Schema.nullableText])
    }

    private var skipped: JSON {
        Schema.object(
            [
                "id": Schema.id, "code": Schema.text,
                "field": Schema.text.described("Present if only this field was skipped. `*` for several."),
                "more": Schema.integer.described("With the field `*`: how many unknown fields are not listed."),
            ],
            optional: ["field", "more"], title: "SkippedRow")
    }

    private var repaired: JSON {
        Schema.object(
            ["id": Schema.id, "field": Schema.text, "from": [:], "to": [:], "cut": cut], optional: ["cut"],
            title: "Repair")
    }
}
