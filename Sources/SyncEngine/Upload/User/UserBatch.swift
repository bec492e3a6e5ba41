import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// Applies a batch with rows of several projects: each project's rows as a batch of their own, all in one transaction.
///
/// No row can refer to a row of another project, so the projects are judged one by one.
struct UserBatch {
    /// What a project's rows came to, before anything is committed.
    private struct Drafted {
        let request: UploadRequest
        let access: ProjectAccess
        let runner: BatchRunner
        let draft: Draft
        let report: UploadReport
    }

    private let request: UploadRequest
    private let caller: Caller
    private let transaction: any WriteTransaction
    private let registry: Registry
    private let now: Instant
    private let split: UserBatchSplit
    private let parts: [(request: UploadRequest, access: ProjectAccess)]
    /// The projects that can't be written to, and why.
    private let refused: [String: Violation]
    private var report = UploadReport()

    /// `newest` is the newest number of the caller's projects. Throws `since_ahead`, `since_expired`.
    init(
        _ request: UploadRequest, _ caller: Caller, newest: CommitNumber, _ transaction: any WriteTransaction,
        _ registry: Registry, now: Instant
    ) throws {
        (self.request, self.caller, self.registry, self.now) = (request, caller, registry, now)
        self.transaction = transaction
        let since = try UserBatch.number(request.lastPulledAt, newest, transaction)
        split = try UserBatchSplit(request, caller, transaction)
        var parts: [(UploadRequest, ProjectAccess)] = []
        var refused: [String: Violation] = [:]
        for project in split.projects {
            do {
                let access = try ProjectAccess(caller, project: project, in: transaction)
                let base = try UserBatch.base(since, of: access.project, transaction)
                try access.requireWrite(nil, to: "Uploading")
                parts.append((split.part(project, of: request, lastPulledAt: base), access))
            } catch let problem as Problem where UserBatch.ofOneProject.contains(problem.code) {
                refused[project] = Violation(nil, problem.code, "Project \(project): \(problem.detail)")
            }
        }
        (self.parts, self.refused) = (parts, refused)
    }

    /// The codes that refuse the rows of one project and not the batch.
    private static let ofOneProject: Set<ErrorCode> = [
        .projectArchived, .membershipRevoked, .projectDeleted, .notAMember, .notFound,
    ]

    /// The projects that the batch touches, sorted.
    var projects: [String] { split.projects }

    private static func number(
        _ watermark: SyncSeq?, _ newest: CommitNumber, _ transaction: any ReadTransaction
    ) throws -> CommitNumber? {
        guard let watermark, watermark > .zero else { return nil }
        let number = try UserPullRequest(since: watermark).number()
        guard let number, try number <= newest && number >= transaction.oldestNumber() else {
            throw Problem(
                .sinceAhead, "\(watermark) is not in the history of your projects. Resync from 0.",
                members: ["head": .int(newest.watermark)])
        }
        return number
    }

    /// The project's head at the watermark; nil if the client never pulled. Throws `since_expired`.
    private static func base(
        _ since: CommitNumber?, of project: ProjectState, _ transaction: any ReadTransaction
    ) throws -> SyncSeq? {
        guard let since else { return nil }
        // A project that is younger than the watermark: its rows can't have been pulled.
        guard let head = try transaction.head(of: project.id, at: since) else { return .zero }
        guard head >= project.horizon else {
            throw Problem(
                .sinceExpired, "Deletions after the watermark are no longer known to the server. Resync from 0.")
        }
        return head
    }

    // MARK: Applying

    /// Throws the errors of the rows; then nothing may be written.
    mutating func apply(_ claim: UploadLimits.Claim) throws -> UploadAnswer {
        var errors: [RowProblem] = []
        let refusals = try refuseProjects()
        // An id that comes twice fails the batch in every mode: it is not clear which row is meant.
        let fails = request.onError == .rejectBatch || split.problems.contains { $0.code == .duplicateID }
        if fails { errors = refusals.map { $0.row.problem($0.problem) } + split.problems }
        var drafted: [Drafted] = []
        for part in parts {
            var runner = BatchRunner(part.request, part.access, transaction, registry, now: now)
            do {
                let (draft, report) = try runner.apply()
                drafted.append(
                    Drafted(
                        request: part.request, access: part.access, runner: runner, draft: draft, report: report))
            } catch let problem as Problem where !problem.errors.isEmpty {
                errors += problem.errors
            }
        }
        if let refusal = refusal(errors) { throw refusal }
        try claim.takeRedeliveries(drafted.reduce(0) { $0 + $1.draft.redeliveries })
        leaveOut(refusals)
        return try commit(drafted, refusals)
    }

    /// The error for the whole batch, as for a batch of one project.
    private func refusal(_ errors: [RowProblem]) -> Problem? {
        guard let refusal = Problem(refusing: errors) else { return nil }
        let code: ErrorCode =
            errors.allSatisfy { $0.code == .conflict }
            ? .conflict
            : request.onError == .rejectBatch ? refusal.code : .invalidRows
        return Problem(code, refusal.detail, errors: refusal.errors)
    }

    private mutating func commit(_ drafted: [Drafted], _ refusals: [BatchAttempt.Refusal]) throws -> UploadAnswer {
        var timestamps: [String: JSON] = [:]
        var drafts: [RowKey: Draft] = [:]
        for part in drafted {
            let seq = try part.draft.commit()
            let project = part.access.project
            timestamps[project.id] = .int((seq ?? project.head).rawValue)
            for row in part.request.rows { drafts[row.key] = part.draft }
            let lost =
                try LostEdits(part.report, of: part.request, part.access, part.draft).list
                + part.runner.overwritten(part.report)
            if !lost.isEmpty { try transaction.addToInbox(lost, project: project.id, at: now) }
            report.merge(part.report)
        }
        try keepRefused(refusals)
        let json = try report.json(request, ["timestamp": .null, "timestamps": .object(timestamps)]) {
            try drafts[$0]?.record($0)?.version
        }
        return UploadAnswer(
            body: json.text, isReplay: false, counts: report.counts(request), projects: timestamps.keys.sorted())
    }

    // MARK: Projects that can't be written to

    /// The rows that can't be applied because of their project. A delete in a deleted project is done already.
    private mutating func refuseProjects() throws -> [BatchAttempt.Refusal] {
        var refusals = split.refusals
        for row in split.unknown { report.skip(row.key, .notFound) }
        for (project, problem) in refused.sorted(by: { $0.key < $1.key }) {
            for row in split.rows[project] ?? [] {
                guard problem.code == .projectDeleted, row.bucket == .deleted else {
                    refusals.append(BatchAttempt.Refusal(row: row, problem: problem))
                    continue
                }
                report.skip(row.key, try transaction.record(row.key) == nil ? .notFound : .deleted)
            }
        }
        return refusals
    }

    /// Names the rows and keeps all of them unsent, deletes too. Nothing is written in their projects.
    private mutating func leaveOut(_ refusals: [BatchAttempt.Refusal]) {
        for refusal in refusals { report.leaveOut(refusal.row, refusal.problem) }
        for problem in split.problems {
            report.add(.rejected(problem))
            report.leftOut.insert(request.place(of: problem).pointer)
            guard let id = problem.id, request.place(of: problem).bucket != .deleted else { continue }
            report.keepUnsent(RowKey(problem.collection, id))
        }
    }

    /// Puts the refused rows into the caller's inbox, as far as the caller is or was a member of their project.
    private func keepRefused(_ refusals: [BatchAttempt.Refusal]) throws {
        for (project, rows) in split.rows where refused[project] != nil && split.known.contains(project) {
            let pointers = Set(rows.map(\.pointer))
            let lost = refusals.filter { pointers.contains($0.row.pointer) }.map { refusal in
                LostEdit(
                    userID: caller.userID, key: refusal.row.key, field: nil, code: refusal.problem.code,
                    sent: refusal.row.bucket == .deleted ? .null : .object(refusal.row.patch), kept: .null,
                    batchID: request.batchID)
            }
            if !lost.isEmpty { try transaction.addToInbox(lost, project: project, at: now) }
        }
    }
}
