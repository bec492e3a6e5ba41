import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

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
    private let quotas: Quotas
    /// What is said of a quota that the batch exceeds.
    private var exceeded: [String: JSON] = [:]
    /// The project that the batch makes; nil if it exists.
    private let making: NewProject?
    private var check = ConflictCheck.Outcome()
    private var refusals: [BatchAttempt.Refusal] = []
    /// Pointers of rows that are left out.
    private var leftOut: Set<String> = []

    init(
        _ request: UploadRequest, access: ProjectAccess, in transaction: any WriteTransaction, registry: Registry,
        now: Instant, quotas: Quotas, making: NewProject? = nil
    ) throws {
        self.request = try request.whole(ofDefaultCalendar: access.project.id, registry, transaction)
        self.access = access
        self.transaction = transaction
        self.registry = registry
        self.now = now
        self.quotas = quotas
        self.making = making
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
            let draft = Draft(transaction, registry: registry, access: access, device: request.device, now: now)
            try making?.begin(draft)
            let rows = check.rows.filter { !leftOut.contains($0.pointer) }
            var attempt = BatchAttempt(request, rows: rows, access: access, draft: draft)
            try attempt.apply()
            let quotas = QuotaCheck(quotas: quotas, draft: draft)
            try attempt.judge(by: quotas)
            if attempt.refusals.contains(where: { $0.problem.code == .quotaExceeded }) {
                exceeded = try quotas.members()
            }
            if attempt.refusals.isEmpty, request.problems.isEmpty || isLenient {
                var report = attempt.report
                try settle(draft, &report)
                return (draft, report)
            }
            refusals += attempt.refusals
            guard isLenient else { break }
            try leaveOut(attempt)
        }
        throw refusal
    }

    /// Commits the draft, and puts the edits that were lost into inboxes, in about as many entries as `inbox` has room
    /// for. Returns the commit, or the project's head if there was nothing to write.
    func commit(_ draft: Draft, report: UploadReport, inbox: InboxWriter) throws -> SyncSeq {
        if making != nil { try draft.createProject() }
        let seq = try draft.commit()
        let lost = try LostEdits(report, of: request, access: access, draft: draft).list + overwritten(report)
        try inbox.add(lost, project: access.project.id)
        return seq ?? access.project.head
    }

    /// The error for the whole batch. If rows may be left out, it is `invalid_rows`, whatever is wrong with each row.
    private var refusal: Problem {
        let refusal = Problem(refusing: problems)!
        guard request.onError != .rejectBatch else {
            return refusal.code == .quotaExceeded
                ? Problem(refusal.code, refusal.detail, errors: refusal.errors, members: exceeded) : refusal
        }
        return Problem(.invalidRows, refusal.detail, errors: refusal.errors)
    }

    /// Whether rows at fault are left out. Not if an id comes twice
    /// in a bucket, because it is unclear which row is meant.
    private var isLenient: Bool {
        request.onError != .rejectBatch && !request.problems.contains { $0.code == .duplicateID }
    }

    private var problems: [RowProblem] { request.problems + refusals.map { $0.row.problem($0.problem) } }

    // MARK: Rows that are left out

    /// Leaves out the refused rows, and all other edits of the same rows. They take along the rows of this batch that
    /// can't be without them: if the row does not exist, those that refer to it; if it does, those that want a unique
    /// key that it keeps now. So long chains cost no extra rounds.
    private mutating func leaveOut(_ attempt: BatchAttempt) throws {
        let edits = Dictionary(grouping: check.rows.filter { $0.bucket != .deleted }, by: \.key)
        var pending = attempt.refusals.map(\.row)
        leftOut.formUnion(pending.map(\.pointer))
        while let row = pending.popLast() {
            if row.bucket != .deleted { leftOut.formUnion((edits[row.key] ?? []).map(\.pointer)) }
            for (key, problem) in try dependants(of: row, in: attempt.draft) {
                guard let edit = edits[key]?.last, leftOut.insert(edit.pointer).inserted else { continue }
                refusals.append(BatchAttempt.Refusal(row: edit, problem: problem))
                pending.append(edit)
            }
        }
    }

    /// The rows of the attempt that can't be without this one, each with the reason.
    private func dependants(of row: UploadRequest.Row, in draft: Draft) throws -> [(RowKey, Violation)] {
        let collection = registry.collection(row.key.collection)
        // A row that the sender can't see is no different from one that does not exist.
        guard let stored = try transaction.record(row.key),
            try access.finds(stored, in: collection, registry, from: transaction)
        else {
            guard row.bucket != .deleted else { return [] }
            return draft.draftedReferrers(of: row.key).map { ($0, .unsound($1, .string(row.key.id))) }
        }
        guard !stored.isDeleted else { return [] }
        return collection.uniqueKeys.flatMap { key -> [(RowKey, Violation)] in
            guard let values = collection.values(of: key, in: stored) else { return [] }
            return draft.draftedRows(in: collection, with: key, values: values).filter { $0.id != stored.id }
                .map { (RowKey(collection.name, $0.id), .notUnique(key, existing: stored.id)) }
        }
    }

    /// Other people's edits that rows of this batch have overwritten.
    private func overwritten(_ report: UploadReport) -> [LostEdit] {
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
            try informSender(row.key, isDelete: row.bucket == .deleted, draft: draft, report: &report)
        }
        // Rows that could not be read are not among `request.rows`.
        for problem in request.problems {
            guard let id = problem.id else { continue }
            let isDelete = request.place(of: problem).bucket == .deleted
            try informSender(RowKey(problem.collection, id), isDelete: isDelete, draft: draft, report: &report)
        }
    }

    private func informSender(_ key: RowKey, isDelete: Bool, draft: Draft, report: inout UploadReport) throws {
        if let record = try draft.record(key),
            try access.finds(record, in: registry.collection(key.collection), registry, from: draft)
        {
            try draft.restamp(key)
        } else if !isDelete {
            report.keepUnsent(key)
        }
    }
}

/// Puts the lost edits of one batch into their authors' inboxes, which stay bounded.
struct InboxWriter {
    let transaction: any WriteTransaction
    let now: Instant
    /// The most bytes that an inbox may have for each project. The newest entries stay.
    let bytes: Int
    /// Into how many projects the batch writes.
    var projects = 1

    /// The project of rows that belong to none that the author is or was a member of.
    static let noProject = ""

    func add(_ edits: [LostEdit], project: String) throws {
        guard !edits.isEmpty else { return }
        let entries = edits.bounded(to: [LostEdit].mostOfBatch / max(1, projects))
        try transaction.addToInbox(entries, project: project, at: now)
        for user in Set(entries.map(\.userID)).sorted() {
            try transaction.trimInbox(of: user, project: project, to: bytes)
        }
    }
}
