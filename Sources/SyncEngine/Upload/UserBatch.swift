import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

/// Applies a batch with rows of several projects: each project's rows as a batch of their own, all in one transaction.
///
/// No row can refer to a row of another project, so the projects are judged one by one.
struct UserBatch {
    /// The rows of one project.
    private struct Part {
        let request: UploadRequest
        let access: ProjectAccess
        /// The project if the batch makes it.
        var making: NewProject?
    }

    /// What a project's rows came to, before anything is committed.
    private struct Drafted {
        let part: Part
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
    private var parts: [Part] = []
    /// The projects that can't be written to, and why.
    private var refused: [String: Violation] = [:]
    private var report = UploadReport()
    /// Rows that are refused because of their project, by the project of the inbox.
    private var lost: [String: [LostEdit]] = [:]

    /// `projects` are the caller's. Throws `since_ahead`, `since_expired`.
    init(
        _ request: UploadRequest, for caller: Caller, projects: UserProjects, in transaction: any WriteTransaction,
        registry: Registry, now: Instant, newID: NewID
    ) throws {
        self.request = request
        self.caller = caller
        self.registry = registry
        self.now = now
        self.transaction = transaction
        let since = try UserPullRequest(since: request.lastPulledAt ?? .zero).number()
        try projects.requireKnown(since, upTo: projects.newest)
        split = try UserBatchSplit(request, for: caller, registry: registry, in: transaction)
        for project in split.projects {
            if split.made.contains(project) {
                try addNew(project, newID: newID)
            } else {
                try add(project, since: since)
            }
        }
    }

    /// The codes that refuse the rows of one project and not the batch.
    private static let ofOneProject: Set<ErrorCode> = [
        .projectArchived, .membershipRevoked, .projectDeleted, .notAMember, .notFound,
    ]

    /// The projects that the batch touches, sorted.
    var projects: [String] { split.projects }

    private mutating func addNew(_ project: String, newID: NewID) throws {
        let making = try NewProject(
            project, rows: split.rows[project] ?? [], owner: caller.userID, registry: registry, newID: newID,
            isTaken: { split.isElsewhere($0, than: project) }, in: transaction)
        let part = request.part(
            of: project, rows: making.rows, problems: split.problems(of: project), lastPulledAt: beforeAll)
        parts.append(Part(request: part, access: ProjectAccess(caller, making: project), making: making))
    }

    private mutating func add(_ project: String, since: CommitNumber?) throws {
        do {
            let access = try ProjectAccess(caller, project: project, in: transaction)
            let base = try base(since, of: access.project)
            var rows = split.rows[project] ?? []
            do {
                try access.requireWrite(nil, to: "Uploading")
            } catch let problem as Problem where problem.code == .projectArchived {
                refuse(project, problem)
                let mayDelete = access.violation(of: registry.projects.roles.delete, to: "Deleting") == nil
                rows.removeAll { !mayDelete || !isDelete($0, of: project) }
                guard !rows.isEmpty else { return }
            }
            let problems = refused[project] == nil ? split.problems(of: project) : []
            let part = request.part(of: project, rows: rows, problems: problems, lastPulledAt: base)
            parts.append(Part(request: part, access: access))
        } catch let problem as Problem where UserBatch.ofOneProject.contains(problem.code) {
            refuse(project, problem)
        }
    }

    private mutating func refuse(_ project: String, _ problem: Problem) {
        refused[project] = Violation(nil, problem.code, detail: "Project \(project): \(problem.detail)")
    }

    /// Whether the row deletes the project itself, which is allowed even if it is archived.
    private func isDelete(_ row: UploadRequest.Row, of project: String) -> Bool {
        row.bucket == .deleted && row.key == RowKey(registry.projects.name, project)
    }

    /// The base of rows that the client can't have pulled; nil if the batch has no watermark.
    private var beforeAll: SyncSeq? { request.lastPulledAt.map { _ in .zero } }

    /// The project's head at the watermark; nil if the client never pulled. Throws `since_expired`.
    private func base(_ since: CommitNumber?, of project: ProjectState) throws -> SyncSeq? {
        guard let since else { return beforeAll }
        // A project that is younger than the watermark is all new to the client, apart from what the client made.
        let head = try transaction.head(of: project.id, at: since) ?? .zero
        guard head >= project.horizon else { throw UserProjects.expired }
        return head
    }

    // MARK: Applying

    /// Throws the errors of the rows; then nothing may be written.
    mutating func apply(
        _ claim: UploadLimits.Claim, _ inbox: InboxWriter, history: Allowance, quotas: Quotas
    ) throws -> UploadAnswer {
        var errors: [RowProblem] = []
        let refusals = try refuseProjects()
        let unreadable = split.problems + refused.keys.sorted().flatMap(split.problems(of:))
        // An id that comes twice fails the batch in every mode: it is not clear which row is meant.
        let fails = request.onError == .rejectBatch || unreadable.contains { $0.code == .duplicateID }
        if fails { errors = refusals.map { $0.row.problem($0.problem) } + unreadable }
        var drafted: [Drafted] = []
        /// What the first project says of its quota.
        var exceeded: [String: JSON]?
        for part in parts {
            var runner = try BatchRunner(
                part.request, access: part.access, in: transaction, registry: registry, now: now, quotas: quotas,
                making: part.making)
            do {
                let (draft, report) = try runner.apply()
                drafted.append(Drafted(part: part, runner: runner, draft: draft, report: report))
            } catch let problem as Problem where !problem.errors.isEmpty {
                errors += problem.errors
                if problem.code == .quotaExceeded { exceeded = exceeded ?? problem.members }
            }
        }
        if var refusal = refusal(errors) {
            if refusal.code == .quotaExceeded { refusal.members = exceeded ?? [:] }
            throw refusal
        }
        var inbox = inbox
        inbox.projects = drafted.count + refused.count + 1
        let made = drafted.filter { !leaveOut($0) }
        try claim.takeRedeliveries(made.reduce(0) { $0 + $1.draft.redeliveries })
        for refusal in refusals { report.leaveOut(refusal.row, refusal.problem) }
        for problem in unreadable { report.leaveOut(problem, of: request) }
        try keepRefused(refusals, unreadable: unreadable, in: inbox)
        let answer = try commit(made, inbox)
        for one in made { try one.draft.trimHistory(to: history) }
        return answer
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

    private mutating func commit(_ drafted: [Drafted], _ inbox: InboxWriter) throws -> UploadAnswer {
        var timestamps: [String: JSON] = [:]
        var drafts: [RowKey: Draft] = [:]
        for one in drafted {
            let timestamp = try one.runner.commit(one.draft, report: one.report, inbox: inbox)
            timestamps[one.part.access.project.id] = .int(timestamp.rawValue)
            for row in one.part.request.rows { drafts[row.key] = one.draft }
            report.merge(one.report)
        }
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
        let applied = Set(parts.flatMap(\.request.rows).map(\.pointer))
        for (project, problem) in refused.sorted(by: { $0.key < $1.key }) {
            let sight = try LostSight(of: project, for: caller, registry, transaction)
            for row in split.rows[project] ?? [] where !applied.contains(row.pointer) {
                // A row that the caller can't know is no different from one that does not exist.
                let record = try transaction.record(row.key).flatMap { try sight.knows($0, row.key) ? $0 : nil }
                if row.bucket == .deleted, problem.code == .projectDeleted || record == nil {
                    report.skip(row.key, record == nil ? .notFound : .deleted)
                } else {
                    let isNameless = record == nil && row.project == nil && row.key.collection != registry.projects.name
                    refusals.append(BatchAttempt.Refusal(row: row, problem: isNameless ? .nameless : problem))
                }
            }
        }
        return refusals
    }

    /// Leaves out all rows of a project that can't be made, because its own row is refused. Nothing of it is written.
    /// Returns whether that is so.
    private mutating func leaveOut(_ drafted: Drafted) -> Bool {
        guard let making = drafted.part.making else { return false }
        let rows = drafted.part.request.rows
        let rejections = drafted.report.rejections
        let own = rows.filter { $0.key == RowKey(registry.projects.name, making.id) }
        guard own.contains(where: { drafted.report.leftOut.contains($0.pointer) }) else { return false }
        for problem in rejections { report.leaveOut(problem, of: request) }
        let named = Dictionary(rejections.map { (request.place(of: $0).pointer, $0.code) }) { first, _ in first }
        let problem = Violation(
            nil, .notFound, detail: "Project \(making.id) was not made, because its own row was refused.")
        for row in rows {
            if named[row.pointer] == nil { report.leaveOut(row, problem) }
            keep(row, named[row.pointer] ?? problem.code, project: nil)
        }
        return true
    }

    // MARK: Lost edits

    /// Puts the refused rows into the caller's inbox: of projects that the caller is or was a member of, and all others
    /// without a project, because a project that the caller can't know may have been made up.
    private mutating func keepRefused(
        _ refusals: [BatchAttempt.Refusal], unreadable: [RowProblem], in inbox: InboxWriter
    ) throws {
        var places: [String: String] = [:]
        for (project, rows) in split.rows { for row in rows { places[row.pointer] = project } }
        for project in refused.keys {
            for problem in split.problems(of: project) { places[request.place(of: problem).pointer] = project }
        }
        for refusal in refusals {
            let row = refusal.row
            // A row that nothing says the project of tells nothing of the one that it has.
            guard refusal.problem.code == .required else {
                keep(row, refusal.problem.code, project: places[row.pointer] ?? row.project)
                continue
            }
            if row.lost.keys.contains(where: { $0 != "id" }) { keep(row, .required, project: nil) }
        }
        for problem in unreadable {
            let pointer = request.place(of: problem).pointer
            let row = request.unreadable[pointer]
            let key = RowKey(problem.collection, problem.id ?? "")
            let edit = lostEdit(key, code: problem.code, sent: row?.sent ?? .null, isCut: row?.isCut ?? false)
            keep(edit, project: places[pointer])
        }
        for (project, edits) in lost.sorted(by: { $0.key < $1.key }) { try inbox.add(edits, project: project) }
    }

    private mutating func keep(_ row: UploadRequest.Row, _ code: ErrorCode, project: String?) {
        let sent: JSON = row.bucket == .deleted ? .null : .object(row.lost)
        keep(lostEdit(row.key, code: code, sent: sent, isCut: row.extras.isCut), project: project)
    }

    private mutating func keep(_ edit: LostEdit, project: String?) {
        let isKnown = project.map(split.known.contains) ?? false
        lost[isKnown ? project! : InboxWriter.noProject, default: []].append(edit)
    }

    private func lostEdit(_ key: RowKey, code: ErrorCode, sent: JSON, isCut: Bool = false) -> LostEdit {
        LostEdit(
            userID: caller.userID, key: key, field: nil, code: code, sent: sent, kept: .null, isCut: isCut,
            batchID: request.batchID)
    }
}

/// Says which project each row of a batch belongs to.
///
/// A row that exists belongs to its project, if the caller is or was a member there. Any other row belongs to the
/// project that it names, so an id that somebody else uses looks like a free one until its project judges it.
struct UserBatchSplit {
    private(set) var rows: [String: [UploadRequest.Row]] = [:]
    /// The projects of each row.
    private var places: [RowKey: Set<String>] = [:]
    /// Rows without a project.
    private(set) var refusals: [BatchAttempt.Refusal] = []
    /// Deletes of rows that don't exist.
    private(set) var unknown: [UploadRequest.Row] = []
    /// The mistakes of rows that could not be read and whose project is not known.
    private(set) var problems: [RowProblem] = []
    /// The projects among these that the caller is or was a member of.
    private(set) var known: Set<String> = []
    /// The projects among these that don't exist, and that the batch makes.
    private(set) var made: Set<String> = []
    private var problemsOf: [String: [RowProblem]] = [:]
    /// The projects of the rows that the batch makes: it may also change and delete them.
    private var newRows: [RowKey: String] = [:]
    private let caller: Caller
    private let registry: Registry
    private let transaction: any ReadTransaction

    init(
        _ request: UploadRequest, for caller: Caller, registry: Registry, in transaction: any ReadTransaction
    ) throws {
        self.caller = caller
        self.registry = registry
        self.transaction = transaction
        for row in request.rows {
            if row.key.collection == registry.projects.name { try addProject(row) } else { try add(row) }
        }
        for problem in request.problems { try add(problem, request) }
        for (project, rows) in rows { for row in rows { places[row.key, default: []].insert(project) } }
    }

    /// Whether the batch has the row in another project.
    func isElsewhere(_ key: RowKey, than project: String) -> Bool {
        places[key].map { $0 != [project] } ?? false
    }

    var projects: [String] { Set(rows.keys).union(problemsOf.keys).sorted() }

    /// The mistakes of rows of the project that could not be read.
    func problems(of project: String) -> [RowProblem] { problemsOf[project] ?? [] }

    private mutating func add(_ row: UploadRequest.Row) throws {
        if let own = try project(of: row.key) {
            guard row.project.map({ $0 == own }) ?? true else {
                return refuse(row, try sees(row.key, in: own) ? .cantMove : .idUnavailable)
            }
            rows[own, default: []].append(row)
        } else if let named = row.project {
            _ = try isKnown(named)
            newRows[row.key] = named
            rows[named, default: []].append(row)
        } else if row.bucket == .deleted {
            unknown.append(row)
        } else {
            refuse(row, .nameless)
        }
    }

    /// A project's own row. One that somebody else has, or had, looks like an id that can't be used.
    private mutating func addProject(_ row: UploadRequest.Row) throws {
        let id = row.key.id
        let isDelete = row.bucket == .deleted
        let exists = try transaction.project(id) != nil
        guard exists ? try isKnown(id) : !isDelete || made.contains(id) else {
            return isDelete ? unknown.append(row) : refuse(row, .idUnavailable)
        }
        guard row.project.map({ $0 == id }) ?? true else { return refuse(row, .idUnavailable) }
        if !exists { made.insert(id) }
        rows[id, default: []].append(row)
    }

    private mutating func refuse(_ row: UploadRequest.Row, _ problem: Violation) {
        refusals.append(BatchAttempt.Refusal(row: row, problem: problem))
    }

    private mutating func add(_ problem: RowProblem, _ request: UploadRequest) throws {
        let sent = request.unreadable[request.place(of: problem).pointer]?.sent
        let own = try problem.id.flatMap { try project(of: RowKey(problem.collection, $0)) }
        guard let project = own ?? sent?["project_id"]?.string else { return problems.append(problem) }
        _ = try isKnown(project)
        problemsOf[project, default: []].append(problem)
    }

    /// The project of a row that exists, live or dead, or that the batch makes; nil if the caller has nothing to do
    /// with it.
    private mutating func project(of key: RowKey) throws -> String? {
        guard let stored = try transaction.record(key), try isKnown(stored.project) else { return newRows[key] }
        return stored.project
    }

    /// Whether the caller sees the row now. Of any other row, nothing is said.
    private func sees(_ key: RowKey, in project: String) throws -> Bool {
        guard let row = try transaction.record(key), !row.isDeleted,
            let access = try ProjectAccess.ifVisible(caller, project: project, in: transaction)
        else { return false }
        return try access.sees(row, in: registry.collection(key.collection), registry, from: transaction)
    }

    private mutating func isKnown(_ project: String) throws -> Bool {
        if known.contains(project) { return true }
        let isKnown =
            try caller.isSuperuser
            ? transaction.project(project) != nil : transaction.access(project: project, user: caller.userID) != nil
        if isKnown { known.insert(project) }
        return isKnown
    }
}

extension Violation {
    /// A row that the caller sees names another project than its own.
    static let cantMove = Violation(
        nil, .idUnavailable,
        detail: "A row can't move to another project. Create it there under another id, and delete it here.")

    /// Nothing says which project a row belongs to.
    static let nameless = Violation("project_id", .required, detail: "A new row must name its project_id.")
}
