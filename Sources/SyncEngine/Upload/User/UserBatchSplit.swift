import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

/// Says which project each row of a batch belongs to.
///
/// A row that exists belongs to its project, if the caller is or was a member there. Any other row belongs to the
/// project that it names, so an id that somebody else uses looks like a free one until its project judges it.
struct UserBatchSplit {
    private(set) var rows: [String: [UploadRequest.Row]] = [:]
    /// Rows without a project.
    private(set) var refusals: [BatchAttempt.Refusal] = []
    /// Deletes of rows that don't exist.
    private(set) var unknown: [UploadRequest.Row] = []
    /// The mistakes of rows that could not be read and whose project is not known.
    private(set) var problems: [RowProblem] = []
    /// The projects among these that the caller is or was a member of.
    private(set) var known: Set<String> = []
    private var problemsOf: [String: [RowProblem]] = [:]
    private let caller: Caller
    private let transaction: any ReadTransaction

    init(_ request: UploadRequest, _ caller: Caller, _ transaction: any ReadTransaction) throws {
        (self.caller, self.transaction) = (caller, transaction)
        for row in request.rows { try add(row) }
        for problem in request.problems { try add(problem, request) }
    }

    var projects: [String] { Set(rows.keys).union(problemsOf.keys).sorted() }

    func part(_ project: String, of request: UploadRequest, lastPulledAt: SyncSeq?) -> UploadRequest {
        request.part(
            of: project, rows: rows[project] ?? [], problems: problemsOf[project] ?? [], lastPulledAt: lastPulledAt)
    }

    private mutating func add(_ row: UploadRequest.Row) throws {
        if let own = try project(of: row.key) {
            guard row.project.map({ $0 == own }) ?? true else {
                return refusals.append(BatchAttempt.Refusal(row: row, problem: .idUnavailable))
            }
            rows[own, default: []].append(row)
        } else if let named = row.project {
            _ = try isKnown(named)
            rows[named, default: []].append(row)
        } else if row.bucket == .deleted {
            unknown.append(row)
        } else {
            let problem = Violation("project_id", .required, "A new row must name its project_id.")
            refusals.append(BatchAttempt.Refusal(row: row, problem: problem))
        }
    }

    private mutating func add(_ problem: RowProblem, _ request: UploadRequest) throws {
        let sent = request.unreadable[request.place(of: problem).pointer]
        let own = try problem.id.flatMap { try project(of: RowKey(problem.collection, $0)) }
        guard let project = own ?? sent?["project_id"]?.string else { return problems.append(problem) }
        _ = try isKnown(project)
        problemsOf[project, default: []].append(problem)
    }

    /// The project of a row that exists, live or dead; nil if the caller has nothing to do with it.
    private mutating func project(of key: RowKey) throws -> String? {
        guard let stored = try transaction.record(key), try isKnown(stored.project) else { return nil }
        return stored.project
    }

    private mutating func isKnown(_ project: String) throws -> Bool {
        if known.contains(project) { return true }
        let isKnown = try caller.isSuperuser || transaction.access(project: project, user: caller.userID) != nil
        if isKnown { known.insert(project) }
        return isKnown
    }
}
