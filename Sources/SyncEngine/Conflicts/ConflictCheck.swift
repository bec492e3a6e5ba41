import SyncProtocol
import SyncSchema
import SyncStore

/// Compares a batch's edits with what others wrote since their bases, before anything is applied.
struct ConflictCheck {
    let request: UploadRequest
    let access: ProjectAccess
    let transaction: any ReadTransaction
    let registry: Registry
    let now: Instant

    /// How much history is read for a row, and for a batch, in bytes. What lies behind that counts as forgotten.
    private static let mostHistory = (row: 4 << 20, batch: 64 << 20)

    /// What the check makes of a batch.
    struct Outcome {
        /// Rows to apply, limited to the fields that count.
        var rows: [UploadRequest.Row] = []
        /// Rows to leave alone.
        var conflicts: [RowConflict] = []
        /// Other people's edits that fall to rows which apply, by the pointers of those.
        var overwritten: [String: [LostEdit]] = [:]
        /// Pointers of rows whose sender has values that are out of date.
        var outdated: Set<String> = []
    }

    /// Throws `conflict` under `reject`, with every row at fault.
    func run() throws -> Outcome {
        guard request.onConflict != .overwrite else { return Outcome(rows: request.rows) }
        var (outcome, bytes) = (Outcome(), ConflictCheck.mostHistory.batch)
        for row in request.rows {
            guard row.bucket != .deleted, let edit = try edit(row, bytes: &bytes) else {
                outcome.rows.append(row)
                continue
            }
            switch request.onConflict {
            case .overwrite: outcome.rows.append(row)
            case .newest: outcome.settleByTime(edit, now: now)
            case .merge: outcome.merge(edit)
            case .reject: outcome.refuse(edit)
            }
        }
        if request.onConflict == .reject { try refuse(outcome.conflicts) }
        return outcome
    }

    /// Nil where nothing is to be in conflict with: the row is not there to be edited, or is as sent.
    private func edit(_ row: UploadRequest.Row, bytes: inout Int) throws -> EditInConflict? {
        let collection = registry[row.key.collection]!
        guard let record = try transaction.record(row.key), !record.isDeleted,
            access.finds(record, in: collection, registry)
        else { return nil }
        let most = min(bytes, ConflictCheck.mostHistory.row)
        var left = most
        let history = try RowHistory(
            of: record, in: collection, since: request.base(of: row) ?? .commit(.zero),
            for: request.origin(of: access.caller), access.project, bytes: &left, transaction)
        bytes -= most - left
        let edit = EditInConflict(row: row, collection: collection, history: history)
        return edit.edited.isEmpty ? nil : edit
    }

    private func refuse(_ conflicts: [RowConflict]) throws {
        guard !conflicts.isEmpty else { return }
        let errors = conflicts.map { conflict in
            var problem = RowProblem(
                pointer: conflict.row.pointer, collection: conflict.row.key.collection, id: conflict.row.key.id,
                code: .conflict, detail: "The row was changed by somebody else since. Pull, then push again.")
            problem.members = [
                "fields": .array(conflict.fields.map(JSON.string)),
                "server_version": .int(conflict.stored.version.rawValue),
                "server_values": conflict.serverValues(as: request.encoding),
            ]
            return problem
        }
        throw Problem(
            .conflict, "Rows were changed by somebody else since: pull, then push again. Nothing was applied.",
            errors: errors)
    }
}
