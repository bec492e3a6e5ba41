import SyncProtocol
import SyncSchema
import SyncStore

/// Applies a batch as its `on_error` says: whole or not at all, or without the rows that are not acceptable. As leaving
/// one out can make another one wrong, the rest is judged anew, on a fresh draft, until nothing is wrong with it.
struct BatchRunner {
    /// More rounds than any honest batch takes; each can hold the writer for some time.
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

    /// A draft to be committed, and what it does to each row.
    ///
    /// Throws `conflict`, `invalid_rows`, or the code that all rows at fault share, if it is one that speaks for a
    /// batch; with every row at fault. Then nothing may be written.
    mutating func apply() throws -> (draft: Draft, report: UploadReport) {
        check = try ConflictCheck(
            request: request, access: access, transaction: transaction, registry: registry, now: now
        ).run()
        for _ in 0..<BatchRunner.maximumRounds {
            let draft = Draft(transaction, registry, access, device: request.device, now: now)
            let rows = check.rows.filter { !leftOut.contains($0.pointer) }
            var session = BatchAttempt(request, rows, access, draft)
            try session.apply()
            if session.refusals.isEmpty, request.problems.isEmpty || isLenient {
                var report = session.report
                try settle(draft, &report)
                return (draft, report)
            }
            refusals += session.refusals
            guard isLenient else { break }
            try leaveOut(session.refusals.map(\.row))
        }
        throw refusal
    }

    /// A batch that could not be settled is refused for its rows, whatever each of them is refused for.
    private var refusal: Problem {
        let refusal = Problem(refusing: problems)!
        guard request.onError != .rejectBatch else { return refusal }
        return Problem(.invalidRows, refusal.detail, errors: refusal.errors)
    }

    /// An id that comes twice in a bucket leaves open which row is meant.
    private var isLenient: Bool {
        request.onError != .rejectBatch && !request.problems.contains { $0.code == .duplicateID }
    }

    private var problems: [RowProblem] { request.problems + refusals.map { $0.row.problem($0.problem) } }

    // MARK: Rows that are left out

    /// With a row go the other edits of the same one. A new row takes along what refers to it in this batch, so that
    /// depth costs no rounds.
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

    /// Rows that refer to a row which will not come to be.
    private func dependants(of key: RowKey) -> [BatchAttempt.Refusal] {
        request.rows.filter { $0.bucket != .deleted && !leftOut.contains($0.pointer) }.compactMap { row in
            let fields = registry[row.key.collection]!.fields.filter { $0.reference?.collection == key.collection }
            let target = JSON.string(key.id)
            return fields.first { row.refers(to: target, by: $0) }
                .map { BatchAttempt.Refusal(row: row, problem: .unsound($0, target)) }
        }
    }

    /// Other people's edits that fell to rows of this batch.
    func overwritten(_ report: UploadReport) -> [LostEdit] {
        check.overwritten.filter { !report.leftOut.contains($0.key) }.sorted { $0.key < $1.key }.flatMap(\.value)
            .filter { !report.skippedRows.contains($0.key) }
    }

    // MARK: The sender

    /// Has the sender put right: a row that is there is delivered again; one that is not is named, so that the client
    /// can keep and mend it.
    private func settle(_ draft: Draft, _ report: inout UploadReport) throws {
        report.leftOut = leftOut.union(check.conflicts.map(\.row.pointer))
        for problem in problems { report.add(.rejected(problem)) }
        for conflict in check.conflicts {
            report.add(.conflict(conflict))
            draft.noteSighting(of: conflict.unchanged, in: conflict.row.key)
        }
        for row in request.rows where report.leftOut.contains(row.pointer) || check.outdated.contains(row.pointer) {
            try putRight(row.key, isDelete: row.bucket == .deleted, draft, &report)
        }
        // Rows that could not be read are not among the request's.
        for problem in request.problems {
            guard let id = problem.id else { continue }
            let isDelete = problem.pointer.contains("/\(UploadRequest.Bucket.deleted.rawValue)/")
            try putRight(RowKey(problem.collection, id), isDelete: isDelete, draft, &report)
        }
    }

    private func putRight(_ key: RowKey, isDelete: Bool, _ draft: Draft, _ report: inout UploadReport) throws {
        if let record = try draft.record(key), access.finds(record, in: registry[key.collection]!, registry) {
            try draft.restamp(key)
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
