import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// Collects the edits of a batch that were not applied as sent, for the sender's inbox.
struct LostEdits {
    private let request: UploadRequest
    private let access: ProjectAccess
    private let draft: Draft
    private let rows: [String: UploadRequest.Row]
    private(set) var list: [LostEdit] = []

    /// Collects the lost edits from the report. The batch must already be applied to the draft.
    init(_ report: UploadReport, of request: UploadRequest, _ access: ProjectAccess, _ draft: Draft) throws {
        self.request = request
        self.access = access
        self.draft = draft
        rows = report.events.isEmpty ? [:] : Dictionary(uniqueKeysWithValues: request.rows.map { ($0.pointer, $0) })
        for event in report.events {
            switch event {
            case .skipped(let key, let field, let code): try addSkipped(key, field, code)
            case .repaired(let key, let field, let from, _): try add(key, field, .repaired, sent: from)
            case .conflict(let conflict):
                for (field, sent) in conflict.edited.sorted(by: { $0.key < $1.key }) {
                    try add(conflict.row.key, field, conflict.code, sent: sent)
                }
            case .rejected: break
            }
        }
        try addRefused(report)
    }

    private mutating func add(_ key: RowKey, _ field: String?, _ code: ErrorCode, sent: JSON) throws {
        list.append(
            LostEdit(
                userID: access.caller.userID, key: key, field: field, code: code, sent: sent,
                kept: try kept(key, field), batchID: request.batchID))
    }

    /// The field's present value, or the whole row if `field` is nil. Null if the sender can't see the row.
    private func kept(_ key: RowKey, _ field: String?) throws -> JSON {
        let collection = draft.registry.collection(key.collection)
        guard let record = try draft.record(key), !record.isDeleted,
            access.finds(record, in: collection, draft.registry)
        else { return .null }
        guard let field else { return record.json(in: collection) }
        return collection.position(field).map { record.values[$0] } ?? .null
    }

    /// A skipped delete loses nothing, and only deletes are skipped as `not_found`.
    private mutating func addSkipped(_ key: RowKey, _ field: String?, _ code: ErrorCode) throws {
        guard code != .notFound else { return }
        for row in request.rows where row.key == key && row.bucket != .deleted {
            try add(key, field, code, sent: field.map { row.fields[$0] ?? .null } ?? .object(row.patch))
        }
    }

    // MARK: Refused rows

    /// A refused row loses all its fields, not only the wrong ones.
    private mutating func addRefused(_ report: UploadReport) throws {
        var problems: [String: [RowProblem]] = [:]
        for case .rejected(let problem) in report.events {
            problems[request.place(of: problem).pointer, default: []].append(problem)
        }
        for (pointer, problems) in problems.sorted(by: { $0.key < $1.key }) {
            let first = problems[0]
            let key = RowKey(first.collection, first.id ?? "")
            if let row = rows[pointer] {
                try addRefused(row, problems)
            } else {
                try add(key, nil, first.code, sent: request.unreadable[pointer] ?? .null)
            }
        }
    }

    private mutating func addRefused(_ row: UploadRequest.Row, _ problems: [RowProblem]) throws {
        guard row.bucket != .deleted else { return try add(row.key, nil, problems[0].code, sent: .null) }
        let collection = draft.registry.collection(row.key.collection)
        guard let record = try draft.record(row.key), access.finds(record, in: collection, draft.registry) else {
            return try add(row.key, nil, problems[0].code, sent: .object(row.fields))
        }
        let codes = Dictionary(problems.compactMap { problem in problem.field.map { ($0, problem.code) } }) {
            first, _ in
            first
        }
        for (position, field) in collection.fields.enumerated() where !field.isServerOwned {
            guard let sent = row.patch[field.name], sent != record.values[position] else { continue }
            try add(row.key, field.name, codes[field.name] ?? problems[0].code, sent: sent)
        }
        for name in row.unknownFields { try add(row.key, name, problems[0].code, sent: row.fields[name] ?? .null) }
    }
}
