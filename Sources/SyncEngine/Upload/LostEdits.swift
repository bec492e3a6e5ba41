import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// Collects the edits of a batch that were not applied as sent, for the sender's inbox.
struct LostEdits {
    private let request: UploadRequest
    private let access: ProjectAccess
    private let draft: Draft
    /// The batch's rows, by their pointers, and those that should exist, by their keys.
    private var rows: [String: UploadRequest.Row] = [:]
    private var edits: [RowKey: [UploadRequest.Row]] = [:]
    private(set) var list: [LostEdit] = []

    /// Collects the lost edits from the report. The batch must already be applied to the draft.
    init(_ report: UploadReport, of request: UploadRequest, access: ProjectAccess, draft: Draft) throws {
        self.request = request
        self.access = access
        self.draft = draft
        guard !report.events.isEmpty else { return }
        rows = Dictionary(uniqueKeysWithValues: request.rows.map { ($0.pointer, $0) })
        edits = Dictionary(grouping: request.rows.filter { $0.bucket != .deleted }, by: \.key)
        for event in report.events { try add(event) }
        try addRefused(report)
    }

    private mutating func add(_ event: UploadReport.Event) throws {
        switch event {
        case .skipped(let key, let field, let code): try addSkipped(key, field: field, code: code)
        case .unlistedFields(let key, _): for row in edits[key] ?? [] { addUnlisted(row, .unknownField) }
        case .repaired(let key, let field, let from, _):
            guard let field = draft.registry.collection(key.collection).field(field) else { return }
            // Nobody has typed what a column has that nobody set.
            guard !from.isNull, from != "", from != 0 || !field.isLookedUp else { return }
            try add(key, field: field.name, code: .repaired, sent: request.encoding.decoded(from, of: field))
        case .conflict(let conflict): try addConflict(conflict)
        case .rejected: break
        }
    }

    /// A whole row.
    private mutating func add(_ row: UploadRequest.Row, _ code: ErrorCode, sent: [String: JSON]) throws {
        list.append(
            LostEdit(
                userID: access.caller.userID, key: row.key, field: nil, code: code, sent: .object(sent),
                kept: try kept(row.key, nil), isCut: row.extras.isCut, batchID: request.batchID))
    }

    private mutating func add(_ key: RowKey, field: String?, code: ErrorCode, sent: JSON) throws {
        let collection = draft.registry.collection(key.collection)
        // When a row was edited is no content of it.
        guard field == nil || field != collection.editTime?.name else { return }
        list.append(
            LostEdit(
                userID: access.caller.userID, key: key, field: field, code: code, sent: sent,
                kept: try kept(key, field), batchID: request.batchID))
    }

    /// The field's present value, or the whole row if `field` is nil. Null if the sender can't see the row.
    private func kept(_ key: RowKey, _ field: String?) throws -> JSON {
        let collection = draft.registry.collection(key.collection)
        guard let record = try liveRecord(key) else { return .null }
        guard let field else { return record.json(in: collection) }
        return collection.position(field).map { record.values[$0] } ?? .null
    }

    /// Nil if the row is deleted or the sender can't see it.
    private func liveRecord(_ key: RowKey) throws -> StoredRow? {
        guard let record = try draft.record(key), !record.isDeleted,
            try access.finds(
                record, in: draft.registry.collection(key.collection), draft.registry, from: draft.reads)
        else { return nil }
        return record
    }

    /// A skipped delete loses nothing, and only deletes are skipped as `not_found`.
    private mutating func addSkipped(_ key: RowKey, field: String?, code: ErrorCode) throws {
        guard code != .notFound else { return }
        for row in edits[key] ?? [] {
            if let field {
                if let sent = row.value(of: field) { try add(key, field: field, code: code, sent: sent) }
            } else {
                try add(row, code, sent: row.lost)
            }
        }
    }

    /// One entry for all unknown fields that are not listed.
    private mutating func addUnlisted(_ row: UploadRequest.Row, _ code: ErrorCode) {
        guard !row.extras.unknownFields.rest.isEmpty else { return }
        list.append(
            LostEdit(
                userID: access.caller.userID, key: row.key, field: nil, code: code,
                sent: .object(row.extras.unknownFields.values), kept: .null, isCut: row.extras.isCut,
                batchID: request.batchID))
    }

    private mutating func addUnknown(_ row: UploadRequest.Row, _ code: ErrorCode) throws {
        for name in row.extras.unknownFields.listed {
            try add(row.key, field: name, code: code, sent: row.value(of: name) ?? .null)
        }
        addUnlisted(row, code)
    }

    private mutating func addConflict(_ conflict: RowConflict) throws {
        for (field, sent) in conflict.edited.sorted(by: { $0.key < $1.key }) {
            try add(conflict.row.key, field: field, code: conflict.code, sent: sent)
        }
        try addUnknown(conflict.row, conflict.code)
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
                try addUnreadable(key, code: first.code, row: request.unreadable[pointer])
            }
        }
    }

    private mutating func addUnreadable(_ key: RowKey, code: ErrorCode, row: UploadRequest.Unreadable?) throws {
        list.append(
            LostEdit(
                userID: access.caller.userID, key: key, field: nil, code: code, sent: row?.sent ?? .null,
                kept: try kept(key, nil), isCut: row?.isCut ?? false, batchID: request.batchID))
    }

    private mutating func addRefused(_ row: UploadRequest.Row, _ problems: [RowProblem]) throws {
        guard row.bucket != .deleted else { return try add(row.key, field: nil, code: problems[0].code, sent: .null) }
        let collection = draft.registry.collection(row.key.collection)
        guard let record = try liveRecord(row.key) else {
            return try add(row, problems[0].code, sent: row.whole)
        }
        let codes = Dictionary(problems.compactMap { problem in problem.field.map { ($0, problem.code) } }) {
            first, _ in
            first
        }
        for (position, field) in collection.fields.enumerated() where !field.isServerOwned {
            guard let sent = row.patch[field.name], sent != record.values[position] else { continue }
            try add(row.key, field: field.name, code: codes[field.name] ?? problems[0].code, sent: sent)
        }
        try addUnknown(row, problems[0].code)
    }
}
