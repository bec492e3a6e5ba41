import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

/// Changes single rows of a draft for its caller, by the same rules as an upload, but strictly. An
/// upload repairs or skips values, because the device may have been offline for a while, and ignores
/// fields that only the server writes. This refuses them.
struct ItemWriter {
    let collection: Collection
    let draft: Draft
    private let edit: RowEdit
    private let quotas: QuotaCheck

    /// `judged` is what is known of the fields already.
    init(
        _ collection: Collection, draft: Draft, access: ProjectAccess, judged: JudgedValues = .none,
        quotas: Quotas = .none
    ) {
        self.collection = collection
        self.draft = draft
        self.quotas = QuotaCheck(quotas: quotas, draft: draft)
        edit = RowEdit(
            collection: collection, role: access.role, userID: access.caller.userID, judged: judged)
    }

    /// Inserts a new row. Throws `id_unavailable` if a row of the collection has or had the id,
    /// in any project, whether the caller can see it or not.
    func insert(_ id: String, _ fields: [String: JSON]) throws {
        let key = RowKey(collection.name, id)
        guard RowID.isValid(id) else {
            try refuse([.invalidID], id: nil)
            return
        }
        guard try draft.record(key) == nil else {
            throw Problem(.idUnavailable, Violation.idUnavailable.detail)
        }
        try put(key, fields: fields, row: edit.inserted(fields)) { try draft.insert(key, values: $0.values) }
    }

    /// Applies a patch: absent fields keep their value.
    func update(_ record: StoredRow, _ fields: [String: JSON]) throws {
        let key = RowKey(collection.name, record.id)
        try put(key, fields: fields, row: edit.updated(fields, of: record)) { row in
            try draft.update(key) { $0 = row.values }
            draft.noteSighting(of: row.unchanged, in: key)
        }
    }

    /// Deletes the row and the rows that its schema cascades to.
    func delete(_ record: StoredRow) throws {
        let key = RowKey(collection.name, record.id)
        do {
            if let problem = try draft.drop([key])[key] { throw problem }
            try draft.checks.checkDelete(key)
        } catch let problem as Violation {
            try refuse([problem], id: record.id)
        }
    }

    private func put(
        _ key: RowKey, fields: [String: JSON], row: Result<RowValues, Violations>,
        write: (RowValues) throws -> Void
    ) throws {
        let foreign = edit.foreignFields(fields)
        switch row {
        case .failure(let failure): try refuse(foreign + failure.list, id: key.id)
        case .success(let row):
            try refuse(foreign, id: key.id)
            try write(row)
            try refuse(try problems(of: key), id: key.id)
        }
    }

    /// What is wrong with the final state of a row that the draft changed.
    private func problems(of key: RowKey) throws -> [Violation] {
        guard draft.entries[key]?.contentChanged ?? false else { return [] }
        if let problem = try draft.checks.unsoundReference(of: key) { return [problem] }
        do {
            try draft.checks.check(key)
            return try quotas.violations()[key].map { [$0] } ?? []
        } catch let problem as Violation {
            return [problem]
        }
    }

    private func refuse(_ problems: [Violation], id: String?) throws {
        let rows = problems.map { RowProblem($0, at: "", collection: collection.name, id: id) }
        guard var refusal = Problem(refusing: rows) else { return }
        if refusal.code == .quotaExceeded { refusal.members = try quotas.members() }
        throw refusal
    }
}
