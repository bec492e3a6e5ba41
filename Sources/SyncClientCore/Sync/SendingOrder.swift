import SyncProtocol

/// The order in which unsent rows of all collections are sent. The list can be cut into batches at any point:
/// - Deletions that can't take other rows along come first. They may free the unique key of a new row.
/// - A new row comes after the new rows that it refers to. A new project refers to its calendar, which belongs to it:
///   they come first, and the list can't be cut between them.
/// - Edits come after all new rows.
/// - The other deletions come last. The server deletes a row's children with it, and an edit may have moved a child
///   elsewhere before. Collections of children come before those of their parents, because the server may refuse to
///   delete a row that is in use.
struct SendingOrder {
    private let schema: ServerSchema
    private var created: [SentRow.Key: SentRow] = [:]
    private var placed: Set<SentRow.Key> = []
    private var result: [SentRow] = []

    static func sorted(_ rows: [SentRow], _ schema: ServerSchema) -> [SentRow] { groups(rows, schema).flatMap { $0 } }

    /// The sorted rows. A group must not be cut.
    static func groups(_ rows: [SentRow], _ schema: ServerSchema) -> [[SentRow]] {
        var order = SendingOrder(schema: schema)
        let created = rows.filter { $0.bucket == .created }
        for row in created { order.created[row.key] = row }
        let isProject = { (row: SentRow) in schema.isForAllProjects && row.collection == ProjectColumn.collection }
        var projects: [[SentRow]] = []
        for row in created.filter(isProject) {
            let start = order.result.count
            order.place(row)
            projects.append(Array(order.result[start...]))
        }
        let start = order.result.count
        for row in created { order.place(row) }
        let parents = Set(schema.collections.flatMap(\.columns).compactMap(\.reference))
        let deleted = rows.filter { $0.bucket == .deleted }
        let rest =
            order.result[start...] + rows.filter { $0.bucket == .updated }
            + deleted.filter { parents.contains($0.collection) }.reversed()
        return deleted.filter { !parents.contains($0.collection) }.map { [$0] } + projects + rest.map { [$0] }
    }

    private init(schema: ServerSchema) { self.schema = schema }

    /// Adds the row after everything it refers to. Uses its own stack, because a chain of
    /// rows may be too long for recursion.
    private mutating func place(_ row: SentRow) {
        var stack = [row]
        var waiting: Set<SentRow.Key> = [row.key]
        while let top = stack.last {
            let missing = references(of: top).first { !placed.contains($0.key) && !waiting.contains($0.key) }
            if let missing {
                stack.append(missing)
                waiting.insert(missing.key)
            } else {
                stack.removeLast()
                if placed.insert(top.key).inserted { result.append(top) }
            }
        }
    }

    /// The new rows that `row` refers to.
    private func references(of row: SentRow) -> [SentRow] {
        (schema[row.collection]?.columns ?? []).flatMap { column -> [SentRow] in
            guard let collection = column.reference, let value = row.values[column.name] else { return [] }
            return (value.array ?? [value]).compactMap(\.string)
                .compactMap { created[SentRow.Key(collection: collection, id: $0)] }
        }
    }
}

/// What one request uploads. It is stored before it is sent, and sent again unchanged until it is answered, so the
/// server can recognize a repetition by the id.
struct UploadBatch: Sendable, Equatable {
    /// The key in the replica's table `_batch`.
    let number: Int64
    /// `client_batch_id`.
    let id: String
    /// The request's body. Every attempt sends the same bytes.
    let body: String
    let rows: [SentRow]
    /// The replica's epoch (`ReplicaState.epoch`) when the batch was taken out to be sent.
    var epoch: Int64 = 0
}

extension UploadBatch {
    /// The request's body. Only edited columns are written: `_changed` with `overwrite` means that the last edit of a
    /// column wins. A refused row does not hold up the others (`docs/protocol.md#post-projectsidsync`).
    static func body(id: String, since: SyncSeq, device: String, rows: [SentRow]) -> String {
        let changes = Dictionary(grouping: rows, by: \.collection).mapValues { rows in
            JSON.object(
                Dictionary(
                    uniqueKeysWithValues: Bucket.allCases.map { bucket in
                        (bucket.rawValue, .array(rows.filter { $0.bucket == bucket }.map(\.json)))
                    }))
        }
        let body: JSON = [
            "client_batch_id": .string(id), "last_pulled_at": .int(since.rawValue), "device_id": .string(device),
            "on_conflict": "overwrite", "on_error": "reject_rows", "changes": .object(changes),
        ]
        return body.text
    }
}

/// A row as a batch contains it.
struct SentRow: Sendable, Equatable {
    let collection: String
    let id: String
    let bucket: Bucket
    /// The columns that `_changed` named.
    let changed: Set<String>
    /// The values that were sent. For a new row these are all columns that a client may write;
    /// for an edit only the changed ones.
    let values: [String: JSON]
    /// The versions that the columns were edited on, if all of them are known. Only in a row that is yet to be sent.
    var bases: [String: ServerVersion] = [:]

    /// Identifies a row within a batch.
    struct Key: Sendable, Hashable {
        let collection: String
        let id: String
    }

    var key: Key { Key(collection: collection, id: id) }
}

extension SentRow {
    /// The form in which an unsent row is sent.
    init(_ row: LocalRow, of collection: CollectionSchema) {
        let bucket: Bucket
        switch row.status {
        case .synced, .updated: bucket = .updated
        case .created: bucket = .created
        case .deleted: bucket = .deleted
        }
        let values = Self.values(of: row, bucket, collection)
        self.init(
            collection: collection.name, id: row.id, bucket: bucket, changed: row.changed.intersection(values.keys),
            values: values)
        guard var base = row.base, bucket != .deleted else { return }
        // A drain has delivered a row that was made here before its answer came.
        if bucket == .created { base.noteFirst(changed) }
        let known = base.edited.filter { changed.contains($0.key) }
        if known.count == changed.count { bases = known }
    }

    private static func values(
        of row: LocalRow, _ bucket: Bucket, _ collection: CollectionSchema
    ) -> [String: JSON] {
        guard bucket != .deleted else { return [:] }
        let columns = collection.columns.filter { column in
            let value = row.values[column.name] ?? .null
            return !column.isReadOnly && (column.isNullable || !value.isNull)
                && (bucket == .created || row.changed.contains(column.name) || column.name == ProjectColumn.name)
        }
        return Dictionary(uniqueKeysWithValues: columns.map { ($0.name, row.values[$0.name] ?? .null) })
    }

    /// The row's element in its bucket. `_changed` limits an edit to the columns that were edited, so other
    /// people's edits of the same row survive. If the server already has a new row, `_changed` limits the
    /// change to what was edited since.
    var json: JSON {
        guard bucket != .deleted else { return .string(id) }
        let own: [String: JSON] = ["id": .string(id), "_changed": .string(changed.columnList)]
        return .object(values.merging(own) { $1 }.merging(baseVersions) { $1 })
    }

    /// What says on which versions the edit was made: the oldest, and those of columns with another one. The watermark
    /// does not: a sync pulls before it pushes.
    private var baseVersions: [String: JSON] {
        guard let oldest = bases.values.min() else { return [:] }
        let others = bases.filter { $0.value != oldest }.mapValues { JSON.int($0.rawValue) }
        return ["base_version": .int(oldest.rawValue)]
            .merging(others.isEmpty ? [:] : ["base_versions": .object(others)]) { $1 }
    }
}
