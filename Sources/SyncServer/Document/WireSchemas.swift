import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

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
