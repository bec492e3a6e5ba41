import SyncProtocol
import SyncSchema
import SyncStore

/// Applies a batch as its `on_error` says: as a whole or not at all, or without the rows that
/// can't be accepted. Leaving out a row can make another one wrong, so the rest is judged
/// again, on a fresh draft, until nothing is wrong with it.
struct BatchRunner {
    /// More rounds than any honest batch needs. Each round can hold the writer for some time.
    private static let maximumRounds = 25
    private let request: UploadRequest
    private let access: ProjectAccess
    private let transaction: any WriteTransaction
    private let registry: Registry
    private let now: Instant
    private var check = ConflictCheck.Outcome()
    private var refusals: [BatchAttempt.Refusal] = []
    /// Pointers of rows that are left out.
    private var leftOut: Set<String> = []

    init(
        _ request: UploadRequest, _ access: ProjectAccess, _ transaction: any WriteTransaction, _ registry: Registry,
        now: Instant
    ) {
        self.request = request
        self.access = access
        self.transaction = transaction
        self.registry = registry
        self.now = now
    }

    /// A draft to commit, and what it does to each row.
    ///
    /// Throws `conflict`, `invalid_rows`, or the code that all rows at fault share if that code can stand for a batch.
    /// The error lists every row at fault. Then nothing may be written.
    mutating func apply() throws -> (draft: Draft, report: UploadReport) {
        check = try ConflictCheck(
            request: request, access: access, transaction: transaction, registry: registry, now: now
        ).run()
        for _ in 0..<BatchRunner.maximumRounds {
            let draft = Draft(transaction, registry, access, device: request.device, now: now)
            let rows = check.rows.filter { !leftOut.contains($0.pointer) }
            var attempt = BatchAttempt(request, rows, access, draft)
            try attempt.apply()
            if attempt.refusals.isEmpty, request.problems.isEmpty || isLenient {
                var report = attempt.report
                try settle(draft, &report)
                return (draft, report)
            }
            refusals += attempt.refusals
            guard isLenient else { break }
            try leaveOut(attempt.refusals.map(\.row))
        }
        throw refusal
    }

    /// The error for the whole batch. If rows may be left out, it is `invalid_rows`, whatever is wrong with each row.
    private var refusal: Problem {
        let refusal = Problem(refusing: problems)!
        guard request.onError != .rejectBatch else { return refusal }
        return Problem(.invalidRows, refusal.detail, errors: refusal.errors)
    }

    /// Whether rows at fault are left out. Not if an id comes twice
    /// in a bucket, because it is unclear which row is meant.
    private var isLenient: Bool {
        request.onError != .rejectBatch && !request.problems.contains { $0.code == .duplicateID }
    }

    private var problems: [RowProblem] { request.problems + refusals.map { $0.row.problem($0.problem) } }

    // MARK: Rows that are left out

    /// Leaves out rows, and all other edits of the same rows. A new row takes along the rows of this batch that refer
    /// to it, so deep references cost no extra rounds.
    private mutating func leaveOut(_ refused: [UploadRequest.Row]) throws {
        leftOut.formUnion(refused.map(\.pointer))
        var pending = refused
        while let row = pending.popLast() {
            guard row.bucket != .deleted else { continue }
            let edits = request.rows.filter { $0.key == row.key && $0.bucket != .deleted }
            leftOut.formUnion(edits.map(\.pointer))
            guard try transaction.record(row.key) == nil else { continue }
            let dependants = dependants(of: row.key)
            leftOut.formUnion(dependants.map(\.row.pointer))
            refusals += dependants
            pending += dependants.map(\.row)
        }
    }

    /// Rows that refer to a row which will not exist.
    private func dependants(of key: RowKey) -> [BatchAttempt.Refusal] {
        request.rows.filter { $0.bucket != .deleted && !leftOut.contains($0.pointer) }.compactMap { row in
            let fields = registry.collection(row.key.collection).fields.filter {
                $0.reference?.collection == key.collection
            }
            let target = JSON.string(key.id)
            return fields.first { row.refers(to: target, by: $0) }
                .map { BatchAttempt.Refusal(row: row, problem: .unsound($0, target)) }
        }
    }

    /// Other people's edits that rows of this batch have overwritten.
    func overwritten(_ report: UploadReport) -> [LostEdit] {
        check.overwritten.filter { !report.leftOut.contains($0.key) }.sorted { $0.key < $1.key }.flatMap(\.value)
            .filter { !report.skippedRows.contains($0.key) }
    }

    // MARK: The sender

    /// Informs the sender about the rows that were not applied as sent. A row that exists is delivered again. One that
    /// doesn't exist is named, so the client can keep and correct it.
    private func settle(_ draft: Draft, _ report: inout UploadReport) throws {
        report.leftOut = leftOut.union(check.conflicts.map(\.row.pointer))
        for problem in problems { report.add(.rejected(problem)) }
        for conflict in check.conflicts {
            report.add(.conflict(conflict))
            draft.noteSighting(of: conflict.unchanged, in: conflict.row.key)
        }
        for row in request.rows where report.leftOut.contains(row.pointer) || check.outdated.contains(row.pointer) {
            try informSender(row.key, isDelete: row.bucket == .deleted, draft, &report)
        }
        // Rows that could not be read are not among `request.rows`.
        for problem in request.problems {
            guard let id = problem.id else { continue }
            let isDelete = request.place(of: problem).bucket == .deleted
            try informSender(RowKey(problem.collection, id), isDelete: isDelete, draft, &report)
        }
    }

    private func informSender(_ key: RowKey, isDelete: Bool, _ draft: Draft, _ report: inout UploadReport) throws {
        if let record = try draft.record(key), access.finds(record, in: registry.collection(key.collection), registry) {
            try draft.restamp(key)
            report.redelivered += 1
        } else if !isDelete {
            report.keepUnsent(key)
        }
    }
}

extension UploadRequest.Row {
    /// Whether the field is sent with this id, alone or in a list.
    fileprivate func refers(to target: JSON, by field: Field) -> Bool {
        fields[field.name].map { ($0.array ?? [$0]).contains(target) } ?? false
    }
}
