import SyncProtocol
import SyncSchema
import SyncStore

/// Compares a batch's edits with what others wrote since the edits' bases. Runs before anything is applied.
struct ConflictCheck {
    let request: UploadRequest
    let access: ProjectAccess
    let transaction: any ReadTransaction
    let registry: Registry
    let now: Instant

    /// The most history to read, in bytes: for one row, and for the whole batch. Older history counts as forgotten.
    private static let mostHistory = (row: 4 << 20, batch: 64 << 20)

    /// The result of checking a batch.
    struct Outcome {
        /// Rows to apply, limited to the fields that count.
        var rows: [UploadRequest.Row] = []
        /// Rows to leave alone.
        var conflicts: [RowConflict] = []
        /// Other people's edits that the applied rows overwrite, by the pointer of the row that overwrites them.
        var overwritten: [String: [LostEdit]] = [:]
        /// Pointers of rows in which the sender's copy has outdated values.
        var outdated: Set<String> = []
    }

    /// Under `reject`, throws `conflict` with every row in conflict.
    func run() throws -> Outcome {
        guard request.onConflict != .overwrite || registry.mergesFields else { return Outcome(rows: request.rows) }
        var outcome = Outcome()
        var bytes = ConflictCheck.mostHistory.batch
        for row in request.rows {
            guard row.bucket != .deleted, let edit = try edit(row, bytes: &bytes) else {
                outcome.rows.append(row)
                continue
            }
            switch request.onConflict {
            case .overwrite: outcome.overwrite(edit)
            case .newest: outcome.settleByTime(edit, now: now)
            case .merge: outcome.merge(edit)
            case .reject: outcome.refuse(edit)
            }
        }
        if request.onConflict == .reject { try refuse(outcome.conflicts) }
        return outcome
    }

    /// How edits merge; nil in the modes in which they don't.
    private var merge: EditMerge? {
        switch request.onConflict {
        case .overwrite, .merge: EditMerge(mergesCounters: request.device != nil)
        case .newest, .reject: nil
        }
    }

    /// Whether it matters what others wrote: always, but for edits that overwrite it without being merged with it.
    private func looksBack(at row: UploadRequest.Row, of collection: Collection) -> Bool {
        guard request.onConflict == .overwrite else { return true }
        guard !collection.places.merged.isEmpty else { return false }
        let patch = row.patch
        return collection.places.merged.contains { patch[collection.fields[$0].name] != nil }
    }

    /// Nil if there is nothing to conflict or to merge with: the caller can't edit the row (it is missing, deleted or
    /// out of sight), or the row already has the values sent.
    private func edit(_ row: UploadRequest.Row, bytes: inout Int) throws -> EditInConflict? {
        let collection = registry.collection(row.key.collection)
        guard looksBack(at: row, of: collection), let record = try transaction.record(row.key), !record.isDeleted,
            try access.finds(record, in: collection, registry, from: transaction)
        else { return nil }
        let most = min(bytes, ConflictCheck.mostHistory.row)
        var left = most
        let history = try RowHistory(
            of: record, in: collection, since: request.bases(of: row),
            for: request.origin(of: access.caller), access.project, bytes: &left, transaction)
        bytes -= most - left
        let edit = EditInConflict(row: row, history: history, merge: merge)
        return edit.edited.isEmpty && edit.merged.isEmpty ? nil : edit
    }

    private func refuse(_ conflicts: [RowConflict]) throws {
        guard !conflicts.isEmpty else { return }
        let errors = conflicts.map { conflict in
            var problem = RowProblem(
                pointer: conflict.row.pointer, collection: conflict.row.key.collection, id: conflict.row.key.id,
                code: .conflict, detail: "Somebody else has changed this row. Pull, then push again.")
            problem.members = [
                "fields": .array(conflict.fields.map(JSON.string)),
                "server_version": .int(conflict.stored.version.rawValue),
                "server_values": conflict.serverValues(as: request.encoding),
            ]
            return problem
        }
        throw Problem(
            .conflict, "Somebody else has changed rows of this batch. Pull, then push again. Nothing was applied.",
            errors: errors)
    }
}

/// An uploaded edit that was not applied because somebody else's edit of the same row won.
struct RowConflict {
    let row: UploadRequest.Row
    let collection: Collection
    let stored: StoredRow
    /// The fields in which the two edits differ.
    let fields: [String]
    /// All values that the edit would have changed, by field.
    let edited: [String: JSON]
    /// Fields that the edit sends with the value they already have.
    let unchanged: Set<String>
    /// The code of the loss in the inbox.
    let code: ErrorCode

    /// The stored value of a field.
    func kept(_ field: String) -> JSON { collection.position(field).map { stored.values[$0] } ?? .null }

    /// The conflict's element in the answer's `conflicts`.
    func json(as encoding: WireEncoding) -> JSON {
        [
            "id": .string(row.key.id), "fields": .array(fields.map(JSON.string)),
            "server_version": .int(stored.version.rawValue), "server_values": serverValues(as: encoding),
            "client_values": values(as: encoding) { edited[$0] ?? .null },
        ]
    }

    func serverValues(as encoding: WireEncoding) -> JSON { values(as: encoding, kept) }

    private func values(as encoding: WireEncoding, _ value: (String) -> JSON) -> JSON {
        .object(
            Dictionary(
                uniqueKeysWithValues: fields.map { ($0, encoding.encoded(value($0), of: collection.field($0)!)) }))
    }
}
